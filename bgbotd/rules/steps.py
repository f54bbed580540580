"""Single steps, and how a play of them is written down (rules.md sections 2 and 6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bgbotd import kernel
from bgbotd.rules.position import BAR, OFF

if TYPE_CHECKING:
    from collections.abc import Iterable

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


def pack_steps(steps: Iterable[Step]) -> bytes:
    """Give steps as the kernel packs them, 4 bytes each."""
    return bytes(number for step in steps for number in (step.source, step.destination, step.die, step.hit))


def format_play(steps: Iterable[Step], blots: Iterable[int] = ()) -> str:
    """Write at most four steps in standard notation, such as `24/18*/13 6/5(2)`; no steps are `(no play)`.

    The steps of one checker are joined. A point on its way is left out unless it hits there, or
    could have hit one of `blots` (points of the mover, with a blot before and after the play) by
    the dice in the other order: `24/13` could then be read as either.
    """
    return kernel.format_play(pack_steps(steps), sum(1 << point for point in blots))
