"""Rollouts: seeded chunks of games, put together in their order.

Which chunks count is decided by the chunks before them alone, so an answer depends on its settings
and never on how many workers there are or how fast they are.
"""

from __future__ import annotations

import math
import threading
import time
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from bgbotd.evaluation.engine import (
    GAMES_PER_CHUNK,
    CubeEquities,
    EvaluationCancelled,
    EvaluationError,
    Probabilities,
    RolloutChunk,
    RolloutProgress,
    RolloutSettings,
)
from bgbotd.evaluation.pool import Priority
from bgbotd.evaluation.work_times import times_of_work

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bgbotd.evaluation.cancellation import CancelToken
    from bgbotd.evaluation.cluster.pool import ClusterPool
    from bgbotd.evaluation.engine_process import EngineProcess
    from bgbotd.evaluation.pool import EnginePool, Job
    from bgbotd.rules.match import MatchState
    from bgbotd.rules.position import Position

_FEWEST_CHUNKS = 4
"""A standard error estimated from fewer games is not trusted to stop a rollout."""


class Rollout(Future[RolloutProgress]):
    """A rollout under way; its final state is the future's result, and cancelling ends the work at once."""

    def __init__(  # noqa: PLR0913 - all that a rollout depends on
        self,
        pool: EnginePool | ClusterPool,
        position: Position,
        match: MatchState,
        settings: RolloutSettings,
        on_progress: Callable[[RolloutProgress], None] | None = None,
        *,
        priority: Priority = Priority.DEEP,
    ) -> None:
        """Begin; `on_progress` is called by a worker's thread after each chunk, in order.

        Raises:
            EngineBusy: if too many requests wait already.
            ClusterUnavailable: if the pool is a cluster that is not there.

        """
        super().__init__()
        self._pool = pool
        self._position = position
        self._match = match
        self._settings = settings
        self._on_progress = on_progress
        self._priority = priority
        self._times = times_of_work.get()  # further chunks are asked for in the pool's threads
        self._lock = threading.RLock()  # a progress callback may cancel
        self._jobs: dict[int, Job[RolloutChunk]] = {}
        self._early: dict[int, RolloutChunk] = {}
        self._chunks: list[RolloutChunk] = []
        self._submitted = 0
        self._begin = time.monotonic()
        self._play_on(admitted=False)

    def cancel(self) -> bool:
        """Release whoever waits, with EvaluationCancelled, and stop the work; False if it is done already."""
        with suppress(InvalidStateError):
            self.set_exception(EvaluationCancelled())
            self._stop()
            return True
        return False

    def _play_on(self, *, admitted: bool) -> None:
        """Have the pool play as many chunks as it has room for, which may be more than before."""
        while True:
            with self._lock:
                index = self._submitted
                if index == self._settings.chunks or len(self._jobs) >= self._pool.most_deep or self.done():
                    return
                self._submitted += 1
                chunk = partial(_play, position=self._position, match=self._match, settings=self._settings, index=index)
                job = self._pool.submit(chunk, self._priority, admitted=admitted, times=self._times)
                self._jobs[index] = job
            job.add_done_callback(partial(self._take, index))
            admitted = True

    def _take(self, index: int, job: Future[RolloutChunk]) -> None:
        """Take in a finished chunk and go on, or end."""
        try:
            chunk = job.result()
            with self._lock:
                self._jobs.pop(index, None)
                self._early[index] = chunk
                while not self.done() and len(self._chunks) in self._early:
                    self._chunks.append(self._early.pop(len(self._chunks)))
                    self._report()
            self._play_on(admitted=True)
        except EvaluationError as error:
            with suppress(InvalidStateError):
                self.set_exception(error)
        if self.done():
            self._stop()

    def _report(self) -> None:
        """Tell the state after the chunks so far; the last one is the result."""
        progress = combine(self._chunks, self._settings, time.monotonic() - self._begin)
        if self._on_progress:
            self._on_progress(progress)
        if progress.finished:
            with suppress(InvalidStateError):
                self.set_result(progress)

    def _stop(self) -> None:
        """Cancel the chunks nobody needs any more."""
        with self._lock:
            jobs, self._jobs = list(self._jobs.values()), {}
        for job in jobs:
            job.cancel()


def _play(  # noqa: PLR0913 - all that a chunk depends on
    engine: EngineProcess,
    token: CancelToken,
    *,
    position: Position,
    match: MatchState,
    settings: RolloutSettings,
    index: int,
) -> RolloutChunk:
    """Play a chunk in a worker; a function of the module, so that it can be sent to another machine."""
    return engine.rollout_chunk(position, match, settings, index, token)


def combine(chunks: Sequence[RolloutChunk], settings: RolloutSettings, seconds: float) -> RolloutProgress:
    """Put chunks together: means of their means, errors of independent samples of equal size."""
    count = len(chunks)

    def error(values: Sequence[float]) -> float:
        return math.sqrt(math.fsum(value * value for value in values)) / count

    def mean(values: Sequence[float]) -> float:
        return math.fsum(values) / count

    chances = zip(*(chunk.probabilities.as_tuple() for chunk in chunks), strict=True)
    errors = zip(*(chunk.probability_errors.as_tuple() for chunk in chunks), strict=True)
    no_double_error = error([chunk.no_double_error for chunk in chunks])
    precise = count >= _FEWEST_CHUNKS and no_double_error <= settings.target_standard_error
    finished = count == settings.chunks or precise
    return RolloutProgress(
        trials_done=count * GAMES_PER_CHUNK,
        trials_wanted=settings.trials,
        probabilities=Probabilities(*map(mean, chances)),
        probability_errors=Probabilities(*map(error, errors)),
        cubeless_error=error([chunk.cubeless_error for chunk in chunks]),
        cube=CubeEquities(
            mean([chunk.cube.no_double for chunk in chunks]),
            mean([chunk.cube.double_take for chunk in chunks]),
            mean([chunk.cube.double_pass for chunk in chunks]),
        ),
        no_double_error=no_double_error,
        double_take_error=error([chunk.double_take_error for chunk in chunks]),
        seconds_left=0.0 if finished else seconds / count * _chunks_left(count, no_double_error, settings),
        finished=finished,
    )


def _chunks_left(count: int, error: float, settings: RolloutSettings) -> float:
    """Estimate how many chunks are still to be played: errors shrink with the root of their number."""
    if not settings.target_standard_error:
        return settings.chunks - count
    needed = count * (error / settings.target_standard_error) ** 2
    return min(settings.chunks, max(needed, _FEWEST_CHUNKS, count + 1)) - count
