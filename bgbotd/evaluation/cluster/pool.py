"""Work that is done on the cluster, behind what the local pool offers.

All of Dask runs in one thread with an event loop of its own, so that a cluster that hangs, or is not
there, holds nothing up but what is asked of it.
"""

from __future__ import annotations

import asyncio
import pickle
import threading
import uuid
from concurrent.futures import CancelledError, Future, InvalidStateError
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

import structlog
from distributed import KilledWorker
from distributed.comm.core import CommClosedError

from bgbotd.evaluation.cluster import ClusterState
from bgbotd.evaluation.cluster.connection import JOINED, cause, connected, members, reached
from bgbotd.evaluation.cluster.worker import hear_of_refusal, perform
from bgbotd.evaluation.engine import (
    ClusterUnavailable,
    EngineBusy,
    EngineFailed,
    EvaluationCancelled,
    EvaluationError,
)
from bgbotd.evaluation.pool import Job, Priority
from bgbotd.evaluation.work_times import times_of_work

if TYPE_CHECKING:
    from collections.abc import Callable

    from distributed import Client

    from bgbotd.evaluation.cancellation import CancelToken
    from bgbotd.evaluation.cluster import ClusterSettings
    from bgbotd.evaluation.cluster.build import Build
    from bgbotd.evaluation.cluster.connection import Members
    from bgbotd.evaluation.engine_process import EngineProcess
    from bgbotd.evaluation.work_times import WorkTimes

_Answer = TypeVar("_Answer")

_RETRY_SECONDS = 1.0
PATIENCE_SECONDS = 30.0
"""How long work that is under way waits for a scheduler or worker to come back: they are restarted in less."""
_IN_FLIGHT = 2
"""Pieces of work for each engine process: one under way, and one that is there when it is done."""

log = structlog.get_logger("bgbotd.cluster")


