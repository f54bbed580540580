"""Mixed load for half an hour, among callers that vanish, stay half open, show bad certificates and read nothing.

Questions of every kind are asked one by one at first; then again and again, in random order, by a few
callers who pause in between. The exit status is 1 when an answer differs from the first, a call fails, the
log has an error, or memory or open files rise over the last two thirds of the time.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import statistics
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import grpc
from bgbot import v1

from tests.campaigns.disturbers import Disturbers
from tests.campaigns.target import BEARER, Target, target
from tests.campaigns.vanishing import credentials
from tests.service.certificates import Authority
from tests.soak_evaluation import lasting, make_questions

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from tests.soak_evaluation import Question

CALLERS = 6
PAUSE_SECONDS = 0.1
"""Between an answer and the next question, on average: load that leaves room."""
SAMPLE_SECONDS = 10.0
MOST_RISE = 0.05
"""Share by which memory may rise over the last two thirds."""
MOST_FILES = 16
SETTLING_SECONDS = 30.0


@dataclass(slots=True)
class Outcome:
    """What has come of all that was asked."""

    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    disturbances: Counter[str] = field(default_factory=Counter)


@dataclass(slots=True)
class Clients:
    """All callers, in a process of their own: when it has ended, they have left."""

    address: str
    folder: Path
    seconds: float
    questions: int
    seed: int
    outcome: Outcome = field(default_factory=Outcome)

    def run(self) -> Outcome:
        """Ask, and give what has come of it."""
        asyncio.run(self._run())
        return self.outcome

    async def _run(self) -> None:
        """Ask in turn, then for so long at once with the disturbers."""
        random = Random(self.seed)
        disturbers = Disturbers(self.address, self.folder / "ours", self.folder / "theirs", random)
        questions = make_questions(self.questions, random)
        secure = credentials(self.folder / "ours", "client")
        async with grpc.aio.secure_channel(self.address, secure) as channel:
            answers = [await _ask(channel, question) for question in questions]
            tasks = [
                *(self._ask_again(channel, questions, answers, Random(number)) for number in range(CALLERS)),
                *disturbers.tasks(),
            ]
            with suppress(TimeoutError):
                await asyncio.wait_for(asyncio.gather(*tasks), self.seconds)
        self.outcome.wrong += disturbers.wrong
        self.outcome.disturbances = disturbers.done

    async def _ask_again(
        self, channel: grpc.aio.Channel, questions: list[Question], answers: list[Message], random: Random
    ) -> None:
        """Ask in random order and compare."""
        while True:
            which = random.randrange(len(questions))
            name = questions[which][0]
            try:
                answer = await _ask(channel, questions[which])
            except grpc.aio.AioRpcError as error:
                self.outcome.wrong.append(f"{name}: {error.code().name} {error.details()}")
                continue
            self.outcome.counts[name] += 1
            if answer != answers[which]:
                self.outcome.wrong.append(f"another answer to {questions[which]}")
            await asyncio.sleep(2 * PAUSE_SECONDS * random.random())


@dataclass(slots=True)
class Measurements:
    """What the daemon holds, from time to time."""

    held: list[tuple[float, float, int]] = field(default_factory=list)
    """Seconds since the start, megabytes, open files."""

    def take(self, daemon: Target, seconds: float) -> None:
        """Measure."""
        self.held.append((seconds, daemon.megabytes(), daemon.files()))
        if len(self.held) % 6 == 1:
            print(f"{seconds / 60:>5.1f} min  {self.held[-1][1]:.0f} MB  {self.held[-1][2]} files", flush=True)

    def rises(self) -> list[str]:
        """Say what rises, by the straight line through the last two thirds."""
        late = self.held[len(self.held) // 3 :]
        seconds = [each[0] for each in late]
        found = []
        for what, values, most in (
            ("MB", [each[1] for each in late], MOST_RISE * late[0][1]),
            ("files", [float(each[2]) for each in late], MOST_FILES),
        ):
            line = statistics.linear_regression(seconds, values)
            rise = line.slope * (seconds[-1] - seconds[0])
            minutes = (seconds[-1] - seconds[0]) / 60
            least, largest = min(values), max(values)
            print(f"{what}: {60 * rise / minutes:+.1f} an hour over {minutes:.0f} min; {least:.0f} to {largest:.0f}")
            if rise > most:
                found.append(f"{what} rise by {rise:.1f}")
        return found


async def _ask(channel: grpc.aio.Channel, question: Question) -> Message:
    """Ask, and give what does not change from answer to answer."""
    name, request = question
    service, method = name.split("/")
    stub: Any = getattr(v1, f"{service}Stub")(channel)
    call = getattr(stub, method)(request, timeout=120, metadata=BEARER)
    if method == "Rollout":
        return lasting([state async for state in call][-1])
    return lasting(await call)


def main() -> int:
    """Run it and print what has come of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30, help="how long (default: %(default)s)")
    parser.add_argument("--questions", type=int, default=120, help="different questions (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="seed of questions and disturbers (default: %(default)s)")
    arguments = parser.parse_args()
    measurements = Measurements()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ours, theirs = Authority(folder / "ours"), Authority(folder / "theirs")
        pair = ours.sign("server")
        ours.sign("client")
        theirs.sign("client")
        tls = ["--tls.certificate", pair.certificate, "--tls.key", pair.key, "--tls.client-ca", ours.certificate]
        with target(folder, *map(str, tls)) as daemon:
            before = daemon.sockets()
            address = f"localhost:{daemon.address.rpartition(':')[2]}"
            clients = Clients(address, folder, 60 * arguments.minutes, arguments.questions, arguments.seed)
            with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as apart:
                running, began = apart.submit(clients.run), time.monotonic()
                while not running.done():
                    seconds = time.monotonic() - began
                    if seconds < clients.seconds:  # while all of them are still there
                        measurements.take(daemon, seconds)
                    wait([running], timeout=SAMPLE_SECONDS)
                outcome = running.result()
            until = time.monotonic() + SETTLING_SECONDS
            while daemon.sockets() > before and time.monotonic() < until:
                time.sleep(0.5)
            after = daemon.sockets()
    wrong = [*outcome.wrong, *measurements.rises()]
    if after > before:
        wrong.append(f"open sockets: {before} before, {after} when everybody had left")
    if daemon.process.returncode:
        wrong.append(f"the daemon ended with {daemon.process.returncode}")
    wrong += [f"logged: {line}" for line in daemon.urgent]
    print(f"answers: {outcome.counts.total():,} {dict(outcome.counts.most_common())}")
    print(f"disturbances: {dict(outcome.disturbances)}")
    print(f"open sockets: {before} before, {after} after; {len(wrong)} wrong")
    print(*wrong[:10], sep="\n", end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
