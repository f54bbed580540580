"""Tests of `bgbot.Client` and of what it adds to every call."""

from __future__ import annotations

import grpc
import pytest
from bgbot import BgbotError, Client, position_source, v1

from tests.clients.conftest import NO_DEADLINE, PIPS, ScriptedDaemon, status

WORD = "a-word"
UNAVAILABLE = status(grpc.StatusCode.UNAVAILABLE, "draining")
STATE = v1.RolloutResponse(trials_done=36)


def test_calls_of_every_served_service_are_answered(daemon: str) -> None:
    """Rules, bots and evaluation answer on one channel."""
    with Client(daemon) as client:
        dice = v1.Dice(die1=3, die2=1)
        plays = client.rules.ListLegalPlays(v1.ListLegalPlaysRequest(position=position_source(), dice=dice)).plays
        choice = client.bots.ChoosePlay(
            v1.ChoosePlayRequest(position=position_source(), dice=dice, level=v1.LEVEL_MEDIUM)
        )
        pips = client.evaluation.CountPips(v1.CountPipsRequest(position=position_source()))
    assert 16 == len(plays)
    assert "8/5 6/5" == choice.play.notation
    assert (167, 167) == (pips.player_pips, pips.opponent_pips)


def test_refusal_names_every_wrong_field(daemon: str) -> None:
    """Two wrong dice are two violations, each with its path."""
    with Client(daemon) as client, pytest.raises(BgbotError) as raised:
        client.rules.ListLegalPlays(
            v1.ListLegalPlaysRequest(position=position_source(), dice=v1.Dice(die1=0, die2=7)),
        )
    assert grpc.StatusCode.INVALID_ARGUMENT is raised.value.code
    assert "DIE_OUT_OF_RANGE" == raised.value.reason
    assert ["dice.die1", "dice.die2"] == [violation.field for violation in raised.value.violations]
    assert raised.value.request_id


def test_request_id_of_the_caller_comes_back(daemon: str) -> None:
    """A call may bring its own request id as metadata."""
    with Client(daemon) as client, pytest.raises(BgbotError) as raised:
        client.bots.ChoosePlay(v1.ChoosePlayRequest(), metadata=(("x-request-id", "my-own"),))
    assert "my-own" == raised.value.request_id


def test_daemon_that_is_not_there_is_unavailable() -> None:
    """No daemon listens on port 1."""
    with Client("127.0.0.1:1") as client, pytest.raises(BgbotError) as raised:
        client.bots.ListBots(v1.ListBotsRequest())
    assert grpc.StatusCode.UNAVAILABLE is raised.value.code
    assert "" == raised.value.reason


def test_unary_call_has_the_clients_deadline(scripted: ScriptedDaemon) -> None:
    """What says nothing about time may take what the client allows."""
    scripted.script = [[PIPS]]
    with Client(scripted.address, timeout=7) as client:
        client.evaluation.CountPips(v1.CountPipsRequest())
    assert 0 < scripted.calls[0].time_remaining < 8  # gRPC rounds up on the wire


def test_call_may_have_a_deadline_of_its_own(scripted: ScriptedDaemon) -> None:
    """A longer deadline than the client's holds."""
    scripted.script = [[PIPS]]
    with Client(scripted.address, timeout=7) as client:
        client.evaluation.CountPips(v1.CountPipsRequest(), timeout=1000)
    assert 8 < scripted.calls[0].time_remaining < 1100


def test_stream_has_no_deadline(scripted: ScriptedDaemon) -> None:
    """A rollout takes as long as it needs."""
    scripted.script = [[STATE, STATE]]
    with Client(scripted.address, timeout=7) as client:
        states = list(client.evaluation.Rollout(v1.RolloutRequest()))
    assert [STATE, STATE] == states
    assert scripted.calls[0].time_remaining > NO_DEADLINE


def test_token_is_sent_beside_the_calls_own_metadata(scripted: ScriptedDaemon) -> None:
    """Neither displaces the other."""
    scripted.script = [[PIPS]]
    with Client(scripted.address, token=WORD) as client:
        client.evaluation.CountPips(v1.CountPipsRequest(), metadata=(("x-request-id", "mine"),))
    metadata = scripted.calls[0].metadata
    assert ("Bearer a-word", "mine") == (metadata["authorization"], metadata["x-request-id"])


