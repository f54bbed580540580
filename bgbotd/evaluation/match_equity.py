"""Match equity: the chance of winning the match at a score, and what follows from it.

The table is Kazaross-XG2 (Neil Kazaross with eXtreme Gammon 2, 2011), the standard one since; it
covers up to 25 points a side. Its values before the Crawford game take in that game; a match
without the Crawford rule is evaluated with the same values until a side is one point away.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bgbotd.evaluation.engine import Probabilities, ScoreOutOfTable
from bgbotd.rules.match import CrawfordState, CubeOwner

if TYPE_CHECKING:
    from collections.abc import Callable

    from bgbotd.rules.match import MatchState

MOST_POINTS_AWAY = 25
"""What the table covers."""

_POINTS = (2.0, 1.0, 1.0, -1.0, -1.0)
"""What each of the five chances adds to cubeless equity in points."""
_EACH_CHANCE = tuple(tuple(float(row == column) for column in range(5)) for row in range(5))


@dataclass(frozen=True, slots=True)
class MatchEquityTable:
    """Chances of winning the match, seen by the side named first."""

    before_crawford: tuple[tuple[float, ...], ...]
    """[own points away - 1][opponent's points away - 1], the Crawford game not played yet."""
    after_crawford: tuple[float, ...]
    """[own points away - 1], the opponent one point away and the Crawford game played."""

    @classmethod
    def read(cls, chance: Callable[[int, int, bool], float]) -> MatchEquityTable:
        """Take every value from `chance(own away, opponent's away, Crawford game played)`."""
        aways = range(1, MOST_POINTS_AWAY + 1)
        return cls(
            tuple(tuple(chance(own, other, False) for other in aways) for own in aways),  # noqa: FBT003 - the engine's order
            tuple(chance(own, 1, True) for own in aways),  # noqa: FBT003 - the engine's order
        )

    def chance(self, away: int, opponent_away: int, *, crawford_played: bool = False) -> float:
        """Give the chance of winning the match at a score, the next game about to begin."""
        if away <= 0:
            return 1.0
        if opponent_away <= 0:
            return 0.0
        if crawford_played and opponent_away == 1:
            return self.after_crawford[away - 1]
        if crawford_played and away == 1:
            return 1.0 - self.after_crawford[opponent_away - 1]
        return self.before_crawford[away - 1][opponent_away - 1]

    def after_game(self, match: MatchState, points: int) -> float:
        """Give the chance after the player wins `points` of this game (negative: the opponent does)."""
        won, lost = max(points, 0), max(-points, 0)
        crawford_played = match.is_one_away and match.crawford is not CrawfordState.NOT_REACHED
        return self.chance(match.player_away - won, match.opponent_away - lost, crawford_played=crawford_played)

    def chance_of_equity(self, match: MatchState, equity: float) -> float:
        """Turn a normalised equity into the chance of winning the match; single precision may overshoot 0 and 1."""
        won, lost = self.after_game(match, match.cube.value), self.after_game(match, -match.cube.value)
        return min(1.0, max(0.0, lost + (won - lost) * (equity + 1.0) / 2.0))

    def equity_of_chance(self, match: MatchState, chance: float) -> float:
        """Turn a chance of winning the match into normalised equity at the current cube."""
        won, lost = self.after_game(match, match.cube.value), self.after_game(match, -match.cube.value)
        return 2.0 * (chance - lost) / (won - lost) - 1.0

    def cubeless_chance(self, match: MatchState, probabilities: Probabilities, cube_value: int) -> float:
        """Give the chance of winning the match if the game is played out with the cube at `cube_value`."""
        shares = _shares(probabilities)
        return sum(share * self.after_game(match, points * cube_value) for points, share in shares)


def require_covered(match: MatchState) -> None:
    """Raise ScoreOutOfTable if a side needs more points than the table covers."""
    if not match.is_money and max(match.player_away, match.opponent_away) > MOST_POINTS_AWAY:
        msg = (
            f"{match.player_away} and {match.opponent_away} points away; "
            f"the match equity table covers up to {MOST_POINTS_AWAY}"
        )
        raise ScoreOutOfTable(msg)


def dead_cube_equity(table: MatchEquityTable, match: MatchState, probabilities: Probabilities) -> float:
    """Give the equity when the cube is never turned again: normalised in a match, Jacoby heeded."""
    if not match.is_money:
        chance = table.cubeless_chance(match, probabilities, match.cube.value)
        return table.equity_of_chance(match, chance)
    if match.gammons_count:
        return probabilities.cubeless_equity
    return 2.0 * probabilities.win - 1.0


def dead_cube_error(table: MatchEquityTable, match: MatchState, errors: Probabilities, cubeless_error: float) -> float:
    """Give the standard error of `dead_cube_equity` from those of the chances and of the cubeless equity.

    The chances hang together, which the cubeless error knows; it is scaled by how much more or less
    they weigh at the score.
    """
    nothing = dead_cube_equity(table, match, Probabilities(0.0))
    weights = [dead_cube_equity(table, match, Probabilities(*chance)) - nothing for chance in _EACH_CHANCE]
    spread, points_spread = (
        math.hypot(*(weight * error for weight, error in zip(weighing, errors.as_tuple(), strict=True)))
        for weighing in (weights, _POINTS)
    )
    return cubeless_error * spread / points_spread if points_spread else 0.0


def cubeless_equity(table: MatchEquityTable, match: MatchState, probabilities: Probabilities) -> float:
    """Give the equity without a cube: normalised in a match; gammons count even under Jacoby."""
    return probabilities.cubeless_equity if match.is_money else dead_cube_equity(table, match, probabilities)


def take_point(table: MatchEquityTable, match: MatchState, probabilities: Probabilities) -> float | None:
    """Give the winning chance at which the opponent can just take a double now, the opponent's view.

    Cubeless: the cube is not turned again. The gammon rates are those of `probabilities`: of the
    games each side wins, the shares it wins as gammons and backgammons. None where the opponent
    owns the cube or doubling is forbidden by the Crawford game or the cube's limit.
    """
    cube = match.cube
    crawford = match.crawford is CrawfordState.CRAWFORD_GAME
    if crawford or cube.owner is CubeOwner.OPPONENT or 2 * cube.value > match.cube_limit:
        return None
    wins, losses = _conditional(probabilities)
    if match.is_money:
        # Per unit of the cube before the double, the opponent's view: passing is worth -1.
        passed, won, lost = -1.0, -2.0 * losses.cubeless_equity, -2.0 * wins.cubeless_equity
    else:
        passed = 1.0 - table.after_game(match, cube.value)
        won = 1.0 - table.cubeless_chance(match, losses, 2 * cube.value)
        lost = 1.0 - table.cubeless_chance(match, wins, 2 * cube.value)
    return min(1.0, max(0.0, (passed - lost) / (won - lost)))


def _conditional(probabilities: Probabilities) -> tuple[Probabilities, Probabilities]:
    """Give the chances of a game the player has won, and of one the player has lost."""
    win = probabilities.win
    lose = 1.0 - win
    wins = Probabilities(
        1.0,
        probabilities.win_gammon / win if win else 0.0,
        probabilities.win_backgammon / win if win else 0.0,
    )
    losses = Probabilities(
        0.0,
        lose_gammon=probabilities.lose_gammon / lose if lose else 0.0,
        lose_backgammon=probabilities.lose_backgammon / lose if lose else 0.0,
    )
    return wins, losses


def _shares(probabilities: Probabilities) -> tuple[tuple[int, float], ...]:
    """Give each result in points of the cube with its chance."""
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = probabilities.as_tuple()
    return (
        (1, win - win_gammon),
        (2, win_gammon - win_backgammon),
        (3, win_backgammon),
        (-1, 1.0 - win - lose_gammon),
        (-2, lose_gammon - lose_backgammon),
        (-3, lose_backgammon),
    )
