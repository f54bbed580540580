"""Reading requests in JSON, strictly: what a request has that the contract has not is refused, with its path.

The web edge passes JSON on as it came, for its own transcoder drops unknown fields without a word. It makes
JSON of the answers itself.
"""

from __future__ import annotations

import json
import math
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from google.api.httpbody_pb2 import HttpBody
from google.protobuf import json_format
from google.protobuf.descriptor import FieldDescriptor

from bgbotd.config import LARGEST_REQUEST
from bgbotd.service.errors import CallFailed, InvalidRequest, ServiceReason, violation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from google.protobuf.descriptor import Descriptor
    from google.protobuf.message import Message
    from grpc import RpcMethodHandler

    from bgbotd.rules import Violation


class JsonRequest(bytes):
    """The bytes of a request that is JSON within a `google.api.HttpBody`."""

    __slots__ = ()

    def read(self, message_class: type[Message]) -> Message:
        """Read it; nothing at all is an empty request.

        Raises:
            CallFailed: MESSAGE_TOO_LARGE or MESSAGE_MALFORMED.
            InvalidRequest: with every field that the message has not, or that is of another kind.

        """
        text = HttpBody.FromString(self).data or b"{}"
        if len(text) > LARGEST_REQUEST:
            message = f"The request has {len(text)} bytes; at most {LARGEST_REQUEST} are read."
            raise CallFailed(ServiceReason.MESSAGE_TOO_LARGE, message)
        try:
            value = json.loads(text, object_pairs_hook=_object)
        except (ValueError, RecursionError) as error:
            raise CallFailed(ServiceReason.MESSAGE_MALFORMED, f"This is no JSON: {error}.") from None
        descriptor: Any = message_class.DESCRIPTOR  # its stubs know two kinds that are one
        if wrong := list(islice(_wrong(descriptor, value, ""), _MOST_TOLD)):
            raise InvalidRequest(wrong)
        try:
            return json_format.ParseDict(value, message_class())
        except json_format.ParseError as error:
            raise CallFailed(ServiceReason.MESSAGE_MALFORMED, str(error)) from None


def in_json(methods: Mapping[str, RpcMethodHandler[bytes, bytes]]) -> dict[str, RpcMethodHandler[bytes, bytes]]:
    """Give the methods of a service as they are asked in JSON: those that are asked once."""
    return {
        name: method._replace(request_deserializer=JsonRequest)  # type: ignore[attr-defined] # a named tuple
        for name, method in methods.items()
        if not method.request_streaming
    }


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Put an object together.

    Raises:
        ValueError: if it says something twice.

    """
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"{name!r} is there twice")
        found[name] = value
    return found


def _wrong(message: Descriptor, value: object, path: str) -> Iterator[Violation]:
    """Say what in a value is not as its message is."""
    if not isinstance(value, dict):
        yield _kind(path, value, "an object")
        return
    known = {name: field for field in message.fields for name in (field.json_name, field.name)}
    said: dict[str, str] = {}
    for name, each in value.items():
        field = known.get(name)
        at = f"{path}.{field.name if field else name}".removeprefix(".")
        if field is None:
            names = ", ".join(each.json_name for each in message.fields) or "nothing"
            yield violation(at, "no such field", names, ServiceReason.FIELD_NOT_ALLOWED)
        elif each is not None:  # null is as good as nothing
            choice = field.containing_oneof.name if field.containing_oneof else field.name
            if choice in said:
                yield violation(at, f"{name!r} beside {said[choice]!r}", "one of them", ServiceReason.FIELD_NOT_ALLOWED)
            said[choice] = name
            yield from _wrong_field(field, each, at)


def _wrong_field(field: FieldDescriptor, value: object, path: str) -> Iterator[Violation]:
    """Say what is wrong with all values of a field."""
    if not field.is_repeated:
        yield from _wrong_value(field, value, path)
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _wrong_value(field, item, f"{path}[{number}]")
    else:
        yield _kind(path, value, "an array")


def _wrong_value(field: FieldDescriptor, value: object, path: str) -> Iterator[Violation]:
    """Say what is wrong with one value of a field."""
    if field.message_type is not None:
        yield from _wrong(field.message_type, value, path)
    elif field.enum_type is not None:
        names = [each.name for each in field.enum_type.values]
        if value not in names and not _is_integer(value):
            problem = f"{_shown(value)} is none of them"
            yield violation(path, problem, ", ".join(names), ServiceReason.UNKNOWN_ENUM_VALUE)
    else:
        fits, wanted = _KINDS[field.cpp_type]
        if not fits(value):
            yield _kind(path, value, wanted)


def _is_integer(value: object, bits: int = 32) -> bool:
    """Tell whether JSON's rules let a value be an integer of so many bits: it may be a string, as 64 bits have to."""
    if isinstance(value, str) and value.isascii() and value.removeprefix("-").isdecimal():
        value = int(value) if len(value) <= _MOST_DIGITS else math.inf
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return -(1 << bits - 1) <= value < 1 << bits - 1 and value == value // 1


def _is_number(value: object) -> bool:
    """Tell whether a value is a number."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _kind(path: str, value: object, wanted: str) -> Violation:
    """Say that a value is of another kind than its field."""
    return violation(path, _shown(value), wanted, ServiceReason.MESSAGE_MALFORMED)


def _shown(value: object) -> str:
    """Show what was found, without going on and on."""
    # Piece by piece, for all of it may be nested more deeply than can be written.
    text = "".join(islice(json.JSONEncoder(ensure_ascii=False).iterencode(value), _MOST_SHOWN + 1))
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}..."


_MOST_TOLD = 100
"""Problems that are looked for in one request: more than anybody reads, and than an answer has room for."""
_MOST_SHOWN = 40
_MOST_DIGITS = 20
"""Of an integer of 64 bits, with its sign."""
_F = FieldDescriptor
_KINDS: dict[int, tuple[Callable[[object], bool], str]] = {
    _F.CPPTYPE_INT32: (_is_integer, "an integer of 32 bits"),
    _F.CPPTYPE_INT64: (partial(_is_integer, bits=64), "an integer of 64 bits"),
    _F.CPPTYPE_DOUBLE: (_is_number, "a number"),
    _F.CPPTYPE_BOOL: (lambda value: isinstance(value, bool), "true or false"),
    _F.CPPTYPE_STRING: (lambda value: isinstance(value, str), "a string"),
}
"""What each kind of field that the contract has takes."""
