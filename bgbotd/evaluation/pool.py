"""A bounded pool of workers, each a thread with an engine process of its own.

People waiting for a quick answer go first and find at least one worker that nothing deeper may
take, where there are two or more. What goes after them is not starved: one piece of it begins every
so often. A burst of quick requests waits its turn, but where more come than can be done, the
queue is kept short and the rest is refused. Whoever cancels is released at once; a worker that is
still busy with cancelled work counts as abandoned until it is free again.
"""

from __future__ import annotations

import math
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

_NEWEST_SHARE = 0.1
"""What the newest work counts for in how long work usually takes."""


class Priority(IntEnum):
    """Who goes first."""

    INTERACTIVE = 0
    """Somebody waits for an answer within a second."""
    STREAMED = 1
    """Somebody waits for a stream of answers, which has a flow control of its own."""
    DEEP = 2
    """Somebody waits for an answer that takes longer."""
    BACKGROUND = 3
    """Nobody minds a while."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long work waits."""

    burst_seconds: float = 0.5
    """A queue of interactive work that has not been empty for so long is no burst that will pass."""
    calm_seconds: float = 5.0
    """Nor is one that was empty since, if something had to be refused within such a time: under a load that does
    not end a queue happens to be empty now and then, and would be let grow long each time."""
    most_wait_seconds: float = 0.05
    """What joins such a queue may have to wait so long, a moment for a person, or ..."""
    most_wait_works: float = 3.0
    """... so many times as long as such work takes, if that is more."""
    turn_seconds: float = 0.5
    """What is not interactive begins at least once in this time, if it waits: a rollout's chunk of 50 to 500 ms
    then has 5 to 25 % of two workers, whatever else there is to do."""


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
        self.submitted_at = time.monotonic()
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
        self,
        workers: int,
        most_waiting: int,
        open_engine: Callable[[], EngineProcess] = EngineProcess,
        patience: Patience | None = None,
    ) -> None:
        """Start `workers` threads; at most `most_waiting` requests wait for one of them."""
        self._most_waiting = most_waiting
        self._open_engine = open_engine
        self._patience = patience or Patience()
        self._empty_at = self._turn_at = time.monotonic()
        self._refused_at = -math.inf
        self._turn_taken = False
        self._usual_seconds = 0.0
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
            waiting = self._count_waiting()
            if self._closed:
                raise EngineBusy("the pool is closed")
            if not admitted:
                if waiting >= self._most_waiting:
                    raise EngineBusy(f"{self._most_waiting} requests wait already")
                if priority is Priority.INTERACTIVE:
                    self._refuse_long_wait()
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

    def _refuse_long_wait(self) -> None:
        """Raise EngineBusy where interactive work would wait too long behind a queue that does not end."""
        now = time.monotonic()
        waiting = len(self._waiting[Priority.INTERACTIVE])
        if not waiting and now - self._refused_at >= self._patience.calm_seconds:
            self._empty_at = now
        elif now - self._empty_at >= self._patience.burst_seconds:
            wait = (waiting + 1) * self._usual_seconds / len(self._threads)
            most = max(self._patience.most_wait_seconds, self._patience.most_wait_works * self._usual_seconds)
            if wait >= most:
                self._refused_at = now
                raise EngineBusy(f"it would take about {wait:.1f} s until this began, and more come than can be done")

    def _next(self) -> Job[Any] | None:
        """Wait for work this worker may take; None when the pool is closed."""
        with self._changed:
            while not self._closed:
                self._count_waiting()
                if queue := self._first_queue():
                    job = queue.popleft()
                    self._turn_taken = job.priority is not Priority.INTERACTIVE
                    if self._turn_taken:
                        self._turn_at = time.monotonic()
                    self._running.append(job)
                    return job
                self._changed.wait()
            return None

    def _first_queue(self) -> deque[Job[Any]] | None:
        """Give the queue whose first job is to begin next; None if there is nothing a worker may take up."""
        deep = sum(job.priority >= Priority.DEEP for job in self._running)
        most = Priority.BACKGROUND if deep < self._most_deep else Priority.STREAMED
        queues = [queue for priority, queue in self._waiting.items() if queue and priority <= most]
        others = [queue for queue in queues if queue[0].priority is not Priority.INTERACTIVE]
        if others and not self._turn_taken:
            oldest = min(others, key=lambda queue: queue[0].submitted_at)
            waited = time.monotonic() - max(self._turn_at, oldest[0].submitted_at)
            if waited >= self._patience.turn_seconds:
                return oldest
        return queues[0] if queues else None

    def _serve(self) -> None:
        """Do work until the pool is closed."""
        engine = self._open_engine()
        while job := self._next():
            began = time.perf_counter()
            job.begin()
            _settle(job, engine)
            job.end()
            taken = time.perf_counter() - began
            with self._changed:
                self._work_seconds += taken
                if job.priority is Priority.INTERACTIVE:
                    self._usual_seconds += _NEWEST_SHARE * (taken - self._usual_seconds)
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
