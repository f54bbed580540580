"""Measure what the wire adds: calls beside an empty echo, Bulk beside calls and beside the kernel.

The echo is a grpc.aio server as the daemon is one, which answers the same request bytes with the same
answer bytes and does nothing else. Both run all the time and are measured in turns, by the clock on
the wall; every ratio is the median of the rounds'. Latencies are those of one call at a time.
Throughput has 64 calls in flight on one connection, by h2load (Debian: nghttp2-client), which costs
little itself; without it that part is left out. Calls at fixed rates come at random and do not wait
for each other. Writes Markdown, with --write into docs/performance.md.
"""

from __future__ import annotations

import argparse
import asyncio
import json
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
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import grpc
from bgbot import v1

from bgbotd import kernel
from bgbotd.bots import MEDIUM
from bgbotd.bots.contest import rolls
from bgbotd.evaluation import EvaluatorSettings
from bgbotd.rules import STARTING_POSITION, Dice, Position
from bgbotd.service import render
from bgbotd.service.bots_handlers import BotHandlers
from bgbotd.service.engine_access import EngineAccess
from bgbotd.service.evaluation_handlers import EvaluationHandlers
from bgbotd.service.rules_handlers import RulesHandlers

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
PAGE = Path(__file__).parents[1] / "docs" / "performance.md"
BEGIN, END = "<!-- wire: python benchmarks/wire.py --write -->", "<!-- end of wire -->"
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

    handler_us: float
    """Processor time from the request's bytes to the answer's, in a loop without a server."""
    p50_us: float
    echo_p50_us: float
    p50_times_echo: float
    calls_a_second: float | None = None
    echo_calls_a_second: float | None = None
    throughput_of_echo: float | None = None


@dataclass(slots=True)
class Rate:
    """ChoosePlay HARD at a fixed rate, and the echo at the same."""

    calls_a_second: float
    p50_us: float
    p99_us: float
    p999_us: float
    echo_p50_us: float
    echo_p99_us: float
    echo_p999_us: float


@dataclass(slots=True)
class Figures:
    """What one run measured. None where h2load is missing."""

    methods: dict[str, Method] = field(default_factory=dict)
    rates: list[Rate] = field(default_factory=list)
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
    parser.add_argument("--write", action="store_true", help="write the tables into docs/performance.md")
    arguments = parser.parse_args()
    figures = measure(arguments.rounds)
    if arguments.write:
        before, _, rest = PAGE.read_text().partition(BEGIN)
        PAGE.write_text(f"{before}{BEGIN}\n\n{tables(figures)}\n{END}{rest.partition(END)[2]}")
    print(json.dumps(asdict(figures)) if arguments.json else tables(figures))


