"""Where the checkers stand: what can exist, how far the game is, what a lost one is worth."""

from __future__ import annotations

import pytest
from hypothesis import given

from bgbotd.rules.position import STARTING_POSITION, Finish, Phase, Position, Side, finish
from bgbotd.rules.violations import InvalidState, Reason
from tests.rules.boards import MIDDLE_GAME, side
from tests.rules.strategies import positions

START = STARTING_POSITION.player


def side_refusals(points: tuple[int, ...], bar: int = 0, off: int = 0) -> list[tuple[str, Reason]]:
    """Give field and reason of everything that is wrong with a side."""
    with pytest.raises(InvalidState) as refused:
        Side(points, bar, off)
    return [(violation.field, violation.reason) for violation in refused.value.violations]


def position_refusals(player: Side, opponent: Side) -> list[tuple[str, Reason]]:
    """Give field and reason of everything that is wrong with a position."""
    with pytest.raises(InvalidState) as refused:
        Position(player, opponent)
    return [(violation.field, violation.reason) for violation in refused.value.violations]


def test_both_sides_start_with_fifteen_checkers_and_167_pips() -> None:
    """Two on the 24-point, five on the 13-point, three on the 8-point and five on the 6-point."""
    assert side({24: 2, 13: 5, 8: 3, 6: 5}) == START == STARTING_POSITION.opponent
    assert 167 == START.pips()


def test_a_checker_on_the_bar_counts_25_pips() -> None:
    """And is the rearmost there can be."""
    entering = side({1: 3}, bar=2)
    assert 53 == entering.pips()
    assert 25 == entering.rearmost()


@pytest.mark.parametrize(("checkers", "rearmost"), [({24: 1, 1: 3}, 24), ({6: 2}, 6), ({}, 0)])
def test_the_rearmost_checker_is_on_the_highest_point_held(checkers: dict[int, int], rearmost: int) -> None:
    """Zero when all have been borne off."""
    assert rearmost == side(checkers).rearmost()


@pytest.mark.parametrize("length", [0, 23, 25])
def test_a_side_lists_24_points(length: int) -> None:
    """No more, no fewer."""
    assert [("points", Reason.POINT_LIST_LENGTH)] == side_refusals((0,) * length, off=15)


@pytest.mark.parametrize("checkers", [14, 16])
def test_a_side_has_fifteen_checkers(checkers: int) -> None:
    """Points, bar and off together."""
    assert [("", Reason.CHECKER_COUNT)] == side_refusals((5, *(0,) * 23), bar=2, off=checkers - 7)


def test_no_count_is_negative_or_above_fifteen() -> None:
    """Every wrong count is named, even if they make fifteen together."""
    points = [0] * 24
    points[5], points[7] = 16, -1
    assert [
        ("points[5]", Reason.COUNT_OUT_OF_RANGE),
        ("points[7]", Reason.COUNT_OUT_OF_RANGE),
    ] == side_refusals(tuple(points))
    assert [("bar", Reason.COUNT_OUT_OF_RANGE), ("off", Reason.COUNT_OUT_OF_RANGE)] == side_refusals(
        (0,) * 24, bar=-2, off=17
    )


def test_a_point_is_held_by_one_side_only() -> None:
    """The player's 24-point is the opponent's 1-point; every shared point is named."""
    assert [
        ("player.points[5]", Reason.POINT_HELD_BY_BOTH),
        ("player.points[23]", Reason.POINT_HELD_BY_BOTH),
    ] == position_refusals(side({24: 2, 6: 2}), side({19: 1, 1: 1}))


def test_only_one_side_has_borne_off_all() -> None:
    """The game ends with the first."""
    assert [("player.off", Reason.BOTH_SIDES_BORNE_OFF)] == position_refusals(side({}), side({}))


def test_both_sides_may_be_on_the_bar() -> None:
    """Each has hit the other."""
    assert Phase.CONTACT is Position(side({1: 2}, bar=1), side({1: 2}, bar=1)).phase()


@pytest.mark.parametrize(
    ("player", "opponent", "phase"),
    [
        (START, START, Phase.CONTACT),
        (side({14: 1}), side({12: 1}), Phase.CONTACT),
        (side({12: 1}), side({12: 1}), Phase.RACE),
        (side({7: 1}), side({6: 1}), Phase.RACE),
        (side({1: 1}), side({1: 1}, bar=1), Phase.CONTACT),
        (side({6: 2}), side({6: 2}), Phase.BEAROFF),
        (side({}), side({24: 2}), Phase.OVER),
        (side({24: 2}), side({}), Phase.OVER),
    ],
)
def test_a_game_goes_from_contact_over_race_and_bearoff_to_its_end(player: Side, opponent: Side, phase: Phase) -> None:
    """As long as two opposing checkers have to pass each other there is contact."""
    assert phase is Position(player, opponent).phase()


@pytest.mark.parametrize(
    ("loser", "value"),
    [
        (Side((0,) * 24, 14, 1), Finish.SINGLE),
        (START, Finish.BACKGAMMON),
        (side({18: 15}), Finish.GAMMON),
        (side({19: 1, 1: 14}), Finish.BACKGAMMON),
        (side({1: 14}, bar=1), Finish.BACKGAMMON),
        (side({6: 15}), Finish.GAMMON),
        (side({24: 14}), Finish.SINGLE),
    ],
)
def test_a_loser_without_a_checker_off_loses_double_or_triple(loser: Side, value: Finish) -> None:
    """Triple with a checker on the bar or in the winner's home board, points 19 to 24."""
    assert value is finish(loser)


@pytest.mark.parametrize(
    ("position", "field"),
    [(Position(side({}), START), "player.off"), (Position(START, side({})), "opponent.off")],
)
def test_a_finished_game_is_refused_where_one_must_go_on(position: Position, field: str) -> None:
    """The field is the side that has borne off all."""
    with pytest.raises(InvalidState) as refused:
        position.refuse_finished()
    assert [(field, Reason.GAME_OVER)] == [(each.field, each.reason) for each in refused.value.violations]


def test_packed_positions_have_the_points_the_bar_and_off_of_both() -> None:
    """Fifty-two bytes, first the player's, each side in its own numbering."""
    packed = Position(side({1: 2, 24: 1}, bar=3), side({6: 4}, bar=1)).packed()
    assert 52 == len(packed)
    assert (2, 1, 3, 9) == (packed[0], packed[23], packed[24], packed[25])
    assert (4, 1, 10) == (packed[31], packed[50], packed[51])


@given(positions())
def test_every_position_survives_packing(position: Position) -> None:
    """And the packed form is written again alike."""
    assert position == Position.unpacked(position.packed())


@given(positions())
def test_mirroring_twice_gives_the_same_position(position: Position) -> None:
    """A position seen by the other side has the sides exchanged and nothing else."""
    assert position == position.mirrored().mirrored()
    assert position.player == position.mirrored().opponent
    assert position.phase() is position.mirrored().phase()


def test_the_middle_game_of_the_tests_is_one() -> None:
    """Other tests rely on both sides being different and nobody having borne off."""
    assert MIDDLE_GAME != MIDDLE_GAME.mirrored()
    assert Phase.CONTACT is MIDDLE_GAME.phase()
