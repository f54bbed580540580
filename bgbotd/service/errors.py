"""Every way a call can fail, and how it is said on the wire.

All statuses carry a `google.rpc.ErrorInfo` (domain `bgbot`, reason: a name of the contract's
`ErrorReason`); refused input carries a `google.rpc.BadRequest` with every field as well.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from google.protobuf.any_pb2 import Any
from google.protobuf.duration_pb2 import Duration
from google.rpc.code_pb2 import Code
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, RequestInfo, RetryInfo
from google.rpc.status_pb2 import Status

from bgbotd.rules import RulesError, Violation

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import timedelta

    from bgbotd.rules import Reason

DOMAIN = "bgbot"


class ServiceReason(StrEnum):
    """Reasons of the service itself; those of the rules are in `bgbotd.rules.Reason`."""

    REQUIRED = "REQUIRED"
    UNKNOWN_ENUM_VALUE = "UNKNOWN_ENUM_VALUE"
    LEVEL_UNSPECIFIED = "LEVEL_UNSPECIFIED"
    DEPTH_UNSPECIFIED = "DEPTH_UNSPECIFIED"
    OUT_OF_RANGE = "OUT_OF_RANGE"
    FIELD_NOT_ALLOWED = "FIELD_NOT_ALLOWED"
    MESSAGE_MALFORMED = "MESSAGE_MALFORMED"
    MESSAGE_TOO_LARGE = "MESSAGE_TOO_LARGE"
    ENGINE_UNAVAILABLE = "ENGINE_UNAVAILABLE"
    ENGINE_BUSY = "ENGINE_BUSY"
    CLUSTER_UNAVAILABLE = "CLUSTER_UNAVAILABLE"
    SERVER_DRAINING = "SERVER_DRAINING"
    DEADLINE_EXCEEDED = "DEADLINE_EXCEEDED"
    CALLER_CANCELLED = "CALLER_CANCELLED"
    METHOD_NOT_SERVED = "METHOD_NOT_SERVED"
    UNAUTHENTICATED = "UNAUTHENTICATED"
    PERMISSION_DENIED = "PERMISSION_DENIED"
    DICE_ROLE_REQUIRED = "DICE_ROLE_REQUIRED"
    RATE_LIMITED = "RATE_LIMITED"
    TOKEN_LIMIT_EXCEEDED = "TOKEN_LIMIT_EXCEEDED"  # noqa: S105 - a reason, no password
    DUPLICATE_BULK_ID = "DUPLICATE_BULK_ID"
    INTERNAL = "INTERNAL"


CODES: dict[ServiceReason, int] = {
    ServiceReason.ENGINE_UNAVAILABLE: Code.FAILED_PRECONDITION,
    ServiceReason.ENGINE_BUSY: Code.RESOURCE_EXHAUSTED,
    ServiceReason.CLUSTER_UNAVAILABLE: Code.UNAVAILABLE,
    ServiceReason.SERVER_DRAINING: Code.UNAVAILABLE,
    ServiceReason.DEADLINE_EXCEEDED: Code.DEADLINE_EXCEEDED,
    ServiceReason.CALLER_CANCELLED: Code.CANCELLED,
    ServiceReason.METHOD_NOT_SERVED: Code.UNIMPLEMENTED,
    ServiceReason.UNAUTHENTICATED: Code.UNAUTHENTICATED,
    ServiceReason.PERMISSION_DENIED: Code.PERMISSION_DENIED,
    ServiceReason.DICE_ROLE_REQUIRED: Code.PERMISSION_DENIED,
    ServiceReason.RATE_LIMITED: Code.RESOURCE_EXHAUSTED,
    ServiceReason.TOKEN_LIMIT_EXCEEDED: Code.PERMISSION_DENIED,
    ServiceReason.INTERNAL: Code.INTERNAL,
}
"""Codes of the reasons; whatever is not here refuses input and is INVALID_ARGUMENT."""


class InvalidRequest(Exception):
    """A request whose fields are wrong; `violations` lists every one with its path."""

    def __init__(self, violations: Iterable[Violation]) -> None:
        """Hold `violations`, of which there is at least one."""
        self.violations = tuple(violations)
        super().__init__("; ".join(map(str, self.violations)))


class CallFailed(Exception):
    """A call that fails for a reason other than its fields."""

    def __init__(
        self,
        reason: ServiceReason,
        message: str,
        *,
        metadata: Mapping[str, str] | None = None,
        retry_after: timedelta | None = None,
    ) -> None:
        """Hold the reason, a short message that says what to do, and what a program may want to know."""
        self.reason = reason
        self.message = message
        self.metadata = dict(metadata or {})
        self.retry_after = retry_after
        super().__init__(message)


def violation(field: str, problem: str, allowed: str, reason: ServiceReason | Reason) -> Violation:
    """Make a violation of the service's own reasons, which read like those of the rules."""
    return Violation(field, problem, allowed, reason)  # type: ignore[arg-type]


