"""Legal plays, turns step by step, and the rule an illegal play breaks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bgbotd.rules.dice import Dice
from bgbotd.rules.gnubg_id import position_id
from bgbotd.rules.plays import Play, Restriction, Step, find_play, legal_plays, legal_steps, unpack_steps
from bgbotd.rules.position import STARTING_POSITION, Position
from bgbotd.rules.violations import IllegalPlay, InvalidState, Reason
from tests import oracle
from tests.reference_cases import read_cases
from tests.rules.boards import side
from tests.rules.cases import board_position, case_position
from tests.rules.strategies import dice, positions

FAR_AWAY = side({1: 15})
"""An opponent who is in nobody's way."""

ENTERING = Position(side({13: 4, 6: 5, 8: 4}, bar=2), side({6: 2, 5: 2, 8: 3, 13: 8}))
"""Two on the bar against a 5-point and a 6-point: sixes and fives do not enter."""
ONE_DIE_ONLY = Position(side({13: 1}), side({23: 2}))
"""With 6-5 either die can be played, but then the checker stands before a blocked point."""
SIX_AND_TWO_FORCED = Position(side({24: 1, 8: 1, 6: 13}), side({21: 2, 9: 2, 7: 3, 6: 4, 5: 4}))
"""With 6-2 both dice can be played only as 24/22 8/2."""
LAST_CHECKER = Position(side({6: 1}), FAR_AWAY)
"""With 6-5 both dice are played as 6/1/off, and 6/off ends the game as well."""
LAST_CHECKER_HITS = Position(side({6: 1}), side({24: 1}))
"""With 6-5 both dice must be played, and that hits on the way."""


def said(*moves: tuple[int, ...]) -> list[Step]:
    """Give steps of (source, destination) or (source, destination, die)."""
    return [Step(source, destination, sum(die)) for source, destination, *die in moves]


def refusal(position: Position, roll: Dice, steps: list[Step]) -> list[tuple[str, Reason]]:
    """Give field and reason of why a play is illegal."""
    with pytest.raises(IllegalPlay) as refused:
        find_play(position, roll, steps)
    return [(violation.field, violation.reason) for violation in refused.value.violations]


def turn_refusal(position: Position, roll: Dice, steps: list[Step]) -> list[tuple[str, Reason]]:
    """Give field and reason of why a turn could not have begun so."""
    with pytest.raises(IllegalPlay) as refused:
        legal_steps(position, roll, steps)
    return [(violation.field, violation.reason) for violation in refused.value.violations]


def oracle_position(position: Position) -> oracle.Position:
    """Give the same position to the oracle."""
    return oracle.Position.from_packed(position.packed())


def test_results_of_1500_rolls_are_those_found_by_brute_force() -> None:
    """Every reachable position is there once, and nothing else."""
    for case in read_cases("legal_plays.jsonl.gz"):
        start = case_position(case)
        plays = legal_plays(start, Dice(*case["dice"]))
        expected = {board_position(result) for result in case["results"]} or {start}
        assert expected == {play.result for play in plays}
        assert len(expected) == len(plays)
        assert case["dice_played"] == plays.dice_played


def test_rolls_that_other_programs_got_wrong_are_played_right() -> None:
    """Positions behind public bug reports, with the positions after them as GNU Position IDs."""
    for case in read_cases("tricky_plays.jsonl"):
        plays = legal_plays(case_position(case), Dice(*case["dice"]))
        assert case["dice_played"] == plays.dice_played
        found = {position_id(play.result.mirrored()) for play in plays}
        assert set(case["result_position_ids_next_player"]) == found


@pytest.mark.parametrize(
    ("position", "roll", "restriction"),
    [
        (STARTING_POSITION, Dice(3, 1), Restriction.FREE),
        (SIX_AND_TWO_FORCED, Dice(6, 2), Restriction.BOTH_DICE_FORCED),
        (ONE_DIE_ONLY, Dice(5, 6), Restriction.LARGER_DIE_FORCED),
        (Position(side({13: 1}), side({23: 2, 18: 2})), Dice(6, 5), Restriction.PARTIAL),
        (Position(side({6: 1}, bar=1), side({4: 2, 5: 2})), Dice(5, 4), Restriction.DANCE),
        (Position(side({24: 1}), side({7: 2, 6: 2})), Dice(6, 5), Restriction.BLOCKED),
    ],
)
def test_what_limits_a_roll_is_said(position: Position, roll: Dice, restriction: Restriction) -> None:
    """From a free choice to no legal step at all."""
    assert restriction is legal_plays(position, roll).restriction
    assert restriction is legal_steps(position, roll, []).restriction