class ClusterPool:
    """The cluster, as daemons use it; any thread may."""

    def __init__(
        self,
        settings: ClusterSettings,
        most_waiting: int,
        build: Callable[[], Future[Build]],
    ) -> None:
        """Begin to connect, and go on trying for ever; `build` finds out what workers must have."""
        self._settings = settings
        self._most_waiting = most_waiting
        self._lock = threading.Lock()
        self._outstanding: set[Job[Any]] = set()
        self._keys: set[str] = set()
        self._done = self._redone = 0
        self._closed = False
        self._members: Members | None = None
        self._refused: set[str] = set()
        self._reason = "the scheduler has not been reached yet"
        self._client: Client | None = None
        self._loop = asyncio.new_event_loop()
        self._available, self._lost = asyncio.Event(), asyncio.Event()
        self._giving_up: asyncio.TimerHandle | None = None
        self._staying: asyncio.Task[None] | None = None
        self._thread = threading.Thread(target=self._run, args=(build,), name="cluster", daemon=True)
        self._thread.start()

    @property
    def most_deep(self) -> int:
        """Number of pieces of work that keep all workers busy."""
        return max(1, _IN_FLIGHT * self._engines)

    @property
    def _engines(self) -> int:
        """Number of engine processes there."""
        found = self._members
        return sum(found.fitting.values()) if found else 0

    def submit(
        self,
        work: Callable[[EngineProcess, CancelToken], _Answer],
        priority: Priority = Priority.BACKGROUND,
        *,
        admitted: bool = False,
        times: WorkTimes | None = None,
        on_answer: Callable[[_Answer], None] | None = None,
    ) -> Job[_Answer]:
        """Have a worker do `work`, which can be pickled; `on_answer` hears of the answer before who waits for it.

        Parts of something `admitted` before are taken even when full, and wait for the cluster to come back.

        Raises:
            ClusterUnavailable: if the scheduler is not reached, or has no worker of this build.
            EngineBusy: if too much work waits already, or the pool is closed.

        """
        with self._lock:
            if self._closed:
                raise EngineBusy("the pool is closed")
            if not admitted:
                if self._reason:
                    raise ClusterUnavailable(self._reason)
                if len(self._outstanding) - self._engines >= self._most_waiting:
                    raise EngineBusy(f"{self._most_waiting} requests wait for the cluster already")
            job: Job[_Answer] = Job(work, priority, times or times_of_work.get())
            self._outstanding.add(job)
        job.add_done_callback(self._outstanding.discard)
        self._loop.call_soon_threadsafe(self._begin, job, on_answer)
        return job

    def state(self) -> ClusterState:
        """Tell what the cluster is doing for this process."""
        found = self._members
        return ClusterState(
            available=not self._reason,
            workers=len(found.fitting) if found else 0,
            refused=len(found.refused) if found else 0,
            engines=self._engines,
            outstanding=len(self._outstanding),
            done=self._done,
            redone=self._redone,
        )

    def close(self) -> None:
        """Cancel all work and leave the cluster."""
        with self._lock:
            self._closed = True
            jobs = list(self._outstanding)
        for job in jobs:
            job.cancel()
        self._loop.call_soon_threadsafe(self._leave)
        self._thread.join()

    def _leave(self) -> None:
        """Stop whatever is being waited for; what has not begun sees that the pool is closed."""
        if self._staying:
            self._staying.cancel()

    def _run(self, build: Callable[[], Future[Build]]) -> None:
        """Keep connected until closed."""
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner, suppress(asyncio.CancelledError):
            runner.run(self._stay_connected(build))

    async def _stay_connected(self, find_build: Callable[[], Future[Build]]) -> None:
        """Connect again whenever the scheduler is lost."""
        self._staying = asyncio.current_task()
        build: Build | None = None
        while not self._closed:
            try:
                if build is None:
                    build = await asyncio.wrap_future(find_build())
                await self._stay(build)
            except Exception as error:  # noqa: BLE001 - whatever it is, an operator must hear of it, and may mend it
                self._be_unavailable(f"{self._settings.scheduler} cannot be reached: {cause(error)}")
            await asyncio.sleep(_RETRY_SECONDS)

    async def _stay(self, build: Build) -> None:
        """Connect, and look after the workers until the connection is lost."""
        self._lost.clear()
        watched = await reached(self._settings)
        try:
            async with connected(self._settings) as client:
                tasks = [
                    asyncio.create_task(work)
                    for work in (watched.read(), self._lost.wait(), self._look_after(client, build))
                ]
                try:
                    ended, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                finally:
                    self._members = None
                    self._be_unavailable(f"the connection to {self._settings.scheduler} is lost")
                    for task in tasks:
                        task.cancel()
                for task in ended:
                    task.result()
        finally:
            watched.abort()

    async def _look_after(self, client: Client, build: Build) -> None:
        """Know the workers at any time."""
        news = asyncio.Event()

        def hear_of_joining(_: object) -> None:
            news.set()

        def hear_of_leaving(event: tuple[float, dict[str, Any]]) -> None:
            told = event[1]
            if told["action"] == "remove-worker":
                self._redone += len(self._keys & {*told["processing-tasks"], *told["lost-computed-tasks"]})
                news.set()

        client.subscribe_topic(JOINED, hear_of_joining)
        client.subscribe_topic("all", hear_of_leaving)
        while True:
            news.clear()
            found = await members(client, build)
            self._see(client, build, found)
            await self._tell_refused(client, build, found)
            await news.wait()

    def _see(self, client: Client, build: Build, found: Members) -> None:
        """Take in which workers there are."""
        before = self._members.fitting if self._members else {}
        self._members = found
        if found.missing:
            self._be_unavailable(f"{found.missing}; this is {build}")
        else:
            self._be_available(client, build)
        for address in found.fitting.keys() - before.keys():
            log.info("cluster worker joined", address=address, engines=found.fitting[address])
        for address in before.keys() - found.fitting.keys():
            log.warning("cluster worker left", address=address)

    async def _tell_refused(self, client: Client, build: Build, found: Members) -> None:
        """Say in both logs that a worker is of another build."""
        for address in found.refused.keys() - self._refused:
            log.error("cluster worker refused", address=address, its_build=found.refused[address], build=str(build))
            with suppress(Exception):  # it is another build, which need not understand
                await client.run(hear_of_refusal, str(build), workers=[address], on_error="ignore")
        self._refused = set(found.refused)

    def _be_available(self, client: Client, build: Build) -> None:
        """Let work go to the cluster."""
        if self._reason:
            log.info("cluster ready", scheduler=self._settings.scheduler, engines=self._engines, build=str(build))
        self._client, self._resource, self._reason = client, str(build), ""
        self._available.set()
        if self._giving_up:
            self._giving_up.cancel()
            self._giving_up = None

    def _be_unavailable(self, reason: str) -> None:
        """Hold work back, and give it up after a while."""
        if self._closed:
            return
        if reason != self._reason:
            log.error("cluster unavailable", reason=reason)
        self._reason = reason
        self._available.clear()
        if self._giving_up is None:
            self._giving_up = self._loop.call_later(PATIENCE_SECONDS, self._give_up)

    def _give_up(self) -> None:
        """Tell whoever waits that the cluster does not come back."""
        self._giving_up = None
        for job in list(self._outstanding):
            with suppress(InvalidStateError):
                job.set_exception(ClusterUnavailable(self._reason))

    def _begin(self, job: Job[_Answer], on_answer: Callable[[_Answer], None] | None) -> None:
        """Begin a piece of work that may have been cancelled meanwhile."""
        job.begin()
        task = self._loop.create_task(self._do(job, on_answer))
        task.add_done_callback(lambda _: job.end())

        def end(_: Future[_Answer]) -> None:
            with suppress(RuntimeError):  # the loop is closed
                self._loop.call_soon_threadsafe(task.cancel)

        job.add_done_callback(end)

    async def _do(self, job: Job[_Answer], on_answer: Callable[[_Answer], None] | None) -> None:
        """See a piece of work through, again and again while it is lost on the way."""
        payload = pickle.dumps(job.work)
        while not job.done():
            await self._available.wait()
            try:
                answer = await self._ask(payload, job.priority)
            except (CancelledError, CommClosedError):
                self._redone += 1
                self._be_unavailable(f"the connection to {self._settings.scheduler} is lost")
                self._lost.set()
            except EvaluationCancelled:  # by a worker that has left
                self._redone += 1
            except KilledWorker as error:
                _fail(job, EngineFailed(f"several cluster workers were lost while they worked on this: {error}"))
            except EvaluationError as error:
                _fail(job, error)
            except Exception as error:  # noqa: BLE001 - whatever it is, the caller must hear of it
                _fail(job, EngineFailed(f"{type(error).__name__}: {error}"))
            else:
                self._done += 1
                if on_answer:
                    on_answer(answer)
                with suppress(InvalidStateError):
                    job.set_result(answer)

    async def _ask(self, payload: bytes, priority: Priority) -> Any:  # noqa: ANN401 - whatever the work gives
        """Have some worker do the work; leaving early releases it there."""
        assert self._client is not None  # noqa: S101 - for the type checker: it is available
        key = f"bgbotd-{uuid.uuid4().hex}"
        self._keys.add(key)
        future = self._client.submit(perform, payload, key=key, priority=-priority, resources={self._resource: 1})
        try:
            return await future
        finally:
            future.release()
            self._keys.discard(key)


def _fail(job: Job[_Answer], error: EvaluationError) -> None:
    """Hand over what went wrong, unless the caller has been released already."""
    with suppress(InvalidStateError):
        job.set_exception(error)
