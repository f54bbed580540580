"""A bounded memory keyed by everything a value depends on."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bgbotd.evaluation.cache import CacheState, EvaluationCache, match_key
from bgbotd.rules.match import CrawfordState, Cube, CubeOwner, MatchState


def test_what_was_put_in_is_found_and_counted() -> None:
    """One hit, one miss."""
    cache: EvaluationCache[str] = EvaluationCache(2)
    cache.put("a", "A")
    assert cache.get("a") == "A"
    assert cache.get("b") is None
    assert CacheState(size=1, hits=1, misses=1) == cache.state()


def test_what_was_not_looked_up_for_longest_goes_first() -> None:
    """Looking a value up keeps it."""
    cache: EvaluationCache[str] = EvaluationCache(2)
    cache.put("a", "A")
    cache.put("b", "B")
    cache.get("a")
    cache.put("c", "C")
    assert [None, "A", "C"] == [cache.get(key) for key in "bac"]


def test_the_money_score_changes_no_value() -> None:
    """A running tally constrains nothing."""
    assert match_key(MatchState()) == match_key(MatchState(player_score=7, opponent_score=-3))


def test_only_points_away_matter_in_a_match() -> None:
    """2 away and 4 away are the same in a match to 5 and in one to 7."""
    assert match_key(MatchState(5, 3, 1)) == match_key(MatchState(7, 5, 3))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (MatchState(), MatchState(jacoby=True)),
        (MatchState(), MatchState(beavers=True)),
        (MatchState(), MatchState(cube_limit=64)),
        (MatchState(), MatchState(25)),
        (MatchState(cube=Cube(2, CubeOwner.PLAYER)), MatchState(cube=Cube(2, CubeOwner.OPPONENT))),
        (MatchState(cube=Cube(2, CubeOwner.PLAYER)), MatchState(cube=Cube(4, CubeOwner.PLAYER))),
        (MatchState(5, 3, 1), MatchState(5, 1, 3)),
        (MatchState(5, 4, 1, CrawfordState.CRAWFORD_GAME), MatchState(5, 4, 1, CrawfordState.POST_CRAWFORD)),
    ],
)
def test_whatever_can_change_a_value_changes_the_key(one: MatchState, other: MatchState) -> None:
    """Money and match never meet, nor do two rules, owners, values or scores."""
    assert match_key(one) != match_key(other)
    assert match_key(one) == match_key(replace(one))
