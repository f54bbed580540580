"""Doubling, taking, passing, beavers: which cube actions are allowed, and what they lead to (rules.md section 4).

Position and match are always those of the side that decides, and while a double is pending the
cube is the one before it: in TAKE_OR_PASS the opponent doubled it, in BEAVER_RESPONSE the player
did. A raccoon, the doubler's answer to a beaver with yet another turn, is not played.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING

from bgbotd.rules.flow import (
    Decision,
    GameSide,
    NextTurn,
    crawford_violations,
    doubling_violations,
    end_game,
    ended_violations,
    turning_violations,
)
from bgbotd.rules.match import Cube, CubeOwner
from bgbotd.rules.position import STARTING_POSITION, Finish
from bgbotd.rules.violations import IllegalCubeAction, InvalidState, Reason, Violation

if TYPE_CHECKING:
    from bgbotd.rules.match import MatchState
    from bgbotd.rules.position import Position


class CubeAction(Enum):
    """What a side may do with the cube."""

    ROLL = "roll"
    """Roll without doubling."""
    DOUBLE = "double"
    """Offer a double or a redouble."""
    TAKE = "take"
    """Take the double; answering a beaver, play on."""
    PASS = "pass"  # noqa: S105 - a pass, no password.
    """Give the game up: for the stake before the double, answering a beaver for twice that."""
    BEAVER = "beaver"
    """Take and redouble at once."""
    RACCOON = "raccoon"
    """Redouble a beaver: never allowed."""


@dataclass(frozen=True, slots=True)
class CubeActionStatus:
    """Whether one cube action is allowed now."""

    action: CubeAction
    """The action."""
    violations: tuple[Violation, ...]
    """Everything that speaks against it; empty if it is allowed."""

    @property
    def allowed(self) -> bool:
        """Tell whether the player may do it."""
        return not self.violations

    @property
    def violation(self) -> Violation | None:
        """Give the reason to show where there is room for one; None if it is allowed."""
        return self.violations[0] if self.violations else None


_ACTIONS = {
    Decision.DOUBLE_OR_ROLL: (CubeAction.ROLL, CubeAction.DOUBLE),
    Decision.TAKE_OR_PASS: (CubeAction.TAKE, CubeAction.PASS, CubeAction.BEAVER),
    Decision.BEAVER_RESPONSE: (CubeAction.TAKE, CubeAction.PASS),
}
"""The actions each decision is about; none in the others."""

_OWN_TURN = (Decision.OPENING_ROLL, Decision.DOUBLE_OR_ROLL, Decision.PLAY)
"""The decisions in which no double is pending."""


def list_cube_actions(position: Position, match: MatchState, decision: Decision) -> tuple[CubeActionStatus, ...]:
    """List every cube action, and for each that is not allowed why.

    Args:
        position: seen by the player, who decides.
        match: score and cube, seen by the player; the cube is the one before a pending double.
        decision: what is to be decided.

    Raises:
        InvalidState: if the game is over or the decision cannot arise from this position and match.
            Paths: `position`, `match`, `decision`.

    """
    if violations := _state_violations(position, match, decision):
        raise InvalidState(violations)
    return tuple(
        CubeActionStatus(action, tuple(_action_violations(position, match, decision, action))) for action in CubeAction
    )


def apply_cube_action(position: Position, match: MatchState, decision: Decision, action: CubeAction) -> NextTurn:
    """Carry out a cube action and say what has to be decided next, and by whom.

    Args:
        position: seen by the player, who decides.
        match: score and cube, seen by the player; the cube is the one before a pending double.
        decision: what is to be decided.
        action: what the player does.

    Raises:
        InvalidState: if the game is over or the decision cannot arise from this position and match.
            Paths: `position`, `match`, `decision`.
        IllegalCubeAction: if the action is not allowed, with every reason. Paths: `action`,
            `position`, `match`, `decision`.

    """
    if violations := _state_violations(position, match, decision):
        raise InvalidState(violations)
    if violations := _action_violations(position, match, decision, action):
        raise IllegalCubeAction(violations)
    if action is CubeAction.ROLL:
        return NextTurn(position, match, Decision.PLAY, GameSide.PLAYER)
    if action is CubeAction.DOUBLE:
        return NextTurn(position.mirrored(), match.mirrored(), Decision.TAKE_OR_PASS, GameSide.OPPONENT)
    if action is CubeAction.BEAVER:
        return NextTurn(position.mirrored(), match.mirrored(), Decision.BEAVER_RESPONSE, GameSide.OPPONENT)
    if decision is Decision.TAKE_OR_PASS:
        return _answer_double(position, match, action)
    return _answer_beaver(position, match, action)


def _answer_double(position: Position, match: MatchState, action: CubeAction) -> NextTurn:
    """Take or pass the opponent's double; after a take the opponent rolls."""
    if action is CubeAction.PASS:
        return end_game(position, match, GameSide.OPPONENT, Finish.SINGLE, passed=True)
    taken = replace(match, cube=Cube(match.cube.value * 2, CubeOwner.PLAYER))
    return NextTurn(position.mirrored(), taken.mirrored(), Decision.PLAY, GameSide.OPPONENT)


