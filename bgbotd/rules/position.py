"""Where the checkers stand: sides, positions, pips and phase (rules.md sections 1 and 3)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from bgbotd.rules.violations import InvalidState, Reason, Violation

CHECKERS = 15
POINTS = 24
BAR = 25
OFF = 0

_SIDE_WIDTH = POINTS + 2


@dataclass(frozen=True, slots=True)
class Side:
    """One side's checkers, in that side's own numbering.

    Raises:
        InvalidState: if the counts are not 24 points of 0 to 15 checkers that make 15 with bar and off.

    """

    points: tuple[int, ...]
    """Checkers on each point, 24 counts, the own 1-point first."""
    bar: int = 0
    """Checkers on the bar."""
    off: int = 0
    """Checkers borne off."""

    def __post_init__(self) -> None:
        """Refuse a side that cannot exist."""
        if violations := _side_violations(self):
            raise InvalidState(violations)

    def pips(self) -> int:
        """Count pips: point number over all checkers, 25 for one on the bar."""
        return BAR * self.bar + sum(point * count for point, count in enumerate(self.points, 1))

    def rearmost(self) -> int:
        """Give the highest point held (25 = bar, 0 = all borne off)."""
        if self.bar:
            return BAR
        return max((point for point, count in enumerate(self.points, 1) if count), default=OFF)

    def counts(self) -> tuple[int, ...]:
        """Give the 26 counts: points 1 to 24, bar, off."""
        return (*self.points, self.bar, self.off)


class Phase(Enum):
    """How far a game has come."""

    CONTACT = "contact"
    """Some checker can still be hit."""
    RACE = "race"
    """No checker of either side can be hit any more."""
    BEAROFF = "bearoff"
    """A race with all remaining checkers of both sides in their home boards."""
    OVER = "over"
    """One side has borne off all fifteen."""


class Finish(Enum):
    """How much a finished game is worth, as a multiple of the cube (rules.md section 4)."""

    SINGLE = 1
    GAMMON = 2
    BACKGAMMON = 3


@dataclass(frozen=True, slots=True)
class Position:
    """A position seen by the side that has to decide; each side in its own numbering.

    Raises:
        InvalidState: if a point is held by both sides or both sides have borne off all checkers.

    """

    player: Side
    """The side that has to decide (or, in the result of a play, the side that made it)."""
    opponent: Side
    """The other side."""

    def __post_init__(self) -> None:
        """Refuse a position that cannot exist."""
        violations = [
            Violation(
                f"player.points[{point - 1}]",
                f"{self.player.points[point - 1]} checkers of the player on its {point}-point and "
                f"{self.opponent.points[POINTS - point]} of the opponent on the same point, its "
                f"{BAR - point}-point (opponent.points[{POINTS - point}])",
                "checkers of one side only on a point",
                Reason.POINT_HELD_BY_BOTH,
            )
            for point in range(1, POINTS + 1)
            if self.player.points[point - 1] and self.opponent.points[POINTS - point]
        ]
        if self.player.off == CHECKERS == self.opponent.off:
            violations.append(
                Violation(
                    "player.off",
                    "both sides have borne off 15 checkers",
                    "at most one side with 15 off: the game ends with the first",
                    Reason.BOTH_SIDES_BORNE_OFF,
                )
            )
        if violations:
            raise InvalidState(violations)

    def mirrored(self) -> Position:
        """Give the same checkers seen by the other side."""
        return Position(self.opponent, self.player)

    def packed(self) -> bytes:
        """Give the kernel's 52 bytes: points 1 to 24, bar, off of the player, then of the opponent."""
        return bytes((*self.player.counts(), *self.opponent.counts()))

    @classmethod
    def unpacked(cls, packed: bytes) -> Position:
        """Read the 52 bytes of `packed`."""
        player, opponent = packed[:_SIDE_WIDTH], packed[_SIDE_WIDTH:]
        return cls(
            Side(tuple(player[:POINTS]), player[POINTS], player[POINTS + 1]),
            Side(tuple(opponent[:POINTS]), opponent[POINTS], opponent[POINTS + 1]),
        )

    def is_race(self) -> bool:
        """Tell whether no checker of either side can be hit any more."""
        return self.player.rearmost() + self.opponent.rearmost() < BAR

    def phase(self) -> Phase:
        """Tell how far the game has come."""
        if CHECKERS in (self.player.off, self.opponent.off):
            return Phase.OVER
        if not self.is_race():
            return Phase.CONTACT
        home = 6
        if max(self.player.rearmost(), self.opponent.rearmost()) <= home:
            return Phase.BEAROFF
        return Phase.RACE

    def refuse_finished(self) -> None:
        """Raise InvalidState if the game is over."""
        for name, side in (("player", self.player), ("opponent", self.opponent)):
            if side.off == CHECKERS:
                raise InvalidState.of(
                    f"{name}.off",
                    f"the game is over: the {name} has borne off 15 checkers",
                    "a game still being played (at most 14 off)",
                    Reason.GAME_OVER,
                )


def finish(loser: Side) -> Finish:
    """Tell what a game lost by `loser` is worth: by its checkers off, on the bar and in the winner's home."""
    if loser.off:
        return Finish.SINGLE
    if loser.bar or any(loser.points[18:]):
        return Finish.BACKGAMMON
    return Finish.GAMMON


def _side_violations(side: Side) -> list[Violation]:
    """List everything wrong with one side's counts."""
    if len(side.points) != POINTS:
        return [
            Violation(
                "points", f"{len(side.points)} entries", "24 entries, the own 1-point first", Reason.POINT_LIST_LENGTH
            )
        ]
    # Legal plays make thousands of sides, nearly all of them right: names are made for wrong ones only.
    counts = side.counts()
    if sum(counts) == CHECKERS and min(counts) >= 0:
        return []
    named = [
        *((f"points[{index}]", count) for index, count in enumerate(side.points)),
        ("bar", side.bar),
        ("off", side.off),
    ]
    return [
        Violation(field, f"{count} checkers", "0 to 15", Reason.COUNT_OUT_OF_RANGE)
        for field, count in named
        if not 0 <= count <= CHECKERS
    ] or [Violation("", f"{sum(counts)} checkers", "15 over points, bar and off together", Reason.CHECKER_COUNT)]


_START = Side((0, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2))

STARTING_POSITION = Position(_START, _START)
"""Every game begins here: 167 pips each."""
