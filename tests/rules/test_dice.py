"""Dice: which can be rolled, and what they give to play."""

from __future__ import annotations

import pytest

from bgbotd.rules.dice import Dice
from bgbotd.rules.violations import InvalidState, Reason


@pytest.mark.parametrize(
    ("die1", "die2", "fields"),
    [
        (0, 3, ["die1"]),
        (3, 7, ["die2"]),
        (-1, 7, ["die1", "die2"]),
    ],
)
def test_every_die_that_cannot_be_rolled_is_named(die1: int, die2: int, fields: list[str]) -> None:
    """A die has the numbers 1 to 6, and all that are wrong are reported at once."""
    with pytest.raises(InvalidState) as refused:
        Dice(die1, die2)
    expected = [(field, Reason.DIE_OUT_OF_RANGE) for field in fields]
    assert expected == [(violation.field, violation.reason) for violation in refused.value.violations]


def test_two_different_dice_are_played_once_each() -> None:
    """Each die is one step."""
    assert Dice(3, 1).moves() == (3, 1)
    assert not Dice(3, 1).is_double


def test_a_double_is_played_four_times() -> None:
    """Two equal dice give four steps of that number."""
    assert Dice(5, 5).moves() == (5, 5, 5, 5)
    assert Dice(5, 5).is_double


def test_a_double_never_opens_a_game() -> None:
    """Equal opening dice are rolled again, so an opening double is refused."""
    with pytest.raises(InvalidState) as refused:
        Dice(4, 4).refuse_double_opening()
    assert [("die2", Reason.OPENING_DOUBLE)] == [
        (violation.field, violation.reason) for violation in refused.value.violations
    ]


def test_different_dice_open_a_game() -> None:
    """The check of an opening roll lets the other thirty ordered rolls pass."""
    opening = [(first, second) for first in range(1, 7) for second in range(1, 7) if first != second]
    for first, second in opening:
        Dice(first, second).refuse_double_opening()
    assert 30 == len(opening)
