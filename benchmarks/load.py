"""Measure the daemon under load: workers against one, three times what it can do, rollouts beside calls, memory.

The load comes from the client in benchmarks/load_client, built by `make load-client`, on the same cores as
the daemon: its share of the processor is told. Every ratio is of figures of one run. Load beyond what
can be done comes at a fixed rate whatever becomes of the calls before, and a call's time begins when it
is due.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import statistics
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import grpc
from bgbot import BgbotError, Client, v1

from benchmarks import results
from benchmarks.evaluation_rpc import START, positions
from benchmarks.results import CannotMeasure, Figure, Part
from bgbotd.service import render
from tests.processes import family, resident_megabytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bgbotd.rules import Dice, Position

LOAD_CLIENT = results.REPOSITORY / "build" / "load" / "load_client"
SECONDS = 15.0
"""How long there is too much load in `make bench`; `--seconds 180` is the whole of it."""
ROUNDS = 3
CONNECTIONS = 16
"""So many that the kernel gives each of two workers its share."""
BULK_ITEMS, BULK_MESSAGES = 100, 100
"""Requests of a message, and messages of a stream."""
TIMES_CAPACITY = 3
UNCACHED = ("--engine.cached-evaluations", "0")
"""Or positions that come again would cost nothing."""
FAST_AGAIN_SECONDS = 1
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Work:
    """A kind of call, and how it is measured."""

    name: str
    request: Callable[[Position, Dice], dict[str, Any]]
    """The request as the field of a Bulk item."""
    positions: int
    in_flight: int
    """Enough that the daemon is never idle."""
    calm_rate: float
    """Calls a second that hardly ever meet."""
    calm_seconds: float


def _source(position: Position) -> v1.PositionSource:
    """Give a position as requests have it."""
    return v1.PositionSource(position=render.position(position))


HARD = Work(
    "HARD",
    lambda position, dice: {
        "choose_play": v1.ChoosePlayRequest(position=_source(position), dice=render.dice(dice), level=v1.LEVEL_HARD)
    },
    positions=200,
    in_flight=64,
    calm_rate=200,
    calm_seconds=6,
)
PLY2 = Work(
    "PLY2",
    lambda position, _dice: {"evaluate": v1.EvaluateRequest(position=_source(position), depth=v1.DEPTH_PLY2)},
    positions=2000,
    in_flight=4,
    calm_rate=5,
    calm_seconds=15,
)


@dataclass(slots=True)
class Running:
    """A daemon that serves."""

    process: subprocess.Popen[str]
    address: str
    health: str
    """Where there is health alone; empty for nowhere."""
    web: str
    """Where its web edge listens; empty for nowhere."""
    seconds_to_serve: float
    log: list[str] = field(default_factory=list)

    def processor_seconds(self) -> float:
        """Give the processor time of all its processes so far."""
        return sum(map(_processor_seconds, family(self.process.pid)))

    def megabytes(self) -> float:
        """Give the resident memory of all its processes."""
        return resident_megabytes(self.process.pid)


def measure(seconds: float = SECONDS) -> list[Figure]:
    """Measure everything.

    Raises:
        CannotMeasure: if the load client is not built.

    """
    if not LOAD_CLIENT.exists():
        raise CannotMeasure("the load client is not built; make load-client does that, with g++ and gRPC for C++")
    return [
        *two_workers(),
        *two_workers_by_bulk(),
        *overloaded(PLY2, seconds),
        *beside_a_rollout(),
        *started(),
        *memory(),
    ]


@contextmanager
def daemon(*arguments: str) -> Iterator[Running]:
    """Run the daemon."""
    command = [str(Path(sys.executable).with_name("bgbotd")), "serve", "--listen", "127.0.0.1:0", *arguments]
    began = time.perf_counter()
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None  # noqa: S101 - a pipe was asked for
        serving = json.loads(process.stderr.readline())
        address = serving["listen"]
        running = Running(process, address, serving["health"], serving["web"], time.perf_counter() - began)
        reading = threading.Thread(target=lambda: running.log.extend(process.stderr or ()))
        reading.start()
        try:
            with Client(address) as client:  # until the engine is there
                client.evaluation.Evaluate(v1.EvaluateRequest(position=START, depth=v1.DEPTH_STATIC))
            yield running
        finally:
            process.terminate()
            reading.join()


def load(address: str, work: Work, *arguments: str, seconds: float, warm_up: float = 1) -> dict[str, Any]:
    """Send calls and give what the load client says of them."""
    requests = itertools.islice(itertools.cycle(positions(work.positions)), work.positions)
    bulk = v1.BulkRequest(items=[v1.BulkItem(**work.request(*each)) for each in requests])
    command = [str(LOAD_CLIENT), "--target", address, "--connections", str(CONNECTIONS), *arguments]
    command += ["--seconds", f"{seconds:g}", "--warm-up", f"{warm_up:g}"]
    said: dict[str, Any] = json.loads(subprocess.check_output(command, input=bulk.SerializeToString()))
    return said


def saturate(address: str, work: Work, seconds: float = 3) -> dict[str, Any]:
    """Keep the daemon busy, and give what the load client says."""
    return load(address, work, "--in-flight", str(work.in_flight), seconds=seconds)


def two_workers() -> list[Figure]:
    """Measure two workers against one, and what a call costs on either side."""
    with daemon("--workers", "1") as one, daemon("--workers", "2") as two:
        rates: dict[str, list[float]] = {one.address: [], two.address: []}
        costs: dict[str, list[tuple[float, float]]] = {one.address: [], two.address: []}
        for _ in range(ROUNDS):
            for each in (one, two):
                before = each.processor_seconds()
                said = saturate(each.address, HARD)
                calls = said["calls_a_second"] * (said["seconds"] + 1)  # those of the warm-up as well
                rates[each.address].append(said["ok_a_second"])
                own = 1e6 * (each.processor_seconds() - before) / calls
                costs[each.address].append((own, 1e6 * said["client_cpu_seconds"] / calls))
        ratio = statistics.median(b / a for a, b in zip(rates[one.address], rates[two.address], strict=True))
        alone, both = (statistics.median(rates[each.address]) for each in (one, two))
        own, client = (statistics.median(column) for column in zip(*costs[two.address], strict=True))
    return [
        Figure("HARD, two workers", both, "a second", "one worker", alone, ratio, ">= 1.6"),
        Figure("HARD, processor time of a call", own, "µs", "load client's", client, own / client),
        # With the client's share taken off, this is all that two cores can give.
        Figure("HARD, most that the cores allow", 2e6 / (own + client), "a second", "two workers", both),
    ]


def two_workers_by_bulk() -> list[Figure]:
    """Measure two workers against one where a message brings many requests, which costs its sender next to nothing."""
    with daemon("--workers", "1") as one, daemon("--workers", "2") as two:
        rounds = [(bulk(one.address), bulk(two.address)) for _ in range(ROUNDS)]
    alone, both = (statistics.median(rate for rate, _ in column) for column in zip(*rounds, strict=True))
    ratio = statistics.median(b / a for (a, _), (b, _) in rounds)
    share = statistics.median(share for _, (_, share) in rounds)
    return [
        Figure("HARD by Bulk, two workers", both, "a second", "one worker", alone, ratio, ">= 1.6"),
        Figure("HARD by Bulk, share of the two cores that sending takes", share),
    ]


def bulk(address: str) -> tuple[float, float]:
    """Give the HARD plays a second by a stream on each connection, and what share of two cores sending took."""
    requests = [v1.BulkItem(id=number, **HARD.request(*each)) for number, each in enumerate(positions(BULK_ITEMS))]
    message = v1.BulkRequest(items=requests).SerializeToString()
    own_connection = [("grpc.use_local_subchannel_pool", 1)]

    def asked(_number: int) -> list[bytes]:
        with grpc.insecure_channel(address, own_connection) as channel:
            stream: Any = channel.stream_stream("/bgbot.v1.BulkService/Process")
            return [*stream(itertools.repeat(message, BULK_MESSAGES))]

    with ThreadPoolExecutor(CONNECTIONS) as threads:
        began, took = time.perf_counter(), time.process_time()
        answers = [*threads.map(asked, range(CONNECTIONS))]
        seconds, own = time.perf_counter() - began, time.process_time() - took
    plays = sum(len(v1.BulkResponse.FromString(part).results) for parts in answers for part in parts)
    if plays != CONNECTIONS * BULK_MESSAGES * len(requests):
        raise RuntimeError(f"{plays} answers")
    return plays / seconds, own / seconds / 2


def overloaded(work: Work, seconds: float) -> list[Figure]:
    """Measure what becomes of three times the calls that can be answered."""
    with daemon("--workers", "1", "--health-listen", "127.0.0.1:0", *UNCACHED) as running:
        return withstood(running, work, seconds, address=running.address, health=running.health)


def withstood(running: Running, work: Work, seconds: float, *, address: str, health: str) -> list[Figure]:
    """Measure what becomes of three times the calls that are answered at an address, and of health at another."""
    calm = load(address, work, "--rate", f"{work.calm_rate}", seconds=work.calm_seconds)
    capacity = saturate(address, work)["ok_a_second"]
    memory = _Memory(running)
    rate = TIMES_CAPACITY * capacity
    much = load(address, work, "--rate", f"{rate:.0f}", "--health", health, "--timeline", seconds=seconds)
    resident = memory.stop()
    after = saturate(address, work, FAST_AGAIN_SECONDS)
    statuses = much["statuses"]
    calls, refused = much["calls"], statuses.get("RESOURCE_EXHAUSTED", 0)
    foreseen = (statuses.get("OK", 0) + refused) / calls
    third = max(1, len(resident) // 3)
    first, last = statistics.median(resident[:third]), statistics.median(resident[-third:])
    print(json.dumps({"work": work.name, "capacity": capacity, "calm": calm["ok_us"], **_without_timeline(much)}))
    name = f"{work.name} at {TIMES_CAPACITY} times capacity"
    calm_p99, p99 = calm["ok_us"]["p99"] / 1000, much["ok_us"]["p99"] / 1000
    asked, answered = much["health"], much["ok_a_second"]
    return [
        Figure(f"{name}, answered or refused", foreseen, "", "all calls", 1, foreseen, ">= 1"),
        Figure(f"{name}, refused with RetryInfo", much["refused_with_retry_info"] / max(1, refused), goal=">= 1"),
        Figure(f"{name}, answered", answered, "a second", "capacity", capacity, answered / capacity),
        Figure(f"{name}, p99 of those answered", p99, "ms", "unloaded", calm_p99, p99 / calm_p99, "<= 5"),
        Figure(f"{name}, health answers", asked["serving"] / (asked["serving"] + asked["failed"]), goal=">= 1"),
        Figure(f"{name}, health p99", asked["us"]["p99"] / 1000, "ms"),
        Figure(f"{name}, memory at the end", last, "MB", "in the beginning", first, last / first, "<= 1.05"),
        Figure(
            f"{work.name}, a second after", after["ok_a_second"], "a second", "capacity", capacity,
            after["ok_a_second"] / capacity, ">= 0.9",
        ),
    ]  # fmt: skip


def beside_a_rollout() -> list[Figure]:
    """Measure HARD beside a rollout that has every core."""
    cores = len(os.sched_getaffinity(0))
    endless = v1.RolloutRequest(position=START, settings=v1.RolloutSettings(trials=1_000_000))
    with daemon("--workers", "1", "--engine.processes", str(cores + 1)) as running, Client(running.address) as client:
        rate = ("--rate", f"{HARD.calm_rate}")
        rounds = []
        for _ in range(ROUNDS):
            idle = load(running.address, HARD, *rate, seconds=HARD.calm_seconds / 2)["ok_us"]["p99"] / 1000
            rollout = client.evaluation.Rollout(endless)
            next(iter(rollout))
            beside = load(running.address, HARD, *rate, seconds=HARD.calm_seconds / 2)["ok_us"]["p99"] / 1000
            rollout.cancel()
            with suppress(BgbotError):
                list(rollout)
            rounds.append((idle, beside))
    idle, beside = (statistics.median(column) for column in zip(*rounds, strict=True))
    ratio = statistics.median(b / a for a, b in rounds)
    return [Figure("HARD beside a rollout on all cores, p99", beside, "ms", "idle", idle, ratio, "<= 3")]


def started() -> list[Figure]:
    """Measure the start, when files and table are in the machine's caches."""
    figures = []
    for workers in ("1", "2"):
        times = []
        for _ in range(ROUNDS):
            with daemon("--workers", workers) as running:
                times.append(running.seconds_to_serve)
        median = statistics.median(times)
        figures.append(Figure(f"start to SERVING, workers: {workers}", median, "s", goal="<= 1"))
    return figures


