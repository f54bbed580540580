"""What every bot offers and answers."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import Enum
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from bgbotd.rules import Dice, Play, Position


class Level(Enum):
    """How strongly a bot plays, the weakest first."""

    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"
    EXPERT = "expert"
    MASTER = "master"
    GRANDMASTER = "grandmaster"


class ValueUnit(Enum):
    """What the value of a candidate counts."""

    MEDIUM_POINTS = "Medium's points: roughly pips ahead; 10,000 for a won game"
    EQUITY = "equity per unit of the current cube, normalised in match play"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A play a bot has considered."""

    play: Play
    """The play."""
    value: float
    """Its value for the player, in the unit of the answer; higher is better."""


@dataclass(frozen=True, slots=True)
class ChosenPlay:
    """A bot's answer to a roll."""

    play: Play
    """The play, one of the legal ones."""
    candidates: tuple[Candidate, ...] = ()
    """The best plays, best first, as many as were asked for and ranked."""
    unit: ValueUnit | None = None
    """Unit of the candidates' values; None where nothing is ranked."""
    seed: int | None = None
    """Seed of the choice, which repeats it; None where nothing was left to chance."""


@dataclass(frozen=True, slots=True)
class Strength:
    """Measured strength against one opponent over cubeless money games with duplicate dice."""

    games: int
    """Number of games."""
    win_rate: float
    """Share of games won, 0 to 1."""
    win_rate_margin: float
    """Half the 95 % interval of `win_rate`."""
    gammon_rate: float
    """Share of games won as gammon or backgammon, 0 to 1."""
    points_per_game: float
    """Points a game from this bot's side: single 1, gammon 2, backgammon 3."""
    points_per_game_margin: float
    """Half the 95 % interval of `points_per_game`."""
    adjusted_points_per_game: float | None = None
    """The same with the luck of the dice taken out, a closer estimate; None where it was not measured."""
    adjusted_points_per_game_margin: float | None = None
    """Half the 95 % interval of `adjusted_points_per_game`."""
    measured_by: str = ""
    """The command that repeats it, and the engines' versions it was measured with."""

    @property
    def best_points_per_game(self) -> tuple[float, float]:
        """Give the closest estimate of points a game, and half its 95 % interval."""
        if self.adjusted_points_per_game is None or self.adjusted_points_per_game_margin is None:
            return self.points_per_game, self.points_per_game_margin
        return self.adjusted_points_per_game, self.adjusted_points_per_game_margin


class Bot(Protocol):
    """A bot that needs no engine: everything it decides takes microseconds."""

    @property
    def level(self) -> Level:
        """Give its level."""

    @property
    def title(self) -> str:
        """Give a name to show."""

    @property
    def description(self) -> str:
        """Say how it decides, in one or two sentences."""

    def choose_play(
        self, position: Position, dice: Dice, *, seed: int | None = None, candidates: int = 0
    ) -> ChosenPlay:
        """Choose a legal play.

        Args:
            position: seen by the side to play, of a game still being played.
            dice: the roll.
            seed: of whatever is left to chance; None draws one.
            candidates: how many ranked plays to give beside the chosen one.

        Raises:
            InvalidState: if the game is over.

        """


@dataclass(frozen=True, slots=True)
class MeasuredLevel:
    """What was measured of one level."""

    strengths: dict[Level, Strength]
    """By the level that was played against."""
    typical_seconds: float | None
    """Median time of a choice of play; None where it was not measured."""

    def against_best_known(self, level: Level) -> tuple[Level, Strength] | None:
        """Give the strength against Hard, against which most is measured, else against the strongest below `level`."""
        below = [Level.HARD, *reversed(list(Level)[: list(Level).index(level)])]
        return next(((each, self.strengths[each]) for each in below if each in self.strengths), None)


@cache
def measured_levels() -> dict[Level, MeasuredLevel]:
    """Read what `make strength` has measured: the one file that the README's table comes from too."""
    text = resources.files("bgbotd.bots").joinpath("strength.json").read_text()
    return {
        Level(name): MeasuredLevel(
            {Level(opponent): Strength(**strength) for opponent, strength in measured["strengths"].items()},
            measured["typical_seconds"],
        )
        for name, measured in json.loads(text)["levels"].items()
    }
