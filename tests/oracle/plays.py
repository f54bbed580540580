"""Legal steps and plays, straight from the rules and found by trying everything."""

from __future__ import annotations

from typing import NamedTuple

from tests.oracle.positions import BAR, OFF, Position, Side

FREE = 1
BOTH_DICE_FORCED = 2
LARGER_DIE_FORCED = 3
PARTIAL = 4
DANCE = 5
BLOCKED = 6


class Step(NamedTuple):
    """One checker moved by one die; the tuple's order is that of (source, die)."""

    source: int
    die: int


class Play(NamedTuple):
    """One distinct resulting position of a roll, and the steps that stand for it."""

    result: Position
    """From the mover's view: its `player` is still the mover."""
    steps: tuple[Step, ...]
    """Of all the ways to the result, the lexicographically largest."""

    def packed_steps(self, start: Position) -> bytes:
        """Return 16 bytes: (from, to, die, hit) for each step, then zeros."""
        packed = bytearray()
        position = start
        for source, die in self.steps:
            after = apply_step(position, source, die)
            hit = after.opponent[BAR] > position.opponent[BAR]
            packed += bytes((source, max(source - die, OFF), die, hit))
            position = after
        return bytes(packed).ljust(16, b"\0")


class Turn(NamedTuple):
    """Everything a side may do with one roll."""

    dice_played: int
    restriction: int
    plays: tuple[Play, ...]
    """In canonical order; one empty play when nothing can be played."""


def is_open(position: Position, source: int, die: int) -> bool:
    """Say whether this single step is legal by itself."""
    own, other = position
    if position.is_over() or own[source] == 0:
        return False
    if own[BAR] > 0 and source != BAR:
        return False
    target = source - die
    if target > OFF:
        return other[25 - target] < 2
    everyone_home = sum(own[7:]) == 0
    nobody_higher = sum(own[source + 1 :]) == 0
    return everyone_home and (target == OFF or nobody_higher)


def apply_step(position: Position, source: int, die: int) -> Position:
    """Return the position after one step.

    Raises:
        ValueError: if the step is not legal by itself.

    """
    if not is_open(position, source, die):
        message = f"{source} cannot be moved by {die}"
        raise ValueError(message)
    own, other = list(position.player), list(position.opponent)
    target = max(source - die, OFF)
    own[source] -= 1
    own[target] += 1
    if target > OFF and other[25 - target] == 1:
        other[25 - target] = 0
        other[BAR] += 1
    return Position(tuple(own), tuple(other))


def open_steps(position: Position, die: int) -> list[Step]:
    """Return every step this die allows by itself."""
    return [Step(source, die) for source in range(1, 26) if is_open(position, source, die)]


def canonical_key(result: Position) -> tuple[Side, int, Side]:
    """Orders plays: own checkers from the bar down, more hit first, the other's checkers."""
    own, other = result
    return own[:OFF:-1], -other[BAR], other[24:OFF:-1]


def steps_by_result(position: Position, dice: tuple[int, ...]) -> dict[Position, tuple[Step, ...]]:
    """Return where these dice lead when all are played in this very order.

    Each result has the largest sequence of steps to it: the start of a largest
    sequence is itself the largest to the place it leads to.
    """
    reached: dict[Position, tuple[Step, ...]] = {position: ()}
    for die in dice:
        further: dict[Position, tuple[Step, ...]] = {}
        for before, steps in reached.items():
            for step in open_steps(before, die):
                after = apply_step(before, *step)
                further[after] = max(further.get(after, ()), (*steps, step))
        reached = further
    return reached


def _orders(dice: tuple[int, ...]) -> list[tuple[int, ...]]:
    return sorted({dice, dice[::-1]})


def ways(position: Position, dice: tuple[int, ...]) -> dict[Position, tuple[Step, ...]]:
    """Return every result that fulfils the duty, with its largest steps."""
    for count in range(len(dice), 0, -1):
        found: dict[Position, tuple[Step, ...]] = {}
        # The larger die first: if only one can be played, the smaller has no say.
        for order in reversed(_orders(dice)):
            if count == 1 and found:
                break
            for result, steps in steps_by_result(position, order[:count]).items():
                found[result] = max(found.get(result, ()), steps)
        if found:
            return found
    return {}


def legal_steps(position: Position, dice: tuple[int, ...]) -> list[Step]:
    """Return the steps that begin some play that fulfils the duty, the largest first."""
    count = max((len(steps) for steps in ways(position, dice).values()), default=0)
    if count == 0:
        return []
    fitting: set[Step] = set()
    for order in reversed(_orders(dice)):
        if count == 1 and fitting:
            break
        for step in open_steps(position, order[0]):
            if steps_by_result(apply_step(position, *step), order[1:count]):
                fitting.add(step)
    return sorted(fitting, reverse=True)


def legal_plays(position: Position, die1: int, die2: int) -> Turn:
    """Return the legal plays of a roll.

    Raises:
        ValueError: if the game is over.

    """
    if position.is_over():
        message = "the game is over"
        raise ValueError(message)
    dice = (die1,) * 4 if die1 == die2 else (die1, die2)
    plays = [Play(*way) for way in ways(position, dice).items()]
    plays = plays or [Play(position, ())]
    plays.sort(key=lambda play: canonical_key(play.result))
    played = len(plays[0].steps)
    return Turn(played, _restriction(position, dice, played, plays), tuple(plays))


def _restriction(
    position: Position,
    dice: tuple[int, ...],
    played: int,
    plays: list[Play],
) -> int:
    if played == 0:
        return DANCE if position.player[BAR] else BLOCKED
    alone = [step for die in set(dice) for step in open_steps(position, die)]
    if played < len(dice):
        either = len({step.die for step in alone}) == 2
        return LARGER_DIE_FORCED if either else PARTIAL
    results = {play.result for play in plays}
    excluded = [step for step in alone if step not in legal_steps(position, dice)]
    for step in excluded:
        after = apply_step(position, *step)
        if not (after.is_over() and after in results):
            return BOTH_DICE_FORCED
    return FREE
