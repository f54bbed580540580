"""Measure evaluations beside bgsage's own calls in the same run.

Positions come from seeded games that Medium plays against itself, with contact and a roll drawn
for each. Evaluations are counted a second over all processors: here each worker makes one at a
time, bgsage uses several threads for one after the other. Rankings of plays are timed one at a
time, as a person waits for them; the figure is the median.
"""

from __future__ import annotations

import argparse
import random
import statistics
from concurrent.futures import wait
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING

from bgsage import BgBotAnalyzer

from bgbotd import kernel
from bgbotd.evaluation import Depth, Evaluator, EvaluatorSettings
from bgbotd.evaluation.sage import SageEngine, bgsage_board
from bgbotd.rules import STARTING_POSITION, Dice, MatchState, Phase, Position

if TYPE_CHECKING:
    from collections.abc import Callable

_MONEY = MatchState()
_CALLS = {Depth.STATIC: 200, Depth.PLY2: 60, Depth.PLY3: 30, Depth.PLY4: 4}
"""Positions measured at each depth."""


def main() -> None:
    """Print one row for each depth and kind of question."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="seed of the games (default: %(default)s)")
    parser.add_argument("--deepest", type=int, default=4, choices=range(1, 5), help="deepest plies (default: 4)")
    arguments = parser.parse_args()
    positions = _positions(max(_CALLS.values()), arguments.seed)
    engine = SageEngine()
    evaluator = Evaluator(EvaluatorSettings(cached_evaluations=0, cached_rankings=0))
    print(f"{'':20}{'evaluations a second':>27}{'times':>8}{'ranking plays, ms':>26}{'times':>8}")
    print(f"{'':20}{'here':>14}{'bgsage':>13}{'bgsage':>8}{'here':>13}{'bgsage':>13}{'bgsage':>8}")
    for depth, calls in _CALLS.items():
        if depth <= arguments.deepest:
            _measure(evaluator, depth, positions[:calls])
    _measure_chances(engine, [position for position, _ in positions])
    evaluator.close()


def _measure(evaluator: Evaluator, depth: Depth, positions: list[tuple[Position, Dice]]) -> None:
    """Measure one depth and print its row."""
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
    own_ranking = _median([partial(rank_with_bgsage, *at) for at in boards])
    print(
        f"{depth.name:20}{here:14,.1f}{bgsage:13,.1f}{here / bgsage:8.2f}"
        f"{ranking:13.2f}{own_ranking:13.2f}{ranking / own_ranking:8.2f}"
    )


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


def _measure_chances(engine: SageEngine, positions: list[Position]) -> None:
    """Print how many static chances a second one thread finds."""
    seconds = _seconds(lambda: engine.probabilities(positions * 50))
    print(f"static chances in one thread: {len(positions) * 50 / seconds:,.0f} a second")


if __name__ == "__main__":
    main()