def memory() -> list[Figure]:
    """Measure the memory of a worker, and what each deeper state of the engine adds to an engine process."""
    with daemon("--workers", "1", "--engine.processes", "1", *UNCACHED) as running, Client(running.address) as client:
        engine = family(running.process.pid)[1]
        worker = running.megabytes() - resident_megabytes(engine)
        figures = [Figure("resident, a worker with STATIC ready", worker, "MB", goal="<= 150")]
        before = 0.0
        for depth in (v1.DEPTH_PLY2, v1.DEPTH_PLY3, v1.DEPTH_PLY4):
            client.evaluation.Evaluate(v1.EvaluateRequest(position=START, depth=depth), timeout=120)
            now = resident_megabytes(engine)
            name = v1.Depth.Name(depth).removeprefix("DEPTH_")
            what = f"added by {name}" if before else f"an engine process with {name}"
            figures.append(Figure(f"resident, {what}", now - before, "MB"))
            before = now
        settings = v1.RolloutSettings(trials=1296, truncate_after_plies=5)
        list(client.evaluation.Rollout(v1.RolloutRequest(position=START, settings=settings), timeout=120))
        figures.append(Figure("resident, added by a rollout", resident_megabytes(engine) - before, "MB"))
    return figures


class _Memory:
    """Looks at a daemon's memory four times a second."""

    def __init__(self, running: Running) -> None:
        """Begin."""
        self._running = running
        self._stopped = threading.Event()
        self._seen: list[float] = []
        self._thread = threading.Thread(target=self._look)
        self._thread.start()

    def stop(self) -> list[float]:
        """End, and give the megabytes that were seen."""
        self._stopped.set()
        self._thread.join()
        return self._seen[len(self._seen) // 10 :]  # but for the first tenth, when there was no load yet

    def _look(self) -> None:
        """Look until told to stop."""
        while not self._stopped.wait(0.25):
            self._seen.append(self._running.megabytes())


def _processor_seconds(process: int) -> float:
    """Give the processor time of one process so far."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS  # utime and stime, proc(5)


def _without_timeline(said: dict[str, Any]) -> dict[str, Any]:
    """Give what the load client said but for each second's."""
    return {key: value for key, value in said.items() if key != "timeline"}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=SECONDS, help="of too much load (default: %(default)s)")
    # HARD is not refused, which docs/scaling.md explains: what is beyond capacity waits in the client for minutes.
    parts: dict[str, Callable[[float], list[Figure]]] = {
        "workers": lambda _seconds: [*two_workers(), *two_workers_by_bulk()],
        "ply2": lambda seconds: overloaded(PLY2, seconds),
        "hard": lambda seconds: overloaded(HARD, seconds),
        "rollout": lambda _seconds: beside_a_rollout(),
        "start": lambda _seconds: started(),
        "memory": lambda _seconds: memory(),
    }
    parser.add_argument("parts", nargs="*", choices=[[], *parts], help="all but hard unless named")
    arguments = parser.parse_args()
    figures = [each for part in arguments.parts or parts.keys() - {"hard"} for each in parts[part](arguments.seconds)]
    print(results.table("load/*", {"load": Part("python -m benchmarks.load", figures)}))


if __name__ == "__main__":
    main()
