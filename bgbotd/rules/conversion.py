"""One state in all notations, and what each of them cannot carry."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from bgbotd.rules.flow import Decision
from bgbotd.rules.gnubg_id import match_id, position_id, read_gnubg_id
from bgbotd.rules.identifiers import IdContents
from bgbotd.rules.match import CrawfordState, MatchState
from bgbotd.rules.position import Phase
from bgbotd.rules.xgid import read_xgid, xgid

if TYPE_CHECKING:
    from bgbotd.rules.dice import Dice
    from bgbotd.rules.position import Position

__all__ = [
    "IdContents",
    "Notation",
    "NotationLoss",
    "Notations",
    "convert",
    "read_gnubg_id",
    "read_xgid",
]


class Notation(Enum):
    """The ways to write a position down."""

    GNUBG_POSITION_ID = "GNU Backgammon Position ID"
    GNUBG_MATCH_ID = "GNU Backgammon Match ID"
    XGID = "XGID"


@dataclass(frozen=True, slots=True)
class NotationLoss:
    """Something a notation cannot carry."""

    notation: Notation
    """The notation."""
    field: str
    """Path of what is lost, such as `match.beavers`."""
    explanation: str
    """Why it is lost, for a person to read."""


@dataclass(frozen=True, slots=True)
class Notations:
    """One state in all notations."""

    gnubg_position_id: str
    """Checkers only; the side that has doubled counts as on roll."""
    gnubg_match_id: str
    """Everything but the checkers."""
    xgid: str
    """Everything, with its prefix `XGID=`."""
    lost: tuple[NotationLoss, ...]
    """Everything that reading a notation back would not give again."""


_NO_BEAVER = "an offered beaver has no place in it; it shows the state before the double"
_NO_OPENING = "a side is always on roll in it; it shows the player"
_ONE_CRAWFORD_BIT = "it only says whether this is the Crawford game; without it, it is read as agreed"
_NO_DICE = "it has no place for dice beside an offered double or a finished game"

_EXPLANATIONS = {
    Notation.GNUBG_MATCH_ID: {
        "dice": _NO_DICE,
        "match.player_score": "it holds scores of 0 to 32767 only; both are written as 0",
        "match.opponent_score": "it holds scores of 0 to 32767 only; both are written as 0",
        "match.crawford": _ONE_CRAWFORD_BIT,
        "match.beavers": "it has no place for beavers",
        "match.cube_limit": "it has no place for a cube limit",
    },
    Notation.XGID: {
        "dice": _NO_DICE,
        "match.crawford": _ONE_CRAWFORD_BIT,
    },
}
"""Why a field is lost, where the answer depends on the field."""


def convert(position: Position, dice: Dice | None, match: MatchState, decision: Decision) -> Notations:
    """Write a state in all notations; position and match are seen by the side that decides."""
    doubled = decision is Decision.TAKE_OR_PASS
    over = position.phase() is Phase.OVER or match.is_over
    rolled = None if doubled or over else dice
    identifier = position_id(position.mirrored() if doubled else position)
    match_identifier = match_id(match, rolled, doubled=doubled, over=over)
    xg_identifier = xgid(position, match, rolled, doubled=doubled)
    said = _said(dice, match, decision)
    lost = [
        NotationLoss(notation, field, _explain(notation, field, decision))
        for notation, contents in (
            (Notation.GNUBG_POSITION_ID, read_gnubg_id(identifier)),
            (Notation.GNUBG_MATCH_ID, read_gnubg_id(f"{identifier}:{match_identifier}")),
            (Notation.XGID, read_xgid(xg_identifier)),
        )
        for field, read_back in _said(contents.dice, contents.match or MatchState(), contents.decision).items()
        if read_back != said[field]
    ]
    return Notations(identifier, match_identifier, xg_identifier, tuple(lost))


def _said(dice: Dice | None, match: MatchState, decision: Decision | None) -> dict[str, object]:
    """Name everything beside the checkers that a notation might carry; what goes without saying is None."""
    evident = match.is_money or match.is_over or match.crawford is CrawfordState.NOT_REACHED
    waiting = decision in (Decision.TAKE_OR_PASS, Decision.BEAVER_RESPONSE, Decision.OPENING_ROLL)
    return {
        "dice": sorted((dice.die1, dice.die2)) if dice else None,
        "decision": decision if waiting else None,
        "match.length": match.length,
        "match.player_score": match.player_score,
        "match.opponent_score": match.opponent_score,
        "match.crawford": None if evident else match.crawford,
        "match.jacoby": match.jacoby,
        "match.beavers": match.beavers,
        "match.cube.value": match.cube.value,
        "match.cube.owner": match.cube.owner,
        "match.cube_limit": match.cube_limit,
    }


def _explain(notation: Notation, field: str, decision: Decision) -> str:
    """Say why a notation cannot carry a field."""
    if notation is Notation.GNUBG_POSITION_ID:
        why = "it carries the checkers only"
        return f"{why}; the side that has doubled is on roll in it" if field == "decision" else why
    if field == "decision":
        return _NO_BEAVER if decision is Decision.BEAVER_RESPONSE else _NO_OPENING
    return _EXPLANATIONS[notation][field]
