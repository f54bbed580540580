"""Each level beats the one below, and the figures served say so."""

from __future__ import annotations

from itertools import pairwise

import pytest

from bgbotd.bots import EASY, HARD, MEDIUM, Bot, Level, Strength
from bgbotd.bots.bot import MeasuredLevel, measured_levels
from bgbotd.bots.contest import duplicate_games, strength


@pytest.mark.parametrize(
    ("stronger", "weaker", "games", "share"), [(MEDIUM, EASY, 400, 30 / 40), (HARD, MEDIUM, 2_000, 55 / 100)]
)
def test_a_level_beats_the_one_below(stronger: Bot, weaker: Bot, games: int, share: float) -> None:
    """At least 30 of 40 and 55 of 100 games, over enough of them that the interval lies above that."""
    measured = strength(duplicate_games(stronger, weaker, seed) for seed in range(games // 2))
    assert games == measured.games
    assert measured.win_rate - measured.win_rate_margin > share
    assert measured.points_per_game - measured.points_per_game_margin > 0


def test_figures_are_served_for_every_level() -> None:
    """Also how long a choice takes, and how to measure it again."""
    assert list(Level) == list(measured_levels())
    for measured in measured_levels().values():
        assert measured.typical_seconds
        assert measured.strengths
        assert all(each.measured_by.startswith("make strength") for each in measured.strengths.values())


def test_served_figures_are_the_same_from_both_sides() -> None:
    """What one level wins the other loses."""
    for level, measured in measured_levels().items():
        for opponent, each in measured.strengths.items():
            other = measured_levels()[opponent].strengths[level]
            assert each.games == other.games
            assert pytest.approx(-each.points_per_game) == other.points_per_game
            assert pytest.approx(1 - each.win_rate) == other.win_rate


def test_served_figures_say_that_stronger_levels_win() -> None:
    """Against every weaker level that was played, the whole interval is above zero."""
    order = list(Level)
    for level, measured in measured_levels().items():
        for opponent, each in measured.strengths.items():
            if order.index(opponent) < order.index(level):
                points, margin = each.best_points_per_game
                assert points - margin > 0


def test_each_level_up_to_master_was_played_against_the_next_below() -> None:
    """Grandmaster is too slow for that; its equity lost per decision is measured."""
    for weaker, stronger in pairwise(list(Level)[:-1]):
        assert weaker in measured_levels()[stronger].strengths


def measured_against(*opponents: Level) -> MeasuredLevel:
    """Make up figures against some opponents."""
    return MeasuredLevel(
        {
            opponent: Strength(
                games=2,
                win_rate=0.5,
                win_rate_margin=0.1,
                gammon_rate=0.0,
                points_per_game=0.0,
                points_per_game_margin=0.1,
            )
            for opponent in opponents
        },
        None,
    )


@pytest.mark.parametrize(
    ("level", "opponents", "expected"),
    [
        (Level.EASY, [Level.MEDIUM, Level.HARD], Level.HARD),
        (Level.HARD, [Level.EASY, Level.MEDIUM, Level.EXPERT], Level.MEDIUM),
        (Level.MASTER, [Level.EXPERT, Level.HARD], Level.HARD),
        (Level.GRANDMASTER, [Level.EXPERT, Level.MASTER], Level.MASTER),
        (Level.EXPERT, [Level.MASTER], None),
    ],
)
def test_levels_are_compared_by_hard_else_by_the_next_below(
    level: Level, opponents: list[Level], expected: Level | None
) -> None:
    """One opponent for all as far as that was measured."""
    found = measured_against(*opponents).against_best_known(level)
    assert expected == (found[0] if found else None)
