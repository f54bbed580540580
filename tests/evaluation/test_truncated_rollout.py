"""The deepest depth, with an engine that counts what it is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest

from bgbotd.evaluation.cancellation import CancelToken
from bgbotd.evaluation.engine import (
    CubeEquities,
    Depth,
    Probabilities,
    RankedPlay,
    RolloutChunk,
    RolloutSettings,
)
from bgbotd.evaluation.truncated_rollout import evaluate_truncated, rank_truncated
from bgbotd.rules.position import STARTING_POSITION, Position
from tests.evaluation.states import MONEY
from tests.rules.boards import MIDDLE_GAME

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bgbotd.evaluation.engine_process import EngineProcess
    from bgbotd.rules.match import MatchState

_ERRORS = Probabilities(0.05)


class _Engine:
    """At PLY3 plays lose 0.00, 0.03, 0.06 ... in their order; rolled out, each is worth what is said."""

    def __init__(self, *worths: float) -> None:
        self._worths = worths
        self.chunks = 0

    def rank_plays(
        self, results: Sequence[bytes], match: MatchState, depth: Depth, include: int | None, token: CancelToken
    ) -> list[RankedPlay]:
        del match, include, token
        plays = [RankedPlay(index, Probabilities(0.5), -0.03 * index, depth) for index in range(len(results))]
        return [play.ranked(rank, 0.0) for rank, play in enumerate(plays, 1)]

    def rollout_chunk(
        self, position: Position, match: MatchState, settings: RolloutSettings, index: int, token: CancelToken
    ) -> RolloutChunk:
        del position, match, settings, index, token
        worth = -self._worths[self.chunks // 10]
        self.chunks += 1
        return RolloutChunk(Probabilities(0.5), _ERRORS, 0.05, CubeEquities(worth, worth, 1.0), 0.05, 0.05)


def _rank(engine: _Engine, plays: int, include: int | None = None) -> list[RankedPlay]:
    results = [MIDDLE_GAME.packed()] * plays
    return rank_truncated(cast("EngineProcess", engine), results, MONEY, include, CancelToken())


def test_a_position_is_rolled_out_for_360_games() -> None:
    """Ten chunks of 36."""
    engine = _Engine(-0.25)
    value = evaluate_truncated(cast("EngineProcess", engine), STARTING_POSITION, MONEY, CancelToken())
    assert engine.chunks == 10
    assert value.cube.no_double == pytest.approx(0.25)


def test_the_leading_plays_are_rolled_out() -> None:
    """Those within 0.08 of the best at PLY3; the others keep their depth."""
    plays = _rank(_Engine(0.1, 0.2, 0.05), 5)
    assert [1, 0, 2, 3, 4] == [play.index for play in plays]
    assert [0.0, 0.1, 0.15, 0.29, 0.32] == pytest.approx([play.loss for play in plays])
    assert [Depth.TRUNCATED_ROLLOUT] * 3 + [Depth.PLY3] * 2 == [play.depth for play in plays]


def test_no_play_set_aside_stands_above_the_best_that_was_rolled_out() -> None:
    """The three leaders turn out bad, so the fourth is rolled out too, and found good."""
    plays = _rank(_Engine(-0.5, -0.4, -0.3, 0.0), 5)
    assert [3, 4, 2, 1, 0] == [play.index for play in plays]
    assert Depth.TRUNCATED_ROLLOUT is plays[0].depth


def test_the_play_asked_for_is_rolled_out() -> None:
    """However low it stood."""
    plays = _rank(_Engine(0.1, 0.2, 0.05, -0.9), 6, include=5)
    assert (5, Depth.TRUNCATED_ROLLOUT) == (plays[-1].index, plays[-1].depth)
