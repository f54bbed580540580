"""The one exception of this client, read from the rich errors of the daemon."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from google.protobuf.message import DecodeError, Message
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, RetryInfo
from google.rpc.status_pb2 import Status

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import timedelta

    import grpc

_Detail = TypeVar("_Detail", bound=Message)


class Violation(NamedTuple):
    """One thing that is wrong with a request."""

    field: str
    """Path of the field in the request, such as `position.position.player.points[5]`."""
    description: str
    """What was found there and what would have been right."""
    reason: str
    """Name of an `ErrorReason` without its prefix; empty where the server says none."""


class BgbotError(Exception):
    """A call that failed, refused by the daemon or lost on the way to it.

    Its cause is the `grpc.RpcError` it was read from.
    """

    code: grpc.StatusCode
    """The status, such as `grpc.StatusCode.INVALID_ARGUMENT`."""
    message: str
    """What went wrong, for a person to read."""
    reason: str
    """Name of an `ErrorReason` without its prefix; empty when the answer is not the daemon's own."""
    violations: tuple[Violation, ...]
    """Everything that is wrong with the request; empty unless it was refused as invalid."""
    request_id: str
    """Finds the call in the daemon's log; empty where the daemon was not reached."""
    retry_after: timedelta | None
    """How long to wait before trying again, where the daemon says it."""

    def __init__(self, error: grpc.RpcError) -> None:
        """Read the status, its details and the trailing metadata of `error`."""
        metadata: Mapping[str, Any] = dict(error.trailing_metadata() or ())  # type: ignore[arg-type] # they are pairs
        status = _status(metadata.get("grpc-status-details-bin", b""))
        retry = _detail(status, RetryInfo)
        self.code = error.code()
        self.message = error.details() or ""
        self.reason = _detail(status, ErrorInfo).reason
        self.violations = tuple(
            Violation(violation.field, violation.description, violation.reason)
            for violation in _detail(status, BadRequest).field_violations
        )
        self.request_id = metadata.get("x-request-id", "")
        self.retry_after = retry.retry_delay.ToTimedelta() if retry.HasField("retry_delay") else None
        super().__init__(f"{self.code.name}: {self.message}")


def _status(encoded: bytes) -> Status:
    """Read `google.rpc.Status`; a status that cannot be read, from some proxy, counts as none."""
    try:
        return Status.FromString(encoded)
    except DecodeError:
        return Status()


def _detail(status: Status, kind: type[_Detail]) -> _Detail:
    """Give the status's detail of this kind, an empty one where it has none."""
    detail = kind()
    for packed in status.details:
        if packed.Unpack(detail):
            break
    return detail
