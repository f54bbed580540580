"""The kernel's plays and steps are the oracle's, in every position and for every roll."""

import pytest
from hypothesis import example, given, settings

from bgbotd import kernel
from tests import oracle
from tests.kernel_oracle.strategies import dice, positions
from tests.oracle import BAR, Position

PLAYS_TRIED = settings(max_examples=1000)
STEPS_TRIED = settings(max_examples=500)


def packed_steps(position: Position, steps: list[oracle.Step]) -> bytes:
    """Write steps that all begin in one position as the kernel does."""
    packed = bytearray()
    for source, die in steps:
        hit = oracle.apply_step(position, source, die).opponent != position.opponent
        packed += bytes((source, max(source - die, oracle.OFF), die, hit))
    return bytes(packed)


CLOSED_BOARD = dict.fromkeys(range(1, 7), 2)


@PLAYS_TRIED
@given(positions, dice, dice)
# One checker playing both dice where another of its side stands on the way.
@example(Position.from_points({1: 5, 3: 2, 4: 2, 5: 2, 6: 2, 7: 2}, {BAR: 1}), 2, 1)
# The last checker: both dice must be played, and the way hits for one order of them only.
@example(Position.from_points({6: 1}, {20: 1}), 6, 1)
@example(Position.from_points({5: 1}, {21: 1, 23: 1}), 3, 1)
# Everybody on the bar, and two closed boards with both sides waiting.
@example(Position.from_points({BAR: 15}, {BAR: 15}), 4, 4)
@example(Position.from_points({**CLOSED_BOARD, BAR: 3}, {**CLOSED_BOARD, BAR: 3}), 6, 5)
# A checker comes home and another is borne off in the same roll, in one order of the dice only.
@example(Position.from_points({9: 1, 5: 3, 3: 2}, {1: 10, 2: 3, 24: 2}), 6, 4)
def test_legal_plays_are_the_oracles(position: Position, die1: int, die2: int) -> None:
    """Dice played, restriction, results in canonical order and steps agree byte for byte."""
    turn = oracle.legal_plays(position, die1, die2)
    expected = (
        turn.dice_played,
        turn.restriction,
        b"".join(play.result.packed() for play in turn.plays),
        b"".join(play.packed_steps(position) for play in turn.plays),
    )
    assert expected == kernel.legal_plays(position.packed(), die1, die2)


@STEPS_TRIED
@given(positions, dice, dice)
def test_legal_steps_of_a_whole_roll_are_the_oracles(position: Position, die1: int, die2: int) -> None:
    """What may be the first step, the largest source first."""
    roll = (die1, die2) if die1 != die2 else (die1,) * 4
    expected = packed_steps(position, oracle.legal_steps(position, roll))
    assert expected == kernel.legal_steps(position.packed(), bytes(roll))


@STEPS_TRIED
@given(positions, dice)
def test_legal_steps_with_dice_left_over_are_the_oracles(position: Position, die: int) -> None:
    """One die of a roll, or one to three of a double, may be all that is left to play."""
    for left in (1, 2, 3):
        remaining = (die,) * left
        expected = packed_steps(position, oracle.legal_steps(position, remaining))
        assert expected == kernel.legal_steps(position.packed(), bytes(remaining))


@STEPS_TRIED
@given(positions, dice)
def test_single_step_leads_where_the_oracle_says_or_is_refused(position: Position, die: int) -> None:
    """Every source is tried: the open ones lead to the same position, the others are refused."""
    open_sources = {step.source for step in oracle.open_steps(position, die)}
    for source in range(1, 26):
        if source in open_sources:
            expected = oracle.apply_step(position, source, die).packed()
            assert expected == kernel.apply_step(position.packed(), source, die)
        else:
            with pytest.raises(ValueError, match=r"."):
                kernel.apply_step(position.packed(), source, die)


@STEPS_TRIED
@given(positions)
def test_plays_are_counted_as_they_are_listed(position: Position) -> None:
    """The count over all 36 rolls is the sum of the lists."""
    rolls = [(die1, die2) for die1 in range(1, 7) for die2 in range(1, 7)]
    listed = [len(kernel.legal_plays(position.packed(), *roll)[2]) // 52 for roll in rolls]
    counted = kernel.count_plays(position.packed() * 36, bytes(die for roll in rolls for die in roll))
    assert sum(listed) == counted


def test_finished_game_is_refused_and_offers_no_step() -> None:
    """Nobody moves once a side is off, whichever side it is."""
    over = Position.from_points({6: 1}, {}).packed()
    won = Position.from_points({}, {6: 1}).packed()
    for position in (over, won):
        with pytest.raises(ValueError, match=r"."):
            kernel.legal_plays(position, 2, 1)
        assert kernel.legal_steps(position, bytes((2, 1))) == b""
