"""What Easy draws, and what Medium and Hard think: in integers, so equal is equal."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from typing import NamedTuple

from tests.oracle.plays import Play, apply_step, canonical_key, legal_plays, legal_steps
from tests.oracle.positions import BAR, CHECKERS, OFF, Position, Side

SCALE = 36
"""Medium's values are multiples of 1/36; Hard's, averages over 36 rolls, of 1/1296."""

WON = 10_000
HARD_CANDIDATES = 6


class Ranked(NamedTuple):
    """A play and its value for the mover, scaled to an integer."""

    play: Play
    value: int


def easy_chances(position: Position, dice: tuple[int, ...]) -> dict[Position, Fraction]:
    """Return how likely Easy is to end in each position, playing these dice (four of a double)."""
    steps = legal_steps(position, dice)
    if not steps:
        return {position: Fraction(1)}
    chances: dict[Position, Fraction] = defaultdict(Fraction)
    for step in steps:
        rest = list(dice)
        rest.remove(step.die)
        for result, chance in easy_chances(apply_step(position, *step), tuple(rest)).items():
            chances[result] += chance / len(steps)
    return dict(chances)


def pips(side: Side) -> int:
    """Return the side's pip count, a checker on the bar counting 25."""
    return sum(point * count for point, count in enumerate(side))


def highest(side: Side) -> int:
    """Return the side's rearmost occupied point, 25 for the bar and 0 for none."""
    return max(point for point in range(26) if side[point] or point == OFF)


def is_race(position: Position) -> bool:
    """Say whether the two sides have passed each other with nobody on the bar."""
    own, other = position
    return not own[BAR] and not other[BAR] and highest(own) + highest(other) < 25


def _reaches(start: int, dice: tuple[int, ...], target: int, defender: Side) -> bool:
    """Say whether one checker comes upon target, playing some of these dice in this order."""
    for die in dice:
        start -= die
        if start < 1 or defender[25 - start] >= 2:
            return False
        if start == target:
            return True
    return False


def _is_hit_by_roll(attacker: Side, defender: Side, target: int, roll: tuple[int, int]) -> bool:
    """Say whether a roll brings an attacking checker onto target, in its own numbering."""
    die1, die2 = roll
    orders = [(die1,) * 4] if die1 == die2 else [(die1, die2), (die2, die1)]
    for order in orders:
        starts = [point for point in range(1, 25) if attacker[point]]
        if attacker[BAR]:
            entry = 25 - order[0]
            if defender[25 - entry] >= 2:
                continue
            if entry == target:
                return True
            starts.append(entry)
        # Every checker on the bar takes a die before anything else may move.
        rest = order[attacker[BAR] :]
        if any(_reaches(start, rest, target, defender) for start in starts):
            return True
    return False


def hits(attacker: Side, defender: Side, blot: int) -> int:
    """Return how many of the 36 ordered rolls hit the defender's blot on its own point."""
    rolls = [(die1, die2) for die1 in range(1, 7) for die2 in range(1, 7)]
    return sum(_is_hit_by_roll(attacker, defender, 25 - blot, roll) for roll in rolls)


def _runs(own: Side) -> list[tuple[int, int]]:
    """Return (lowest point, length) of every unbroken run of made points."""
    runs = []
    length = 0
    for point in range(1, 26):
        if point < BAR and own[point] >= 2:
            length += 1
            continue
        if length:
            runs.append((point - length, length))
        length = 0
    return runs


def _longest_prime(own: Side, other: Side) -> int:
    """Return the length of the longest run of three or more with an opposing checker behind."""

    def holds_somebody(lowest: int) -> bool:
        return other[BAR] > 0 or any(other[25 - point] for point in range(1, lowest))

    return max((n for low, n in _runs(own) if n >= 3 and holds_somebody(low)), default=0)


def side_score(own: Side, other: Side, *, charge_blots: bool = True) -> int:
    """Return a side's score S, times 36."""
    score = -pips(own)
    for point in range(1, 25):
        if own[point] >= 2:
            score += 8 if point <= 7 else 4
            score += 6 if point >= 19 else 0
    score += _longest_prime(own, other) ** 2
    other_home_points = sum(count >= 2 for count in other[1:7])
    score -= own[BAR] * (8 + 3 * other_home_points)
    scaled = score * SCALE
    if charge_blots:
        blots = [point for point in range(1, 25) if own[point] == 1]
        scaled -= sum(hits(other, own, point) * (25 - point + 45) for point in blots)
    return scaled


def medium_value(position: Position, *, charge_opponent_blots: bool = True) -> int:
    """Return Medium's value for `player`, times 36.

    Without the opponent's blots it is the value Hard gives a reply, `player`
    being the side that has just moved.
    """
    own, other = position
    if position.is_over():
        return (WON if own[OFF] == CHECKERS else -WON) * SCALE
    if is_race(position):
        return (pips(other) - pips(own) + 3 * (own[OFF] - other[OFF])) * SCALE
    return side_score(own, other) - side_score(other, own, charge_blots=charge_opponent_blots)


def _best_first(ranked: list[Ranked]) -> list[Ranked]:
    return sorted(ranked, key=lambda one: (-one.value, canonical_key(one.play.result)))


def rank_medium(position: Position, die1: int, die2: int) -> list[Ranked]:
    """Return all plays of a roll, Medium's best first, values times 36."""
    plays = legal_plays(position, die1, die2).plays
    return _best_first([Ranked(play, medium_value(play.result)) for play in plays])


def hard_value(result: Position) -> int:
    """Return Hard's value of a position that `player` leaves behind, times 1296."""
    if result.is_over():
        return medium_value(result) * SCALE
    total = 0
    for die1 in range(1, 7):
        for die2 in range(1, die1 + 1):
            replies = legal_plays(result.swapped(), die1, die2).plays
            best = max(medium_value(reply.result, charge_opponent_blots=False) for reply in replies)
            total -= best * (1 if die1 == die2 else 2)
    return total


def rank_hard(position: Position, die1: int, die2: int) -> list[Ranked]:
    """Return Hard's candidates, the best first, values times 1296.

    In a pure race they are Medium's with Medium's values.
    """
    candidates = rank_medium(position, die1, die2)[:HARD_CANDIDATES]
    if is_race(position):
        return [Ranked(play, value * SCALE) for play, value in candidates]
    return _best_first([Ranked(play, hard_value(play.result)) for play, _ in candidates])