def test_where_nothing_can_be_played_there_is_one_empty_play() -> None:
    """A dance is no error."""
    position = Position(side({6: 1}, bar=1), side({4: 2, 5: 2}))
    plays = legal_plays(position, Dice(5, 4))
    assert [Play((), position)] == list(plays)
    assert "(no play)" == plays[0].notation
    assert 0 == plays.dice_played
    assert plays[0] == find_play(position, Dice(5, 4), [])


def test_plays_are_a_sequence_in_canonical_order() -> None:
    """They can be counted, indexed from both ends, sliced and iterated."""
    plays = legal_plays(STARTING_POSITION, Dice(3, 1))
    expected = oracle.legal_plays(oracle_position(STARTING_POSITION), 3, 1).plays
    assert [play.result.packed() for play in expected] == [play.result.packed() for play in plays]
    assert 16 == len(plays)
    assert plays[15] == plays[-1] == list(plays)[-1]
    assert tuple(plays)[3:5] == plays[3:5]
    with pytest.raises(IndexError):
        plays[16]


def test_a_play_is_found_by_its_result() -> None:
    """And none by a position no play leads to."""
    plays = legal_plays(STARTING_POSITION, Dice(3, 1))
    assert plays[7] == plays.with_result(plays.packed_result(7))
    assert plays.with_result(STARTING_POSITION.packed()) is None


def test_zeros_are_no_step() -> None:
    """A play packed by the kernel has room for four steps."""
    assert (Step(25, 20, 5, hit=True), Step(6, 0, 6)) == unpack_steps(bytes((25, 20, 5, 1, 6, 0, 6, *[0] * 9)))


@pytest.mark.parametrize("field", ["player", "opponent"])
def test_a_finished_game_has_no_plays(field: str) -> None:
    """The field says who has won."""
    over = Position(**{"player": side({1: 1}), "opponent": side({1: 1}), field: side({})})
    for refuse in (
        lambda: legal_plays(over, Dice(2, 1)),
        lambda: find_play(over, Dice(2, 1), []),
        lambda: legal_steps(over, Dice(2, 1), []),
    ):
        with pytest.raises(InvalidState) as refused:
            refuse()
        assert [(f"{field}.off", Reason.GAME_OVER)] == [(each.field, each.reason) for each in refused.value.violations]


@pytest.mark.parametrize(
    ("position", "roll", "moves", "expected"),
    [
        (STARTING_POSITION, Dice(3, 1), [(8, 5), (7, 6)], ("[1]", Reason.NO_CHECKER_THERE)),
        (STARTING_POSITION, Dice(3, 1), [(30, 27)], ("[0]", Reason.NO_CHECKER_THERE)),
        (STARTING_POSITION, Dice(5, 1), [(24, 19)], ("[0]", Reason.POINT_BLOCKED)),
        (STARTING_POSITION, Dice(3, 1), [(8, 4)], ("[0]", Reason.DIE_NOT_AVAILABLE)),
        (STARTING_POSITION, Dice(3, 1), [(8, 4, 4)], ("[0]", Reason.DIE_NOT_AVAILABLE)),
        (STARTING_POSITION, Dice(3, 1), [(8, 5, 1)], ("[0]", Reason.DIE_NOT_AVAILABLE)),
        (STARTING_POSITION, Dice(3, 1), [(8, 5), (6, 3)], ("[1]", Reason.DIE_NOT_AVAILABLE)),
        (STARTING_POSITION, Dice(3, 1), [(5, 8)], ("[0]", Reason.DIE_NOT_AVAILABLE)),
        (STARTING_POSITION, Dice(3, 1), [(8, 5), (6, 5), (5, 4)], ("[2]", Reason.DIE_NOT_AVAILABLE)),
        (ENTERING, Dice(4, 1), [(25, 21), (13, 12)], ("[1]", Reason.BAR_FIRST)),
        (ENTERING, Dice(6, 4), [(25, 19)], ("[0]", Reason.POINT_BLOCKED)),
        (Position(side({7: 1, 6: 1}), FAR_AWAY), Dice(6, 2), [(6, 0)], ("[0]", Reason.BEARING_OFF_TOO_EARLY)),
        (Position(side({6: 1}, bar=1), FAR_AWAY), Dice(6, 2), [(6, 0)], ("[0]", Reason.BAR_FIRST)),
        (Position(side({5: 1, 3: 1}), FAR_AWAY), Dice(4, 6), [(3, 0, 4)], ("[0]", Reason.HIGHER_CHECKER_FIRST)),
        (STARTING_POSITION, Dice(3, 1), [(8, 5)], ("", Reason.MORE_DICE_CAN_BE_PLAYED)),
        (STARTING_POSITION, Dice(3, 1), [], ("", Reason.MORE_DICE_CAN_BE_PLAYED)),
        (STARTING_POSITION, Dice(2, 2), [(8, 6), (6, 4), (6, 4)], ("", Reason.MORE_DICE_CAN_BE_PLAYED)),
        (SIX_AND_TWO_FORCED, Dice(6, 2), [(8, 6)], ("", Reason.MORE_DICE_CAN_BE_PLAYED)),
        (ONE_DIE_ONLY, Dice(6, 5), [(13, 8)], ("", Reason.LARGER_DIE_MUST_BE_PLAYED)),
        (LAST_CHECKER_HITS, Dice(6, 5), [(6, 0)], ("", Reason.MORE_DICE_CAN_BE_PLAYED)),
    ],
)
def test_an_illegal_play_says_which_rule_it_breaks(
    position: Position, roll: Dice, moves: list[tuple[int, ...]], expected: tuple[str, Reason]
) -> None:
    """With the step that breaks it, or the play as a whole where the dice are not used as they must be."""
    assert [expected] == refusal(position, roll, said(*moves))


