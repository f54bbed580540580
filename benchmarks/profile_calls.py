"""Where the processor time of a call goes, in a daemon with 64 calls in flight, part by part.

The whole is what the daemon's process takes for each call of h2load (Debian: nghttp2-client), by Linux's own
count; what the echo's process takes for the same bytes is gRPC's part. The daemon's own parts are timed
without a server, each in a loop. What is left is what a busy process adds: processor caches that gRPC has
filled in between, and threads that wait for the interpreter.

The figures stand beside those of `profile_calls_before`, which are this module's on version 8328f4c, before
plain requests went through the kernel from bytes to bytes.
"""

from __future__ import annotations

import shutil
import statistics
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bgbot import v1

from benchmarks import results, wire
from benchmarks.results import CannotMeasure, Figure
from bgbotd import kernel, logging
from bgbotd.config import Limits
from bgbotd.evaluation import EvaluatorSettings
from bgbotd.service.access_log import AccessLog
from bgbotd.service.admission import Admission
from bgbotd.service.bots_handlers import BotHandlers
from bgbotd.service.calls import quick_methods, served_methods, snake_case
from bgbotd.service.engine_access import EngineAccess
from bgbotd.service.evaluation_handlers import EvaluationHandlers
from bgbotd.service.rules_handlers import RulesHandlers

if TYPE_CHECKING:
    from collections.abc import Callable

    from google.protobuf.message import Message

    from benchmarks.wire import Asked, Served

ROUNDS = 7
CALLS = 4000
BEFORE = "profile_calls_before"
WHOLE = "the whole call"


class Context:
    """What gRPC gives a call, as far as one that succeeds asks it."""

    def invocation_metadata(self) -> tuple[tuple[str, str], ...]:
        """Give what the client has sent beside the request."""
        return (("user-agent", "h2load"),)


def measure() -> list[Figure]:
    """Measure every method."""
    if not shutil.which("h2load") or not Path("/proc/self/task").exists():
        message = "this takes Linux, and h2load (Debian: nghttp2-client)"
        raise CannotMeasure(message)
    logging.configure("info")  # as the daemon does
    sample = wire.mid_game(100)
    typical = wire.middling(sample)
    payloads = {name: [typical.request(name).SerializeToString()] for name in wire.METHODS}
    parts: dict[str, float] = {}
    with wire.daemon() as daemon, wire.echoing(wire.ask_all(daemon.address, payloads)) as echo:
        for name, [payload] in payloads.items():
            for part, each in in_parts(name, payload, typical, daemon, echo).items():
                parts[f"{name}: {part}"] = each
    before = (
        {figure.name: figure.value for figure in results.read()[BEFORE].figures} if BEFORE in results.read() else {}
    )
    return [
        Figure(name, each, "µs", "before", before[name], each / before[name] if name.endswith(WHOLE) else None)
        if name in before
        else Figure(name, each, "µs")
        for name, each in parts.items()
    ]


def in_parts(name: str, payload: bytes, asked: Asked, daemon: Served, echo: Served) -> dict[str, float]:
    """Give the parts of a call in microseconds, and the whole."""
    served = [(processor_time(daemon, name, payload), processor_time(echo, name, payload)) for _ in range(1 + ROUNDS)][
        1:
    ]
    whole, grpc = statistics.median(own for own, _ in served), statistics.median(other for _, other in served)
    handle, call = behaviours(name)
    handled = in_a_loop(lambda: handle(payload))
    around = in_a_loop(lambda: finish(call(payload, Context()))) - handled
    position, die1, die2 = asked.position.packed(), asked.dice.die1, asked.dice.die2
    work: dict[str, Callable[[], object]] = {
        "CountPips": lambda: (kernel.pips(position[:26]), kernel.pips(position[26:]), kernel.phase(position)),
        "ListLegalPlays": lambda: kernel.legal_plays(position, die1, die2),
        wire.HARD: lambda: kernel.choose_hard(position, die1, die2),
    }
    worked = in_a_loop(work[name])
    return {
        "gRPC, as in the echo": grpc,
        "the rules or Hard's choice, in the kernel": worked,
        "reading the request and writing the answer": max(0.0, handled - worked),
        "what surrounds a handler": around,
        "what a busy process adds": whole - grpc - handled - around,
        WHOLE: whole,
    }


def processor_time(server: Served, name: str, payload: bytes) -> float:
    """Give the microseconds of a server's process for each call."""
    before = _spent(server.process)
    wire.h2load(server.address, wire.METHODS[name], payload, CALLS)
    return (_spent(server.process) - before) / CALLS


def _spent(process: int) -> float:
    """Give the microseconds that all threads of a process have run."""
    threads = Path(f"/proc/{process}/task").glob("*/schedstat")
    return sum(int(each.read_text().split()[0]) for each in threads) / 1e3


def behaviours(name: str) -> tuple[Callable[[bytes], object], Callable[[bytes, Context], Any]]:
    """Give what answers a method's bytes with bytes, alone and with what surrounds it."""
    engine = EngineAccess(EvaluatorSettings())
    kinds: dict[str, tuple[object, type[Message]]] = {
        "CountPips": (EvaluationHandlers(engine), v1.CountPipsRequest),
        "ListLegalPlays": (RulesHandlers(), v1.ListLegalPlaysRequest),
        wire.HARD: (BotHandlers(engine), v1.ChoosePlayRequest),
    }
    handlers, request = kinds[name]
    _, path, method = wire.METHODS[name].split("/")
    service: Any = request.DESCRIPTOR.file.services_by_name[path.rpartition(".")[2]]
    ordinary: Callable[[Any], Any] = getattr(handlers, snake_case(method))

    def answer(payload: bytes) -> object:
        answered = ordinary(request.FromString(payload))
        return answered if isinstance(answered, bytes) else answered.SerializeToString()

    admission, access_log = Admission(Limits(), None), AccessLog()
    methods = served_methods(service, handlers, admission, access_log)
    surrounded: Any = quick_methods(service, handlers, admission, access_log, methods)[method]
    return getattr(ordinary, "plainly", answer), surrounded.unary_unary


def finish(call: Any) -> bytes:  # noqa: ANN401 - a coroutine
    """Run a call that waits for nothing."""
    try:
        call.send(None)
    except StopIteration as finished:
        return bytes(finished.value)
    message = "the call waits for something"
    raise RuntimeError(message)


def in_a_loop(work: Callable[[], object], times: int = 500) -> float:
    """Give the microseconds of processor time that some work takes, over and over."""
    taken = []
    for _ in range(3 * ROUNDS):
        started = time.thread_time()
        for _ in range(times):
            work()
        taken.append(1e6 * (time.thread_time() - started) / times)
    return statistics.median(taken)
