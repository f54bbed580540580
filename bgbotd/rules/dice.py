"""A roll of two dice."""

from __future__ import annotations

from dataclasses import dataclass

from bgbotd.rules.violations import InvalidState, Reason, Violation

FACES = 6


@dataclass(frozen=True, slots=True)
class Dice:
    """A roll, in the order given; the order has no meaning for play.

    Raises:
        InvalidState: if a die is not 1 to 6.

    """

    die1: int
    """One die, 1 to 6."""
    die2: int
    """The other die, 1 to 6."""

    def __post_init__(self) -> None:
        """Refuse dice that cannot be rolled."""
        violations = [
            Violation(name, f"die of {value}", "1 to 6", Reason.DIE_OUT_OF_RANGE)
            for name, value in (("die1", self.die1), ("die2", self.die2))
            if not 1 <= value <= FACES
        ]
        if violations:
            raise InvalidState(violations)

    @property
    def is_double(self) -> bool:
        """Tell whether both dice show the same number."""
        return self.die1 == self.die2

    def moves(self) -> tuple[int, ...]:
        """Give the numbers to be played: both dice, or four times a double."""
        return (self.die1,) * 4 if self.is_double else (self.die1, self.die2)

    def refuse_double_opening(self) -> None:
        """Raise InvalidState for a double, which never opens a game."""
        if self.is_double:
            raise InvalidState.of(
                "die2",
                f"{self.die1}-{self.die2} as an opening roll",
                "two different numbers: equal opening dice are rolled again",
                Reason.OPENING_DOUBLE,
            )
