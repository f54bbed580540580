"""The product's values from the cases of tests/data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bgbotd.rules.dice import Dice
from bgbotd.rules.match import CrawfordState, Cube, CubeOwner, MatchState
from bgbotd.rules.position import Position, Side

if TYPE_CHECKING:
    from tests.reference_cases import Case

_OWNERS = {"centre": CubeOwner.CENTERED, "player": CubeOwner.PLAYER, "opponent": CubeOwner.OPPONENT}


def case_position(case: Case) -> Position:
    """Give a case's position."""
    return board_position(case["position"])


def board_position(board: Case) -> Position:
    """Give a position written in a case."""
    player, opponent = (
        Side(tuple(board[name]["points"]), board[name]["bar"], board[name]["off"]) for name in ("player", "opponent")
    )
    return Position(player, opponent)


def case_dice(case: Case) -> Dice | None:
    """Give a case's roll, if it has one."""
    return Dice(*case["dice"]) if case["dice"] else None


def case_match(case: Case, *, beavers: bool, cube_limit: int) -> MatchState:
    """Give a case's match, with what a notation might not carry."""
    scores = (case["player_score"], case["opponent_score"])
    crawford = CrawfordState.CRAWFORD_GAME if case.get("crawford") else None
    if crawford is None and case["match_length"] - 1 in scores:
        crawford = CrawfordState.POST_CRAWFORD
    return MatchState(
        case["match_length"],
        *scores,
        crawford,
        case["jacoby"],
        beavers,
        Cube(case["cube_value"], _OWNERS[case["cube_owner"]]),
        cube_limit,
    )
