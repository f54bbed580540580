"""Where the checkers stand: sides, positions, pips and phase (rules.md sections 1 and 3)."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Self

from bgbotd import kernel
from bgbotd.rules.violations import InvalidState, Reason, Violation

if TYPE_CHECKING:
    from collections.abc import Sequence

CHECKERS = 15
POINTS = 24
BAR = 25
OFF = 0

_SIDE_WIDTH = POINTS + 2
_OFF_BYTE = POINTS + 1


class Packed:
    """A value that is held as the kernel's bytes; whatever has the same bytes and type is equal to it."""

    __slots__ = ("_packed",)
    _packed: bytes

    @classmethod
    def unpacked(cls, packed: bytes) -> Self:
        """Read the bytes of `packed`, such as the kernel gives: nothing is checked."""
        made = cls.__new__(cls)
        made._packed = packed  # noqa: SLF001 - it is one of these
        return made

    def packed(self) -> bytes:
        """Give the kernel's bytes."""
        return self._packed

    def __eq__(self, other: object) -> bool:
        """Tell whether another value is the same."""
        return isinstance(other, Packed) and type(self) is type(other) and self._packed == other._packed

    def __hash__(self) -> int:
        """Give a hash that equal values share."""
        return hash(self._packed)


class Side(Packed):
    """One side's checkers, in that side's own numbering: 26 bytes, points 1 to 24, bar, off.

    Raises:
        InvalidState: if the counts are not 24 points of 0 to 15 checkers that make 15 with bar and off.

    """

    __slots__ = ()

    def __init__(self, points: Sequence[int], bar: int = 0, off: int = 0) -> None:
        """Put checkers on 24 points, the own 1-point first, and refuse a side that cannot exist."""
        if violations := _side_violations(points, bar, off):
            raise InvalidState(violations)
        self._packed = bytes((*points, bar, off))

    @property
    def points(self) -> tuple[int, ...]:
        """Give the checkers on each point, 24 counts, the own 1-point first."""
        return tuple(self._packed[:POINTS])

    @property
    def bar(self) -> int:
        """Give the number of checkers on the bar."""
        return self._packed[POINTS]

    @property
    def off(self) -> int:
        """Give the number of checkers borne off."""
        return self._packed[_OFF_BYTE]

    def __repr__(self) -> str:
        """Write it as it would be made."""
        return f"Side({self.points}, bar={self.bar}, off={self.off})"

    def pips(self) -> int:
        """Count pips: point number over all checkers, 25 for one on the bar."""
        return kernel.pips(self._packed)

    def rearmost(self) -> int:
        """Give the highest point held (25 = bar, 0 = all borne off)."""
        return len(self._packed[:BAR].rstrip(b"\0"))

    def counts(self) -> tuple[int, ...]:
        """Give the 26 counts: points 1 to 24, bar, off."""
        return tuple(self._packed)


class Phase(Enum):
    """How far a game has come; the values are the kernel's."""

    CONTACT = 1
    """Some checker can still be hit."""
    RACE = 2
    """No checker of either side can be hit any more."""
    BEAROFF = 3
    """A race with all remaining checkers of both sides in their home boards."""
    OVER = 4
    """One side has borne off all fifteen."""


_PHASES = {phase.value: phase for phase in Phase}


class Finish(Enum):
    """How much a finished game is worth, as a multiple of the cube (rules.md section 4)."""

    SINGLE = 1
    GAMMON = 2
    BACKGAMMON = 3


class Position(Packed):
    """A position seen by the side that has to decide, each side in its own numbering: 52 bytes, player first.

    Raises:
        InvalidState: if a point is held by both sides or both sides have borne off all checkers.

    """

    __slots__ = ()

    def __init__(self, player: Side, opponent: Side) -> None:
        """Put two sides on a board, and refuse a position that cannot exist."""
        if violations := _position_violations(player, opponent):
            raise InvalidState(violations)
        self._packed = player.packed() + opponent.packed()

    @property
    def player(self) -> Side:
        """Give the side that has to decide (or, in the result of a play, the side that made it)."""
        return Side.unpacked(self._packed[:_SIDE_WIDTH])

    @property
    def opponent(self) -> Side:
        """Give the other side."""
        return Side.unpacked(self._packed[_SIDE_WIDTH:])

    def __repr__(self) -> str:
        """Write it as it would be made."""
        return f"Position(player={self.player}, opponent={self.opponent})"

    def mirrored(self) -> Position:
        """Give the same checkers seen by the other side."""
        return Position.unpacked(self._packed[_SIDE_WIDTH:] + self._packed[:_SIDE_WIDTH])

    def is_race(self) -> bool:
        """Tell whether no checker of either side can be hit any more."""
        return self.player.rearmost() + self.opponent.rearmost() < BAR

    @property
    def is_finished(self) -> bool:
        """Tell whether one side has borne off all fifteen."""
        return CHECKERS in self._packed[_OFF_BYTE::_SIDE_WIDTH]

    def phase(self) -> Phase:
        """Tell how far the game has come."""
        return _PHASES[kernel.phase(self._packed)]

    def refuse_finished(self) -> None:
        """Raise InvalidState if the game is over."""
        for name, off in zip(("player", "opponent"), self._packed[_OFF_BYTE::_SIDE_WIDTH], strict=True):
            if off == CHECKERS:
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


def _position_violations(player: Side, opponent: Side) -> list[Violation]:
    """List everything wrong with two sides on one board."""
    own, other = player.points, opponent.points
    violations = [
        Violation(
            f"player.points[{point - 1}]",
            f"{own[point - 1]} checkers of the player on its {point}-point and "
            f"{other[POINTS - point]} of the opponent on the same point, its "
            f"{BAR - point}-point (opponent.points[{POINTS - point}])",
            "checkers of one side only on a point",
            Reason.POINT_HELD_BY_BOTH,
        )
        for point in range(1, POINTS + 1)
        if own[point - 1] and other[POINTS - point]
    ]
    if player.off == CHECKERS == opponent.off:
        violations.append(
            Violation(
                "player.off",
                "both sides have borne off 15 checkers",
                "at most one side with 15 off: the game ends with the first",
                Reason.BOTH_SIDES_BORNE_OFF,
            )
        )
    return violations


def _side_violations(points: Sequence[int], bar: int, off: int) -> list[Violation]:
    """List everything wrong with one side's counts."""
    if len(points) != POINTS:
        return [
            Violation("points", f"{len(points)} entries", "24 entries, the own 1-point first", Reason.POINT_LIST_LENGTH)
        ]
    named = [*((f"points[{index}]", count) for index, count in enumerate(points)), ("bar", bar), ("off", off)]
    total = sum(count for _, count in named)
    wrong = [
        Violation(field, f"{count} checkers", "0 to 15", Reason.COUNT_OUT_OF_RANGE)
        for field, count in named
        if not 0 <= count <= CHECKERS
    ]
    if not wrong and total != CHECKERS:
        wrong.append(Violation("", f"{total} checkers", "15 over points, bar and off together", Reason.CHECKER_COUNT))
    return wrong


_START = Side((0, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2))

STARTING_POSITION = Position(_START, _START)
"""Every game begins here: 167 pips each."""
