"""Contests between bots: cubeless money games with duplicate dice, and what they say about strength."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from bgbotd.bots.bot import Strength
from bgbotd.rules import STARTING_POSITION, Dice, Finish, finish

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from bgbotd.bots.bot import ChosenPlay
    from bgbotd.rules import Position

    Luck = Callable[[Position, Dice], float]

CONFIDENCE = 1.959964
"""Standard errors on each side of a mean that make a 95 % interval."""


class Contestant(Protocol):
    """Whoever chooses plays."""

    def choose_play(self, position: Position, dice: Dice, *, seed: int | None = None) -> ChosenPlay:
        """Choose a legal play."""


@dataclass(frozen=True, slots=True)
class GameScore:
    """How one game ended, from the first contestant's side."""

    points: int
    """Points won (positive) or lost (negative): single 1, gammon 2, backgammon 3."""
    luck: float | None = None
    """Points that the rolls after the first have brought, 0 on average; None where it was not measured."""

    @property
    def won(self) -> bool:
        """Tell whether the first contestant has won."""
        return self.points > 0

    @property
    def adjusted(self) -> float:
        """Give the points with the luck of the dice taken out: the same on average, with less chance in it."""
        return self.points - (self.luck or 0.0)

    def turned(self) -> GameScore:
        """Give the same game from the second contestant's side."""
        return GameScore(-self.points, None if self.luck is None else -self.luck)


def rolls(seed: int) -> Iterator[Dice]:
    """Throw dice without end, the same for the same seed."""
    generator = random.Random(seed)  # noqa: S311 - a contest is repeated from its seed
    while True:
        yield Dice(generator.randint(1, 6), generator.randint(1, 6))


def play_game(first: Contestant, second: Contestant, seed: int, luck: Luck | None = None) -> GameScore:
    """Play one game from the opening roll: `die1` is the first contestant's opening die.

    Each choice that leaves something to chance gets a seed of its own from a separate generator.
    `luck` tells what a roll has brought to the side that rolls, in points. The opening roll's is left
    out: it goes to both contestants in turn.
    """
    tastes = random.Random(f"{seed} taste")  # noqa: S311 - see rolls
    dice_stream = rolls(seed)
    dice = next(roll for roll in dice_stream if not roll.is_double)
    mover, other, sign = (first, second, 1) if dice.die1 > dice.die2 else (second, first, -1)
    position, lucks = STARTING_POSITION, [0.0]
    while True:
        result = mover.choose_play(position, dice, seed=tastes.getrandbits(63)).play.result
        if not result.player.rearmost():
            return GameScore(sign * finish(result.opponent).value, math.fsum(lucks) if luck else None)
        position, mover, other, sign = result.mirrored(), other, mover, -sign
        dice = next(dice_stream)
        if luck:
            lucks.append(sign * luck(position, dice))


def duplicate_games(
    first: Contestant, second: Contestant, seed: int, luck: Luck | None = None
) -> tuple[GameScore, GameScore]:
    """Play two games with the same dice and the seats changed; both scores are the first contestant's."""
    return play_game(first, second, seed, luck), play_game(second, first, seed, luck).turned()


def strength(pairs: Iterable[tuple[GameScore, GameScore]], measured_by: str = "") -> Strength:
    """Sum up pairs of duplicate games; a pair is the unit of chance, since its games share their dice."""
    scored = list(pairs)
    games = [game for pair in scored for game in pair]
    win_rate, win_rate_margin = mean_with_margin([sum(game.won for game in pair) / 2 for pair in scored])
    points, points_margin = mean_with_margin([sum(game.points for game in pair) / 2 for pair in scored])
    adjusted = adjusted_margin = None
    if all(game.luck is not None for game in games):
        adjusted, adjusted_margin = mean_with_margin([sum(game.adjusted for game in pair) / 2 for pair in scored])
    return Strength(
        games=len(games),
        win_rate=win_rate,
        win_rate_margin=win_rate_margin,
        gammon_rate=sum(game.points >= Finish.GAMMON.value for game in games) / len(games),
        points_per_game=points,
        points_per_game_margin=points_margin,
        adjusted_points_per_game=adjusted,
        adjusted_points_per_game_margin=adjusted_margin,
        measured_by=measured_by,
    )


def mean_with_margin(values: Sequence[float]) -> tuple[float, float]:
    """Give the mean of independent values, and half its 95 % interval."""
    mean = math.fsum(values) / len(values)
    variance = math.fsum((value - mean) ** 2 for value in values) / max(1, len(values) - 1)
    return mean, CONFIDENCE * math.sqrt(variance / len(values))