def tables(figures: Figures) -> str:
    """Give the figures as Markdown."""
    lines = [
        "| method | handler, µs | p50, µs | echo's | ratio | calls a second | echo's | ratio |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for name, each in figures.methods.items():
        row = f"| {name} | {each.handler_us:.1f} | {each.p50_us:.0f} | {each.echo_p50_us:.0f} "
        row += f"| {each.p50_times_echo:.2f} |"
        if each.calls_a_second and each.echo_calls_a_second:
            row += f" {each.calls_a_second:,.0f} | {each.echo_calls_a_second:,.0f} | {each.throughput_of_echo:.2f} |"
        lines.append(row)
    unary = figures.methods[HARD].calls_a_second
    lines += [
        "",
        "| HARD plays by | a second | Bulk is |",
        "|---|---:|---:|",
        f"| Bulk, one stream | {figures.bulk_hard_a_second:,.0f} | |",
        f"| the kernel alone, one thread | {figures.kernel_hard_a_second:,.0f} | {figures.bulk_of_kernel:.2f} |",
    ]
    if unary and figures.bulk_times_unary:
        lines.append(f"| calls, one connection | {unary:,.0f} | {figures.bulk_times_unary:.1f} |")
    lines += ["", "| HARD calls a second | p50, p99, p99.9, ms | echo's |", "|---:|---:|---:|"]
    for rate in figures.rates:
        own = ", ".join(f"{each / 1000:.2f}" for each in (rate.p50_us, rate.p99_us, rate.p999_us))
        echoed = ", ".join(f"{each / 1000:.2f}" for each in (rate.echo_p50_us, rate.echo_p99_us, rate.echo_p999_us))
        lines.append(f"| {rate.calls_a_second:,.0f} | {own} | {echoed} |")
    return "\n".join(lines)


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
                measured = latencies(addresses, method, requests[name], rounds)
                measured.handler_us = handler_time(name, requests[name], rounds)
                figures.methods[name] = measured
                if shutil.which("h2load"):
                    add_throughput(measured, addresses, method, typical.request(name).SerializeToString(), rounds)
            payload = typical.request(HARD).SerializeToString()
            figures.rates = [at_rate(addresses, payload, rate) for rate in RATES]
        pairs = [(bulk_rate(address, sample), kernel_rate(sample)) for _ in range(rounds)]
        figures.bulk_hard_a_second = statistics.median(bulk for bulk, _ in pairs)
        figures.kernel_hard_a_second = statistics.median(alone for _, alone in pairs)
        figures.bulk_of_kernel = statistics.median(bulk / alone for bulk, alone in pairs)
        if unary := figures.methods[HARD].calls_a_second:  # which was measured with a single request, so Bulk is too
            alike = statistics.median(bulk_rate(address, [typical]) for _ in range(rounds))
            figures.bulk_times_unary = alike / unary
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
        try:
            yield json.loads(process.stderr.readline())["listen"]
        finally:
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
        try:
            yield process.stdout.readline().decode().strip()
        finally:
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
    return Method(0.0, statistics.median(own), statistics.median(echoed), statistics.median(a / b for a, b in p50s[1:]))


def add_throughput(measured: Method, addresses: tuple[str, str], method: str, payload: bytes, rounds: int) -> None:
    """Measure both servers in turns, many calls in flight."""
    pairs = [tuple(h2load(address, method, payload) for address in addresses) for _ in range(1 + rounds)][1:]
    measured.calls_a_second = statistics.median(own for own, _ in pairs)
    measured.echo_calls_a_second = statistics.median(echoed for _, echoed in pairs)
    measured.throughput_of_echo = statistics.median(own / echoed for own, echoed in pairs)


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


def at_rate(addresses: tuple[str, str], payload: bytes, rate: float, seconds: float = 5) -> Rate:
    """Measure both servers with calls that come at random, whether or not others are still in flight.

    A call's time begins when it is due: that the client could not send it yet is waiting too.
    """
    percentiles: list[float] = []
    for address in addresses:
        times = sorted(asyncio.run(times_at_rate(address, payload, rate, round(rate * seconds))))
        percentiles += [times[int(share * len(times))] for share in (0.5, 0.99, 0.999)]
    return Rate(rate, *percentiles)


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


def handler_time(name: str, payloads: list[bytes], rounds: int) -> float:
    """Give the processor time of a call without a server, in microseconds."""
    engine = EngineAccess(EvaluatorSettings())
    handlers: dict[str, tuple[type[Message], Callable[[Any], Any]]] = {
        "CountPips": (v1.CountPipsRequest, EvaluationHandlers(engine).count_pips),
        "ListLegalPlays": (v1.ListLegalPlaysRequest, RulesHandlers().list_legal_plays),
        HARD: (v1.ChoosePlayRequest, BotHandlers(engine).choose_play),
    }
    request, handle = handlers[name]
    times = []
    for _ in range(1 + rounds):
        started = time.thread_time()
        for payload in payloads:
            answer = handle(request.FromString(payload))
            if not isinstance(answer, bytes):
                answer.SerializeToString()
        times.append(1e6 * (time.thread_time() - started) / len(payloads))
    return statistics.median(times[1:])


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


if __name__ == "__main__":
    main()
