"""Medium's values that can be worked out by hand, in 36ths of a point."""

import pytest

from bgbotd import kernel
from tests.oracle import Position

# Rolls out of 36 that hit a blot 1, 2, 3 ... pips away with nothing in between: the table that
# every beginner's book prints.
SHOTS = [11, 12, 14, 15, 15, 17, 6, 6, 5, 3, 2, 3, 0, 0, 1, 1, 0, 1, 0, 1, 0, 0, 0]


@pytest.mark.parametrize(("distance", "hits"), list(enumerate(SHOTS, start=1)))
def test_blot_in_the_open_is_charged_the_shots_of_the_books(distance: int, hits: int) -> None:
    """A last checker on the 24-point with all fifteen opposing ones at one distance behind it."""
    point = 1 + distance
    position = Position.from_points({24: 1}, {point: 15}).packed()
    made = 4 + (4 if point <= 7 else 0) + (6 if point >= 19 else 0)
    assert 36 * (15 * point - 24 - made) - hits * (25 - 24 + 45) == kernel.medium_value(position)


@pytest.mark.parametrize(
    ("on_bar", "hits"),
    [
        pytest.param(1, 17, id="like any checker 6 away"),
        pytest.param(2, 13, id="a 6, or 2-2 or 3-3 with the dice left after entering"),
        pytest.param(3, 12, id="a 6, or 3-3 with the last die"),
        pytest.param(4, 11, id="a 6"),
        pytest.param(5, 11, id="a 6 though not all enter"),
    ],
)
def test_blot_is_hit_from_the_bar_with_what_dice_are_left(on_bar: int, hits: int) -> None:
    """A last checker on the 6-point, and only checkers on the bar to hit it."""
    position = Position.from_points({6: 1}, {25: on_bar}).packed()
    pips, bar = 25 * on_bar - 6, 8 * on_bar
    assert 36 * (pips + bar) - hits * (25 - 6 + 45) == kernel.medium_value(position)


def test_one_checker_on_the_bar_leaves_one_die_to_hit_with() -> None:
    """The player has a blot on 13 and its 6-, 5- and 4-points, the opponent one on the bar and one on 7.

    Its 6s hit with a die that enters: 6-1, 6-2 and 6-3. So do 2-2 and 3-3, which have dice enough
    left after entering, but not 5-1 and 4-2, which would need both for the six pips.
    """
    position = Position.from_points({13: 1, 6: 2, 5: 2, 4: 2}, {25: 1, 18: 1}).packed()
    hits, hits_on_opponent = 6 + 2, 17
    pips = (25 + 18) - (13 + 2 * (6 + 5 + 4))
    points, run, bar = 3 * 8, 3 * 3, 8 + 3 * 3
    blots = hits_on_opponent * (25 - 18 + 45) - hits * (25 - 13 + 45)
    assert 36 * (pips + points + run + bar) + blots == kernel.medium_value(position)


@pytest.mark.parametrize(
    ("opponent", "run"),
    [
        pytest.param({25: 2}, 16, id="on the bar"),
        pytest.param({24: 2}, 16, id="on the ace point"),
        pytest.param({15: 2}, 0, id="past the run"),
    ],
)
def test_run_of_made_points_counts_only_with_an_opposing_checker_behind(opponent: dict[int, int], run: int) -> None:
    """Four points in a row, 4 to 7, are worth their length squared while they are in somebody's way."""
    position = Position.from_points({4: 2, 5: 2, 6: 2, 7: 2, 24: 2}, opponent).packed()
    pips = sum(2 * point for point in opponent) - 2 * (4 + 5 + 6 + 7 + 24)
    points = (4 * 8 + 4 + 6) - (0 if 25 in opponent else 4 + 6 if 24 in opponent else 4)
    bar = 2 * (8 + 3 * 3) if 25 in opponent else 0
    assert 36 * (pips + points + bar + run) == kernel.medium_value(position)


def test_race_is_pips_and_three_for_each_checker_more_borne_off() -> None:
    """Points and blots count no more when the sides have passed each other."""
    position = Position.from_points({6: 2, 3: 1}, {12: 1, 5: 3}).packed()
    assert 36 * ((12 + 15) - (12 + 3) + 3 * (12 - 11)) == kernel.medium_value(position)


def test_finished_game_is_worth_ten_thousand() -> None:
    """Won for the player, or lost."""
    won, lost = Position.from_points({}, {24: 3}).packed(), Position.from_points({25: 1}, {}).packed()
    assert kernel.medium_value(won) == 360_000
    assert kernel.medium_value(lost) == -360_000
