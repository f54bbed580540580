"""Positions as the oracle sees them, and the packed 52-byte form the kernel uses."""

from __future__ import annotations

from base64 import b64encode
from typing import NamedTuple

OFF = 0
BAR = 25
CHECKERS = 15
PACKED_LENGTH = 52

Side = tuple[int, ...]
"""26 checker counts of one side in its own numbering: off, the points 1-24, bar."""


class Position(NamedTuple):
    """Both sides, each in its own numbering: a checker on p stands on the other's 25 - p."""

    player: Side
    """The side on roll, or the side that has just moved."""
    opponent: Side

    @classmethod
    def from_packed(cls, packed: bytes) -> Position:
        """Read 24 points, bar and off of the player, then the same of the opponent.

        Raises:
            ValueError: if there are not exactly 52 bytes.

        """
        if len(packed) != PACKED_LENGTH:
            message = f"a packed position has {PACKED_LENGTH} bytes, not {len(packed)}"
            raise ValueError(message)
        return cls(_side_from_packed(packed[:26]), _side_from_packed(packed[26:]))

    @classmethod
    def from_points(
        cls,
        player: dict[int, int],
        opponent: dict[int, int],
    ) -> Position:
        """Build a position from {point: checkers}; what is not named has been borne off.

        Every side numbers from its own side; 25 is the bar.
        """
        return cls(_side_from_points(player), _side_from_points(opponent))

    def packed(self) -> bytes:
        """Return the 52 bytes that `from_packed` reads."""
        return _packed_side(self.player) + _packed_side(self.opponent)

    def swapped(self) -> Position:
        """Return the same board seen by the other side."""
        return Position(self.opponent, self.player)

    def is_over(self) -> bool:
        """Say whether either side has borne off all its checkers."""
        return CHECKERS in (self.player[OFF], self.opponent[OFF])

    def gnu_position_id(self) -> str:
        """Return GNU Backgammon's ID of the board with `player` on roll.

        First the side not on roll, then the side on roll: for the points 1-24 and
        the bar, a one for each checker and a zero to end the point, the lowest bit
        of each byte first.
        """
        bits = "".join("1" * count + "0" for side in (self.opponent, self.player) for count in side[1:])
        key = int(bits.ljust(80, "0")[::-1], base=2).to_bytes(10, "little")
        return b64encode(key).decode().rstrip("=")


def _side_from_packed(packed: bytes) -> Side:
    points, bar, off = packed[:24], packed[24], packed[25]
    return (off, *points, bar)


def _packed_side(side: Side) -> bytes:
    return bytes((*side[1:25], side[BAR], side[OFF]))


def _side_from_points(counts: dict[int, int]) -> Side:
    side = [counts.get(point, 0) for point in range(26)]
    side[OFF] = CHECKERS - sum(side[1:])
    return tuple(side)


_OPENING_POINTS = {24: 2, 13: 5, 8: 3, 6: 5}
OPENING = Position.from_points(_OPENING_POINTS, _OPENING_POINTS)
