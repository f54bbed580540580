"""The rules of backgammon and the three levels a second time, in plain Python.

Written for being read, not for speed, and from the rules alone: the tests hold
the product against it. Nothing here imports the product, and the product never
imports this package.
"""

from tests.oracle.levels import easy_chances, medium_value, rank_hard, rank_medium
from tests.oracle.plays import (
    BLOCKED,
    BOTH_DICE_FORCED,
    DANCE,
    FREE,
    LARGER_DIE_FORCED,
    PARTIAL,
    Play,
    Step,
    Turn,
    apply_step,
    legal_plays,
    legal_steps,
    open_steps,
)
from tests.oracle.positions import BAR, CHECKERS, OFF, OPENING, Position, Side

__all__ = [
    "BAR",
    "BLOCKED",
    "BOTH_DICE_FORCED",
    "CHECKERS",
    "DANCE",
    "FREE",
    "LARGER_DIE_FORCED",
    "OFF",
    "OPENING",
    "PARTIAL",
    "Play",
    "Position",
    "Side",
    "Step",
    "Turn",
    "apply_step",
    "easy_chances",
    "legal_plays",
    "legal_steps",
    "medium_value",
    "open_steps",
    "rank_hard",
    "rank_medium",
]
