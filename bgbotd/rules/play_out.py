"""Playing single steps out, and which rule an illegal one breaks (rules.md sections 2 and 3).

Positions are the kernel's 52 bytes here (`Position.packed`), because a search through the orders of
a play takes many steps; points are those of the mover.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bgbotd import kernel
from bgbotd.rules.position import BAR, OFF
from bgbotd.rules.steps import point_name
from bgbotd.rules.violations import Reason, Violation

if TYPE_CHECKING:
    from collections.abc import Sequence

_HOME = 6


@dataclass(frozen=True, slots=True)
class Way:
    """What somebody says of one checker's way: where it lands, not always by which dice."""

    index: int
    """Which of the things said it is."""
    source: int
    """Point it leaves, 1 to 24, or 25 for the bar."""
    landings: tuple[int, ...]
    """Points it is said to touch, descending; the last is where it ends, 0 = off."""
    dice: tuple[int, ...]
    """The dice that may be used for it."""

    def __str__(self) -> str:
        """Write it as in a play."""
        return "/".join(map(point_name, (self.source, *self.landings)))

    def fits(self, die: int) -> bool:
        """Tell whether a step by `die` goes no further than the next point to be touched."""
        return die in self.dice and (self.source - die >= self.landings[0] or self.landings[0] == OFF)


def blots(position: bytes) -> frozenset[int]:
    """Give the points, in the mover's numbering, on which a single opposing checker stands."""
    return frozenset(point for point in range(1, BAR) if _opposing(position, point) == 1)


class PlayOut:
    """Plays ways one after the other, in every order and by all dice that fit, as far as the rules allow."""

    ends: dict[bytes, int]
    """The positions in which everything has been played, with the number of dice used."""
    failure: Violation | None
    """What stopped an attempt: one in which every way takes a single die, if there is any; of these the
    one that came furthest; of equals, of the order nearest to the one said."""

    def __init__(self, position: bytes, dice: tuple[int, ...], ways: Sequence[Way]) -> None:
        """Try everything; `ways` are not more than `dice`."""
        self.ends = {}
        self.failure = None
        self._furthest = (False, -1)
        self._attempt(position, dice, tuple(ways), 0)

    def _attempt(
        self, position: bytes, dice: tuple[int, ...], ways: tuple[Way, ...], played: int, *, direct: bool = True
    ) -> None:
        """Play on with any of the ways; `direct` tells whether each one so far took a single die."""
        if not ways:
            self.ends[position] = played
        for number, way in enumerate(ways):
            others = ways[:number] + ways[number + 1 :]
            fitting = [die for die in dict.fromkeys(dice) if way.fits(die)]
            if not fitting:
                self._note(_no_die(way, dice), played, direct=direct)
            for die in fitting:
                landing = max(way.source - die, OFF)
                arrives = landing == way.landings[0]
                if violation := _broken_rule(position, way, die):
                    self._note(violation, played, direct=direct and arrives)
                    continue
                rest = way.landings[1:] if arrives else way.landings
                left = list(dice)
                left.remove(die)
                self._attempt(
                    kernel.apply_step(position, way.source, die),
                    tuple(left),
                    (Way(way.index, landing, rest, way.dice), *others) if rest else others,
                    played + 1,
                    direct=direct and arrives,
                )

    def _note(self, violation: Violation, played: int, *, direct: bool) -> None:
        """Keep the violation that came furthest, the first of equals."""
        if (direct, played) > self._furthest:
            self._furthest = (direct, played)
            self.failure = violation


def _no_die(way: Way, dice: tuple[int, ...]) -> Violation:
    """Make the violation of a way for which there is no die."""
    left = " and ".join(map(str, dice)) or "no die"
    return Violation(
        f"[{way.index}]", f"{way} with {left} left to play", "steps by the dice left", Reason.DIE_NOT_AVAILABLE
    )


def _broken_rule(position: bytes, way: Way, die: int) -> Violation | None:
    """Name the rule that a single step breaks by itself, whatever the duty to play other dice."""
    source, landing = way.source, way.source - die
    step = f"{point_name(source)}/{point_name(max(landing, OFF))}"
    rearmost = max((point for point in range(1, BAR + 1) if position[point - 1]), default=OFF)
    problem = allowed = ""
    reason = None
    if not position[source - 1]:
        problem = f"{step}: no checker on {_place(source)}"
        allowed = "a point or the bar with a checker of the player"
        reason = Reason.NO_CHECKER_THERE
    elif rearmost == BAR > source:
        problem = f"{step} with a checker on the bar"
        allowed = "entering from the bar first"
        reason = Reason.BAR_FIRST
    elif landing > OFF and _opposing(position, landing) > 1:
        problem = f"{step}: {_opposing(position, landing)} opposing checkers hold {_place(landing)}"
        allowed = "a point with at most one opposing checker"
        reason = Reason.POINT_BLOCKED
    elif landing <= OFF and rearmost > _HOME:
        problem = f"{step} with a checker on {_place(rearmost)}"
        allowed = f"bearing off when all checkers are on points 1 to {_HOME}"
        reason = Reason.BEARING_OFF_TOO_EARLY
    elif landing < OFF and rearmost > source:
        problem = f"{step} with a {die} and a checker on {_place(rearmost)}"
        allowed = "bearing off with a larger die from the highest point only"
        reason = Reason.HIGHER_CHECKER_FIRST
    return Violation(f"[{way.index}]", problem, allowed, reason) if reason else None


def _opposing(position: bytes, point: int) -> int:
    """Count opposing checkers on a point of the mover."""
    # The opponent's points start at 26, its own 1-point, the mover's 24, first.
    return position[50 - point]


def _place(point: int) -> str:
    """Say where a point is."""
    return "the bar" if point == BAR else f"the {point}-point"
