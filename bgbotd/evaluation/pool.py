"""A bounded pool of workers, each a thread with an engine process of its own.

People waiting for a quick answer go first and find at least one worker that nothing deeper may
take, where there are two or more. Whoever cancels is released at once; a worker that is still busy
with cancelled work counts as abandoned until it is free again.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from bgbotd.evaluation.cancellation import CancelToken
from bgbotd.evaluation.engine import EngineBusy, EngineFailed, EvaluationCancelled, EvaluationError
from bgbotd.evaluation.engine_process import EngineProcess
from bgbotd.evaluation.work_times import times_of_work

if TYPE_CHECKING:
    from collections.abc import Callable

    from bgbotd.evaluation.work_times import WorkTimes

_Answer = TypeVar("_Answer")


class Priority(IntEnum):
    """Who goes first."""

    INTERACTIVE = 0
    """Somebody waits for an answer within a second."""
    DEEP = 1
    """Somebody waits for an answer that takes longer."""
    BACKGROUND = 2
    """Nobody minds a while."""


@dataclass(frozen=True, slots=True)
class PoolState:
    """What the pool is doing at a moment."""

    workers: int
    """Number of workers."""
    busy: int
    """Workers at work, abandoned ones included."""
    abandoned: int
    """Workers still at work that nobody wants any more."""
    waiting: int
    """Requests that wait for a worker."""
    work_seconds: float = field(default=0.0, compare=False)
    """Time that workers have worked, together, since the pool was opened; what runs counts when it ends."""


class Job(Future[_Answer], Generic[_Answer]):
    """Work in the pool; its caller waits for it as for any future, and may cancel it at any time."""

    def __init__(
        self, work: Callable[[EngineProcess, CancelToken], _Answer], priority: Priority, times: WorkTimes | None
    ) -> None:
        """Hold the work, and whom to tell when it waits and runs."""
        super().__init__()
        self.work = work
        self.priority = priority
        self.token = CancelToken()
        self._times = times
        self._stretch = times.queued() if times else None

    def begin(self) -> None:
        """Tell that a worker has taken it up."""
        if self._times and self._stretch:
            self._times.began(self._stretch)

    def end(self) -> None:
        """Tell that the worker is done with it."""
        if self._times and self._stretch:
            self._times.ended(self._stretch)

    def cancel(self) -> bool:
        """Release whoever waits, with EvaluationCancelled, and stop the work; False if it is done already."""
        with suppress(InvalidStateError):
            self.set_exception(EvaluationCancelled())
            self.token.cancel()
            return True
        return False


class EnginePool:
    """Workers for everything that takes longer than a static evaluation."""

    def __init__(
        self, workers: int, most_waiting: int, open_engine: Callable[[], EngineProcess] = EngineProcess
    ) -> None:
        """Start `workers` threads; at most `most_waiting` requests wait for one of them."""
        self._most_waiting = most_waiting
        self._open_engine = open_engine
        self._most_deep = max(1, workers - 1)
        self._changed = threading.Condition()
        self._waiting: dict[Priority, deque[Job[Any]]] = {priority: deque() for priority in Priority}
        self._running: list[Job[Any]] = []
        self._closed = False
        self._work_seconds = 0.0
        self._threads = [
            threading.Thread(target=self._serve, name=f"engine-{number}", daemon=True) for number in range(workers)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def most_deep(self) -> int:
        """Number of workers that deep and background work may take together."""
        return self._most_deep

    def submit(
        self,
        work: Callable[[EngineProcess, CancelToken], _Answer],
        priority: Priority = Priority.INTERACTIVE,
        *,
        admitted: bool = False,
        times: WorkTimes | None = None,
    ) -> Job[_Answer]:
        """Have a worker do `work`. Parts of something `admitted` before are taken even when full.

        How long it waits and runs goes to `times`, or without them to those of the context.

        Raises:
            EngineBusy: if too many requests wait already, or the pool is closed.

        """
        with self._changed:
            if self._closed or (self._count_waiting() >= self._most_waiting and not admitted):
                msg = "the pool is closed" if self._closed else f"{self._most_waiting} requests wait already"
                raise EngineBusy(msg)
            job: Job[_Answer] = Job(work, priority, times or times_of_work.get())
            self._waiting[priority].append(job)
            self._changed.notify_all()
        return job

    def state(self) -> PoolState:
        """Tell what the pool is doing."""
        with self._changed:
            abandoned = sum(job.token.cancelled for job in self._running)
            waiting = self._count_waiting()
            return PoolState(len(self._threads), len(self._running), abandoned, waiting, self._work_seconds)

    def close(self) -> None:
        """Cancel all work and end all workers and their processes."""
        with self._changed:
            self._closed = True
            jobs = [*self._running, *(job for queue in self._waiting.values() for job in queue)]
            self._changed.notify_all()
        for job in jobs:
            job.cancel()
        for thread in self._threads:
            thread.join()

    def _count_waiting(self) -> int:
        """Count requests that still want a worker, dropping those cancelled meanwhile."""
        for queue in self._waiting.values():
            for job in [job for job in queue if job.done()]:
                queue.remove(job)
        return sum(map(len, self._waiting.values()))

    def _next(self) -> Job[Any] | None:
        """Wait for work this worker may take; None when the pool is closed."""
        with self._changed:
            while not self._closed:
                self._count_waiting()
                deep = sum(job.priority is not Priority.INTERACTIVE for job in self._running)
                for priority, queue in self._waiting.items():
                    if queue and (priority is Priority.INTERACTIVE or deep < self._most_deep):
                        job = queue.popleft()
                        self._running.append(job)
                        return job
                self._changed.wait()
            return None

    def _serve(self) -> None:
        """Do work until the pool is closed."""
        engine = self._open_engine()
        while job := self._next():
            began = time.perf_counter()
            job.begin()
            _settle(job, engine)
            job.end()
            with self._changed:
                self._work_seconds += time.perf_counter() - began
                self._running.remove(job)
                self._changed.notify_all()
        engine.close()


def _settle(job: Job[_Answer], engine: EngineProcess) -> None:
    """Do the work and hand over its answer, unless its caller has been released already."""
    try:
        answer = job.work(engine, job.token)
    except EvaluationError as error:
        with suppress(InvalidStateError):
            job.set_exception(error)
    except Exception as error:  # noqa: BLE001 - whatever it is, the caller must hear of it and the worker go on
        failure = EngineFailed(f"{type(error).__name__}: {error}")
        failure.__cause__ = error
        with suppress(InvalidStateError):
            job.set_exception(failure)
    else:
        with suppress(InvalidStateError):
            job.set_result(answer)
