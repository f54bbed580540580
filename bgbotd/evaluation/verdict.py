"""The right cube action, derived from three equities and the state of the cube and nothing else."""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING

from bgbotd.rules.match import CrawfordState, CubeOwner

if TYPE_CHECKING:
    from bgbotd.evaluation.engine import CubeEquities
    from bgbotd.rules.match import MatchState


class CubeVerdict(Enum):
    """The right cube action of both sides, seen by the player as the doubler."""

    NO_DOUBLE = auto()
    DOUBLE_TAKE = auto()
    DOUBLE_PASS = auto()
    TOO_GOOD_TAKE = auto()
    TOO_GOOD_PASS = auto()
    NO_REDOUBLE = auto()
    REDOUBLE_TAKE = auto()
    REDOUBLE_PASS = auto()
    TOO_GOOD_TO_REDOUBLE_TAKE = auto()
    TOO_GOOD_TO_REDOUBLE_PASS = auto()
    NO_DOUBLE_BEAVER = auto()
    DOUBLE_BEAVER = auto()
    NO_REDOUBLE_BEAVER = auto()
    NOT_AVAILABLE = auto()
    CRAWFORD = auto()


_REDOUBLES = {
    CubeVerdict.NO_DOUBLE: CubeVerdict.NO_REDOUBLE,
    CubeVerdict.DOUBLE_TAKE: CubeVerdict.REDOUBLE_TAKE,
    CubeVerdict.DOUBLE_PASS: CubeVerdict.REDOUBLE_PASS,
    CubeVerdict.TOO_GOOD_TAKE: CubeVerdict.TOO_GOOD_TO_REDOUBLE_TAKE,
    CubeVerdict.TOO_GOOD_PASS: CubeVerdict.TOO_GOOD_TO_REDOUBLE_PASS,
    CubeVerdict.NO_DOUBLE_BEAVER: CubeVerdict.NO_REDOUBLE_BEAVER,
    # Owning the cube, a double into a beaver cannot be right; there is no name for it.
    CubeVerdict.DOUBLE_BEAVER: CubeVerdict.REDOUBLE_TAKE,
}


def may_double(match: MatchState) -> bool:
    """Tell whether cube and Crawford rule let the player double at all."""
    return (
        match.crawford is not CrawfordState.CRAWFORD_GAME
        and match.cube.owner is not CubeOwner.OPPONENT
        and 2 * match.cube.value <= match.cube_limit
    )


def may_beaver(match: MatchState) -> bool:
    """Tell whether a double could be beavered: agreed, and within the cube's limit."""
    return match.beavers and 4 * match.cube.value <= match.cube_limit


def is_beavered(cube: CubeEquities, match: MatchState) -> bool:
    """Tell whether a double would be beavered: allowed, and taking is already good for the other side."""
    return may_beaver(match) and cube.double_take < 0


def cube_verdict(cube: CubeEquities, match: MatchState) -> CubeVerdict:
    """Derive the verdict. Where doubling gains nothing it is no double, unless it would be passed."""
    if match.crawford is CrawfordState.CRAWFORD_GAME:
        return CubeVerdict.CRAWFORD
    if not may_double(match):
        return CubeVerdict.NOT_AVAILABLE
    verdict = _as_first_double(cube, match)
    return verdict if match.cube.owner is CubeOwner.CENTERED else _REDOUBLES[verdict]


def _as_first_double(cube: CubeEquities, match: MatchState) -> CubeVerdict:
    """Derive the verdict in the names of a first double."""
    if cube.double_take > cube.double_pass:
        return CubeVerdict.TOO_GOOD_PASS if cube.no_double > cube.double_pass else CubeVerdict.DOUBLE_PASS
    beavered = is_beavered(cube, match)
    if cube.double_take > cube.no_double:
        return CubeVerdict.DOUBLE_BEAVER if beavered else CubeVerdict.DOUBLE_TAKE
    if cube.no_double > cube.double_pass:
        return CubeVerdict.TOO_GOOD_TAKE
    return CubeVerdict.NO_DOUBLE_BEAVER if beavered else CubeVerdict.NO_DOUBLE
