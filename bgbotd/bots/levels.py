"""Easy, Medium and Hard (rules.md section 5)."""

from __future__ import annotations

import random
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bgbotd import kernel
from bgbotd.bots.bot import Bot, Candidate, ChosenPlay, Level, ValueUnit
from bgbotd.rules import Play, Step, find_play

if TYPE_CHECKING:
    from collections.abc import Callable

    from bgbotd.rules import Dice, Position

_SEED_BITS = 63
"""Seeds drawn here are positive in the contract's int64."""
_MEDIUM_SCALE = 36
"""The kernel counts Medium's points in 36ths, so that equal is equal."""
_HARD_SCALE = 36 * 36
"""Averages over 36 rolls of values in 36ths."""


@dataclass(frozen=True, slots=True)
class Easy:
    """Plays one die at a time, each step drawn evenly from those that begin a legal play."""

    level = Level.EASY
    title = "Easy"
    description = "Plays one die at a time: any legal step, drawn evenly at random."

    def choose_play(
        self, position: Position, dice: Dice, *, seed: int | None = None, candidates: int = 0
    ) -> ChosenPlay:
        """Choose at random; nothing is ranked, so `candidates` changes nothing."""
        del candidates
        position.refuse_finished()
        seed = secrets.randbits(_SEED_BITS) if seed is None else seed
        generator = random.Random(seed)  # noqa: S311 - a bot's taste, not dice: repeatable from its seed
        current, remaining = position.packed(), bytes(dice.moves())
        steps: list[Step] = []
        while remaining and (offered := kernel.legal_steps(current, remaining)):
            at = 4 * generator.randrange(len(offered) // 4)
            source, destination, die, hit = offered[at : at + 4]
            steps.append(Step(source, destination, die, bool(hit)))
            current = kernel.apply_step(current, source, die)
            spent = remaining.index(die)
            remaining = remaining[:spent] + remaining[spent + 1 :]
        return ChosenPlay(find_play(position, dice, steps), seed=seed)


@dataclass(frozen=True, slots=True)
class Ranking:
    """A bot that ranks plays by a value of the kernel and takes the best."""

    level: Level
    title: str
    description: str
    choose: Callable[[bytes, int, int], tuple[bytes, bytes, int]]
    """Gives the best play: result, steps and scaled value."""
    rank: Callable[[bytes, int, int], tuple[bytes, bytes, list[int]]]
    """Gives the ranked plays, best first: results, steps and scaled values."""
    scale: int
    """What the kernel's integer values are to be divided by."""

    def choose_play(
        self, position: Position, dice: Dice, *, seed: int | None = None, candidates: int = 0
    ) -> ChosenPlay:
        """Choose the best play; no chance is involved, so `seed` changes nothing."""
        del seed
        position.refuse_finished()
        packed = position.packed()
        if not candidates:
            result, steps, _ = self.choose(packed, dice.die1, dice.die2)
            return ChosenPlay(Play.unpacked(steps, result))
        results, all_steps, values = self.rank(packed, dice.die1, dice.die2)
        ranked = tuple(
            Candidate(
                Play.unpacked(all_steps[16 * i : 16 * i + 16], results[52 * i : 52 * i + 52]),
                value / self.scale,
            )
            for i, value in enumerate(values[:candidates])
        )
        return ChosenPlay(ranked[0].play, ranked, ValueUnit.MEDIUM_POINTS)


EASY = Easy()
MEDIUM = Ranking(
    level=Level.MEDIUM,
    title="Medium",
    description="Values every legal play where it ends, by pips, points made, primes, blots and the bar.",
    choose=kernel.choose_medium,
    rank=kernel.rank_medium,
    scale=_MEDIUM_SCALE,
)
HARD = Ranking(
    level=Level.HARD,
    title="Hard",
    description="Judges Medium's six best plays after the opponent's best reply to each of the 21 rolls.",
    choose=kernel.choose_hard,
    rank=kernel.rank_hard,
    scale=_HARD_SCALE,
)

KERNEL_BOTS: dict[Level, Bot] = {bot.level: bot for bot in (EASY, MEDIUM, HARD)}
"""The levels that always play: they need nothing but the kernel."""
