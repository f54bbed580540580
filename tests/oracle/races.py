"""Chances of winning the end of a race, by every roll to its end."""

from __future__ import annotations

from functools import cache
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING

from tests.oracle.plays import legal_plays
from tests.oracle.positions import OFF, OPENING, Position

if TYPE_CHECKING:
    from random import Random

    from tests.oracle.plays import Play
    from tests.oracle.positions import Side

CHECKERS_LEFT, HOME = 3, 6
"""So few that all races together are counted in a second."""
_ROLLS = [(die1, die2, 1 if die1 == die2 else 2) for die1, die2 in combinations_with_replacement(range(1, 7), 2)]
_LEFT = Position.from_points({}, dict.fromkeys(range(1, CHECKERS_LEFT + 1), 1)).opponent


class Races:
    """Races in which each side has three checkers left at most, all home; neither can hit or stop the other."""

    def __init__(self) -> None:
        """Remember what was counted."""
        self._after = cache(self._count_after)
        self.win = cache(self._count_win)

    def throw(self, random: Random) -> Side:
        """Give a side with three checkers anywhere at home."""
        points = [random.randrange(1, HOME + 1) for _ in range(CHECKERS_LEFT)]
        return Position.from_points({point: points.count(point) for point in points}, {}).player

    def ranked(self, position: Position, die1: int, die2: int) -> list[tuple[float, Play]]:
        """Give every play with the chance to win after it, the best first."""
        plays = legal_plays(position, die1, die2).plays
        valued = [(self._win_after(play.result.player, position.opponent), play) for play in plays]
        return sorted(valued, key=lambda each: -each[0])

    def _win_after(self, moved: Side, other: Side) -> float:
        return 1.0 if moved[OFF] == sum(OPENING.player) else 1 - self.win(other, moved)

    def _count_win(self, mover: Side, other: Side) -> float:
        """Give the chance of the side on roll, which chooses best."""
        return sum(
            ways / 36 * max(self._win_after(moved, other) for moved in self._after(mover, die1, die2))
            for die1, die2, ways in _ROLLS
        )

    def _count_after(self, mover: Side, die1: int, die2: int) -> set[Side]:
        """Give what the plays of a roll leave of a side, whatever the other one has."""
        return {play.result.player for play in legal_plays(Position(mover, _LEFT), die1, die2).plays}