@pytest.mark.parametrize(
    ("position", "roll", "moves", "expected"),
    [
        (STARTING_POSITION, Dice(3, 1), [(8, 5), (7, 6)], ("[1]", Reason.NO_CHECKER_THERE)),
        (STARTING_POSITION, Dice(5, 1), [(24, 19)], ("[0]", Reason.POINT_BLOCKED)),
        (STARTING_POSITION, Dice(3, 1), [(8, 5), (6, 5), (5, 4)], ("[2]", Reason.DIE_NOT_AVAILABLE)),
        (STARTING_POSITION, Dice(3, 1), [(8, 5, 1)], ("[0]", Reason.DIE_NOT_AVAILABLE)),
        (ENTERING, Dice(4, 1), [(25, 21), (13, 12)], ("[1]", Reason.BAR_FIRST)),
        (Position(side({7: 1, 6: 1}), FAR_AWAY), Dice(6, 2), [(6, 0)], ("[0]", Reason.BEARING_OFF_TOO_EARLY)),
        (Position(side({5: 1, 3: 1}), FAR_AWAY), Dice(4, 6), [(3, 0, 4)], ("[0]", Reason.HIGHER_CHECKER_FIRST)),
        (SIX_AND_TWO_FORCED, Dice(6, 2), [(8, 6)], ("[0]", Reason.MORE_DICE_CAN_BE_PLAYED)),
        (ONE_DIE_ONLY, Dice(6, 5), [(13, 8)], ("[0]", Reason.LARGER_DIE_MUST_BE_PLAYED)),
        (ONE_DIE_ONLY, Dice(6, 5), [(13, 7), (7, 2)], ("[1]", Reason.POINT_BLOCKED)),
        (LAST_CHECKER_HITS, Dice(6, 5), [(6, 0)], ("[0]", Reason.MORE_DICE_CAN_BE_PLAYED)),
    ],
)
def test_a_turn_that_begins_illegally_says_which_step_breaks_which_rule(
    position: Position, roll: Dice, moves: list[tuple[int, ...]], expected: tuple[str, Reason]
) -> None:
    """Steps are checked in the order they were played; here the duty concerns a single step as well."""
    assert [expected] == turn_refusal(position, roll, said(*moves))


def test_every_step_that_no_board_has_is_named() -> None:
    """Not only the first."""
    assert [("[0]", Reason.NO_CHECKER_THERE), ("[1]", Reason.DIE_NOT_AVAILABLE)] == refusal(
        STARTING_POSITION, Dice(3, 1), said((0, 0), (8, 5, 6))
    )


def test_steps_may_come_in_any_order() -> None:
    """Entering second, or going on before arriving, is understood."""
    entering = Position(side({13: 4, 6: 10}, bar=1), FAR_AWAY)
    assert "bar/21 13/12" == find_play(entering, Dice(4, 1), said((13, 12), (25, 21))).notation
    assert "24/13" == find_play(STARTING_POSITION, Dice(6, 5), said((18, 13), (24, 18))).notation


def test_a_blocked_way_round_is_not_the_play_of_these_steps() -> None:
    """24/18 is blocked, though 24/19/13 would lead to the same position."""
    position = Position(side({24: 1}), side({7: 2}))
    assert [("[0]", Reason.POINT_BLOCKED)] == refusal(position, Dice(6, 5), said((24, 18), (18, 13)))


