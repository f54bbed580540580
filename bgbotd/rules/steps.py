"""Single steps, and how a play of them is written down (rules.md sections 2 and 6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bgbotd.rules.position import BAR, OFF

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_STEP_WIDTH = 4
"""Bytes of a step as the kernel packs it: source, destination, die, hit."""


@dataclass(frozen=True, slots=True)
class Step:
    """One checker moved by one die, in the mover's numbering."""

    source: int
    """Point it leaves, 1 to 24, or 25 for the bar."""
    destination: int
    """Point it lands on, 1 to 24, or 0 for borne off."""
    die: int = 0
    """The die it uses, 1 to 6; in what a client says, 0 stands for the one that fits."""
    hit: bool = False
    """Whether it hits an opposing blot; what a client says of it does not count."""


def point_name(point: int) -> str:
    """Give a point's number, `bar` or `off`."""
    return {BAR: "bar", OFF: "off"}.get(point, str(point))


def unpack_steps(packed: bytes) -> tuple[Step, ...]:
    """Read a play's 16 bytes, or any other number of the kernel's steps; zeros are no step."""
    return tuple(
        Step(packed[start], packed[start + 1], packed[start + 2], packed[start + 3] == 1)
        for start in range(0, len(packed), _STEP_WIDTH)
        if packed[start]
    )


def format_play(steps: Sequence[Step], blots: Collection[int] = ()) -> str:
    """Write steps in standard notation, such as `24/18*/13 6/5(2)`; no steps are `(no play)`.

    The steps of one checker are joined. A point on its way is left out unless it hits there, or
    could have hit one of `blots` (points of the mover, with a blot before and after the play) by
    the dice in the other order: `24/13` could then be read as either.
    """
    if not steps:
        return "(no play)"
    trails: list[list[Step]] = []
    for step in sorted(steps, key=lambda each: (each.source, each.die), reverse=True):
        trail = next((each for each in trails if each[-1].destination == step.source), None)
        if trail:
            trail.append(step)
        else:
            trails.append([step])
    alike: dict[tuple[int, ...], list[list[Step]]] = {}
    for trail in trails:
        alike.setdefault((trail[0].source, *(step.destination for step in trail)), []).append(trail)
    return " ".join(_format_trails(points, same, blots) for points, same in alike.items())


def _format_trails(points: tuple[int, ...], trails: Sequence[Sequence[Step]], blots: Collection[int]) -> str:
    """Write checkers that have gone the same way."""
    source, *landings = points
    text = point_name(source)
    hits = {step.destination for trail in trails for step in trail if step.hit}
    other_way = source - trails[0][-1].die
    for landing in landings:
        if landing in hits or landing == landings[-1] or other_way in blots:
            text += f"/{point_name(landing)}{'*' if landing in hits else ''}"
    return f"{text}({len(trails)})" if len(trails) > 1 else text