def test_unary_call_is_tried_again_while_the_daemon_is_unavailable(scripted: ScriptedDaemon) -> None:
    """A daemon that is being replaced answers at the third try."""
    scripted.script = [[UNAVAILABLE], [UNAVAILABLE], [PIPS]]
    with Client(scripted.address) as client:
        assert PIPS == client.evaluation.CountPips(v1.CountPipsRequest())


def test_unary_call_is_tried_four_times_at_most(scripted: ScriptedDaemon) -> None:
    """Then the caller is told."""
    scripted.script = [[UNAVAILABLE] for _ in range(5)]
    with Client(scripted.address) as client, pytest.raises(BgbotError):
        client.evaluation.CountPips(v1.CountPipsRequest())
    assert 4 == len(scripted.calls)


def test_refused_call_is_not_tried_again(scripted: ScriptedDaemon) -> None:
    """What is wrong stays wrong."""
    scripted.script = [[status(grpc.StatusCode.INVALID_ARGUMENT, "wrong")], [PIPS]]
    with Client(scripted.address) as client, pytest.raises(BgbotError):
        client.evaluation.CountPips(v1.CountPipsRequest())
    assert 1 == len(scripted.calls)


def test_rollout_is_not_tried_again(scripted: ScriptedDaemon) -> None:
    """Its work would be done twice."""
    scripted.script = [[UNAVAILABLE], [STATE]]
    with Client(scripted.address) as client, pytest.raises(BgbotError):
        next(client.evaluation.Rollout(v1.RolloutRequest()))
    assert 1 == len(scripted.calls)


def test_error_in_the_midst_of_a_stream_is_read(scripted: ScriptedDaemon) -> None:
    """What came before it is not lost."""
    scripted.script = [[STATE, status(grpc.StatusCode.RESOURCE_EXHAUSTED, "full")]]
    with Client(scripted.address) as client:
        states = client.evaluation.Rollout(v1.RolloutRequest())
        assert STATE == next(states)
        with pytest.raises(BgbotError, match="full"):
            next(states)


def test_stream_can_be_cancelled(scripted: ScriptedDaemon) -> None:
    """The call behind the stream is within reach."""
    scripted.script = [[STATE] * 100_000]
    with Client(scripted.address) as client:
        states = client.evaluation.Rollout(v1.RolloutRequest())
        next(states)
        states.cancel()
        with pytest.raises(BgbotError) as raised:
            list(states)
    assert grpc.StatusCode.CANCELLED is raised.value.code


def test_bulk_stream_carries_answers_and_errors(scripted: ScriptedDaemon) -> None:
    """Both ways of the stream pass through the client."""
    answer = v1.BulkResponse(results=[v1.BulkResult(id=5, count_pips=PIPS)])
    scripted.script = [[answer, status(grpc.StatusCode.UNAVAILABLE, "draining")]]
    item = v1.BulkItem(id=5, count_pips=v1.CountPipsRequest())
    with Client(scripted.address) as client:
        answers = client.bulk.Process(iter([v1.BulkRequest(items=[item])]))
        assert answer == next(answers)
        with pytest.raises(BgbotError, match="draining"):
            next(answers)


def test_future_gives_the_answer_or_the_error_read(scripted: ScriptedDaemon) -> None:
    """A call made for later fails in the same words."""
    scripted.script = [[PIPS], [status(grpc.StatusCode.NOT_FOUND, "gone")]]
    with Client(scripted.address) as client:
        assert PIPS == client.evaluation.CountPips.future(v1.CountPipsRequest()).result()
        failed = client.evaluation.CountPips.future(v1.CountPipsRequest())
        with pytest.raises(BgbotError, match="gone"):
            failed.result()
        assert isinstance(failed.exception(), BgbotError)


def test_with_call_gives_the_trailing_metadata(daemon: str) -> None:
    """The request id of an answered call can be had too."""
    with Client(daemon) as client:
        _, call = client.bots.ListBots.with_call(v1.ListBotsRequest(), metadata=(("x-request-id", "asked"),))
        assert ("x-request-id", "asked") in tuple(call.trailing_metadata())