def status_of(error: InvalidRequest | RulesError | CallFailed, request_id: str = "") -> Status:
    """Say `error` as the status that goes over the wire, with the id that finds the call in the log if it is there."""
    if isinstance(error, CallFailed):
        details: list[ErrorInfo | BadRequest | RetryInfo] = [
            ErrorInfo(reason=error.reason, domain=DOMAIN, metadata=error.metadata)
        ]
        if error.retry_after is not None:
            delay = Duration()
            delay.FromTimedelta(error.retry_after)
            details.append(RetryInfo(retry_delay=delay))
        return _status(CODES.get(error.reason, Code.INVALID_ARGUMENT), error.message, details, request_id)
    first = error.violations[0]
    return _status(
        CODES.get(first.reason, Code.INVALID_ARGUMENT),  # type: ignore[call-overload] # those of the rules are not in it
        str(error),
        [
            ErrorInfo(reason=first.reason, domain=DOMAIN, metadata={"field": _shortened(first.field, _LONGEST_PATH)}),
            _bad_request(error.violations),
        ],
        request_id,
    )


def internal_status(request_id: str) -> Status:
    """Say that the server has a defect, without a word of what it is: the log has that, under the id."""
    return _status(
        Code.INTERNAL,
        f"Internal error; the server's log has it under request id {request_id}.",
        [ErrorInfo(reason=ServiceReason.INTERNAL, domain=DOMAIN)],
        request_id,
    )


def _status(code: int, message: str, details: Iterable[ErrorInfo | BadRequest | RetryInfo], request_id: str) -> Status:
    """Pack a status with its details."""
    status = Status(code=code, message=_shortened(message, _LONGEST_MESSAGE))
    for detail in (*details, *([RequestInfo(request_id=request_id)] if request_id else [])):
        packed = Any()
        packed.Pack(detail)
        status.details.append(packed)
    return status


def _bad_request(violations: Iterable[Violation]) -> BadRequest:
    """List what is wrong with a request, as much of it as fits."""
    listed = BadRequest()
    for each in violations:
        told = BadRequest.FieldViolation(
            field=_shortened(each.field, _LONGEST_PATH),
            description=_shortened(f"{each.problem}; allowed: {each.allowed}", _LONGEST_MESSAGE),
            reason=each.reason,
        )
        if listed.ByteSize() + told.ByteSize() > _MOST_LISTED:
            listed.field_violations.add(description="more is wrong than fits here", reason=each.reason)
            break
        listed.field_violations.append(told)
    return listed


_LONGEST_MESSAGE = 1000
_LONGEST_PATH = 200
_MOST_LISTED = 2000
"""Bytes. Failures travel in HTTP/2 headers, which clients bound at 8 KiB by default: a message there in up to three
times its bytes, details in four thirds."""


def _shortened(text: str, longest: int) -> str:
    """Cut a text that would not fit a header, and have a question mark for what is no character."""
    encoded = text[: longest + 1].encode(errors="replace")
    return encoded.decode() if len(encoded) <= longest else encoded[: longest - 3].decode(errors="ignore") + "…"
