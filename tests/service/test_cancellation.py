"""Who no longer waits takes up no worker, and who cannot wait is told so."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import grpc
import pytest
from bgbot import position_source, v1
from google.rpc.error_details_pb2 import ErrorInfo, RetryInfo
from grpc_status import rpc_status

from bgbotd.config import EngineLimits, Settings
from bgbotd.service import server

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from bgbot.v1.bot_service_pb2_grpc import BotServiceAsyncStub
    from bgbot.v1.evaluation_service_pb2_grpc import EvaluationServiceAsyncStub

    from bgbotd.service.server import Daemon

START = position_source("4HPwATDgc/ABMA")
ENDLESS = v1.RolloutRequest(position=START, settings=v1.RolloutSettings(trials=1_000_000, depth=v1.DEPTH_PLY3))
"""Its first 36 games alone take minutes."""
LONG = v1.RolloutRequest(position=START, settings=v1.RolloutSettings(trials=1_000_000, truncate_after_plies=1))
"""It reports at once and then goes on for an hour."""
DEEP = v1.EvaluateRequest(position=START, depth=v1.DEPTH_TRUNCATED_ROLLOUT)
"""Seconds of work."""
STATIC = v1.EvaluateRequest(position=START, depth=v1.DEPTH_STATIC)
QUICK = v1.EvaluateRequest(position=START, depth=v1.DEPTH_PLY2)


@asynccontextmanager
async def serving(folder: Path, most_waiting: int = 8) -> AsyncIterator[tuple[Daemon, EvaluationServiceAsyncStub]]:
    """Run a server whose engine has one worker."""
    limits = EngineLimits(processes=1, most_waiting=most_waiting, cache_folder=folder)
    daemon = await server.start(Settings(listen="127.0.0.1:0", engine=limits))
    try:
        async with grpc.aio.insecure_channel(daemon.address) as channel:
            yield daemon, v1.EvaluationServiceStub(channel)
    finally:
        await daemon.drain(0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder in which the bear-off table is kept."""
    return tmp_path_factory.mktemp("cache")


async def test_a_rollout_that_is_cancelled_frees_its_worker(folder: Path) -> None:
    """The one worker answers the next request, though the rollout had an hour to go."""
    async with serving(folder) as (_, evaluation):
        call = evaluation.Rollout(LONG)
        first = await call.read()
        assert isinstance(first, v1.RolloutResponse)
        assert not first.finished
        call.cancel()
        answer = await evaluation.Evaluate(QUICK)
        assert v1.DEPTH_PLY2 == answer.stamp.depth


async def test_a_rollout_whose_deadline_passes_frees_its_worker(folder: Path) -> None:
    """Even before it has told anything."""
    async with serving(folder) as (_, evaluation):
        await evaluation.Evaluate(QUICK)
        call = evaluation.Rollout(ENDLESS, timeout=0.3)
        assert grpc.StatusCode.DEADLINE_EXCEEDED == await call.code()
        other = v1.EvaluateRequest(position=START, match=v1.MatchState(length=5), depth=v1.DEPTH_PLY2)
        assert v1.DEPTH_PLY2 == (await evaluation.Evaluate(other)).stamp.depth


@pytest.mark.parametrize("by_deadline", [False, True], ids=["cancel", "deadline"])
async def test_a_deep_evaluation_nobody_waits_for_is_not_carried_on(folder: Path, *, by_deadline: bool) -> None:
    """Its worker is free at once, and no answer of it is remembered: it was never found."""
    async with serving(folder) as (daemon, evaluation):
        await evaluation.Evaluate(QUICK)
        call = evaluation.Evaluate(DEEP, timeout=0.3 if by_deadline else None)
        if not by_deadline:
            # Calls of one connection are taken in turn: the deep one is under way when this is answered.
            await evaluation.Evaluate(STATIC)
            call.cancel()
        code = grpc.StatusCode.DEADLINE_EXCEEDED if by_deadline else grpc.StatusCode.CANCELLED
        assert code == await call.code()
        other = v1.EvaluateRequest(position=START, match=v1.MatchState(length=5), depth=v1.DEPTH_PLY2)
        await evaluation.Evaluate(other)
        state = daemon.engine.state()
        assert state is not None
        assert 2 == state.evaluations.size


