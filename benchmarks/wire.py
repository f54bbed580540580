"""Calls beside an empty echo, Bulk beside calls and beside the kernel: what the wire adds.

The echo is a grpc.aio server as the daemon is one, with its options and without interceptors: it answers the
same request bytes with the same answer bytes and does nothing else. Both run all the time and are measured in
turns, by the clock on the wall; every ratio is the median of the rounds'. Latencies are those of one call at
a time. Throughput has 64 calls in flight on one connection, by h2load (Debian: nghttp2-client), which
costs little itself; without it that part is left out. Calls at fixed rates come at random and do not
wait for each other.
"""

from __future__ import annotations

import asyncio
import json
import os
import pickle
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import timeit
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import grpc
from bgbot import v1

from benchmarks.results import REPOSITORY, Figure
from bgbotd import kernel
from bgbotd.bots import MEDIUM
from bgbotd.bots.contest import rolls
from bgbotd.config import Connections
from bgbotd.rules import STARTING_POSITION, Dice, Position
from bgbotd.service import render
from bgbotd.service.server import LISTENER, options

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from google.protobuf.message import Message

METHODS = {
    "CountPips": "/bgbot.v1.EvaluationService/CountPips",
    "ListLegalPlays": "/bgbot.v1.RulesService/ListLegalPlays",
    "ChoosePlay HARD": "/bgbot.v1.BotService/ChoosePlay",
}
HARD = "ChoosePlay HARD"
BULK = "/bgbot.v1.BulkService/Process"
IN_FLIGHT = 64
RATES = (250, 1000, 2000)
"""Calls a second; a client in Python can keep up with these."""
BULK_ITEMS = 100
"""Requests in one message of Bulk."""
ROUNDS, ROUNDS_AT_RATE = 7, 3
MOST_P50 = {"CountPips": 1.15, "ListLegalPlays": 1.25, "ChoosePlay HARD": 1.35}
"""Goals: times the echo's."""
LEAST_THROUGHPUT = {"CountPips": 0.85, "ListLegalPlays": 0.75, "ChoosePlay HARD": 0.7}
"""Goals: of the echo's."""
ECHO = "echo"
"""What tells this module to be the echo."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A position and a roll."""

    position: Position
    dice: Dice

    def request(self, name: str) -> Message:
        """Make the request of a method."""
        source = v1.PositionSource(position=render.position(self.position))
        dice = render.dice(self.dice)
        if name == "CountPips":
            return v1.CountPipsRequest(position=source)
        if name == "ListLegalPlays":
            return v1.ListLegalPlaysRequest(position=source, dice=dice)
        return v1.ChoosePlayRequest(position=source, dice=dice, level=v1.LEVEL_HARD)


class Served(NamedTuple):
    """A running server."""

    address: str
    process: int


Pairs = list[tuple[float, float]]
"""What each round has measured of the daemon, and of what it is compared with."""


def measure() -> list[Figure]:
    """Measure everything."""
    figures: list[Figure] = []
    sample = mid_game(100)
    typical = middling(sample)
    requests = {name: [each.request(name).SerializeToString() for each in sample] for name in METHODS}
    with daemon() as own:
        address = own.address
        with echoing(ask_all(address, requests)) as echo:
            addresses = (address, echo.address)
            for name, method in METHODS.items():
                p50s = latencies(addresses, method, requests[name])
                figures.append(beside(f"{name}, p50", "µs", "echo", p50s, f"<= {MOST_P50[name]}"))
            unary: list[float] = []
            if shutil.which("h2load"):
                for name, method in METHODS.items():
                    rates = throughputs(addresses, method, typical.request(name).SerializeToString())
                    goal = f">= {LEAST_THROUGHPUT[name]}"
                    figures.append(beside(f"{name}, throughput", "a second", "echo", rates, goal))
                    unary = [own for own, _ in rates] if name == HARD else unary
            payload = typical.request(HARD).SerializeToString()
            for rate in RATES:
                figures += at_rate(addresses, payload, rate)
        alone = [(bulk_rate(address, sample), kernel_rate(sample)) for _ in range(ROUNDS)]
        figures.append(beside("HARD by Bulk", "a second", "kernel alone, one thread", alone, ">= 0.25"))
        if unary:  # which were measured with a single request, so Bulk is too
            alike = [(bulk_rate(address, [typical]), rate) for rate in unary]
            figures.append(beside("the same HARD request by Bulk", "a second", "calls, one connection", alike, ">= 5"))
    return figures