def _answer_beaver(position: Position, match: MatchState, action: CubeAction) -> NextTurn:
    """Play on at the beavered cube and roll, or pass it: the double itself was taken, so it counts."""
    if action is CubeAction.PASS:
        doubled = replace(match, cube=Cube(match.cube.value * 2, CubeOwner.OPPONENT))
        return end_game(position, doubled, GameSide.OPPONENT, Finish.SINGLE, passed=True)
    beavered = replace(match, cube=Cube(match.cube.value * 4, CubeOwner.OPPONENT))
    return NextTurn(position, beavered, Decision.PLAY, GameSide.PLAYER)


def _action_violations(
    position: Position, match: MatchState, decision: Decision, action: CubeAction
) -> list[Violation]:
    """List everything that speaks against an action; the most telling reason comes first."""
    if action is CubeAction.RACCOON:
        return [Violation("action", "a raccoon", "no turn of the cube beyond a beaver", Reason.RACCOON)]
    if decision is Decision.MATCH_OVER:
        return [Violation("decision", "the match is over", "no further action", Reason.MATCH_OVER)]
    violations = []
    if action is CubeAction.DOUBLE and decision in _OWN_TURN:
        violations += _opening_violations(position, decision)
    allowed = _ACTIONS.get(decision, ())
    if action not in allowed:
        names = ", ".join(each.name for each in allowed) or "no cube action"
        violations.append(
            Violation("action", f"{action.name} in {decision.name}", names, Reason.ACTION_NOT_FOR_DECISION)
        )
    if action is CubeAction.DOUBLE and decision in _OWN_TURN:
        violations += doubling_violations(match)
    if action is CubeAction.BEAVER:
        violations += _beaver_violations(match)
        if decision is Decision.TAKE_OR_PASS:
            violations += turning_violations(match, 4)
    return violations


def _opening_violations(position: Position, decision: Decision) -> list[Violation]:
    """List whether this is the opening turn: no later turn begins from the starting position."""
    if decision is not Decision.OPENING_ROLL and position != STARTING_POSITION:
        return []
    field = "decision" if decision is Decision.OPENING_ROLL else "position"
    return [
        Violation(
            field,
            "a double on the opening turn, whose dice are thrown already",
            "a double from the second turn of a game on",
            Reason.OPENING_TURN,
        )
    ]


def _beaver_violations(match: MatchState) -> list[Violation]:
    """List whether beavers are missing from the agreements."""
    if match.beavers:
        return []
    return [
        Violation(
            "match.beavers",
            "a beaver without beavers agreed",
            "beavers agreed, in money play",
            Reason.BEAVERS_NOT_AGREED,
        )
    ]


def _state_violations(position: Position, match: MatchState, decision: Decision) -> list[Violation]:
    """List what keeps a decision from arising from this position and match."""
    if decision is Decision.MATCH_OVER:
        return []
    violations = ended_violations(position, match)
    if decision in _OWN_TURN:
        return violations
    violations += _opening_violations(position, decision)
    taker, doubler = CubeOwner.PLAYER, CubeOwner.OPPONENT
    factor = 2
    if decision is Decision.BEAVER_RESPONSE:
        taker, doubler = doubler, taker
        factor = 4
        violations += _beaver_violations(match)
    if match.cube.owner is taker:
        violations.append(
            Violation(
                "match.cube.owner",
                f"{taker.name} in {decision.name}, where the {doubler.value} has doubled",
                f"CENTERED or {doubler.name}: the owner before the double",
                Reason.CUBE_OWNER,
            )
        )
    return violations + crawford_violations(match) + turning_violations(match, factor)
