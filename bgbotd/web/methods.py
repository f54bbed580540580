"""What the contract says about its methods, read from the set of its descriptors that Envoy reads as well."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from google.api.annotations_pb2 import http
from google.protobuf.descriptor_pb2 import FileDescriptorSet

if TYPE_CHECKING:
    from collections.abc import Iterator

    from google.api.http_pb2 import HttpRule
    from google.protobuf.descriptor_pb2 import MethodDescriptorProto

JSON_SUFFIX = "Json"
"""What the names of services end with that are asked in JSON."""
DESCRIPTORS = Path(__file__).with_name("bgbot.v1.binpb")
"""The contract, compiled, with all that it imports and the details that failures carry; `make proto` writes it."""
PACKAGE = "bgbot.v1"
_RAW, _RAW_FILE = ".google.api.HttpBody", "google/api/httpbody.proto"


@dataclass(frozen=True, slots=True)
class Method:
    """A method of the contract."""

    service: str
    """Full name of its service."""
    name: str
    verb: str
    """GET or POST, empty where the method is not offered as JSON."""
    path: str
    """Where it is offered as JSON."""
    streams: bool
    """Whether it answers, or is asked, with any number of messages."""


def transcoded() -> bytes:
    """Give the descriptors that Envoy transcodes by: it passes JSON requests on as they came.

    Its own reading of them would drop what the contract does not know without a word.
    """
    files = FileDescriptorSet.FromString(DESCRIPTORS.read_bytes())
    for file in files.file:
        if file.package == PACKAGE and file.service:
            file.dependency.append(_RAW_FILE)
            for service in file.service:
                service.name += JSON_SUFFIX
                for method in service.method:
                    if _rule(method).body:
                        method.input_type = _RAW
    return files.SerializeToString(deterministic=True)


def methods() -> Iterator[Method]:
    """Give every method of the contract."""
    for file in FileDescriptorSet.FromString(DESCRIPTORS.read_bytes()).file:
        if file.package != PACKAGE:
            continue
        for service in file.service:
            for method in service.method:
                rule = _rule(method)
                verb = rule.WhichOneof("pattern") or ""
                yield Method(
                    service=f"{PACKAGE}.{service.name}",
                    name=method.name,
                    verb=verb.upper(),
                    path=getattr(rule, verb) if verb else "",
                    streams=method.client_streaming or method.server_streaming,
                )


def _rule(method: MethodDescriptorProto) -> HttpRule:
    """Give the place of a method in HTTP."""
    rule: HttpRule = method.options.Extensions[http]  # type: ignore[index] # its stub does not say what it extends
    return rule
