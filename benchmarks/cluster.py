"""Rollouts on a cluster of one and two workers beside the same rollout in process.

Scheduler and workers are programs of their own on this machine; each worker has one engine process,
and so has the rollout beside it. All play the same games, in turns. A machine of two cores has
nothing more to show than a second worker.
"""

from __future__ import annotations

import statistics
import time
from contextlib import ExitStack, closing
from importlib.util import find_spec

from benchmarks.results import CannotMeasure, Figure
from bgbotd import logging
from bgbotd.evaluation import ClusterSettings, Evaluator, EvaluatorSettings, RolloutSettings
from bgbotd.rules import STARTING_POSITION, MatchState

SETTINGS = {
    "games cut short after seven plies": RolloutSettings(trials=12 * 36, truncate_after_plies=7, seed=1),
    "games cut short after a ply": RolloutSettings(trials=40 * 36, truncate_after_plies=1, seed=1),
}
"""Chunks of a usual length, 0.4 s, and the shortest there are, which show what the way there and back costs."""
ROUNDS = 3


def measure() -> list[Figure]:
    """Measure games a second, and their ratios to those in process.

    Raises:
        CannotMeasure: without the extra `cluster`.

    """
    if find_spec("distributed") is None:
        raise CannotMeasure("the extra is missing: pip install 'bgbotd[cluster]'")
    from tests.evaluation.clusters import scheduling, working  # noqa: PLC0415 - needs the extra

    logging.configure("error")
    figures = []
    with ExitStack() as opened:
        settings = ClusterSettings(opened.enter_context(scheduling()))
        here = opened.enter_context(closing(Evaluator(EvaluatorSettings(workers=1))))
        for workers in (1, 2):
            opened.enter_context(working(settings))
            with closing(Evaluator(EvaluatorSettings(workers=1, cluster=settings))) as there:
                _await_workers(there, workers)
                for name, rollout in SETTINGS.items():
                    pairs = [(_games_a_second(there, rollout), _games_a_second(here, rollout)) for _ in range(ROUNDS)]
                    figures.append(_figure(f"Rollout, {name}, cluster workers: {workers}", pairs))
    return figures


def _await_workers(evaluator: Evaluator, count: int) -> None:
    """Wait until the evaluator knows of its workers."""
    while (state := evaluator.state().cluster) is None or state.workers < count:
        time.sleep(0.05)


def _games_a_second(evaluator: Evaluator, settings: RolloutSettings) -> float:
    """Roll out once."""
    began = time.perf_counter()
    done = evaluator.rollout(STARTING_POSITION, MatchState(), settings).result()
    return done.trials_done / (time.perf_counter() - began)


def _figure(name: str, pairs: list[tuple[float, float]]) -> Figure:
    """Put the rounds together."""
    there, here = map(statistics.median, zip(*pairs, strict=True))
    ratio = statistics.median(one / other for one, other in pairs)
    return Figure(name, there, "a second", "in process, one engine", here, ratio)
