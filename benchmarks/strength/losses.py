"""Equity lost per decision: what each level plays in the same positions, judged by rollouts."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.progress import track

from benchmarks.strength.contestants import CUBELESS, contestant, engine
from bgbotd.bots import Level
from bgbotd.bots.contest import mean_with_margin, rolls
from bgbotd.evaluation import Depth, RolloutSettings
from bgbotd.evaluation.chances import won
from bgbotd.rules import STARTING_POSITION, Dice, Position, legal_plays

if TYPE_CHECKING:
    from multiprocessing.pool import Pool

_ONE_IN = 8
"""Of so many decisions of a game one is taken, so that they come from many games."""
_JUDGE = RolloutSettings(trials=360, truncate_after_plies=7, cubeful=False, depth=Depth.PLY2, seed=1)
"""All plays of a decision are rolled out with the same dice, which takes most of the chance out of
their differences. bgsage's author measured these games to judge better than any level here plays."""
_FEWEST_CHUNKS = 2
_HOPELESS = 3.0
"""A play so many standard errors behind the best is rolled out no further."""


@dataclass(frozen=True, slots=True)
class MeanLoss:
    """What one level loses."""

    mean: float
    """Equity lost per decision, cubeless money."""
    margin: float
    """Half the 95 % interval of `mean`."""
    more_than_next: float | None
    """How much more than the next stronger level loses on the same decisions; None for the strongest."""
    more_than_next_margin: float | None
    """Half the 95 % interval of `more_than_next`: of paired differences, so closer than `margin`."""


def measure(pool: Pool, decisions: int, seed: int) -> dict[Level, MeanLoss]:
    """Measure every level on the same decisions, none of them forced."""
    judged = pool.imap_unordered(_losses, _decisions(decisions, seed))
    losses = list(track(judged, description="mean loss".ljust(24), total=decisions))
    measured = {}
    for place, level in enumerate(Level):
        mean, margin = mean_with_margin([loss[place] for loss in losses])
        more: tuple[float | None, float | None] = (None, None)
        if place + 1 < len(Level):
            more = mean_with_margin([loss[place] - loss[place + 1] for loss in losses])
        measured[level] = MeanLoss(mean, margin, *more)
    return measured


def _decisions(count: int, seed: int) -> list[tuple[Position, Dice]]:
    """Take decisions at random from games that Expert plays against itself."""
    generator, dice_stream = random.Random(f"{seed} decisions"), rolls(seed)
    player, position = contestant(Level.EXPERT.value), STARTING_POSITION
    taken: list[tuple[Position, Dice]] = []
    while len(taken) < count:
        dice = next(dice_stream)
        if len(legal_plays(position, dice)) > 1 and generator.randrange(_ONE_IN) == 0:
            taken.append((position, dice))
        result = player.choose_play(position, dice).play.result
        position = result.mirrored() if result.player.rearmost() else STARTING_POSITION
    return taken


def _losses(decision: tuple[Position, Dice]) -> list[float]:
    """Give what each level loses by its play against the best of their plays."""
    position, dice = decision
    chosen = [contestant(level.value).choose_play(position, dice, seed=1).play.result for level in Level]
    equities = _rolled_out(set(chosen))
    best = max(equities.values())
    return [best - equities[result] for result in chosen]


def _rolled_out(results: set[Position]) -> dict[Position, float]:
    """Roll out plays side by side, with the same dice, as far as they may be the best."""
    if len(results) == 1:
        return dict.fromkeys(results, 0.0)
    chunks: dict[Position, list[tuple[float, float]]] = {result: [] for result in results}
    playing = set(results)
    for index in range(_JUDGE.chunks):
        for result in playing:
            chunks[result].append(_chunk(result, index))
        if index + 1 < _FEWEST_CHUNKS:
            continue
        means = {result: _mean_and_error(chunks[result]) for result in playing}
        best, best_error = max(means.values())
        playing = {
            result
            for result, (mean, error) in means.items()
            if best - mean <= _HOPELESS * math.hypot(error, best_error)
        }
        if len(playing) == 1:
            break
    # A play given up is compared with the best one's games up to there: the same dice.
    leader = max(playing, key=lambda result: _mean_and_error(chunks[result])[0])
    return {
        result: -sum(best - own for (best, _), (own, _) in zip(chunks[leader], games, strict=False)) / len(games)
        for result, games in chunks.items()
    }


def _chunk(result: Position, index: int) -> tuple[float, float]:
    """Give the mean of 36 games after a play, for the side that has played, and its standard error."""
    if not result.player.rearmost():
        return won(result.packed()).cubeless_equity, 0.0
    found = engine().rollout_chunk(result.mirrored(), CUBELESS, _JUDGE, index)
    return -found.probabilities.cubeless_equity, found.cubeless_error


def _mean_and_error(chunks: list[tuple[float, float]]) -> tuple[float, float]:
    """Put chunks together."""
    count = len(chunks)
    return sum(mean for mean, _ in chunks) / count, math.hypot(*(error for _, error in chunks)) / count
