"""What positions are worth, for whoever asks: one door to engine, bear-off table, cache and pool."""

from __future__ import annotations

import os
from concurrent.futures import Future
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from bgbotd import kernel
from bgbotd.evaluation.bearoff import BearoffTable
from bgbotd.evaluation.cache import CacheState, EvaluationCache, match_key
from bgbotd.evaluation.engine import Depth, Evaluation, RankedPlay, RolloutProgress, RolloutSettings
from bgbotd.evaluation.match_equity import require_covered
from bgbotd.evaluation.pool import EnginePool, Patience, PoolState, Priority
from bgbotd.evaluation.rollout import Rollout
from bgbotd.evaluation.sage import SageEngine
from bgbotd.evaluation.truncated_rollout import evaluate_truncated, rank_truncated

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence
    from pathlib import Path

    from bgbotd.evaluation.cancellation import CancelToken
    from bgbotd.evaluation.cluster import ClusterSettings, ClusterState
    from bgbotd.evaluation.cluster.pool import ClusterPool
    from bgbotd.evaluation.engine_process import EngineProcess
    from bgbotd.rules.dice import Dice
    from bgbotd.rules.match import MatchState
    from bgbotd.rules.position import Position

_Answer = TypeVar("_Answer")

_PACKED = 52


@dataclass(frozen=True, slots=True)
class EvaluatorSettings:
    """How much of the machine evaluations may take."""

    workers: int = max(2, os.cpu_count() or 2)
    """Engine processes, of 45 MB each at first and 180 MB after deep searches and rollouts."""
    most_waiting: int = 256
    """Requests that may wait for a worker; the next one is refused."""
    most_wait_seconds: float = 0.05
    """What joins a queue that does not end may have to wait so long, or three times as long as such work takes."""
    cached_evaluations: int = 50_000
    """Evaluations remembered, about 0.5 kB each."""
    cached_rankings: int = 5_000
    """Rankings remembered, about 6 kB each."""
    cache_folder: Path | None = None
    """Where the bear-off table is kept; None: in the user's cache folder."""
    cluster: ClusterSettings | None = None
    """Where rollouts and deep background work are done; None: here."""


@dataclass(frozen=True, slots=True)
class EvaluatorState:
    """What evaluations are doing at a moment."""

    pool: PoolState
    evaluations: CacheState
    rankings: CacheState
    cluster: ClusterState | None = None
    """None where there is none."""


