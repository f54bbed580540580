"""Rollouts put together from chunks."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bgbotd.evaluation.engine import (
    CubeEquities,
    EvaluationCancelled,
    Probabilities,
    RolloutChunk,
    RolloutProgress,
    RolloutSettings,
    ScoreOutOfTable,
)
from bgbotd.evaluation.pool import EnginePool
from bgbotd.evaluation.rollout import Rollout, combine
from bgbotd.rules.position import STARTING_POSITION
from tests.evaluation.states import MONEY

if TYPE_CHECKING:
    from collections.abc import Callable

    from bgbotd.evaluation.cancellation import CancelToken
    from bgbotd.evaluation.engine_process import EngineProcess
    from bgbotd.rules.match import MatchState
    from bgbotd.rules.position import Position

_ERRORS = Probabilities(0.06, 0.03, 0.01, 0.03, 0.01)


def _chunk(equity: float, error: float = 0.06) -> RolloutChunk:
    chances = Probabilities((1.0 + equity) / 2.0)
    return RolloutChunk(chances, _ERRORS, error, CubeEquities(equity, 2 * equity, 1.0), error, 2 * error)


class _Dice:
    """An engine whose chunk number n is worth n hundredths, and which chunk 1 finishes before chunk 0."""

    def __init__(self, *, second_first: bool = False, broken: bool = False) -> None:
        self._second_done = threading.Event()
        self._second_first = second_first
        self._broken = broken

    def rollout_chunk(
        self, position: Position, match: MatchState, settings: RolloutSettings, index: int, token: CancelToken
    ) -> RolloutChunk:
        del position, match, settings, token
        if self._broken:
            raise ScoreOutOfTable
        if self._second_first and index == 0:
            self._second_done.wait()
        if index == 1:
            self._second_done.set()
        return _chunk(index / 100)

    def close(self) -> None:
        """Have nothing to end."""


def _roll_out(
    settings: RolloutSettings,
    workers: int,
    engine: _Dice,
    on_progress: Callable[[RolloutProgress], None] | None = None,
) -> RolloutProgress:
    pool = EnginePool(workers, 10, lambda: cast("EngineProcess", engine))
    try:
        return Rollout(pool, STARTING_POSITION, MONEY, settings, on_progress).result()
    finally:
        pool.close()


def test_the_mean_of_chunks_is_the_mean_of_their_games() -> None:
    """All chunks have as many games, so errors shrink with the root of their number."""
    state = combine([_chunk(0.1), _chunk(0.3), _chunk(0.2), _chunk(0.2)], RolloutSettings(trials=144), 8.0)
    assert state.trials_done == 144
    assert state.cube.no_double == pytest.approx(0.2)
    assert state.cube.double_take == pytest.approx(0.4)
    assert state.no_double_error == pytest.approx(0.03)
    assert state.double_take_error == pytest.approx(0.06)
    assert state.probabilities.cubeless_equity == pytest.approx(0.2)
    assert state.probability_errors.win == pytest.approx(0.03)
    assert state.finished
    assert state.seconds_left == 0


def test_the_time_left_is_that_of_the_chunks_left() -> None:
    """Two chunks took 8 seconds, six are left."""
    state = combine([_chunk(0.1), _chunk(0.3)], RolloutSettings(trials=288), 8.0)
    assert not state.finished
    assert state.seconds_left == pytest.approx(24)


def test_the_time_left_to_a_wanted_error_grows_with_its_square() -> None:
    """Four chunks have error 0.03; 0.015 needs sixteen."""
    settings = RolloutSettings(trials=1296, target_standard_error=0.015)
    assert combine([_chunk(0.1)] * 4, settings, 8.0).seconds_left == pytest.approx(24)


def test_a_rollout_stops_at_the_wanted_error() -> None:
    """0.06 falls to 0.02 after nine chunks."""
    settings = RolloutSettings(trials=1296, target_standard_error=0.0200001)
    assert _roll_out(settings, 1, _Dice()).trials_done == 9 * 36


@given(st.integers(1, 12), st.integers(1, 4))
def test_the_answer_does_not_depend_on_the_number_of_workers(chunks: int, workers: int) -> None:
    """One worker and several put the same chunks together."""
    settings = RolloutSettings(trials=36 * chunks, target_standard_error=0.0245)
    assert _roll_out(settings, 1, _Dice()) == _roll_out(settings, workers, _Dice())


def test_chunks_are_told_in_their_order_whichever_is_done_first() -> None:
    """The second chunk is done before the first."""
    told: list[RolloutProgress] = []
    _roll_out(RolloutSettings(trials=144), 3, _Dice(second_first=True), told.append)
    assert [36, 72, 108, 144] == [state.trials_done for state in told]
    assert [0.0, 0.005, 0.01, 0.015] == pytest.approx([state.cube.no_double for state in told])
    assert [False, False, False, True] == [state.finished for state in told]


def test_a_chunk_that_fails_ends_the_rollout() -> None:
    """With the chunk's own error."""
    with pytest.raises(ScoreOutOfTable):
        _roll_out(RolloutSettings(trials=144), 2, _Dice(broken=True))


def test_a_cancelled_rollout_plays_no_more_chunks() -> None:
    """It may be cancelled from where its progress is told."""
    pool = EnginePool(2, 10, lambda: cast("EngineProcess", _Dice()))
    told: list[RolloutProgress] = []
    ready = threading.Event()
    rollouts: list[Rollout] = []

    def cancel(state: RolloutProgress) -> None:
        ready.wait()
        told.append(state)
        rollouts[0].cancel()

    rollouts.append(Rollout(pool, STARTING_POSITION, MONEY, RolloutSettings(trials=36_000), cancel))
    ready.set()
    with pytest.raises(EvaluationCancelled):
        rollouts[0].result()
    pool.close()
    assert [36] == [state.trials_done for state in told]
    assert not rollouts[0].cancel()