def test_what_a_client_says_of_hits_does_not_count() -> None:
    """The answer says what is really hit."""
    position = Position(side({8: 1, 6: 14}), side({20: 1, 1: 14}))
    play = find_play(position, Dice(3, 1), [Step(8, 5, 3), Step(6, 5, 1, hit=True)])
    assert (Step(8, 5, 3, hit=True), Step(6, 5, 1)) == play.steps


@pytest.mark.parametrize("roll", [Dice(6, 5), Dice(5, 6)])
def test_the_die_that_bears_off_is_found(roll: Dice) -> None:
    """Larger dice bear off from the highest point, in whatever order they come."""
    position = Position(side({4: 1, 3: 1}), FAR_AWAY)
    play = find_play(position, roll, said((3, 0), (4, 0)))
    assert 15 == play.result.player.off
    turn = legal_steps(position, roll, said((4, 0)))
    assert (6,) == turn.remaining_dice


def test_nobody_has_to_walk_the_last_checker_off() -> None:
    """6/off with 6-5 is the play 6/1/off; it is offered as a step and completes the turn."""
    play = find_play(LAST_CHECKER, Dice(6, 5), said((6, 0)))
    assert "6/off" == play.notation
    assert 2 == len(play.steps)
    turn = legal_steps(LAST_CHECKER, Dice(6, 5), [])
    assert (Step(6, 0, 6), Step(6, 1, 5)) == turn.steps
    after = legal_steps(LAST_CHECKER, Dice(6, 5), said((6, 0)))
    assert after.turn_complete
    assert (5,) == after.remaining_dice
    assert play.result == after.current


def test_a_hit_on_the_way_must_not_be_left_out() -> None:
    """Where the last checker has to hit on its way, bearing off at once is not offered."""
    assert (Step(6, 1, 5, hit=True),) == legal_steps(LAST_CHECKER_HITS, Dice(6, 5), []).steps


def test_a_turn_is_played_checker_by_checker() -> None:
    """What is left, the position so far and the end of the turn are told after each step."""
    begun = legal_steps(STARTING_POSITION, Dice(6, 5), said((24, 18)))
    assert (5,) == begun.remaining_dice
    assert not begun.turn_complete
    assert side({24: 1, 18: 1, 13: 5, 8: 3, 6: 5}) == begun.current.player
    assert [18, 13, 8] == [step.source for step in begun.steps]
    complete = legal_steps(STARTING_POSITION, Dice(6, 5), said((24, 18), (18, 13)))
    assert complete.turn_complete
    assert () == complete.steps
    assert () == complete.remaining_dice


def test_a_turn_without_a_legal_step_is_complete_at_once() -> None:
    """Both dice remain unplayed."""
    turn = legal_steps(Position(side({24: 1}), side({7: 2, 6: 2})), Dice(6, 5), [])
    assert turn.turn_complete
    assert (6, 5) == turn.remaining_dice


@given(positions(finished=False), dice)
def test_offered_steps_are_the_oracles_and_those_that_end_the_game(position: Position, roll: Dice) -> None:
    """The oracle is the same rules in plain Python."""
    offered = {(step.source, step.die) for step in legal_steps(position, roll, []).steps}
    expected = set(oracle.legal_steps(oracle_position(position), roll.moves()))
    assert expected <= offered
    results = {play.result.player.off for play in legal_plays(position, roll)}
    assert not (offered - expected) or results == {15}


@given(positions(finished=False), dice, st.data())
def test_whatever_is_offered_leads_to_a_legal_play(position: Position, roll: Dice, data: st.DataObject) -> None:
    """Tapping any offered checker, one after the other, ends in a legal play, which find_play finds too."""
    played: list[Step] = []
    turn = legal_steps(position, roll, played)
    while not turn.turn_complete:
        played.append(data.draw(st.sampled_from(turn.steps)))
        turn = legal_steps(position, roll, played)
    assert turn.current == find_play(position, roll, played).result


@given(positions(finished=False), dice, st.data())
def test_a_legal_play_is_found_from_its_steps_in_any_order(position: Position, roll: Dice, data: st.DataObject) -> None:
    """Without dice and hits, shuffled, they still are that play."""
    play = data.draw(st.sampled_from(legal_plays(position, roll)))
    steps = [Step(step.source, step.destination) for step in data.draw(st.permutations(play.steps))]
    assert play == find_play(position, roll, steps)