class Evaluator:
    """Evaluates positions; any thread may use it.

    Static values are found at once, in the thread that asks. All others are found by workers and
    come as futures; cancelling one (asyncio does so for whoever awaits `asyncio.wrap_future`)
    releases its caller at once and ends work that would go on for more than a moment.

    Raises:
        EngineUnavailable: if the engine cannot run on this machine.

    """

    def __init__(self, settings: EvaluatorSettings | None = None) -> None:
        """Load engine and bear-off table and start the workers: about 0.1 s, 0.3 s on a new machine."""
        settings = settings or EvaluatorSettings()
        self.engine = SageEngine()
        self.bearoff = BearoffTable.open(settings.cache_folder)
        self._priority = Priority.INTERACTIVE
        self._pool = EnginePool(
            settings.workers, settings.most_waiting, patience=Patience(most_wait_seconds=settings.most_wait_seconds)
        )
        self._cluster = self._open_cluster(settings.cluster, settings.most_waiting) if settings.cluster else None
        self._evaluations: EvaluationCache[Evaluation] = EvaluationCache(settings.cached_evaluations)
        self._rankings: EvaluationCache[tuple[RankedPlay, ...]] = EvaluationCache(settings.cached_rankings)

    def for_work(self, priority: Priority) -> Evaluator:
        """Give this evaluator with what is asked of it at another priority; rollouts have their own."""
        if priority is self._priority:
            return self
        twin = copy(self)
        twin._priority = priority  # noqa: SLF001 - a twin is one of these
        return twin

    def evaluate(self, position: Position, match: MatchState, depth: Depth) -> Future[Evaluation]:
        """Evaluate a position before the roll.

        Raises:
            InvalidState: if the game or the match is over.
            ScoreOutOfTable: if a side needs more points than the match equity table covers.
            EngineBusy: if too many requests wait already.
            ClusterUnavailable: if it is for the cluster, which is not there.

        """
        if exact := self._exact_or_static(position, match, depth):
            return _done(exact)
        key = (self.engine.version, position.packed(), match_key(match), depth)
        if known := self._evaluations.get(key):
            return _done(known)
        work = partial(_evaluate, position=position, match=match, depth=depth)
        return self._submit(work, depth, self._evaluations, key)

    def evaluate_statically(self, position: Position, match: MatchState) -> Evaluation:
        """Evaluate a position at STATIC, in about 30 us; raise as `evaluate` does."""
        return self.evaluate(position, match, Depth.STATIC).result()

    def rank_plays(
        self,
        position: Position,
        dice: Dice,
        match: MatchState,
        depth: Depth,
        *,
        include: int | None = None,
    ) -> Future[tuple[RankedPlay, ...]]:
        """Rank all legal plays, best first; `index` and `include` count in the canonical order.

        The leading plays and the one at `include` are evaluated at `depth`.

        Raises:
            InvalidState: if the game or the match is over.
            ScoreOutOfTable: if a side needs more points than the match equity table covers.
            EngineBusy: if too many requests wait already.
            ClusterUnavailable: if it is for the cluster, which is not there.

        """
        _refuse_unplayable(position, match)
        packed = kernel.legal_plays(position.packed(), dice.die1, dice.die2)[2]
        results = [packed[begin : begin + _PACKED] for begin in range(0, len(packed), _PACKED)]
        if exact := self.bearoff.rank_plays(results, match):
            return _done(_finished(exact, depth, include))
        if depth is Depth.STATIC:
            return _done(_finished(self.engine.rank_plays(results, match, depth), depth, include))
        key = (self.engine.version, tuple(results), match_key(match), depth, include)
        if known := self._rankings.get(key):
            return _done(known)
        work = partial(_rank, results=results, match=match, depth=depth, include=include)
        return self._submit(work, depth, self._rankings, key)

    def rollout(
        self,
        position: Position,
        match: MatchState,
        settings: RolloutSettings,
        on_progress: Callable[[RolloutProgress], None] | None = None,
        priority: Priority = Priority.DEEP,
    ) -> Rollout:
        """Roll a position out; `on_progress` is called by a worker's thread after each chunk.

        Raises:
            InvalidState: if the game or the match is over.
            ScoreOutOfTable: if a side needs more points than the match equity table covers.
            EngineBusy: if too many requests wait already.
            ClusterUnavailable: if it is for the cluster, which is not there.

        """
        _refuse_unplayable(position, match)
        return Rollout(self._cluster or self._pool, position, match, settings, on_progress, priority=priority)

    def state(self) -> EvaluatorState:
        """Tell what evaluations are doing."""
        cluster = self._cluster.state() if self._cluster else None
        return EvaluatorState(self._pool.state(), self._evaluations.state(), self._rankings.state(), cluster)

    def close(self) -> None:
        """Cancel all work and end the workers."""
        if self._cluster:
            self._cluster.close()
        self._pool.close()

    def _open_cluster(self, settings: ClusterSettings, most_waiting: int) -> ClusterPool:
        """Begin to connect to the cluster; an engine process of ours tells what numbers its workers must give."""
        from bgbotd.evaluation.cluster.build import Build  # noqa: PLC0415 - only who has a cluster needs Dask
        from bgbotd.evaluation.cluster.pool import ClusterPool  # noqa: PLC0415 - takes half a second

        return ClusterPool(settings, most_waiting, lambda: self._pool.submit(Build.of, Priority.DEEP, admitted=True))

    def _submit(
        self,
        work: Callable[[EngineProcess, CancelToken], _Answer],
        depth: Depth,
        cache: EvaluationCache[_Answer],
        key: Hashable,
    ) -> Future[_Answer]:
        """Have work done and its answer remembered, on the cluster where nobody minds a while."""
        if self._cluster and self._priority is Priority.BACKGROUND and depth >= Depth.PLY3:
            return self._cluster.submit(work, self._priority, on_answer=partial(cache.put, key))
        return self._pool.submit(_remembering(work, cache, key), _lane(self._priority, depth))

    def _exact_or_static(self, position: Position, match: MatchState, depth: Depth) -> Evaluation | None:
        """Give the value that can be had at once, None if there is none."""
        _refuse_unplayable(position, match)
        if exact := self.bearoff.evaluate(position.packed(), match):
            return exact
        return self.engine.evaluate(position, match, depth) if depth is Depth.STATIC else None


def _refuse_unplayable(position: Position, match: MatchState) -> None:
    """Raise InvalidState where game or match is over, ScoreOutOfTable beyond the match equity table."""
    position.refuse_finished()
    match.refuse_over()
    require_covered(match)


def _evaluate(
    engine: EngineProcess, token: CancelToken, *, position: Position, match: MatchState, depth: Depth
) -> Evaluation:
    """Evaluate in a worker."""
    if depth is Depth.TRUNCATED_ROLLOUT:
        return evaluate_truncated(engine, position, match, token)
    return engine.evaluate(position, match, depth, token)


def _rank(  # noqa: PLR0913 - all that the ranking depends on
    engine: EngineProcess,
    token: CancelToken,
    *,
    results: Sequence[bytes],
    match: MatchState,
    depth: Depth,
    include: int | None,
) -> tuple[RankedPlay, ...]:
    """Rank in a worker."""
    if depth is Depth.TRUNCATED_ROLLOUT:
        plays = rank_truncated(engine, results, match, include, token)
    else:
        plays = engine.rank_plays(results, match, depth, include, token)
    return _finished(plays, depth, include)


def _finished(plays: Sequence[RankedPlay], depth: Depth, include: int | None) -> tuple[RankedPlay, ...]:
    """Mark the play that was asked for; exact values count as being of the depth that was asked for."""
    return tuple(replace(play, depth=min(play.depth, depth), included=play.index == include) for play in plays)


def _lane(priority: Priority, depth: Depth) -> Priority:
    """Give the priority of work of a depth: what takes longer than a moment must not hold up the rest."""
    if priority <= Priority.STREAMED and depth >= Depth.PLY4:
        return Priority.DEEP
    return priority


def _remembering(
    work: Callable[[EngineProcess, CancelToken], _Answer], cache: EvaluationCache[_Answer], key: Hashable
) -> Callable[[EngineProcess, CancelToken], _Answer]:
    """Have the answer of `work` put into `cache`."""

    def remember(engine: EngineProcess, token: CancelToken) -> _Answer:
        answer = work(engine, token)
        cache.put(key, answer)
        return answer

    return remember


def _done(answer: _Answer) -> Future[_Answer]:
    """Give a future that is done."""
    future: Future[_Answer] = Future()
    future.set_result(answer)
    return future
