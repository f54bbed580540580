"""Asks the implementation under examination, by the contract's descriptors alone."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import grpc
from bgbot import BgbotError, v1
from google.protobuf import message_factory
from google.protobuf.json_format import MessageToDict, ParseDict

if TYPE_CHECKING:
    from google.protobuf.descriptor import MethodDescriptor
    from google.protobuf.message import Message

    from bgbotd.conformance.cases import Case, Json

_POOL = v1.BulkItem.DESCRIPTOR.file.pool
ANSWER = "$answer"
_TIMEOUT = 60.0
"""Seconds that one call may take: the slowest of the cases looks four plies ahead."""


class Refused(NamedTuple):
    """What a refused call said."""

    code: str
    reason: str
    fields: Json

    def as_json(self) -> Json:
        """Give it in the form a case expects it in."""
        return {"code": self.code, "reason": self.reason, "fields": self.fields}


class Peer:
    """A connection to an implementation."""

    def __init__(self, channel: grpc.Channel, token: str | None = None) -> None:
        """Use a channel; the token goes with every call."""
        self._channel = channel
        self._metadata = (("authorization", f"Bearer {token}"),) if token else ()

    def ask(self, case: Case) -> Json | Refused:
        """Make a case's calls once, and give the last one's answer in protobuf's JSON mapping.

        Raises:
            KeyError: if the contract has no such method.
            google.protobuf.json_format.ParseError: if a request is none of the method's.

        """
        answers: list[Json] = []
        try:
            for earlier in case.before:
                answers.append(self._call(earlier["call"], [filled(earlier["request"], answers)]))
            return self._call(case.call, [filled(request, answers) for request in case.requests])
        except grpc.RpcError as error:
            failed = BgbotError(error)
            fields = {violation.field: violation.reason for violation in failed.violations}
            return Refused(failed.code.name, failed.reason, fields)

    def _call(self, call: str, requests: list[Json]) -> Json:
        service, name = call.split("/")
        method = _POOL.FindServiceByName(service).methods_by_name[name]
        request_class = message_factory.GetMessageClass(method.input_type)
        messages = [ParseDict(request, request_class()) for request in requests]
        return _as_json(method, self._answers(call, method, messages))

    def _answers(self, call: str, method: MethodDescriptor, requests: list[Message]) -> list[Message]:
        kinds = {
            (False, False): self._channel.unary_unary,
            (False, True): self._channel.unary_stream,
            (True, True): self._channel.stream_stream,
        }
        answer_class = message_factory.GetMessageClass(method.output_type)
        make: Any = kinds[method.client_streaming, method.server_streaming]
        stub = make(f"/{call}", type(requests[0]).SerializeToString, answer_class.FromString)
        given = iter(requests) if method.client_streaming else requests[0]
        answer = stub(given, timeout=_TIMEOUT, metadata=self._metadata, wait_for_ready=True)
        return list(answer) if method.server_streaming else [answer]


def filled(request: Any, answers: list[Json]) -> Any:  # noqa: ANN401 - any JSON
    """Put fields of earlier answers in their places."""
    if isinstance(request, list):
        return [filled(each, answers) for each in request]
    if not isinstance(request, dict):
        return request
    if ANSWER in request:
        number, name = request[ANSWER]
        return answers[number].get(name)
    return {name: filled(value, answers) for name, value in request.items()}


def _as_json(method: MethodDescriptor, answers: list[Message]) -> Json:
    """Give the only answer, a stream's last one, or all results of Bulk by their ids."""
    written = [MessageToDict(answer, always_print_fields_with_no_presence=True) for answer in answers]
    if method.client_streaming:
        results = [result for answer in written for result in answer["results"]]
        return {"results": sorted(results, key=itemgetter("id"))}
    return written[-1] if written else {}
