"""Cube actions: when they are allowed, every reason when not, and what they lead to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bgbotd.rules.cube_actions import CubeAction, apply_cube_action, list_cube_actions
from bgbotd.rules.flow import Decision, GameResult, GameSide, NextTurn
from bgbotd.rules.match import CrawfordState, Cube, CubeOwner, MatchState
from bgbotd.rules.position import STARTING_POSITION, Finish, Position
from bgbotd.rules.violations import IllegalCubeAction, InvalidState, Reason, RulesError
from tests.rules.boards import MIDDLE_GAME, side

if TYPE_CHECKING:
    from collections.abc import Iterable

MONEY = MatchState()
BEAVERS = MatchState(beavers=True)
OWNED = MatchState(cube=Cube(2, CubeOwner.PLAYER))
OPPONENTS = MatchState(cube=Cube(2, CubeOwner.OPPONENT))
CRAWFORD = MatchState(5, 4, 2, CrawfordState.CRAWFORD_GAME)
FINISHED = Position(side({1: 3}), side({}))


def allowed(match: MatchState, decision: Decision, position: Position = MIDDLE_GAME) -> set[CubeAction]:
    """Give the actions that are allowed."""
    return {status.action for status in list_cube_actions(position, match, decision) if status.allowed}


def reasons(
    action: CubeAction, match: MatchState, decision: Decision, position: Position = MIDDLE_GAME
) -> list[tuple[str, Reason]]:
    """Give field and reason of everything that speaks against an action, as listed and as refused."""
    (status,) = (each for each in list_cube_actions(position, match, decision) if each.action is action)
    with pytest.raises(IllegalCubeAction) as refused:
        apply_cube_action(position, match, decision, action)
    assert status.violations == refused.value.violations
    assert status.violations[0] is status.violation
    return pairs(refused.value)


def state_reasons(match: MatchState, decision: Decision, position: Position = MIDDLE_GAME) -> list[tuple[str, Reason]]:
    """Give field and reason of what keeps a decision from arising, the same for listing and applying."""
    with pytest.raises(InvalidState) as refused:
        list_cube_actions(position, match, decision)
    with pytest.raises(InvalidState) as refused_too:
        apply_cube_action(position, match, decision, CubeAction.TAKE)
    assert refused.value.violations == refused_too.value.violations
    return pairs(refused.value)


def pairs(error: RulesError) -> list[tuple[str, Reason]]:
    """Give field and reason of each violation."""
    return [(violation.field, violation.reason) for violation in error.violations]


@pytest.mark.parametrize("match", [MONEY, OWNED, MatchState(7), MatchState(cube=Cube(4))])
def test_a_side_may_double_with_the_cube_centred_or_its_own(match: MatchState) -> None:
    """Before its roll a side may roll or double, also after automatic doubles."""
    assert {CubeAction.ROLL, CubeAction.DOUBLE} == allowed(match, Decision.DOUBLE_OR_ROLL)


@pytest.mark.parametrize(
    ("match", "expected"),
    [
        (OPPONENTS, [("match.cube.owner", Reason.CUBE_OWNED_BY_OPPONENT)]),
        (CRAWFORD, [("match.crawford", Reason.CRAWFORD_GAME)]),
        (CRAWFORD.mirrored(), [("match.crawford", Reason.CRAWFORD_GAME)]),
        (MatchState(cube=Cube(64, CubeOwner.PLAYER), cube_limit=64), [("match.cube.value", Reason.CUBE_AT_LIMIT)]),
        (MatchState(cube_limit=1), [("match.cube.value", Reason.CUBE_AT_LIMIT)]),
        (MatchState(cube=Cube(4096, CubeOwner.PLAYER)), [("match.cube.value", Reason.CUBE_AT_LIMIT)]),
        (
            MatchState(cube=Cube(8, CubeOwner.OPPONENT), cube_limit=8),
            [("match.cube.owner", Reason.CUBE_OWNED_BY_OPPONENT), ("match.cube.value", Reason.CUBE_AT_LIMIT)],
        ),
    ],
)
def test_a_double_is_refused_with_every_reason(match: MatchState, expected: list[tuple[str, Reason]]) -> None:
    """Owner, Crawford game and cube limit each forbid a double; rolling stays allowed."""
    assert expected == reasons(CubeAction.DOUBLE, match, Decision.DOUBLE_OR_ROLL)
    assert {CubeAction.ROLL} == allowed(match, Decision.DOUBLE_OR_ROLL)


def test_a_cube_may_be_turned_up_to_its_limit() -> None:
    """A limit of 64 allows 32 to be turned to 64."""
    match = MatchState(cube=Cube(32, CubeOwner.PLAYER), cube_limit=64)
    assert CubeAction.DOUBLE in allowed(match, Decision.DOUBLE_OR_ROLL)


def test_a_dead_cube_may_be_turned() -> None:
    """At 2-away a side that owns a 2-cube gains nothing by turning it, and may."""
    match = MatchState(5, 3, 0, cube=Cube(2, CubeOwner.PLAYER))
    assert CubeAction.DOUBLE in allowed(match, Decision.DOUBLE_OR_ROLL)


@pytest.mark.parametrize("crawford", [CrawfordState.POST_CRAWFORD, CrawfordState.NOT_PLAYED])
def test_doubling_is_open_after_the_crawford_game_and_without_the_rule(crawford: CrawfordState) -> None:
    """One point away alone forbids nothing."""
    assert CubeAction.DOUBLE in allowed(MatchState(5, 2, 4, crawford), Decision.DOUBLE_OR_ROLL)


def test_there_is_no_double_on_the_opening_turn() -> None:
    """While nobody has moved, the dice that open the game are thrown already."""
    assert [("position", Reason.OPENING_TURN)] == reasons(
        CubeAction.DOUBLE, MONEY, Decision.DOUBLE_OR_ROLL, STARTING_POSITION
    )
    assert [("position", Reason.OPENING_TURN), ("action", Reason.ACTION_NOT_FOR_DECISION)] == reasons(
        CubeAction.DOUBLE, MONEY, Decision.PLAY, STARTING_POSITION
    )


def test_there_is_no_cube_action_before_the_opening_roll() -> None:
    """A game begins with its opening roll; the double gets the telling reason first."""
    assert set() == allowed(MONEY, Decision.OPENING_ROLL, STARTING_POSITION)
    assert [("decision", Reason.OPENING_TURN), ("action", Reason.ACTION_NOT_FOR_DECISION)] == reasons(
        CubeAction.DOUBLE, MONEY, Decision.OPENING_ROLL, STARTING_POSITION
    )


def test_there_is_no_cube_action_once_the_dice_are_thrown() -> None:
    """In the decision PLAY the cube rests, whoever owns it; all reasons against a double are given."""
    assert set() == allowed(OWNED, Decision.PLAY)
    assert [("action", Reason.ACTION_NOT_FOR_DECISION)] == reasons(CubeAction.DOUBLE, OWNED, Decision.PLAY)
    assert [
        ("action", Reason.ACTION_NOT_FOR_DECISION),
        ("match.cube.owner", Reason.CUBE_OWNED_BY_OPPONENT),
    ] == reasons(CubeAction.DOUBLE, OPPONENTS, Decision.PLAY)


@pytest.mark.parametrize(
    ("decision", "actions"),
    [
        (Decision.DOUBLE_OR_ROLL, (CubeAction.TAKE, CubeAction.PASS)),
        (Decision.TAKE_OR_PASS, (CubeAction.ROLL, CubeAction.DOUBLE)),
        (Decision.BEAVER_RESPONSE, (CubeAction.ROLL, CubeAction.DOUBLE, CubeAction.BEAVER)),
    ],
)
def test_an_action_of_another_decision_is_refused(decision: Decision, actions: Iterable[CubeAction]) -> None:
    """Nobody takes what was not offered, or rolls while a double is pending."""
    for action in actions:
        assert [("action", Reason.ACTION_NOT_FOR_DECISION)] == reasons(action, BEAVERS, decision)


@pytest.mark.parametrize("decision", Decision)
def test_a_raccoon_is_always_refused(decision: Decision) -> None:
    """The cube is turned no further than by a beaver."""
    assert [("action", Reason.RACCOON)] == reasons(CubeAction.RACCOON, BEAVERS, decision)


def test_nothing_is_allowed_once_the_match_is_over() -> None:
    """The final state of a match can be asked about, and every action has the same reason."""
    over = MatchState(3, 3, 1)
    assert set() == allowed(over, Decision.MATCH_OVER, FINISHED)
    for action in (CubeAction.ROLL, CubeAction.DOUBLE, CubeAction.TAKE, CubeAction.PASS, CubeAction.BEAVER):
        assert [("decision", Reason.MATCH_OVER)] == reasons(action, over, Decision.MATCH_OVER, FINISHED)


@pytest.mark.parametrize(
    ("match", "expected"),
    [
        (MONEY, [("match.beavers", Reason.BEAVERS_NOT_AGREED)]),
        (MatchState(7), [("match.beavers", Reason.BEAVERS_NOT_AGREED)]),
        (MatchState(beavers=True, cube_limit=2), [("match.cube.value", Reason.CUBE_AT_LIMIT)]),
        (
            MatchState(cube=Cube(16, CubeOwner.OPPONENT), cube_limit=32),
            [("match.beavers", Reason.BEAVERS_NOT_AGREED), ("match.cube.value", Reason.CUBE_AT_LIMIT)],
        ),
    ],
)
def test_a_beaver_needs_agreement_and_room_on_the_cube(match: MatchState, expected: list[tuple[str, Reason]]) -> None:
    """A beaver takes the cube to four times its value; taking and passing stay allowed."""
    assert expected == reasons(CubeAction.BEAVER, match, Decision.TAKE_OR_PASS)
    assert {CubeAction.TAKE, CubeAction.PASS} == allowed(match, Decision.TAKE_OR_PASS)


def test_a_doubled_side_may_beaver_where_it_is_agreed() -> None:
    """In money play with beavers the doubled side has three answers."""
    assert {CubeAction.TAKE, CubeAction.PASS, CubeAction.BEAVER} == allowed(BEAVERS, Decision.TAKE_OR_PASS)


@pytest.mark.parametrize(
    ("match", "decision", "expected"),
    [
        (OWNED, Decision.TAKE_OR_PASS, [("match.cube.owner", Reason.CUBE_OWNER)]),
        (CRAWFORD, Decision.TAKE_OR_PASS, [("match.crawford", Reason.CRAWFORD_GAME)]),
        (MatchState(cube_limit=1), Decision.TAKE_OR_PASS, [("match.cube.value", Reason.CUBE_AT_LIMIT)]),
        (MONEY, Decision.BEAVER_RESPONSE, [("match.beavers", Reason.BEAVERS_NOT_AGREED)]),
        (
            MatchState(beavers=True, cube=Cube(2, CubeOwner.OPPONENT), cube_limit=4),
            Decision.BEAVER_RESPONSE,
            [("match.cube.owner", Reason.CUBE_OWNER), ("match.cube.value", Reason.CUBE_AT_LIMIT)],
        ),
    ],
)
def test_a_pending_double_that_nobody_can_have_made_is_refused(
    match: MatchState, decision: Decision, expected: list[tuple[str, Reason]]
) -> None:
    """Owner, Crawford game, limit and agreements must fit the double that waits for an answer."""
    assert expected == state_reasons(match, decision)


@pytest.mark.parametrize("decision", [Decision.TAKE_OR_PASS, Decision.BEAVER_RESPONSE])
def test_no_double_is_pending_while_nobody_has_moved(decision: Decision) -> None:
    """There is no double on the opening turn, so there is none to answer either."""
    assert [("position", Reason.OPENING_TURN)] == state_reasons(BEAVERS, decision, STARTING_POSITION)


@pytest.mark.parametrize(
    "decision", [Decision.OPENING_ROLL, Decision.DOUBLE_OR_ROLL, Decision.PLAY, Decision.TAKE_OR_PASS]
)
def test_cube_actions_need_a_game_and_a_match_still_being_played(decision: Decision) -> None:
    """A finished game in a finished match is refused with both problems at once."""
    assert [
        ("position.opponent.off", Reason.GAME_OVER),
        ("match.opponent_score", Reason.SCORE_OUT_OF_RANGE),
    ] == state_reasons(MatchState(5, 2, 5), decision, FINISHED)


def test_after_the_decision_to_roll_the_player_plays() -> None:
    """Nothing changes but the decision."""
    assert NextTurn(MIDDLE_GAME, OWNED, Decision.PLAY, GameSide.PLAYER) == apply_cube_action(
        MIDDLE_GAME, OWNED, Decision.DOUBLE_OR_ROLL, CubeAction.ROLL
    )


def test_a_double_is_answered_by_the_other_side_before_the_cube_turns() -> None:
    """The doubled side sees its own position, and the cube as it was."""
    assert NextTurn(MIDDLE_GAME.mirrored(), OPPONENTS, Decision.TAKE_OR_PASS, GameSide.OPPONENT) == apply_cube_action(
        MIDDLE_GAME, OWNED, Decision.DOUBLE_OR_ROLL, CubeAction.DOUBLE
    )


@pytest.mark.parametrize(("match", "value"), [(MONEY, 2), (OPPONENTS, 4), (MatchState(cube=Cube(4)), 8)])
def test_the_taker_owns_the_doubled_cube_and_the_doubler_rolls(match: MatchState, value: int) -> None:
    """The next decision is the doubler's, who sees the cube with the opponent."""
    following = apply_cube_action(MIDDLE_GAME, match, Decision.TAKE_OR_PASS, CubeAction.TAKE)
    taken = MatchState(cube=Cube(value, CubeOwner.OPPONENT))
    assert NextTurn(MIDDLE_GAME.mirrored(), taken, Decision.PLAY, GameSide.OPPONENT) == following


