"""Evaluations in process beside bgsage's own calls in the same run.

Positions come from seeded games that Medium plays against itself, with contact and a roll drawn
for each. Evaluations are counted a second over all processors: here each worker makes one at a
time, bgsage uses several threads for one after the other. Rankings of plays are timed one at a
time, as a person waits for them; the figure is the median.
"""

from __future__ import annotations

import random
import statistics
from concurrent.futures import wait
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING

from bgsage import BgBotAnalyzer

from benchmarks.results import Figure
from bgbotd import kernel
from bgbotd.evaluation import Depth, Evaluator, EvaluatorSettings
from bgbotd.evaluation.sage import SageEngine, bgsage_board
from bgbotd.rules import STARTING_POSITION, Dice, MatchState, Phase, Position

if TYPE_CHECKING:
    from collections.abc import Callable

_MONEY = MatchState()
_CALLS = {Depth.STATIC: 200, Depth.PLY2: 60, Depth.PLY3: 30, Depth.PLY4: 4}
"""Positions measured at each depth."""


def measure(deepest: int = 4, seed: int = 1) -> list[Figure]:
    """Measure both kinds of question at each depth."""
    positions = _positions(max(_CALLS.values()), seed)
    evaluator = Evaluator(EvaluatorSettings(cached_evaluations=0, cached_rankings=0))
    figures = []
    for depth, calls in _CALLS.items():
        if depth <= deepest:
            figures += _measure(evaluator, depth, positions[:calls])
    evaluator.close()
    alone = [position for position, _ in positions] * 50
    engine = SageEngine()
    seconds = _seconds(lambda: engine.probabilities(alone))
    return [*figures, Figure("static chances in one thread", len(alone) / seconds, "a second")]


def _measure(evaluator: Evaluator, depth: Depth, positions: list[tuple[Position, Dice]]) -> list[Figure]:
    """Measure one depth."""
    own = BgBotAnalyzer(eval_level=f"{int(depth)}ply")
    boards = [(bgsage_board(position.packed()), dice) for position, dice in positions]

    def evaluate_all() -> None:
        wait([evaluator.evaluate(position, _MONEY, depth) for position, _ in positions])

    def evaluate_all_with_bgsage() -> None:
        for board, _ in boards:
            own.cube_action(board, jacoby=False, beaver=False)

    def rank_with_bgsage(board: list[int], dice: Dice) -> None:
        own.checker_play(board, dice.die1, dice.die2, jacoby=False, beaver=False)

    evaluator.evaluate(positions[-1][0], MatchState(5), depth).result()
    here, bgsage = (len(positions) / _seconds(every) for every in (evaluate_all, evaluate_all_with_bgsage))
    ranking = _median([partial(_rank, evaluator, *at, depth) for at in positions])
    theirs = _median([partial(rank_with_bgsage, *at) for at in boards])
    return [
        Figure(f"evaluating at {depth.name}, all processors", here, "a second", "bgsage", bgsage, here / bgsage),
        Figure(f"ranking the plays of a roll at {depth.name}", ranking, "ms", "bgsage", theirs, ranking / theirs),
    ]


def _positions(count: int, seed: int) -> list[tuple[Position, Dice]]:
    """Take positions with contact from games, each with a roll to play."""
    dice = random.Random(seed)
    taken: list[tuple[Position, Dice]] = []
    while len(taken) < count:
        position = STARTING_POSITION
        for _ in range(30):
            roll = Dice(dice.randint(1, 6), dice.randint(1, 6))
            taken.append((position, roll))
            result = kernel.choose_medium(position.packed(), roll.die1, roll.die2)[0]
            position = Position.unpacked(result).mirrored()
            if position.phase() is not Phase.CONTACT:
                break
    dice.shuffle(taken)
    return taken[:count]


def _rank(evaluator: Evaluator, position: Position, dice: Dice, depth: Depth) -> None:
    """Rank plays and wait for them."""
    evaluator.rank_plays(position, dice, _MONEY, depth).result()


def _seconds(call: Callable[[], object]) -> float:
    """Measure one call."""
    begin = perf_counter()
    call()
    return perf_counter() - begin


def _median(calls: list[Callable[[], object]]) -> float:
    """Measure the median of calls in milliseconds."""
    return statistics.median(map(_seconds, calls)) * 1e3