def beside(name: str, unit: str, reference: str, pairs: Pairs, goal: str = "") -> Figure:
    """Give the medians of the rounds, and that of their ratios."""
    own, other = zip(*pairs, strict=True)
    ratio = statistics.median(one / two for one, two in pairs)
    return Figure(name, statistics.median(own), unit, reference, statistics.median(other), ratio, goal)


def mid_game(count: int) -> list[Asked]:
    """Give positions with contact, and the rolls, from games that Medium plays with itself."""
    found: list[Asked] = []
    position, turn = STARTING_POSITION, 0
    for dice in rolls(3):
        turn += 1
        if turn > 5:  # noqa: PLR2004 - the opening is over
            found.append(Asked(position, dice))
        position = MEDIUM.choose_play(position, dice).play.result.mirrored()
        if position.is_race():
            position, turn = STARTING_POSITION, 0
        if len(found) == count:
            break
    return found


@contextmanager
def daemon() -> Iterator[Served]:
    """Run the daemon in a process of its own, with one worker."""
    command = [str(Path(sys.executable).with_name("bgbotd")), "serve", "--listen", "127.0.0.1:0", "--workers", "1"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None  # noqa: S101 - a pipe was asked for
        try:
            yield Served(json.loads(process.stderr.readline())["listen"], process.pid)
        finally:
            process.terminate()
            process.stderr.read()


@contextmanager
def echoing(answers: dict[str, dict[bytes, bytes]]) -> Iterator[Served]:
    """Run the echo in a process of its own."""
    command = [sys.executable, "-m", __spec__.name, ECHO]
    with subprocess.Popen(command, cwd=REPOSITORY, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None  # noqa: S101 - a pipe was asked for
        assert process.stdout is not None  # noqa: S101 - a pipe was asked for
        pickle.dump(answers, process.stdin)
        process.stdin.flush()
        try:
            yield Served(process.stdout.readline().decode().strip(), process.pid)
        finally:
            process.terminate()


async def serve_echo(answers: dict[str, dict[bytes, bytes]]) -> None:
    """Answer known bytes with known bytes."""
    os.environ["GRPC_EXPERIMENTS"] = LISTENER
    server = grpc.aio.server(options=options(Connections(), shared_port=False))

    def answering(known: dict[bytes, bytes]) -> grpc.RpcMethodHandler[bytes, bytes]:
        async def answer(payload: bytes, _context: object) -> bytes:
            return known[payload]

        return grpc.unary_unary_rpc_method_handler(answer)

    for method, known in answers.items():
        _, service, name = method.split("/")
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, {name: answering(known)}),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    print(f"127.0.0.1:{port}", flush=True)
    await server.wait_for_termination()


def calling(channel: grpc.Channel, method: str) -> Callable[[bytes], bytes]:
    """Give a function that makes a call as bytes."""
    return cast("Callable[[bytes], bytes]", channel.unary_unary(method))


def ask_all(address: str, requests: dict[str, list[bytes]]) -> dict[str, dict[bytes, bytes]]:
    """Give the daemon's answers by method and request."""
    with grpc.insecure_channel(address) as channel:
        return {
            method: {payload: calling(channel, method)(payload) for payload in requests[name]}
            for name, method in METHODS.items()
        }


def middling(sample: list[Asked]) -> Asked:
    """Give the one whose HARD play takes the kernel the median time."""

    def taken(asked: Asked) -> float:
        packed = asked.position.packed()
        return min(timeit.repeat(lambda: kernel.choose_hard(packed, asked.dice.die1, asked.dice.die2), number=10))

    return sorted(sample, key=taken)[len(sample) // 2]


def latencies(addresses: tuple[str, str], method: str, payloads: list[bytes]) -> Pairs:
    """Measure the median of both servers in turns of ten calls, one call at a time, in microseconds."""
    p50s: Pairs = []
    with grpc.insecure_channel(addresses[0]) as ours, grpc.insecure_channel(addresses[1]) as theirs:
        calls = (calling(ours, method), calling(theirs, method))
        for _ in range(1 + ROUNDS):  # the first round warms up
            times: tuple[list[float], list[float]] = ([], [])
            for begin in range(0, 4 * len(payloads), 10):
                for call, taken in zip(calls, times, strict=True):
                    for payload in payloads[begin % len(payloads) :][:10]:
                        started = time.perf_counter()
                        call(payload)
                        taken.append(1e6 * (time.perf_counter() - started))
            p50s.append((statistics.median(times[0]), statistics.median(times[1])))
    return p50s[1:]


def throughputs(addresses: tuple[str, str], method: str, payload: bytes) -> Pairs:
    """Measure the calls a second of both servers in turns, many in flight."""
    own, echo = addresses
    return [(h2load(own, method, payload), h2load(echo, method, payload)) for _ in range(1 + ROUNDS)][1:]


def h2load(address: str, method: str, payload: bytes, calls: int = 5000) -> float:
    """Give the calls a second on one connection, all with one request."""
    with tempfile.NamedTemporaryFile() as body:
        body.write(b"\0" + len(payload).to_bytes(4, "big") + payload)
        body.flush()
        size = ["-n", f"{calls}", "-c", "1", "-m", f"{IN_FLIGHT}"]
        headers = ["-H", "content-type: application/grpc", "-H", "te: trailers", "-d", body.name]
        output = subprocess.check_output(["h2load", *size, *headers, f"http://{address}{method}"], text=True)  # noqa: S607
    found = re.search(r"finished in .*?, ([0-9.]+) req/s", output)
    if not found or f"{calls} succeeded" not in output:
        raise RuntimeError(output)
    return float(found[1])


def at_rate(addresses: tuple[str, str], payload: bytes, rate: float, seconds: float = 4) -> list[Figure]:
    """Measure both servers in turns with calls that come at random, whether or not others are still in flight.

    A call's time begins when it is due: that the client could not send it yet is waiting too.
    """

    def times(address: str) -> list[float]:
        return sorted(asyncio.run(times_at_rate(address, payload, rate, round(rate * seconds))))

    own, echo = addresses
    rounds = [(times(own), times(echo)) for _ in range(ROUNDS_AT_RATE)]
    return [
        beside(
            f"{HARD} at {rate:,} a second, {name}", "ms", "echo", [(_at(a, share), _at(b, share)) for a, b in rounds]
        )
        for name, share in (("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999))
    ]


def _at(times: list[float], share: float) -> float:
    """Give a percentile of sorted microseconds in milliseconds."""
    return times[int(share * len(times))] / 1000


async def times_at_rate(address: str, payload: bytes, rate: float, count: int) -> list[float]:
    """Give the microseconds of calls at a rate, but for the first tenth, which warms up."""
    draw = random.Random(1)
    due = time.perf_counter()
    async with grpc.aio.insecure_channel(address) as channel:
        method: Any = channel.unary_unary(METHODS[HARD])

        async def timed(due: float) -> float:
            await method(payload)
            return 1e6 * (time.perf_counter() - due)

        calls = []
        for _ in range(count):
            due += draw.expovariate(rate)
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            calls.append(asyncio.create_task(timed(due)))
        return [await call for call in calls][count // 10 :]


def bulk_rate(address: str, sample: list[Asked], messages: int = 200) -> float:
    """Give the HARD plays a second by one stream, all of it written at once."""
    requests = [each.request(HARD) for each in sample]
    payloads = [
        v1.BulkRequest(
            items=[
                v1.BulkItem(id=message * BULK_ITEMS + number, choose_play=requests[number % len(requests)])  # type: ignore[arg-type]
                for number in range(BULK_ITEMS)
            ]
        ).SerializeToString()
        for message in range(messages)
    ]
    with grpc.insecure_channel(address) as channel:
        grpc.channel_ready_future(channel).result(timeout=10)
        stream = cast("Callable[[Iterator[bytes]], Iterator[bytes]]", channel.stream_stream(BULK))
        started = time.perf_counter()
        responses = [*stream(iter(payloads))]
        taken = time.perf_counter() - started
    plays = [
        result.choose_play.play.notation
        for response in responses
        for result in v1.BulkResponse.FromString(response).results
    ]
    if len(plays) != messages * BULK_ITEMS or not all(plays):
        raise RuntimeError(f"{len(plays)} plays of {messages * BULK_ITEMS}")
    return len(plays) / taken


def kernel_rate(sample: list[Asked]) -> float:
    """Give the HARD plays a second by the kernel alone, called from Python."""
    packed = [(each.position.packed(), each.dice.die1, each.dice.die2) for each in sample]
    started = time.perf_counter()
    for position, die1, die2 in packed * 20:
        kernel.choose_hard(position, die1, die2)
    return 20 * len(packed) / (time.perf_counter() - started)


if __name__ == "__main__" and sys.argv[1:] == [ECHO]:
    asyncio.run(serve_echo(pickle.load(sys.stdin.buffer)))  # noqa: S301 - written by `echoing`
