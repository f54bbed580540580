"""Hold answers to many calls at once against those to one call at a time, over a real socket.

Run it from the top of the repository: ``python -m tests.soak_evaluation``. One daemon answers
questions of every kind, one by one. Then another one, whose caches are too small for them all, is
asked them in random order by 32 callers at once, again and again, of whom one in twenty gives up
early. Every answer must be equal to the first, and memory must not grow.

The exit status is 1 when an answer differs, a call fails, or the memory grows by more than a tenth
once warm.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import grpc
from bgbot import v1
from rich.console import Console

from bgbotd.rules import CrawfordState, Cube, CubeOwner, MatchState, Position
from bgbotd.service import render
from tests.oracle.thrown import throw_position
from tests.processes import resident_megabytes

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from google.protobuf.message import Message

    Question = tuple[str, Message]

_CONSOLE = Console(highlight=False, soft_wrap=True)
_BGBOTD = str(Path(sys.executable).with_name("bgbotd"))
_MEASUREMENTS = 20
_STATES = (
    MatchState(),
    MatchState(jacoby=True, beavers=True),
    MatchState(cube=Cube(2, CubeOwner.PLAYER)),
    MatchState(jacoby=True, cube=Cube(4, CubeOwner.OPPONENT)),
    MatchState(7, 3, 5),
    MatchState(25, 0, 11, cube=Cube(2, CubeOwner.OPPONENT)),
    MatchState(5, 4, 2, CrawfordState.CRAWFORD_GAME),
    MatchState(5, 2, 4, CrawfordState.POST_CRAWFORD, cube=Cube(2, CubeOwner.PLAYER)),
)
_LEVELS = tuple(level for level in v1.Level.values() if level)
_SHALLOW = (v1.DEPTH_STATIC, v1.DEPTH_PLY2)


def main() -> None:
    """Ask, compare, and print what has come of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=300, help="how long (default: %(default)s)")
    parser.add_argument("--callers", type=int, default=32, help="how many ask at once (default: %(default)s)")
    parser.add_argument("--questions", type=int, default=240, help="different questions (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the questions (default: %(default)s)")
    arguments = parser.parse_args()
    questions = make_questions(arguments.questions, Random(arguments.seed))
    with _daemon("--engine.cached-evaluations", "0", "--engine.cached-rankings", "0") as (address, _):
        answers = asyncio.run(_ask_in_turn(address, questions))
    _CONSOLE.print(f"{len(answers)} questions answered one at a time")
    soak = _Soak(questions, answers)
    limits = ("--engine.cached-evaluations", "20", "--engine.cached-rankings", "20")
    # People go before rollouts, which pile up until few enough people are left: nobody is turned away.
    rollouts = ("--limits.most-rollouts", str(arguments.callers))
    with _daemon(*limits, *rollouts) as (address, process):
        asyncio.run(soak.run(address, process, arguments.callers, arguments.seconds))
    soak.report(arguments.seconds)
    sys.exit(not soak.passed())


@contextlib.contextmanager
def _daemon(*settings: str) -> Iterator[tuple[str, int]]:
    """Run a daemon; give its address and process."""
    command = [_BGBOTD, "serve", "--listen", "127.0.0.1:0", *settings]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        serving = json.loads(process.stderr.readline())
        threading.Thread(target=process.stderr.read, daemon=True).start()
        yield serving["listen"], process.pid
        process.terminate()


def make_questions(count: int, random: Random) -> list[Question]:
    """Make questions of every kind."""
    kinds = (_evaluate, _evaluate, _rank, _rank, _roll_out, _play, _cube, _resign)
    questions = []
    for number in range(count):
        thrown = Position.unpacked(throw_position(random).packed())
        position = v1.PositionSource(position=render.position(thrown))
        questions.append(kinds[number % len(kinds)](position, render.match(random.choice(_STATES)), random))
    return questions


def _evaluate(position: v1.PositionSource, match: v1.MatchState, random: Random) -> Question:
    depth = random.choice((*_SHALLOW, *_SHALLOW, v1.DEPTH_PLY3))
    return "EvaluationService/Evaluate", v1.EvaluateRequest(position=position, match=match, depth=depth)


def _rank(position: v1.PositionSource, match: v1.MatchState, random: Random) -> Question:
    request = v1.RankPlaysRequest(
        position=position, match=match, dice=_dice(random), depth=random.choice(_SHALLOW), max_plays=random.randrange(5)
    )
    return "EvaluationService/RankPlays", request


def _roll_out(position: v1.PositionSource, match: v1.MatchState, random: Random) -> Question:
    settings = v1.RolloutSettings(
        trials=72, truncate_after_plies=2, cubeful=random.random() < 0.5, seed=random.randrange(2**63)
    )
    return "EvaluationService/Rollout", v1.RolloutRequest(position=position, match=match, settings=settings)