async def test_a_rollout_left_unread_ends_with_its_connection(folder: Path) -> None:
    """A caller that vanishes without a word holds no worker."""
    async with serving(folder) as (daemon, evaluation):
        async with grpc.aio.insecure_channel(daemon.address) as vanishing:
            call = v1.EvaluationServiceStub(vanishing).Rollout(LONG)
            await call.read()
        assert v1.DEPTH_PLY2 == (await evaluation.Evaluate(QUICK)).stamp.depth


async def test_static_answers_and_plays_of_the_kernel_do_not_wait_for_deep_work(folder: Path) -> None:
    """While the one worker is busy for good, whatever needs none is answered."""
    async with serving(folder) as (daemon, evaluation):
        call = evaluation.Rollout(LONG)
        await call.read()
        async with grpc.aio.insecure_channel(daemon.address) as channel:
            bots: BotServiceAsyncStub = v1.BotServiceStub(channel)
            dice = v1.Dice(die1=3, die2=1)
            static = await evaluation.Evaluate(STATIC)
            ranked = await evaluation.RankPlays(v1.RankPlaysRequest(position=START, dice=dice, depth=v1.DEPTH_STATIC))
            hard = await bots.ChoosePlay(v1.ChoosePlayRequest(position=START, dice=dice, level=v1.LEVEL_HARD))
            expert = await bots.ChoosePlay(v1.ChoosePlayRequest(position=START, dice=dice, level=v1.LEVEL_EXPERT))
        assert "bgsage" == static.stamp.engine
        assert ["8/5 6/5"] * 3 == [ranked.plays[0].play.notation, hard.play.notation, expert.play.notation]
        assert not call.done()
        call.cancel()


def _evaluate(evaluation: EvaluationServiceAsyncStub, number: int) -> grpc.aio.Call:
    """Ask for something deep that is not asked for twice."""
    match = v1.MatchState(length=25, player_score=number)
    return evaluation.Evaluate(v1.EvaluateRequest(position=START, match=match, depth=v1.DEPTH_PLY4))


def _rank(evaluation: EvaluationServiceAsyncStub, number: int) -> grpc.aio.Call:
    """Ask for the ranking of a roll."""
    match = v1.MatchState(length=25, player_score=number)
    dice = v1.Dice(die1=6, die2=2)
    return evaluation.RankPlays(v1.RankPlaysRequest(position=START, match=match, dice=dice, depth=v1.DEPTH_PLY4))


def _roll_out(evaluation: EvaluationServiceAsyncStub, number: int) -> grpc.aio.Call:
    """Ask for a rollout."""
    del number
    return evaluation.Rollout(ENDLESS)


@pytest.mark.parametrize("ask", [_evaluate, _rank, _roll_out], ids=["Evaluate", "RankPlays", "Rollout"])
async def test_a_full_queue_says_when_to_try_again(
    folder: Path, ask: Callable[[EvaluationServiceAsyncStub, int], grpc.aio.Call]
) -> None:
    """One request is at work and one waits at most, so that of four at once two are refused at least."""
    async with serving(folder, most_waiting=1) as (_, evaluation):
        await evaluation.Evaluate(QUICK)
        calls = [evaluation.Rollout(ENDLESS), *(ask(evaluation, number) for number in range(3))]
        ends = [asyncio.ensure_future(call.code()) for call in calls]
        refused = 0
        for end in asyncio.as_completed(ends):
            refused += await end is grpc.StatusCode.RESOURCE_EXHAUSTED
            if refused == 2:
                break
        for call, end in zip(calls, ends, strict=True):
            if end.done() and end.result() is grpc.StatusCode.RESOURCE_EXHAUSTED:
                await _check_refusal(call)
            call.cancel()
        await asyncio.gather(*ends)


async def _check_refusal(call: grpc.aio.Call) -> None:
    """Look for reason and delay in the details."""
    status = await rpc_status.aio.from_call(call)
    assert status is not None
    reason, retry = ErrorInfo(), RetryInfo()
    assert [True, True] == [any(detail.Unpack(message) for detail in status.details) for message in (reason, retry)]
    assert ("ENGINE_BUSY", "bgbot") == (reason.reason, reason.domain)
    assert retry.retry_delay.ToTimedelta()
