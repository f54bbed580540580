"""Who decides: bots at levels of measured strength.

Easy, Medium and Hard are exactly those of the rules document and need nothing but the kernel; the
levels above ask an evaluation engine.
"""

from bgbotd.bots.bot import Bot, Candidate, ChosenPlay, Level, Strength, ValueUnit
from bgbotd.bots.levels import EASY, HARD, KERNEL_BOTS, MEDIUM

__all__ = [
    "EASY",
    "HARD",
    "KERNEL_BOTS",
    "MEDIUM",
    "Bot",
    "Candidate",
    "ChosenPlay",
    "Level",
    "Strength",
    "ValueUnit",
]
