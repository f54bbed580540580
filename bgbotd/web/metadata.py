"""Headers of a call that gRPC cannot read are kept from it.

It would not only fail that call, as INTERNAL: what it could not read it remembers for a connection's later calls that
have a header of the same name, and the edge's connections are shared by all callers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bgbotd.service.errors import CallFailed, ServiceReason, status_of
from bgbotd.web.parts import Part, named, told_in_grpc

if TYPE_CHECKING:
    from collections.abc import Iterator

GRPC: Part = {"safe_regex": {"regex": r"application/grpc(\+proto|-web(-text)?(\+proto)?)?"}}
"""Content types of gRPC and gRPC-Web that the edge and the daemon know."""
READS_GRPC: Part = {"safe_regex": {"regex": r"application/grpc(\+.*|-web(-text)?(\+proto)?)?"}}
"""Content types of callers whom Envoy answers in gRPC's own form."""
JSON: Part = {"safe_regex": {"regex": r"(?i)application/json[ \t]*(;.*)?"}}

_UNASKED = (
    "grpc-previous-rpc-attempts",
    "grpc-internal-encoding-request",
    "grpc-retry-pushback-ms",
    "grpc-status",
    "grpc-message",
    "lb-token",
)
"""Headers that gRPC reads and the daemon does not ask for, nor for any that is binary."""
_FORMS = {
    "grpc-timeout": (r"[0-9]{1,8}[HMSmun]", "up to eight digits and one of H, M, S, m, u and n, such as 500m"),
    "grpc-encoding": (r"identity|deflate|gzip", "identity, deflate or gzip"),
}
"""How headers have to be written that it does ask for, for programs and for people."""


def without_unasked() -> Part:
    """Give the filter that takes away what the daemon does not ask for."""
    binary = {"remove_on_match": {"key_matcher": {"suffix": "-bin"}}}
    return named(
        "envoy.filters.http.header_mutation",
        "filters.http.header_mutation.v3.HeaderMutation",
        mutations={"request_mutations": [binary, *({"remove": name} for name in _UNASKED)]},
    )


def refused_headers() -> Iterator[Part]:
    """Give the routes of calls with headers that are not written as they have to be."""
    for wrong, said in _wrong():
        answer = {"status": 400, "body": {"inline_string": said}}
        yield {"match": {"prefix": "/", "headers": [wrong]}, "direct_response": answer}


def header_refusals() -> Iterator[Part]:
    """Say what their callers are told who read gRPC's own form."""
    reads_grpc = {"name": "content-type", "string_match": READS_GRPC}
    for wrong, said in _wrong():
        both = [{"header_filter": {"header": header}} for header in (reads_grpc, wrong)]
        status = status_of(CallFailed(ServiceReason.MESSAGE_MALFORMED, said))
        yield {"filter": {"and_filter": {"filters": both}}, **told_in_grpc(status)}


def _wrong() -> Iterator[tuple[Part, str]]:
    """Tell headers that are not written as they have to be, and say how they have to."""
    for name, (form, said) in _FORMS.items():
        matcher = {"name": name, "string_match": {"safe_regex": {"regex": form}}, "invert_match": True}
        yield matcher, f"{name}: {said} is needed."
