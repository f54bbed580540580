"""Boards written the short way, for tests."""

from __future__ import annotations

from bgbotd.rules.position import CHECKERS, POINTS, Position, Side


def side(checkers: dict[int, int], bar: int = 0) -> Side:
    """Give the side with these checkers on its points and on the bar; all others are borne off."""
    points = tuple(checkers.get(point, 0) for point in range(1, POINTS + 1))
    return Side(points, bar, CHECKERS - sum(points) - bar)


MIDDLE_GAME = Position(
    side({24: 2, 13: 4, 8: 4, 6: 5}),
    side({24: 1, 22: 1, 13: 5, 8: 3, 6: 5}),
)
"""Neither side has borne off, and it is not the starting position."""