def test_passing_a_double_loses_the_stake_before_it() -> None:
    """A redouble from 2 to 4 that is passed costs 2 points, and a new game begins."""
    match = MatchState(7, 1, 3, cube=Cube(2, CubeOwner.OPPONENT))
    assert NextTurn(
        STARTING_POSITION,
        MatchState(7, 1, 5),
        Decision.OPENING_ROLL,
        None,
        GameResult(GameSide.OPPONENT, Finish.SINGLE, 2, passed=True),
    ) == apply_cube_action(MIDDLE_GAME, match, Decision.TAKE_OR_PASS, CubeAction.PASS)


def test_a_pass_can_end_the_match() -> None:
    """The final position stays, seen by the side that passed."""
    match = MatchState(5, 1, 4, CrawfordState.POST_CRAWFORD)
    assert NextTurn(
        MIDDLE_GAME,
        MatchState(5, 1, 5, CrawfordState.POST_CRAWFORD),
        Decision.MATCH_OVER,
        None,
        GameResult(GameSide.OPPONENT, Finish.SINGLE, 1, passed=True),
    ) == apply_cube_action(MIDDLE_GAME, match, Decision.TAKE_OR_PASS, CubeAction.PASS)


def test_a_beaver_is_answered_by_the_doubler_before_the_cube_turns() -> None:
    """The doubler sees its own position, and the cube as it was before its double."""
    match = MatchState(beavers=True, cube=Cube(2, CubeOwner.OPPONENT))
    assert NextTurn(
        MIDDLE_GAME.mirrored(),
        MatchState(beavers=True, cube=Cube(2, CubeOwner.PLAYER)),
        Decision.BEAVER_RESPONSE,
        GameSide.OPPONENT,
    ) == apply_cube_action(MIDDLE_GAME, match, Decision.TAKE_OR_PASS, CubeAction.BEAVER)


