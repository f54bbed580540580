"""Several processes on one port, and the supervisor that keeps them.

Every worker is a fresh Python, so that no gRPC object is ever shared. It gets its orders, pickled, on its
standard input, says on its standard output that it is ready, and begins when it reads BEGIN. Further
bytes tell it whether the web edge is up. It ends, as on SIGTERM, when that input does, so that no worker outlives
its supervisor. From its readiness on it says every second on its output that its event loop turns; one that hangs is
killed and started again.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import sys
import urllib.request
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from typing import TYPE_CHECKING, TypeVar

import structlog
from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.registry import Collector

from bgbotd.config import parted
from bgbotd.service.notify import notify, say_that_it_lives
from bgbotd.service.pauses import Pauses
from bgbotd.service.ports import CannotListen, take_port
from bgbotd.service.signals import on_stop
from bgbotd.web import Edge, WebCollector

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bgbotd.config import Settings

_Pipe = TypeVar("_Pipe")

log = structlog.get_logger("bgbotd.workers")

BEGIN, WEB_UP, WEB_DOWN = b"\n", b"+", b"-"
"""What a worker is told once it runs, a byte each."""
_KILL_AFTER_SECONDS = 10.0
"""After the grace, a worker that has not ended is killed: closing its engine takes less."""
_SCRAPE_SECONDS = 5.0
_START_SECONDS = 60.0
"""A start takes half a second; on a cold disk, or on a machine that swaps, several."""
PULSE = b"."
PULSE_SECONDS = 1.0
_MOST_SILENT = 30
"""So many seconds without a pulse, and a worker is taken for hung: its event loop stands still for milliseconds, and
for some seconds only on a machine that swaps. Its callers wait all the while."""
_MANY_PULSES = 1024


@dataclass(frozen=True, slots=True)
class Orders:
    """What a worker is told."""

    number: int
    settings: Settings
    web_socket: Path | None
    """Where it serves the web edge, if there is one."""


@dataclass(slots=True)
class Worker:
    """One of the workers, whose process is another after each restart."""

    number: int
    process: asyncio.subprocess.Process | None = None
    metrics_address: str = ""
    restarts: int = 0


@dataclass(slots=True)
class Supervisor:
    """Keeps the workers alive until it is told to stop."""

    settings: Settings
    workers: list[Worker] = field(init=False)
    web: Edge | None = None
    stopping: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        """Give each worker its number."""
        self.workers = [Worker(number) for number in range(self.settings.workers)]

    async def run(self) -> None:
        """Take the port and serve it until told to stop, then drain.

        Raises:
            CannotListen: if an address cannot be bound, or a worker cannot start.

        """
        with ExitStack() as taken:
            listen, health = self.settings.listen, self.settings.health_listen
            self.settings = replace(
                self.settings, listen=_taken(listen, taken), health_listen=_taken(health, taken) if health else ""
            )
            self.web = Edge(self.settings, taken) if self.settings.web.enabled else None
            metrics = self._serve_metrics() if self.settings.metrics_listen else ""
            try:
                await asyncio.gather(*map(self._start, self.workers))
                if self.web:
                    await self.web.start(self._tell_web)
                log.info(
                    "serving",
                    listen=self.settings.listen,
                    version=version("bgbotd"),
                    metrics=metrics,
                    health=self.settings.health_listen,
                    web=self.web.address if self.web else "",
                    workers=len(self.workers),
                )
                notify("READY=1")
                living = asyncio.create_task(say_that_it_lives())
                await self._keep_all()
            finally:
                await self._end_all()
                if self.web:
                    await self.web.end()
        living.cancel()
        log.info("stopped")

    async def _keep_all(self) -> None:
        """Keep every worker until told to stop."""
        kept = [asyncio.create_task(self._keep(worker)) for worker in self.workers]
        await self.stopping.wait()
        notify("STOPPING=1")
        log.info("draining", grace_seconds=self.settings.grace_seconds)
        for task in kept:
            task.cancel()
        await asyncio.gather(*kept, return_exceptions=True)
        if self.web:
            self._tell_web(up=False)
            await self.web.drain()

    async def _start(self, worker: Worker) -> None:
        """Start a worker and wait until it is ready.

        Raises:
            CannotListen: if it ends instead, of which the log has the reason, or takes too long.

        """
        process = worker.process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",
            "-c",
            "from bgbotd.service.worker import main; main()",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            # What systemd is told is the supervisor's to say.
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "NOTIFY_SOCKET": ""},
        )
        web_socket = self.web.sockets[worker.number] if self.web else None
        _piped(process.stdin).write(pickle.dumps(Orders(worker.number, self.settings, web_socket)))
        try:
            async with asyncio.timeout(_START_SECONDS):
                ready = await _piped(process.stdout).readline()
        except TimeoutError:
            _kill(process)
            raise CannotListen(f"worker {worker.number} was not ready within {_START_SECONDS:g} s") from None
        if not ready:
            raise CannotListen(f"worker {worker.number} could not start: it ended with {await process.wait()}")
        worker.metrics_address = ready.decode().strip()

    async def _keep(self, worker: Worker) -> None:
        """Let a worker begin, and start it again whenever it dies."""
        loop, pauses = asyncio.get_running_loop(), Pauses()
        while True:
            began = loop.time()
            code = await self._let_live(worker)
            worker.process = None
            worker.restarts += 1
            pause = pauses.after(loop.time() - began)
            log.error("worker died", worker=worker.number, exit_code=code, restart_in_seconds=pause)
            await asyncio.sleep(pause)
            try:
                await self._start(worker)
            except (CannotListen, OSError) as error:
                log.error("worker not started", worker=worker.number, reason=str(error))  # noqa: TRY400 - no defect of ours

    async def _let_live(self, worker: Worker) -> int:
        """Let a worker that is ready begin, and give its exit code when it has died."""
        process = worker.process
        if process is None:
            return -1
        log.info("worker started", worker=worker.number, pid=process.pid)
        _tell(process, BEGIN)
        if self.web and self.web.up:
            _tell(process, WEB_UP)
        listening = asyncio.create_task(_kill_when_silent(worker.number, process))
        try:
            return await process.wait()
        finally:
            listening.cancel()

    def _tell_web(self, *, up: bool) -> None:
        """Tell every worker whether the web edge is up."""
        for worker in self.workers:
            if worker.process is not None:
                _tell(worker.process, WEB_UP if up else WEB_DOWN)

    async def _end_all(self) -> None:
        """Have every worker drain, all at a time, and wait for the last."""
        running = [worker.process for worker in self.workers if worker.process]
        for process in running:
            with suppress(ProcessLookupError):
                process.terminate()
        try:
            async with asyncio.timeout(self.settings.grace_seconds + _KILL_AFTER_SECONDS):
                await asyncio.gather(*(process.wait() for process in running))
        except TimeoutError:
            log.error("workers killed", reason="they did not end within the grace")  # noqa: TRY400 - no defect of ours
            for process in running:
                _kill(process)
            await asyncio.gather(*(process.wait() for process in running))

    def _serve_metrics(self) -> str:
        """Serve the metrics of all workers and say what was bound."""
        registry = CollectorRegistry()
        registry.register(WorkersCollector(self.workers))
        if self.web:
            registry.register(WebCollector(self.web))
        host, port = _known(self.settings.metrics_listen)
        try:
            server, _ = start_http_server(port, host, registry=registry)
        except OSError as error:
            raise CannotListen(f"cannot serve metrics on {self.settings.metrics_listen}: {error}") from None
        return f"{self.settings.metrics_listen.rpartition(':')[0]}:{server.server_port}"


class WorkersCollector(Collector):
    """Asks every worker for its metrics when it is scraped, and tells them apart by the label `worker`."""

    def __init__(self, workers: list[Worker]) -> None:
        """Ask these workers."""
        self._workers = workers

    def describe(self) -> list[Metric]:
        """Name nothing beforehand: who registers this must not ask the workers."""
        return []

    def collect(self) -> Iterator[Metric]:
        """Give the metrics of those that answer, and how the workers themselves fare."""
        alive = GaugeMetricFamily("bgbotd_worker_up", "Whether the worker process runs.", labels=["worker"])
        restarts = CounterMetricFamily("bgbotd_worker_restarts", "Times it was started again.", labels=["worker"])
        families: dict[str, Metric] = {}
        for worker in self._workers:
            label = str(worker.number)
            alive.add_metric([label], worker.process is not None)
            restarts.add_metric([label], worker.restarts)
            for family in _scrape(worker):
                merged = families.setdefault(family.name, Metric(family.name, family.documentation, family.type))
                for sample in family.samples:
                    merged.add_sample(sample.name, {**sample.labels, "worker": label}, sample.value)
        yield from (alive, restarts, *families.values())


def _scrape(worker: Worker) -> list[Metric]:
    """Ask a worker for its metrics; one that is just dying has none."""
    if worker.process is None:
        return []
    try:
        with urllib.request.urlopen(f"http://{worker.metrics_address}/metrics", timeout=_SCRAPE_SECONDS) as answer:
            return list(text_string_to_metric_families(answer.read().decode()))
    except OSError:
        return []


def _taken(address: str, taken: ExitStack) -> str:
    """Hold an address for the workers and give it with its port."""
    return f"{address.rpartition(':')[0]}:{take_port(*_known(address), taken)}"


def _known(address: str) -> tuple[str, int]:
    """Part an address that the settings have accepted."""
    known = parted(address)
    assert known is not None  # noqa: S101 - for the type checker: settings refuse others
    return known


def _tell(process: asyncio.subprocess.Process, order: bytes) -> None:
    """Tell a worker something; one that is just dying hears nothing."""
    with suppress(ConnectionError):
        _piped(process.stdin).write(order)


def _kill(process: asyncio.subprocess.Process) -> None:
    """Kill a process that may be dead."""
    with suppress(ProcessLookupError):
        process.kill()


async def _kill_when_silent(number: int, process: asyncio.subprocess.Process) -> None:
    """Kill a worker that says for long nothing of its event loop.

    Each second is waited for by itself: where all processes stood still together, as in a container that was paused,
    one at most has passed.
    """
    silent = 0
    while silent < _MOST_SILENT:
        try:
            async with asyncio.timeout(PULSE_SECONDS):
                if not await _piped(process.stdout).read(_MANY_PULSES):
                    return
            silent = 0
        except TimeoutError:
            silent += 1
    log.error("worker silent", worker=number, pid=process.pid, seconds=_MOST_SILENT * PULSE_SECONDS)
    _kill(process)


def _piped(pipe: _Pipe | None) -> _Pipe:
    """Give a pipe of a process that was started with it."""
    assert pipe is not None  # noqa: S101 - for the type checker
    return pipe


async def supervise(settings: Settings) -> None:
    """Serve with several workers until asked to stop, then drain.

    Raises:
        CannotListen: if an address cannot be bound, or a worker cannot start.

    """
    supervisor = Supervisor(settings)
    on_stop(supervisor.stopping.set)
    await supervisor.run()
