"""Whoever plays here, by name: the levels, exactly as the daemon plays them, and gnubg."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from benchmarks.strength.gnubg import Gnubg
from bgbotd.bots import KERNEL_BOTS, ChosenPlay, Level
from bgbotd.bots.engine_levels import ENGINE_LEVELS
from bgbotd.evaluation import Depth
from bgbotd.evaluation.bearoff import BearoffTable
from bgbotd.evaluation.sage import SageEngine
from bgbotd.rules import Dice, LegalPlays, MatchState, Position, legal_plays

if TYPE_CHECKING:
    from bgbotd.bots.contest import Contestant
    from bgbotd.evaluation import RankedPlay

CUBELESS = MatchState(cube_limit=1)
"""Money play with a cube nobody may turn, so that the cubeful equity the levels go by is the cubeless one."""
GNUBG_NAMES = {"gnubg-0ply": 0, "gnubg-2ply": 2}
"""gnubg by the plies it looks ahead, as it counts them."""
_ROLLS = [(Dice(high, low), 1 if high == low else 2) for high in range(1, 7) for low in range(1, high + 1)]
"""The 21 rolls with their weights, of 36."""


@dataclass(frozen=True, slots=True)
class EngineContestant:
    """A level above Hard; asks the engine in this very process, which no server could afford."""

    depth: Depth

    def choose_play(self, position: Position, dice: Dice, *, seed: int | None = None) -> ChosenPlay:
        """Choose the play with the highest equity; of equals the first in canonical order."""
        del seed
        legal = legal_plays(position, dice)
        return ChosenPlay(legal[ranked(legal, self.depth)[0].index])


@cache
def contestant(name: str) -> Contestant:
    """Give a contestant by its name; each process has its own.

    Raises:
        GnubgMissing: if it is gnubg, and that is not installed.

    """
    if name in GNUBG_NAMES:
        return Gnubg(GNUBG_NAMES[name])
    level = Level(name)
    return KERNEL_BOTS[level] if level in KERNEL_BOTS else EngineContestant(ENGINE_LEVELS[level].depth)


def needs_engine(*names: str) -> bool:
    """Tell whether any of these contestants is not of the kernel; then the luck is measured, by the engine too."""
    return not {level.value for level in KERNEL_BOTS}.issuperset(names)


def luck(position: Position, dice: Dice) -> float:
    """Give the points that a roll has brought: the best play's static equity, less its mean over all rolls."""
    by_roll = _best_equities(position)
    mean = sum(by_roll[roll] * weight for roll, weight in _ROLLS) / 36
    return by_roll[Dice(max(dice.die1, dice.die2), min(dice.die1, dice.die2))] - mean


def ranked(legal: LegalPlays, depth: Depth) -> list[RankedPlay]:
    """Rank plays as `Evaluator.rank_plays` does: exactly where the bear-off table can, else by the engine."""
    results = [legal.packed_result(index) for index in range(len(legal))]
    return _bearoff().rank_plays(results, CUBELESS) or engine().rank_plays(results, CUBELESS, depth)


@cache
def engine() -> SageEngine:
    """Load the engine."""
    return SageEngine()


@cache
def _bearoff() -> BearoffTable:
    """Open the bear-off table."""
    return BearoffTable.open()


@lru_cache(maxsize=256)
def _best_equities(position: Position) -> dict[Dice, float]:
    """Give the best play's static equity after each roll; duplicate games share positions."""
    return {roll: ranked(legal_plays(position, roll), Depth.STATIC)[0].equity for roll, _ in _ROLLS}
