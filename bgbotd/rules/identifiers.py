"""What an ID says of a state, and what the readers of all its formats share."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bgbotd.rules.match import CrawfordState
from bgbotd.rules.position import CHECKERS, Position, Side
from bgbotd.rules.violations import InvalidState, Reason, RulesError, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bgbotd.rules.dice import Dice
    from bgbotd.rules.flow import Decision
    from bgbotd.rules.match import MatchState


@dataclass(frozen=True, slots=True)
class IdContents:
    """Everything an ID says, seen by the side that decides."""

    position: Position
    """The checkers."""
    dice: Dice | None
    """The roll; None if there is none yet, or the format has no place for it."""
    match: MatchState | None
    """Score, cube and agreements, with defaults where `carries` has no name; None if nothing of it is carried."""
    carries: frozenset[str]
    """Names of the MatchState fields the format carries, and `dice` and `decision` where the ID says them.

    `crawford` is carried as one bit: whether this is the Crawford game. Without it, a side one
    point away is read as POST_CRAWFORD, else NOT_REACHED; NOT_PLAYED would look the same.
    """
    decision: Decision | None
    """TAKE_OR_PASS while a double is offered, PLAY with dice, else None: the ID leaves it open."""


def position_from_counts(player: Sequence[int], opponent: Sequence[int]) -> Position:
    """Make a position from the 24 points and the bar of both sides; all other checkers are off.

    Raises:
        InvalidState: with more than 15 checkers of a side, or a point held by both.

    """
    violations = [
        Violation(name, f"{sum(counts)} checkers", f"at most {CHECKERS} of a side", Reason.CHECKER_COUNT)
        for name, counts in (("player", player), ("opponent", opponent))
        if sum(counts) > CHECKERS
    ]
    if violations:
        raise InvalidState(violations)
    return Position(_side_from_counts(player), _side_from_counts(opponent))


def crawford_from_bit(length: int, scores: tuple[int, int], *, crawford_game: bool) -> CrawfordState | None:
    """Read the one bit an ID has for the Crawford rule; None leaves it to the score."""
    if crawford_game:
        return CrawfordState.CRAWFORD_GAME
    one_away = length - 1 in scores and length not in scores
    return CrawfordState.POST_CRAWFORD if length and one_away else None


@contextmanager
def collecting(errors: list[RulesError], path: str = "") -> Iterator[None]:
    """Note what the rules refuse about the value at `path`, so that the rest of an ID is read too."""
    try:
        yield
    except RulesError as error:
        errors.append(error.under(path))


def raise_together(errors: Sequence[RulesError]) -> None:
    """Raise all errors as one of the first one's type; none raise nothing."""
    if errors:
        raise type(errors[0])(violation for error in errors for violation in error.violations)


def _side_from_counts(counts: Sequence[int]) -> Side:
    """Make a side of 24 points and a bar."""
    *points, bar = counts
    return Side(tuple(points), bar, CHECKERS - sum(counts))
