"""A cluster worker: a Dask worker whose threads have an engine process each."""

from __future__ import annotations

import asyncio
import pickle
from contextlib import suppress
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, cast

import structlog
from distributed import Worker, WorkerPlugin, get_worker

from bgbotd.evaluation.cancellation import CancelToken
from bgbotd.evaluation.cluster.build import Build
from bgbotd.evaluation.cluster.connection import BUILD, CONNECT_SECONDS, JOINED, cause, forward_logs, reached, security
from bgbotd.evaluation.engine_process import EngineProcess

if TYPE_CHECKING:
    from bgbotd.evaluation.cluster import ClusterSettings

_PLUGIN = "bgbotd"
_PLENTY = 1e9
"""Of the resource by which work finds workers of its build: their threads alone limit how much they take."""
_RETRY_SECONDS = 1.0
_LEAVE_SECONDS = 5.0
"""How long the scheduler may take to give a leaving worker's work to others."""

log = structlog.get_logger("bgbotd.cluster")


class Engines(WorkerPlugin):
    """The engine processes of a worker, and what they are doing."""

    name = _PLUGIN

    def __init__(self, count: int) -> None:
        """Start the processes."""
        self.count = count
        self._idle: SimpleQueue[EngineProcess] = SimpleQueue()
        for _ in range(count):
            self._idle.put(EngineProcess())
        self._tokens: dict[object, CancelToken] = {}

    def build(self) -> Build:
        """Find this worker's build.

        Raises:
            EngineFailed: if the engine cannot be loaded.

        """
        engine = self._idle.get()
        try:
            return Build.of(engine, CancelToken())
        finally:
            self._idle.put(engine)

    def perform(self, payload: bytes, key: object) -> Any:  # noqa: ANN401 - whatever the work gives
        """Do pickled work with an engine that is idle."""
        work = pickle.loads(payload)  # noqa: S301 - from a daemon, which the scheduler's certificates vouch for
        token = self._tokens.setdefault(key, CancelToken())
        engine = self._idle.get()
        log.debug("work begun", key=key)
        try:
            return work(engine, token)
        finally:
            log.debug("work ended", key=key, cancelled=token.cancelled)
            self._idle.put(engine)
            self._tokens.pop(key, None)

    def transition(self, key: object, start: str, finish: str, **_: object) -> None:
        """Stop what nobody wants any more: Dask itself would let it run to its end."""
        if (start, finish) == ("executing", "released"):
            self._tokens.setdefault(key, CancelToken()).cancel()
        elif start == "cancelled":
            self._tokens.pop(key, None)

    def teardown(self, worker: Worker) -> None:
        """Stop everything; the scheduler has it done again elsewhere."""
        del worker
        for token in list(self._tokens.values()):
            token.cancel()


def perform(payload: bytes) -> Any:  # noqa: ANN401 - whatever the work gives
    """Do pickled work in a thread of a worker."""
    worker = get_worker()
    engines = cast("Engines", worker.plugins[_PLUGIN])
    return engines.perform(payload, worker.get_current_task())


def hear_of_refusal(build: str) -> None:
    """Log on a worker that a daemon has no use for it."""
    log.error("refused by a daemon", its_build=build)


async def work(settings: ClusterSettings, engines: int, listen: str, stopping: asyncio.Event) -> None:
    """Work with that many engine processes until told to stop; a lost scheduler is waited for.

    `listen` is the HOST:PORT at which the scheduler reaches this worker; empty takes a free port.

    Raises:
        EngineFailed: if the engine cannot be loaded.

    """
    forward_logs()
    plugin = Engines(engines)
    build = await asyncio.to_thread(plugin.build)
    host, _, port = listen.rpartition(":")
    told = ""
    while not stopping.is_set():
        try:
            (await reached(settings)).abort()
            worker = await Worker(
                settings.scheduler,
                nthreads=engines,
                host=host.strip("[]") or None,
                port=int(port or 0),
                security=security(settings),
                resources={str(build): _PLENTY},
                startup_information={BUILD: lambda _: str(build)},
                plugins=(plugin,),
                memory_limit=0,
                dashboard_address="127.0.0.1:0",  # or Dask would tell of itself on every address, without TLS
                death_timeout=CONNECT_SECONDS,
            )
        except Exception as error:  # noqa: BLE001 - whatever it is, an operator must hear of it, and may mend it
            if told != (told := cause(error)):
                log.error("cannot work", scheduler=settings.scheduler, reason=told)  # noqa: TRY400 - no defect of ours
            await _first(stopping.wait(), asyncio.sleep(_RETRY_SECONDS))
            continue
        told = ""
        worker.log_event(JOINED, {"address": worker.address})
        log.info("working", scheduler=settings.scheduler, address=worker.address, engines=engines, build=str(build))
        await _first(stopping.wait(), worker.finished())
        if stopping.is_set():
            with suppress(OSError, TimeoutError):
                await asyncio.wait_for(worker.close_gracefully(reason="told to stop"), _LEAVE_SECONDS)
        else:
            log.error("scheduler lost", scheduler=settings.scheduler)
    log.info("stopped")


async def _first(*awaited: Any) -> None:  # noqa: ANN401 - anything that can be awaited
    """Wait for one of them and forget the others."""
    tasks = [asyncio.ensure_future(each) for each in awaited]
    await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in tasks:
        task.cancel()
