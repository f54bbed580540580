"""Positions thrown at random: everything a game seldom or never reaches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.oracle.positions import BAR, CHECKERS, OFF, Position, Side

if TYPE_CHECKING:
    from random import Random

_HOME = range(1, 7)
_BOARD = range(1, 25)


def throw_position(random: Random) -> Position:
    """Return a position that is not over: 15 checkers a side, no point held by both.

    Each side is scattered, at home, behind a prime, down to its last checkers or
    crowded on the bar, whatever the other side is.
    """
    first = _throw_side(random, frozenset())
    second = _throw_side(random, frozenset(25 - point for point in _BOARD if first[point]))
    # The second side has the narrower choice, so either may be the one on roll.
    position = Position(first, second)
    return position if random.random() < 0.5 else position.swapped()


def throw_dice(random: Random) -> tuple[int, int]:
    """Return one of the 36 rolls."""
    return random.randint(1, 6), random.randint(1, 6)


def _throw_side(random: Random, taken: frozenset[int]) -> Side:
    shape = random.choice((_scattered, _scattered, _home, _prime, _closed, _last_checkers))
    side = shape(random, taken)
    if random.random() < 0.3:
        _send_to_bar(random, side)
    return tuple(side)


def _spread(random: Random, side: list[int], points: list[int]) -> None:
    """Put every checker not yet placed on one of the points, a few of them heavily."""
    while (left := CHECKERS - sum(side)) > 0:
        side[random.choice(points)] += random.randint(1, min(left, 3))


def _free(points: range, taken: frozenset[int]) -> list[int]:
    return [point for point in points if point not in taken]


def _scattered(random: Random, taken: frozenset[int]) -> list[int]:
    side = [0] * 26
    if random.random() < 0.3:
        side[OFF] = random.randint(1, CHECKERS - 1)
    free = _free(_BOARD, taken)
    _spread(random, side, random.sample(free, random.randint(1, min(len(free), 12))))
    return side


def _home(random: Random, taken: frozenset[int]) -> list[int]:
    """Bear off, now and then with a straggler that must come home first."""
    free = _free(_HOME, taken)
    if not free:
        return _scattered(random, taken)
    side = [0] * 26
    side[OFF] = random.randint(0, CHECKERS - 1)
    if random.random() < 0.3:
        side[OFF] = min(side[OFF], CHECKERS - 2)
        side[random.choice(_free(_BOARD, taken))] += 1
    _spread(random, side, free)
    return side


def _prime(random: Random, taken: frozenset[int]) -> list[int]:
    length = random.randint(3, 6)
    lowest = random.randint(1, 25 - length)
    return _with_points_made(random, taken, range(lowest, lowest + length))


def _closed(random: Random, taken: frozenset[int]) -> list[int]:
    return _with_points_made(random, taken, _HOME)


def _with_points_made(random: Random, taken: frozenset[int], points: range) -> list[int]:
    side = [0] * 26
    for point in _free(points, taken):
        side[point] = 2
    side[OFF] = random.choice((0, 0, random.randint(0, CHECKERS - sum(side) - 1)))
    _spread(random, side, random.sample(_free(_BOARD, taken), 3))
    return side


def _last_checkers(random: Random, taken: frozenset[int]) -> list[int]:
    side = [0] * 26
    side[OFF] = CHECKERS - random.choice((1, 1, 2, 3))
    reach = random.choice((range(1, 7), range(1, 13), _BOARD))
    _spread(random, side, _free(reach, taken) or _free(_BOARD, taken))
    return side


def _send_to_bar(random: Random, side: list[int]) -> None:
    for _ in range(random.choice((1, 1, 1, 2, 2, 3, 4, 5, CHECKERS))):
        held = [point for point in _BOARD if side[point]]
        if held:
            point = random.choice(held)
            side[point] -= 1
            side[BAR] += 1