def _play(position: v1.PositionSource, match: v1.MatchState, random: Random) -> Question:
    request = v1.ChoosePlayRequest(
        position=position,
        match=match,
        dice=_dice(random),
        level=random.choice(_LEVELS[:5]),
        seed=random.randrange(2**63),
        candidates=random.randrange(4),
    )
    return "BotService/ChoosePlay", request


def _cube(position: v1.PositionSource, match: v1.MatchState, random: Random) -> Question:
    request = v1.ChooseCubeActionRequest(
        position=position, match=match, level=random.choice(_LEVELS), decision=v1.DECISION_DOUBLE_OR_ROLL
    )
    return "BotService/ChooseCubeAction", request


def _resign(position: v1.PositionSource, match: v1.MatchState, random: Random) -> Question:
    request = v1.ChooseResignationRequest(
        position=position,
        match=match,
        level=random.choice(_LEVELS),
        decision=v1.RESIGNATION_DECISION_ACCEPT_OR_REFUSE,
        offered=v1.RESULT_KIND_SINGLE,
    )
    return "BotService/ChooseResignation", request


def _dice(random: Random) -> v1.Dice:
    return v1.Dice(die1=random.randint(1, 6), die2=random.randint(1, 6))


class _Caller:
    """One connection to a daemon."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._stubs: dict[str, Any] = {
            "EvaluationService": v1.EvaluationServiceStub(channel),
            "BotService": v1.BotServiceStub(channel),
        }

    async def ask(self, question: Question, seconds: float | None = None) -> Message:
        """Ask, and give what does not change from answer to answer; `seconds` is the deadline."""
        name, request = question
        service, method = name.split("/")
        call = getattr(self._stubs[service], method)(request, timeout=seconds)
        if method == "Rollout":
            return lasting([state async for state in call][-1])
        return lasting(await call)


def lasting(answer: Message) -> Message:
    """Drop the times."""
    answer.stamp.ClearField("elapsed")  # type: ignore[attr-defined]
    return answer


@contextlib.asynccontextmanager
async def _caller(address: str) -> AsyncIterator[_Caller]:
    """Connect."""
    async with grpc.aio.insecure_channel(address) as channel:
        yield _Caller(channel)


async def _ask_in_turn(address: str, questions: list[Question]) -> list[Message]:
    """Answer one question after the other."""
    async with _caller(address) as caller:
        return [await caller.ask(question) for question in questions]


class _Soak:
    """What the callers share: questions with their answers, and what has come of them."""

    def __init__(self, questions: list[Question], answers: list[Message]) -> None:
        self._questions = questions
        self._answers = answers
        self._counts: Counter[str] = Counter()
        self._different: list[Question] = []
        self._failed: Counter[str] = Counter()
        self._memory: list[float] = []

    async def run(self, address: str, process: int, callers: int, seconds: float) -> None:
        """Ask for so long, over a few connections, and watch the daemon's memory."""
        end = time.monotonic() + seconds
        async with contextlib.AsyncExitStack() as stack:
            connections = [await stack.enter_async_context(_caller(address)) for _ in range(4)]
            asking = [
                asyncio.create_task(self._ask_until(end, connections[number % 4], Random(number)))
                for number in range(callers)
            ]
            while asking[0] in (await asyncio.wait(asking, timeout=seconds / _MEASUREMENTS))[1]:
                self._memory.append(resident_megabytes(process))
            await asyncio.gather(*asking)
        self._memory.append(resident_megabytes(process))

    async def _ask_until(self, end: float, caller: _Caller, random: Random) -> None:
        """Ask in random order; give up on one question in twenty."""
        while time.monotonic() < end:
            which = random.randrange(len(self._questions))
            question = self._questions[which]
            gives_up = random.randrange(20) == 0
            try:
                answer = await caller.ask(question, seconds=random.random() / 20 if gives_up else None)
            except grpc.aio.AioRpcError as error:
                if gives_up and error.code() is grpc.StatusCode.DEADLINE_EXCEEDED:
                    self._counts["given up"] += 1
                else:
                    self._failed[f"{question[0]}: {error.code().name} {error.details()}"] += 1
                continue
            self._counts[question[0]] += 1
            if answer != self._answers[which]:
                self._different.append(question)

    def passed(self) -> bool:
        """Tell whether all was as it should be."""
        warm = self._memory[len(self._memory) // 2 :]
        return not self._different and not self._failed and max(warm) <= 1.1 * warm[0]

    def report(self, seconds: float) -> None:
        """Print it."""
        for what, count in sorted(self._counts.items()):
            _CONSOLE.print(f"{count:>9,}  {what}")
        _CONSOLE.print(f"{sum(self._counts.values()) / seconds:>9,.0f}  a second")
        _CONSOLE.print(f"{len(self._different):>9,}  different from the first answer")
        for what, count in self._failed.most_common(5):
            _CONSOLE.print(f"{count:>9,}  {what}")
        for question in self._different[:3]:
            _CONSOLE.print(question)
        _CONSOLE.print("resident memory of the daemon and its children, MB:", *(f"{each:.0f}" for each in self._memory))


if __name__ == "__main__":
    main()
