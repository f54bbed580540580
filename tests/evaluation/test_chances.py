"""Chances that the rules settle."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bgbotd.evaluation.chances import settled, won
from bgbotd.evaluation.engine import Probabilities
from bgbotd.rules.position import Position, Side, finish
from tests.evaluation.states import positions
from tests.rules.boards import side

_ALL_OFF = Side((0,) * 24, off=15)
_estimates = st.lists(st.floats(min_value=-0.5, max_value=1.5), min_size=5, max_size=5)


def test_a_loser_with_a_checker_off_has_lost_a_single_game() -> None:
    """One checker off saves the gammon."""
    assert Probabilities(1.0) == won(Position(_ALL_OFF, side({24: 14})).packed())


def test_a_loser_without_a_checker_off_has_lost_a_gammon() -> None:
    """All fifteen checkers are out of the winner's home board."""
    assert Probabilities(1.0, 1.0) == won(Position(_ALL_OFF, side({6: 15})).packed())


@pytest.mark.parametrize("loser", [side({6: 14}, bar=1), side({6: 14, 19: 1})])
def test_a_loser_on_the_bar_or_in_the_winners_home_board_has_lost_a_backgammon(loser: Side) -> None:
    """The loser's 19-point is the winner's 6-point."""
    assert Probabilities(1.0, 1.0, 1.0) == won(Position(_ALL_OFF, loser).packed())


@given(positions)
def test_a_win_counts_as_the_rules_say(position: Position) -> None:
    """Whatever the loser's checkers are."""
    chances = won(Position(_ALL_OFF, position.opponent).packed())
    assert finish(position.opponent).value == chances.cubeless_equity


def test_no_gammon_is_possible_against_a_side_with_a_checker_off() -> None:
    """Whatever the network says, the opponent has one checker off."""
    packed = Position(side({24: 15}), side({24: 14})).packed()
    assert Probabilities(0.5, 0.0, 0.0, 0.25, 0.125) == settled([0.5, 0.25, 0.125, 0.25, 0.125], packed)


def test_no_backgammon_is_possible_once_checkers_are_past_each_other_and_out_of_the_home_board() -> None:
    """A race with all of the opponent's checkers on its 7-point."""
    packed = Position(side({6: 15}), side({7: 15})).packed()
    assert Probabilities(0.75, 0.5, 0.0, 0.125, 0.0) == settled([0.75, 0.5, 0.25, 0.125, 0.125], packed)


@given(_estimates, positions)
def test_settled_chances_are_ordered_and_between_0_and_1(estimates: list[float], position: Position) -> None:
    """A backgammon is a gammon, a gammon is a game."""
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = settled(estimates, position.packed()).as_tuple()
    assert 0 <= win_backgammon <= win_gammon <= win <= 1
    assert 0 <= lose_backgammon <= lose_gammon <= 1 - win
