"""What each client brings to a call and reads from its failure; a scripted daemon answers."""

from __future__ import annotations

import re
import socket
from typing import TYPE_CHECKING

import grpc
import pytest
from bgbot import v1
from google.protobuf.duration_pb2 import Duration
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, RetryInfo

from tests.clients.conftest import NO_DEADLINE, PIPS, ScriptedDaemon, status

if TYPE_CHECKING:
    from tests.clients.languages.toolchains import Client

AWAY = status(grpc.StatusCode.UNAVAILABLE, "away")
START = ""
DEFAULT = ""
TOKEN = "a-token"
PLAIN = ""


def _probe(
    client: Client, address: str, method: str = "pips", position: str = START, *, timeout: str = DEFAULT
) -> list[str]:
    """Make a call with a token over a plain connection, and give the lines that say what came of it."""
    probe = client.run("probe", address, method, position, timeout, TOKEN, PLAIN)
    assert (0, "") == (probe.returncode, probe.stderr)
    return probe.stdout.splitlines()


def test_a_unary_call_has_a_deadline_and_the_token(client: Client, scripted: ScriptedDaemon) -> None:
    """Thirty seconds unless said otherwise."""
    scripted.script = [[PIPS]]
    assert ["pips 167 167"] == _probe(client, scripted.address)
    [call] = scripted.calls
    assert 20 < call.time_remaining <= 30
    assert "Bearer a-token" == call.metadata["authorization"]


def test_a_stream_has_the_token_and_no_deadline(client: Client, scripted: ScriptedDaemon) -> None:
    """A rollout takes as long as it needs."""
    scripted.script = [[v1.RolloutResponse(trials_done=36), v1.RolloutResponse(trials_done=72)]]
    assert ["trials 36", "trials 72"] == _probe(client, scripted.address, "rollout")
    [call] = scripted.calls
    assert call.time_remaining > NO_DEADLINE
    assert "Bearer a-token" == call.metadata["authorization"]


def test_a_unary_call_is_tried_again_while_the_daemon_is_away(client: Client, scripted: ScriptedDaemon) -> None:
    """Up to four times."""
    scripted.script = [[AWAY], [AWAY], [AWAY], [PIPS]]
    assert ["pips 167 167"] == _probe(client, scripted.address)
    assert 4 == len(scripted.calls)


def test_a_unary_call_is_not_tried_a_fifth_time(client: Client, scripted: ScriptedDaemon) -> None:
    """What stays away is said."""
    scripted.script = [[AWAY], [AWAY], [AWAY], [AWAY], [PIPS]]
    assert "code 14" in _probe(client, scripted.address)
    assert 4 == len(scripted.calls)


def test_a_stream_is_not_tried_again(client: Client, scripted: ScriptedDaemon) -> None:
    """Work that has begun must not begin again unseen."""
    scripted.script = [[AWAY], [v1.RolloutResponse(trials_done=36)]]
    assert "code 14" in _probe(client, scripted.address, "rollout")
    assert 1 == len(scripted.calls)


@pytest.mark.parametrize("method", ["pips", "rollout", "bulk"])
def test_every_detail_of_a_refusal_is_read(client: Client, scripted: ScriptedDaemon, method: str) -> None:
    """Reason, fields, request id and when to come back, in the error type of the language."""
    scripted.script = [
        [
            status(
                grpc.StatusCode.RESOURCE_EXHAUSTED,
                "too much",
                ErrorInfo(reason="RATE_LIMITED", domain="bgbot"),
                RetryInfo(retry_delay=Duration(seconds=1, nanos=500_000_000)),
                BadRequest(
                    field_violations=[
                        BadRequest.FieldViolation(field="a.b[0]", description="too few", reason="CHECKER_COUNT"),
                        BadRequest.FieldViolation(field="c", description="too many"),
                    ]
                ),
            )
        ]
    ]
    message, *read = _probe(client, scripted.address, method)
    # Go writes a code in its own way.
    assert "resourceexhausted: too much" == message.removeprefix("error ").replace("_", "").lower()
    assert read == [
        *("code 8", "reason RATE_LIMITED", "violation a.b[0]|too few", "violation c|too many"),
        *("request a-request", "retry 1500"),
    ]


@pytest.mark.parametrize("method", ["pips", "rollout", "bulk"])
def test_a_status_without_details_is_an_error_all_the_same(
    client: Client, scripted: ScriptedDaemon, method: str
) -> None:
    """Reason, fields and time are empty then."""
    scripted.script = [[status(grpc.StatusCode.NOT_FOUND, "gone")]]
    assert ["code 5", "reason ", "request a-request", "retry 0"] == _probe(client, scripted.address, method)[1:]


def test_a_daemon_that_does_not_answer_is_given_up(client: Client) -> None:
    """The client's own deadline ends the call."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        lines = _probe(client, f"127.0.0.1:{silent.getsockname()[1]}", timeout="0.5")
    assert "code 4" in lines


def test_what_the_rules_refuse_names_its_field(client: Client, daemon: str) -> None:
    """The daemon's own refusal, of an ID that is too short."""
    [violation] = [line for line in _probe(client, daemon, "pips", "4HPwATDgc") if line.startswith("violation ")]
    assert re.fullmatch(r"violation position\.gnubg_id\|.*allowed: .*", violation)


def test_a_bulk_request_is_answered_with_its_id(client: Client, daemon: str) -> None:
    """The stream both ways ends when both sides have said all."""
    assert ["bulk 7 167"] == _probe(client, daemon, "bulk")