def test_a_beavered_cube_is_four_times_as_high_and_belongs_to_the_beaverer() -> None:
    """The doubler plays on and rolls, with the cube on the other side."""
    match = MatchState(beavers=True, cube=Cube(2, CubeOwner.PLAYER))
    assert NextTurn(
        MIDDLE_GAME, MatchState(beavers=True, cube=Cube(8, CubeOwner.OPPONENT)), Decision.PLAY, GameSide.PLAYER
    ) == apply_cube_action(MIDDLE_GAME, match, Decision.BEAVER_RESPONSE, CubeAction.TAKE)


@pytest.mark.parametrize(("cube", "points"), [(Cube(), 2), (Cube(2, CubeOwner.PLAYER), 4), (Cube(4), 8)])
def test_passing_a_beaver_loses_twice_the_stake_before_the_double(cube: Cube, points: int) -> None:
    """The double was taken before it was beavered, so it counts, under Jacoby as well."""
    match = MatchState(0, 10, -3, jacoby=True, beavers=True, cube=cube)
    assert NextTurn(
        STARTING_POSITION,
        MatchState(0, 10, points - 3, jacoby=True, beavers=True),
        Decision.OPENING_ROLL,
        None,
        GameResult(GameSide.OPPONENT, Finish.SINGLE, points, passed=True),
    ) == apply_cube_action(MIDDLE_GAME, match, Decision.BEAVER_RESPONSE, CubeAction.PASS)
