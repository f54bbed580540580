"""Evaluations and rankings over gRPC beside the same in process, and how soon cancelled work ends.

Calls are made one at a time, over the wire and in process in turns, and each position is asked for
once, so that no cache answers. Rankings stand beside bgsage's own call as well. Figures are medians
in milliseconds. Work is cancelled once it is under way, in a server with one engine process; its
worker is free when the engine can take the next request.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import grpc
from bgbot import Client, v1
from bgsage import BgBotAnalyzer

from benchmarks.results import Figure
from bgbotd import logging
from bgbotd.bots import MEDIUM
from bgbotd.bots.contest import rolls
from bgbotd.config import EngineLimits, Settings
from bgbotd.evaluation import Depth, Evaluator
from bgbotd.evaluation.sage import bgsage_board
from bgbotd.rules import STARTING_POSITION, Dice, MatchState, Position
from bgbotd.service import render, server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bgbot.v1.evaluation_service_pb2_grpc import EvaluationServiceAsyncStub

    from bgbotd.service.server import Daemon

CALLS = {Depth.STATIC: 300, Depth.PLY2: 100, Depth.PLY3: 40}
"""Positions asked for at each depth."""
CANCELLED = 10
"""Times each kind of work is cancelled."""
UNDER_WAY_SECONDS = 0.05
"""After this time work has certainly begun."""
MONEY = MatchState()
START = v1.PositionSource(gnubg_id="4HPwATDgc/ABMA")
QUICK = v1.EvaluateRequest(position=START, depth=v1.DEPTH_PLY2)


def positions(count: int) -> Iterator[tuple[Position, Dice]]:
    """Give positions with contact from games that Medium plays with itself, each with a roll."""
    seen = set()
    position = STARTING_POSITION
    for dice in rolls(3):
        if position.is_race():
            position = STARTING_POSITION
        elif position not in seen:
            seen.add(position)
            yield position, dice
        if len(seen) == count:
            return
        position = MEDIUM.choose_play(position, dice).play.result.mirrored()


def measure() -> list[Figure]:
    """Measure over the wire and in process."""
    command = [str(Path(sys.executable).with_name("bgbotd")), "serve", "--listen", "127.0.0.1:0"]
    figures = []
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as daemon:
        assert daemon.stderr is not None  # noqa: S101 - a pipe was asked for
        address = json.loads(daemon.stderr.readline())["listen"]
        evaluator = Evaluator()
        with Client(address) as client:
            for depth, count in CALLS.items():
                asked = list(positions(count))
                wire, here = _evaluating(client, evaluator, depth, asked)
                figures.append(Figure(f"Evaluate {depth.name}, p50", wire, "ms", "in process", here, wire / here))
                wire, here, own = _ranking(client, evaluator, depth, asked)
                figures += [
                    Figure(f"RankPlays {depth.name}, p50", wire, "ms", "bgsage in process", own, wire / own),
                    Figure(f"the same in process at {depth.name}", here, "ms", "bgsage in process", own, here / own),
                ]
        evaluator.close()
        daemon.terminate()
        daemon.stderr.read()
    logging.configure("error")
    for name, (ended, worst_ended, free, worst_free) in asyncio.run(_cancelling()).items():
        figures += [
            Figure(f"{name}: the call ends after", ended, "ms", "worst", worst_ended),
            Figure(f"{name}: its worker is free after", free, "ms", "worst", worst_free),
        ]
    return figures


def _in_turns(*calls: Callable[[Position, Dice], object], asked: list[tuple[Position, Dice]]) -> tuple[float, ...]:
    """Make every call for each position, and give the median milliseconds of each call."""
    times: list[list[float]] = [[] for _ in calls]
    for position, dice in asked:
        for call, taken in zip(calls, times, strict=True):
            started = time.perf_counter()
            call(position, dice)
            taken.append(time.perf_counter() - started)
    return tuple(1000 * statistics.median(taken) for taken in times)


def _evaluating(
    client: Client, evaluator: Evaluator, depth: Depth, asked: list[tuple[Position, Dice]]
) -> tuple[float, ...]:
    """Measure `Evaluate`."""
    wanted = v1.Depth.Value(f"DEPTH_{depth.name}")
    requests = {
        position: v1.EvaluateRequest(position=v1.PositionSource(position=render.position(position)), depth=wanted)
        for position, _ in asked
    }
    return _in_turns(
        lambda position, _: client.evaluation.Evaluate(requests[position]),
        lambda position, _: evaluator.evaluate(position, MONEY, depth).result(),
        asked=asked,
    )


def _ranking(
    client: Client, evaluator: Evaluator, depth: Depth, asked: list[tuple[Position, Dice]]
) -> tuple[float, ...]:
    """Measure `RankPlays`, all plays sent."""
    wanted = v1.Depth.Value(f"DEPTH_{depth.name}")
    own = BgBotAnalyzer(eval_level=f"{int(depth)}ply")
    requests = {
        position: v1.RankPlaysRequest(
            position=v1.PositionSource(position=render.position(position)), dice=render.dice(dice), depth=wanted
        )
        for position, dice in asked
    }
    boards = {position: bgsage_board(position.packed()) for position, _ in asked}
    return _in_turns(
        lambda position, _: client.evaluation.RankPlays(requests[position]),
        lambda position, dice: evaluator.rank_plays(position, dice, MONEY, depth).result(),
        lambda position, dice: own.checker_play(boards[position], dice.die1, dice.die2, jacoby=False, beaver=False),
        asked=asked,
    )


async def _cancelling() -> dict[str, tuple[float, ...]]:
    """Measure how soon cancelled calls end, and how soon their worker is free."""
    deep = v1.EvaluateRequest(position=START, depth=v1.DEPTH_PLY4)
    ranking = v1.RankPlaysRequest(position=START, dice=v1.Dice(die1=1, die2=1), depth=v1.DEPTH_PLY4)
    endless = v1.RolloutRequest(position=START, settings=v1.RolloutSettings(trials=1_000_000))
    endless_deep = v1.RolloutRequest(
        position=START, settings=v1.RolloutSettings(trials=1_000_000, cubeful=True, depth=v1.DEPTH_PLY3)
    )
    daemon = await server.start(Settings(listen="127.0.0.1:0", engine=EngineLimits(processes=1, cached_evaluations=0)))
    async with grpc.aio.insecure_channel(daemon.address) as channel:
        stub = v1.EvaluationServiceStub(channel)
        kinds: dict[str, Callable[[float | None], grpc.aio.Call]] = {
            "Evaluate PLY4": lambda timeout: stub.Evaluate(deep, timeout=timeout),
            "RankPlays PLY4": lambda timeout: stub.RankPlays(ranking, timeout=timeout),
            "Rollout STATIC": lambda timeout: stub.Rollout(endless, timeout=timeout),
            "Rollout PLY3": lambda timeout: stub.Rollout(endless_deep, timeout=timeout),
        }
        figures: dict[str, tuple[float, ...]] = {}
        for name, call in kinds.items():
            for by_deadline in (False, True):
                measured = [await _cancel(daemon, stub, call, by_deadline=by_deadline) for _ in range(CANCELLED)]
                ended, free = zip(*measured, strict=True)
                figures[f"{name}, {'deadline' if by_deadline else 'cancel'}"] = (
                    statistics.median(ended),
                    max(ended),
                    statistics.median(free),
                    max(free),
                )
    await daemon.drain(0)
    return figures


async def _cancel(
    daemon: Daemon,
    stub: EvaluationServiceAsyncStub,
    call: Callable[[float | None], grpc.aio.Call],
    *,
    by_deadline: bool,
) -> tuple[float, float]:
    """Give the milliseconds from the end of patience to the end of the call, and to the worker's freedom."""
    # A new process loads its engine first, which nobody would notice who does not cancel again at once.
    await stub.Evaluate(QUICK)
    begun = time.perf_counter()
    asked = call(UNDER_WAY_SECONDS if by_deadline else None)
    if not by_deadline:
        await asyncio.sleep(UNDER_WAY_SECONDS)
        begun = time.perf_counter() - UNDER_WAY_SECONDS
        asked.cancel()
    await asked.code()
    ended = time.perf_counter()
    while (state := daemon.engine.state()) and state.pool.busy:  # noqa: ASYNC110 - nothing tells of it
        await asyncio.sleep(0.0005)
    free = time.perf_counter()
    since = begun + UNDER_WAY_SECONDS
    return 1000 * (ended - since), 1000 * (free - since)
