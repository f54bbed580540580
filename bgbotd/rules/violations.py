"""What can be wrong with a request to the rules, and the exceptions that say so.

The tree of exceptions::

    RulesError (ValueError)
    +-- InvalidState        a position, dice, cube or match state that cannot exist
    +-- InvalidNotation     an ID or a play that cannot be read
    +-- AmbiguousNotation   a play that can be read in two ways with different results
    +-- IllegalPlay         a play that can be read and breaks a rule
    +-- IllegalCubeAction   a cube action that is not allowed now

Every one carries all its violations at once, each with the path of its field.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Iterable


class Reason(StrEnum):
    """Stable names of everything the rules refuse; the contract's `ErrorReason` has the same names."""

    # Positions
    COUNT_OUT_OF_RANGE = "COUNT_OUT_OF_RANGE"
    POINT_LIST_LENGTH = "POINT_LIST_LENGTH"
    CHECKER_COUNT = "CHECKER_COUNT"
    POINT_HELD_BY_BOTH = "POINT_HELD_BY_BOTH"
    BOTH_SIDES_BORNE_OFF = "BOTH_SIDES_BORNE_OFF"
    GAME_OVER = "GAME_OVER"
    # Dice
    DIE_OUT_OF_RANGE = "DIE_OUT_OF_RANGE"
    OPENING_DOUBLE = "OPENING_DOUBLE"
    # Match and cube
    MATCH_LENGTH_OUT_OF_RANGE = "MATCH_LENGTH_OUT_OF_RANGE"
    SCORE_OUT_OF_RANGE = "SCORE_OUT_OF_RANGE"
    JACOBY_IN_MATCH = "JACOBY_IN_MATCH"
    BEAVERS_IN_MATCH = "BEAVERS_IN_MATCH"
    CRAWFORD_UNSPECIFIED = "CRAWFORD_UNSPECIFIED"
    CRAWFORD_CONTRADICTS_SCORE = "CRAWFORD_CONTRADICTS_SCORE"
    CUBE_VALUE = "CUBE_VALUE"
    CUBE_OWNER = "CUBE_OWNER"
    CUBE_LIMIT = "CUBE_LIMIT"
    CUBE_TURNED_IN_CRAWFORD_GAME = "CUBE_TURNED_IN_CRAWFORD_GAME"
    # Notations and IDs
    ID_LENGTH = "ID_LENGTH"
    ID_ALPHABET = "ID_ALPHABET"
    ID_MALFORMED = "ID_MALFORMED"
    NOTATION_MALFORMED = "NOTATION_MALFORMED"
    NOTATION_AMBIGUOUS = "NOTATION_AMBIGUOUS"
    CONTRADICTION = "CONTRADICTION"
    # Plays
    NO_CHECKER_THERE = "NO_CHECKER_THERE"
    BAR_FIRST = "BAR_FIRST"
    POINT_BLOCKED = "POINT_BLOCKED"
    DIE_NOT_AVAILABLE = "DIE_NOT_AVAILABLE"
    BEARING_OFF_TOO_EARLY = "BEARING_OFF_TOO_EARLY"
    HIGHER_CHECKER_FIRST = "HIGHER_CHECKER_FIRST"
    MORE_DICE_CAN_BE_PLAYED = "MORE_DICE_CAN_BE_PLAYED"
    LARGER_DIE_MUST_BE_PLAYED = "LARGER_DIE_MUST_BE_PLAYED"
    # Cube actions and flow
    OPENING_TURN = "OPENING_TURN"
    CRAWFORD_GAME = "CRAWFORD_GAME"
    CUBE_OWNED_BY_OPPONENT = "CUBE_OWNED_BY_OPPONENT"
    CUBE_AT_LIMIT = "CUBE_AT_LIMIT"
    BEAVERS_NOT_AGREED = "BEAVERS_NOT_AGREED"
    RACCOON = "RACCOON"
    ACTION_NOT_FOR_DECISION = "ACTION_NOT_FOR_DECISION"
    MATCH_OVER = "MATCH_OVER"
    AUTOMATIC_DOUBLES_IN_MATCH = "AUTOMATIC_DOUBLES_IN_MATCH"
    AUTOMATIC_DOUBLES_OUT_OF_RANGE = "AUTOMATIC_DOUBLES_OUT_OF_RANGE"
    TIE_NOT_EQUAL = "TIE_NOT_EQUAL"


@dataclass(frozen=True, slots=True)
class Violation:
    """One thing that is wrong, said so that a person can mend it."""

    field: str
    """Path of the field within the value, such as `player.points[5]`; `""` is the value itself."""
    problem: str
    """What was found there, with its value."""
    allowed: str
    """What would have been right."""
    reason: Reason
    """The stable name of the rule."""

    def under(self, prefix: str) -> Violation:
        """Give the same violation seen from a value that holds this one at `prefix`."""
        return replace(self, field=join_path(prefix, self.field))

    def __str__(self) -> str:
        """Say it in one line."""
        return f"{self.field or 'value'}: {self.problem}; allowed: {self.allowed}"


def join_path(prefix: str, field: str) -> str:
    """Join two field paths, either of which may be empty."""
    if not prefix or not field or field.startswith("["):
        return prefix + field
    return f"{prefix}.{field}"


class RulesError(ValueError):
    """Something the rules refuse; `violations` lists every problem, never only the first."""

    def __init__(self, violations: Iterable[Violation]) -> None:
        """Hold `violations`, of which there is at least one."""
        self.violations = tuple(violations)
        super().__init__("; ".join(map(str, self.violations)))

    @classmethod
    def of(cls, field: str, problem: str, allowed: str, reason: Reason) -> Self:
        """Make the error for a single violation."""
        return cls([Violation(field, problem, allowed, reason)])

    def under(self, prefix: str) -> Self:
        """Give the same error with every path beginning at `prefix`."""
        return type(self)(violation.under(prefix) for violation in self.violations)


class InvalidState(RulesError):
    """A position, dice, cube or match state that cannot exist."""


class InvalidNotation(RulesError):
    """An ID or a play in notation that cannot be read."""


class AmbiguousNotation(RulesError):
    """A play in notation that fits legal plays with different results."""


class IllegalPlay(RulesError):
    """A play or step that breaks a rule; the reason says which."""


class IllegalCubeAction(RulesError):
    """A cube action that is not allowed now; the reason says why."""
