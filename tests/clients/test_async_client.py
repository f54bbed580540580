"""Tests of `bgbot.AsyncClient`, which adds the same to every call as `bgbot.Client`."""

from __future__ import annotations

import asyncio

import grpc
import pytest
from bgbot import AsyncClient, BgbotError, position_source, v1

from tests.clients.conftest import NO_DEADLINE, PIPS, ScriptedDaemon, status

WORD = "a-word"
UNAVAILABLE = status(grpc.StatusCode.UNAVAILABLE, "draining")
STATE = v1.RolloutResponse(trials_done=36)


async def test_many_calls_are_answered_at_once(daemon: str) -> None:
    """Calls in flight together share one channel."""
    async with AsyncClient(daemon) as client:
        answers = await asyncio.gather(
            *(
                client.rules.ListLegalPlays(
                    v1.ListLegalPlaysRequest(position=position_source(), dice=v1.Dice(die1=die, die2=die))
                )
                for die in range(1, 7)
            )
        )
    # Plays of 11 to 66 from the starting position; none of 55's runs into the opponent's points.
    assert [1, 2, 3, 4, 5, 6] == [answer.dice.die1 for answer in answers]


async def test_refusal_names_every_wrong_field(daemon: str) -> None:
    """Two wrong dice are two violations, each with its path."""
    async with AsyncClient(daemon) as client:
        with pytest.raises(BgbotError) as raised:
            await client.rules.ListLegalPlays(
                v1.ListLegalPlaysRequest(position=position_source(), dice=v1.Dice(die1=0, die2=7))
            )
    assert "DIE_OUT_OF_RANGE" == raised.value.reason
    assert ["dice.die1", "dice.die2"] == [violation.field for violation in raised.value.violations]
    assert raised.value.request_id


async def test_unary_call_has_the_clients_deadline_and_token(scripted: ScriptedDaemon) -> None:
    """What says nothing about time may take what the client allows."""
    scripted.script = [[PIPS]]
    async with AsyncClient(scripted.address, timeout=7, token=WORD) as client:
        await client.evaluation.CountPips(v1.CountPipsRequest())
    assert 0 < scripted.calls[0].time_remaining < 8  # gRPC rounds up on the wire
    assert "Bearer a-word" == scripted.calls[0].metadata["authorization"]


async def test_unary_call_is_tried_again_while_the_daemon_is_unavailable(scripted: ScriptedDaemon) -> None:
    """A daemon that is being replaced answers at the third try."""
    scripted.script = [[UNAVAILABLE], [UNAVAILABLE], [PIPS]]
    async with AsyncClient(scripted.address) as client:
        assert PIPS == await client.evaluation.CountPips(v1.CountPipsRequest())


async def test_stream_gives_its_answers_and_then_its_error(scripted: ScriptedDaemon) -> None:
    """A stream has no deadline, and what came before the error is not lost."""
    scripted.script = [[STATE, status(grpc.StatusCode.RESOURCE_EXHAUSTED, "full")]]
    async with AsyncClient(scripted.address) as client:
        states = aiter(client.evaluation.Rollout(v1.RolloutRequest()))
        assert STATE == await anext(states)
        with pytest.raises(BgbotError, match="full"):
            await anext(states)
    assert scripted.calls[0].time_remaining > NO_DEADLINE


async def test_bulk_stream_can_be_written_to(scripted: ScriptedDaemon) -> None:
    """Requests written one by one are sent, and the answers and the error come back."""
    answer = v1.BulkResponse(results=[v1.BulkResult(id=5, count_pips=PIPS)])
    scripted.script = [[answer, UNAVAILABLE]]
    async with AsyncClient(scripted.address) as client:
        call = client.bulk.Process()
        await call.write(v1.BulkRequest(items=[v1.BulkItem(id=5, count_pips=v1.CountPipsRequest())]))
        answers = aiter(call)
        assert answer == await anext(answers)
        with pytest.raises(BgbotError, match="draining"):
            await anext(answers)


async def test_cancelled_task_cancels_the_call(scripted: ScriptedDaemon) -> None:
    """Whoever stops waiting gets asyncio's own exception, as everywhere in asyncio."""
    scripted.script = [[]]
    async with AsyncClient(scripted.address) as client:
        waiting = asyncio.ensure_future(_count_pips(client))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting


async def _count_pips(client: AsyncClient) -> v1.CountPipsResponse:
    return await client.evaluation.CountPips(v1.CountPipsRequest())
