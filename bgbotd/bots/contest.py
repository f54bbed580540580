"""Contests between bots: cubeless money games with duplicate dice, and what they say about strength."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from bgbotd.bots.bot import Level, Strength
from bgbotd.rules import STARTING_POSITION, Dice, Finish, finish

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from bgbotd.bots.bot import ChosenPlay
    from bgbotd.rules import Position

CONFIDENCE = 1.959964
"""Standard errors on each side of a mean that make a 95 % interval."""


class Contestant(Protocol):
    """Whoever chooses plays."""

    @property
    def level(self) -> Level:
        """Give its level."""

    def choose_play(self, position: Position, dice: Dice, *, seed: int | None = None) -> ChosenPlay:
        """Choose a legal play."""


@dataclass(frozen=True, slots=True)
class GameScore:
    """How one game ended, from the first contestant's side."""

    points: int
    """Points won (positive) or lost (negative): single 1, gammon 2, backgammon 3."""

    @property
    def won(self) -> bool:
        """Tell whether the first contestant has won."""
        return self.points > 0


def rolls(seed: int) -> Iterator[Dice]:
    """Throw dice without end, the same for the same seed."""
    generator = random.Random(seed)  # noqa: S311 - a contest is repeated from its seed
    while True:
        yield Dice(generator.randint(1, 6), generator.randint(1, 6))


def play_game(first: Contestant, second: Contestant, seed: int) -> GameScore:
    """Play one game from the opening roll: `die1` is the first contestant's opening die.

    Each choice that leaves something to chance gets a seed of its own from a separate generator.
    """
    tastes = random.Random(f"{seed} taste")  # noqa: S311 - see rolls
    dice_stream = rolls(seed)
    dice = next(roll for roll in dice_stream if not roll.is_double)
    mover, other, sign = (first, second, 1) if dice.die1 > dice.die2 else (second, first, -1)
    position = STARTING_POSITION
    while True:
        result = mover.choose_play(position, dice, seed=tastes.getrandbits(63)).play.result
        if not result.player.rearmost():
            return GameScore(sign * finish(result.opponent).value)
        position, mover, other, sign = result.mirrored(), other, mover, -sign
        dice = next(dice_stream)


def duplicate_games(first: Contestant, second: Contestant, seed: int) -> tuple[GameScore, GameScore]:
    """Play two games with the same dice and the seats changed; both scores are the first contestant's."""
    swapped = play_game(second, first, seed)
    return play_game(first, second, seed), GameScore(-swapped.points)


def strength(opponent: Level, pairs: Iterable[tuple[GameScore, GameScore]]) -> Strength:
    """Sum up pairs of duplicate games; a pair is the unit of chance, since its games share their dice."""
    scored = list(pairs)
    wins = [sum(game.won for game in pair) / len(pair) for pair in scored]
    points = [sum(game.points for game in pair) / len(pair) for pair in scored]
    games = [game for pair in scored for game in pair]
    return Strength(
        opponent=opponent,
        games=len(games),
        win_rate=_mean(wins),
        win_rate_margin=_margin(wins),
        gammon_rate=sum(game.points >= Finish.GAMMON.value for game in games) / len(games),
        points_per_game=_mean(points),
        points_per_game_margin=_margin(points),
    )


def _mean(values: list[float]) -> float:
    """Give the mean."""
    return math.fsum(values) / len(values)


def _margin(values: list[float]) -> float:
    """Give half the 95 % interval of the mean."""
    mean = _mean(values)
    variance = math.fsum((value - mean) ** 2 for value in values) / max(1, len(values) - 1)
    return CONFIDENCE * math.sqrt(variance / len(values))
