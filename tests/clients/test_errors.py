"""Tests of `bgbot._errors`: what the daemon says about a failed call reaches the caller."""

from __future__ import annotations

from datetime import timedelta

import grpc
import pytest
from bgbot import BgbotError, Client, Violation, v1
from google.protobuf.duration_pb2 import Duration
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, RetryInfo

from tests.clients.conftest import ScriptedDaemon, status


def _refusal(scripted: ScriptedDaemon) -> BgbotError:
    with Client(scripted.address) as client, pytest.raises(BgbotError) as raised:
        client.evaluation.CountPips(v1.CountPipsRequest())
    return raised.value


def test_every_violation_is_read(scripted: ScriptedDaemon) -> None:
    """Code, reason and each field come from the details of the status."""
    scripted.script = [
        [
            status(
                grpc.StatusCode.INVALID_ARGUMENT,
                "two things are wrong",
                ErrorInfo(reason="CHECKER_COUNT", domain="bgbot"),
                BadRequest(
                    field_violations=[
                        BadRequest.FieldViolation(field="a", description="too few", reason="CHECKER_COUNT"),
                        BadRequest.FieldViolation(field="b", description="too many"),
                    ]
                ),
            )
        ]
    ]
    error = _refusal(scripted)
    assert grpc.StatusCode.INVALID_ARGUMENT is error.code
    assert "CHECKER_COUNT" == error.reason
    assert (Violation("a", "too few", "CHECKER_COUNT"), Violation("b", "too many", "")) == error.violations
    assert "INVALID_ARGUMENT: two things are wrong" == str(error)


def test_request_id_is_read_from_the_trailing_metadata(scripted: ScriptedDaemon) -> None:
    """The id that finds the call in the log comes with the error."""
    scripted.script = [[status(grpc.StatusCode.INTERNAL, "a defect")]]
    assert "a-request" == _refusal(scripted).request_id


def test_time_to_retry_after_is_read(scripted: ScriptedDaemon) -> None:
    """A full daemon says when to come back."""
    delay = RetryInfo(retry_delay=Duration(seconds=1, nanos=500_000_000))
    scripted.script = [[status(grpc.StatusCode.RESOURCE_EXHAUSTED, "full", delay)]]
    assert timedelta(seconds=1.5) == _refusal(scripted).retry_after


def test_what_a_status_does_not_say_is_empty(scripted: ScriptedDaemon) -> None:
    """A status without details leaves reason, violations and retry empty."""
    scripted.script = [[status(grpc.StatusCode.UNKNOWN, "a proxy's words")]]
    error = _refusal(scripted)
    assert ("a proxy's words", "", (), None) == (error.message, error.reason, error.violations, error.retry_after)


def test_cause_is_the_error_of_grpc(scripted: ScriptedDaemon) -> None:
    """Whoever needs more finds the original."""
    scripted.script = [[status(grpc.StatusCode.NOT_FOUND, "gone")]]
    cause = _refusal(scripted).__cause__
    assert isinstance(cause, grpc.RpcError)
    assert grpc.StatusCode.NOT_FOUND is cause.code()


def test_details_that_cannot_be_read_count_as_none() -> None:
    """Garbage in the details, from some proxy, does not hide the status itself."""

    class Failure(grpc.RpcError):
        """An error as gRPC gives it."""

        def code(self) -> grpc.StatusCode:
            return grpc.StatusCode.UNAVAILABLE

        def details(self) -> str:
            return "away"

        def trailing_metadata(self) -> tuple[tuple[str, bytes], ...]:  # type: ignore[override]
            return (("grpc-status-details-bin", b"\xff"),)

    error = BgbotError(Failure())
    assert (grpc.StatusCode.UNAVAILABLE, "away", ()) == (error.code, error.message, error.violations)
