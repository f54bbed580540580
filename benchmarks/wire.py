"""Measure what the wire adds: calls beside an empty echo, Bulk beside calls and beside the kernel.

The echo is a grpc.aio server as the daemon is one, which answers the same request bytes with the same
answer bytes and does nothing else. Both run all the time and are measured in turns, in processor
time of nobody: the clock on the wall is what a caller sees. Every ratio is the median of the rounds'.
Latencies are those of one call at a time. Throughput has 64 calls in flight on one connection, by
h2load (Debian: nghttp2-client), which costs next to nothing itself; without it that part is left out.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import pickle
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import timeit
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, cast

import grpc
from bgbot import v1

from bgbotd import kernel
from bgbotd.bots import MEDIUM
from bgbotd.bots.contest import rolls
from bgbotd.rules import STARTING_POSITION, Dice, Position
from bgbotd.service import render

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from google.protobuf.message import Message

METHODS = {
    "CountPips": "/bgbot.v1.EvaluationService/CountPips",
    "ListLegalPlays": "/bgbot.v1.RulesService/ListLegalPlays",
    "ChoosePlay HARD": "/bgbot.v1.BotService/ChoosePlay",
}
BULK = "/bgbot.v1.BulkService/Process"
IN_FLIGHT = 64
BULK_ITEMS = 100
"""Requests in one message of Bulk."""
ECHO = "echo"
"""What tells this script to be the echo."""


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


@dataclass(slots=True)
class Method:
    """What was measured of one method: the daemon's figures beside the echo's."""

    p50_us: float
    echo_p50_us: float
    p50_times_echo: float
    calls_a_second: float | None = None
    echo_calls_a_second: float | None = None
    throughput_of_echo: float | None = None


@dataclass(slots=True)
class Figures:
    """What one run measured. None where h2load is missing."""

    methods: dict[str, Method] = field(default_factory=dict)
    bulk_hard_a_second: float = 0.0
    kernel_hard_a_second: float = 0.0
    """By the kernel alone, in one thread."""
    bulk_of_kernel: float = 0.0
    bulk_times_unary: float | None = None


def main() -> None:
    """Measure and print."""
    if sys.argv[1:] == [ECHO]:
        asyncio.run(echo(pickle.load(sys.stdin.buffer)))  # noqa: S301 - written by this script
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7, help="rounds of each measurement (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()
    figures = measure(arguments.rounds)
    if arguments.json:
        print(json.dumps(asdict(figures)))
        return
    print(f"{'':<16}{'p50, us':>10}{'echo':>8}{'times':>8}{'calls/s':>10}{'echo':>8}{'of it':>8}")
    for name, each in figures.methods.items():
        row = f"{name:<16}{each.p50_us:>10.0f}{each.echo_p50_us:>8.0f}{each.p50_times_echo:>8.2f}"
        if each.calls_a_second and each.echo_calls_a_second:
            row += f"{each.calls_a_second:>10.0f}{each.echo_calls_a_second:>8.0f}{each.throughput_of_echo:>8.2f}"
        print(row)
    print(f"HARD by Bulk, a second: {figures.bulk_hard_a_second:,.0f}", end="")
    if figures.bulk_times_unary:
        print(f", {figures.bulk_times_unary:.1f} times one by one", end="")
    print(f"; the kernel alone: {figures.kernel_hard_a_second:,.0f}, {figures.bulk_of_kernel:.2f} of it")


def measure(rounds: int) -> Figures:
    """Measure everything."""
    figures = Figures()
    sample = mid_game(100)
    typical = middling(sample)
    requests = {name: [each.request(name).SerializeToString() for each in sample] for name in METHODS}
    with daemon() as address:
        answers = ask_all(address, requests)
        with echoing(answers) as echo_address:
            addresses = (address, echo_address)
            for name, method in METHODS.items():
                figures.methods[name] = latencies(addresses, method, requests[name], rounds)
                if shutil.which("h2load"):
                    payload = typical.request(name).SerializeToString()
                    add_throughput(figures.methods[name], addresses, method, payload, rounds)
        unary = figures.methods["ChoosePlay HARD"].calls_a_second
        pairs = [(bulk_rate(address, sample), kernel_rate(sample)) for _ in range(rounds)]
        figures.bulk_hard_a_second = statistics.median(bulk for bulk, _ in pairs)
        figures.kernel_hard_a_second = statistics.median(alone for _, alone in pairs)
        figures.bulk_of_kernel = statistics.median(bulk / alone for bulk, alone in pairs)
        figures.bulk_times_unary = figures.bulk_hard_a_second / unary if unary else None
    return figures


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
def daemon() -> Iterator[str]:
    """Run the daemon in a process of its own, with one worker, and give its address."""
    command = [str(Path(sys.executable).with_name("bgbotd")), "serve", "--listen", "127.0.0.1:0", "--workers", "1"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None  # noqa: S101 - a pipe was asked for
        yield json.loads(process.stderr.readline())["listen"]
        process.terminate()
        process.stderr.read()


@contextmanager
def echoing(answers: dict[str, dict[bytes, bytes]]) -> Iterator[str]:
    """Run the echo in a process of its own, and give its address."""
    command = [sys.executable, __file__, ECHO]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None  # noqa: S101 - a pipe was asked for
        assert process.stdout is not None  # noqa: S101 - a pipe was asked for
        pickle.dump(answers, process.stdin)
        process.stdin.flush()
        yield process.stdout.readline().decode().strip()
        process.terminate()


async def echo(answers: dict[str, dict[bytes, bytes]]) -> None:
    """Answer known bytes with known bytes."""
    server = grpc.aio.server()

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


def latencies(addresses: tuple[str, str], method: str, payloads: list[bytes], rounds: int) -> Method:
    """Measure both servers in turns of ten calls, one call at a time."""
    p50s: list[tuple[float, float]] = []
    with grpc.insecure_channel(addresses[0]) as ours, grpc.insecure_channel(addresses[1]) as theirs:
        calls = (calling(ours, method), calling(theirs, method))
        for _ in range(1 + rounds):  # the first round warms up
            times: tuple[list[float], list[float]] = ([], [])
            for begin in range(0, 4 * len(payloads), 10):
                for call, taken in zip(calls, times, strict=True):
                    for payload in payloads[begin % len(payloads) :][:10]:
                        started = time.perf_counter()
                        call(payload)
                        taken.append(1e6 * (time.perf_counter() - started))
            p50s.append((statistics.median(times[0]), statistics.median(times[1])))
    own, echoed = zip(*p50s[1:], strict=True)
    return Method(statistics.median(own), statistics.median(echoed), statistics.median(a / b for a, b in p50s[1:]))


def add_throughput(measured: Method, addresses: tuple[str, str], method: str, payload: bytes, rounds: int) -> None:
    """Measure both servers in turns, many calls in flight."""
    pairs = [tuple(h2load(address, method, payload) for address in addresses) for _ in range(1 + rounds)][1:]
    measured.calls_a_second = statistics.median(own for own, _ in pairs)
    measured.echo_calls_a_second = statistics.median(echoed for _, echoed in pairs)
    measured.throughput_of_echo = statistics.median(own / echoed for own, echoed in pairs)


def h2load(address: str, method: str, payload: bytes, calls: int = 5000) -> float:
    """Give the calls a second on one connection."""
    with tempfile.NamedTemporaryFile() as body:
        body.write(b"\0" + len(payload).to_bytes(4, "big") + payload)
        body.flush()
        headers = ["-H", "content-type: application/grpc", "-H", "te: trailers"]
        size = ["-n", f"{calls}", "-c", "1", "-m", f"{IN_FLIGHT}"]
        output = subprocess.check_output(
            ["h2load", *size, *headers, "-d", body.name, f"http://{address}{method}"],  # noqa: S607 - wherever it is
            text=True,
        )
    found = re.search(r"finished in .*?, ([0-9.]+) req/s", output)
    done = re.search(r"(\d+) succeeded", output)
    if not found or not done or int(done[1]) != calls:
        raise RuntimeError(output)
    return float(found[1])


def bulk_rate(address: str, sample: list[Asked], messages: int = 200) -> float:
    """Give the HARD plays a second by one stream, all of it written at once."""
    requests = [each.request("ChoosePlay HARD") for each in sample]
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


if __name__ == "__main__":
    main()
