"""One door to everything that evaluates."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import TYPE_CHECKING

import pytest

from bgbotd.evaluation import (
    Depth,
    EngineBusy,
    Evaluation,
    EvaluationCancelled,
    Evaluator,
    EvaluatorSettings,
    RankedPlay,
    RolloutProgress,
    RolloutSettings,
    ScoreOutOfTable,
    Source,
)
from bgbotd.rules.dice import Dice
from bgbotd.rules.match import CrawfordState, Cube, CubeOwner, MatchState
from bgbotd.rules.position import STARTING_POSITION, Position, Side
from bgbotd.rules.violations import InvalidState
from tests.evaluation.states import MONEY, read_position
from tests.reference_cases import read_cases
from tests.rules.boards import MIDDLE_GAME, side

if TYPE_CHECKING:
    from pathlib import Path

_Question = tuple[Position, MatchState, Depth, bool]

_BEAROFF = Position(side({6: 1}), side({1: 1}))
_ENDLESS = RolloutSettings(trials=1_000_000, depth=Depth.PLY3)
_STATES = (
    MONEY,
    MatchState(jacoby=True, beavers=True),
    MatchState(cube=Cube(2, CubeOwner.OPPONENT)),
    MatchState(7, 3, 5),
    MatchState(5, 4, 2, CrawfordState.CRAWFORD_GAME),
    MatchState(5, 2, 4, CrawfordState.POST_CRAWFORD, cube=Cube(2, CubeOwner.PLAYER)),
)


def test_static_values_are_there_at_once(evaluator: Evaluator) -> None:
    """In the thread that asks."""
    evaluation = evaluator.evaluate(STARTING_POSITION, MONEY, Depth.STATIC)
    plays = evaluator.rank_plays(STARTING_POSITION, Dice(3, 1), MONEY, Depth.STATIC)
    assert evaluation.done()
    assert plays.done()
    assert evaluator.evaluate_statically(STARTING_POSITION, MONEY) == evaluation.result()


def test_exact_bearoffs_override_the_engine(evaluator: Evaluator) -> None:
    """At any depth, for positions and for plays."""
    evaluation = evaluator.evaluate(_BEAROFF, MONEY, Depth.PLY4)
    assert evaluation.done()
    assert Source.BEAROFF_TABLE is evaluation.result().source
    [play, *_] = evaluator.rank_plays(_BEAROFF, Dice(2, 1), MONEY, Depth.PLY3).result()
    assert (Source.BEAROFF_TABLE, Depth.PLY3) == (play.source, play.depth)


def test_a_play_that_wins_a_gammon_is_worth_one(evaluator: Evaluator) -> None:
    """Though both of the player's checkers stand where the bear-off table has them."""
    winning = Position(side({1: 2}), side({6: 10, 8: 5}))
    [play] = evaluator.rank_plays(winning, Dice(2, 1), MONEY, Depth.PLY2).result()
    assert (2, 1, 0) == (play.equity, play.probabilities.win_gammon, play.probabilities.win_backgammon)
    [play] = evaluator.rank_plays(winning, Dice(2, 1), MatchState(jacoby=True), Depth.PLY2).result()
    assert play.equity == 1


def test_answers_are_remembered(evaluator: Evaluator) -> None:
    """The second one comes without any work, and a hit is counted."""
    first = evaluator.evaluate(MIDDLE_GAME, MONEY, Depth.PLY2).result()
    ranked = evaluator.rank_plays(MIDDLE_GAME, Dice(4, 2), MONEY, Depth.PLY2).result()
    before = evaluator.state()
    again = evaluator.evaluate(MIDDLE_GAME, MONEY, Depth.PLY2)
    ranked_again = evaluator.rank_plays(MIDDLE_GAME, Dice(4, 2), MONEY, Depth.PLY2)
    assert again.done()
    assert ranked_again.done()
    assert (first, ranked) == (again.result(), ranked_again.result())
    after = evaluator.state()
    assert (1, 1) == (
        after.evaluations.hits - before.evaluations.hits,
        after.rankings.hits - before.rankings.hits,
    )


def test_the_play_asked_for_is_marked(evaluator: Evaluator) -> None:
    """It alone."""
    plays = evaluator.rank_plays(STARTING_POSITION, Dice(3, 1), MONEY, Depth.PLY2, include=5).result()
    assert [5] == [play.index for play in plays if play.included]
    assert [Depth.PLY2] == [play.depth for play in plays if play.included]


def test_a_finished_game_is_refused(evaluator: Evaluator) -> None:
    """There is nothing to evaluate."""
    over = Position(Side((0,) * 24, off=15), side({1: 2}))
    for ask in (
        lambda: evaluator.evaluate(over, MONEY, Depth.STATIC),
        lambda: evaluator.rank_plays(over, Dice(1, 2), MONEY, Depth.STATIC),
        lambda: evaluator.rollout(over, MONEY, RolloutSettings()),
    ):
        with pytest.raises(InvalidState):
            ask()


def test_a_finished_match_is_refused(evaluator: Evaluator) -> None:
    """There is no game to evaluate."""
    with pytest.raises(InvalidState):
        evaluator.evaluate(STARTING_POSITION, MatchState(5, 5, 3), Depth.STATIC)


def test_a_match_beyond_the_table_is_refused(evaluator: Evaluator) -> None:
    """Even where the bear-off table would know the chances."""
    with pytest.raises(ScoreOutOfTable):
        evaluator.evaluate(_BEAROFF, MatchState(26), Depth.STATIC)


def test_a_rollout_is_the_same_again_with_its_seed(evaluator: Evaluator) -> None:
    """And tells its progress after each 36 games."""
    settings = RolloutSettings(trials=108, truncate_after_plies=3, seed=11)
    told: list[RolloutProgress] = []
    first = evaluator.rollout(MIDDLE_GAME, MONEY, settings, told.append).result()
    assert [36, 72, 108] == [state.trials_done for state in told]
    assert first == told[-1]
    assert first == evaluator.rollout(MIDDLE_GAME, MONEY, settings).result()


def test_cancelling_a_rollout_frees_its_worker(evaluator: Evaluator) -> None:
    """It would go on for days."""
    rollout = evaluator.rollout(MIDDLE_GAME, MONEY, _ENDLESS)
    rollout.cancel()
    with pytest.raises(EvaluationCancelled):
        rollout.result()
    short = RolloutSettings(trials=36, truncate_after_plies=3)
    assert evaluator.rollout(MIDDLE_GAME, MONEY, short).result().finished


async def test_cancelling_the_task_that_waits_stops_the_work(evaluator: Evaluator) -> None:
    """As a call whose deadline has passed does in an event loop."""
    rollout = evaluator.rollout(MIDDLE_GAME, MONEY, _ENDLESS)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(asyncio.wrap_future(rollout), timeout=0.01)
    with pytest.raises(EvaluationCancelled):
        await asyncio.to_thread(rollout.result)


def test_quick_answers_come_while_rollouts_run(evaluator: Evaluator) -> None:
    """Of two workers, one is for people waiting."""
    rollouts = [evaluator.rollout(MIDDLE_GAME, MONEY, _ENDLESS) for _ in range(3)]
    assert evaluator.evaluate(STARTING_POSITION, MatchState(5), Depth.PLY2).result().cube.double_pass == 1
    assert not any(rollout.done() for rollout in rollouts)
    for rollout in rollouts:
        rollout.cancel()


def test_a_full_queue_is_said(cache_folder: Path) -> None:
    """One at work, one waiting, and the third is turned away."""
    evaluator = Evaluator(EvaluatorSettings(workers=1, most_waiting=1, cache_folder=cache_folder))
    busy = threading.Event()
    first = RolloutSettings(trials=1_000_000, truncate_after_plies=1)
    evaluator.rollout(MIDDLE_GAME, MONEY, first, lambda _: busy.set())
    busy.wait()
    waiting = evaluator.rollout(MIDDLE_GAME, MONEY, _ENDLESS)
    with pytest.raises(EngineBusy):
        evaluator.evaluate(MIDDLE_GAME, MONEY, Depth.PLY2)
    evaluator.close()
    with pytest.raises(EvaluationCancelled):
        waiting.result()


def test_many_callers_at_once_get_the_answers_one_alone_gets(evaluator: Evaluator, cache_folder: Path) -> None:
    """Mixed positions, states and depths from 32 threads, beside an engine asked one at a time."""
    random = Random(3)
    cases = [read_position(case["position"]) for case in read_cases("gnubg_2ply.jsonl")]
    wanted = [
        (random.choice(cases), random.choice(_STATES), random.choice((Depth.STATIC, Depth.PLY2)), random.random() < 0.5)
        for _ in range(160)
    ]
    dice = Dice(5, 3)

    def ask(evaluator: Evaluator, want: _Question) -> Evaluation | tuple[RankedPlay, ...]:
        position, match, depth, rank = want
        if rank:
            return evaluator.rank_plays(position, dice, match, depth).result()
        return evaluator.evaluate(position, match, depth).result()

    with ThreadPoolExecutor(32) as callers:
        together = list(callers.map(ask, [evaluator] * len(wanted), wanted))
    alone = Evaluator(EvaluatorSettings(workers=1, cached_evaluations=0, cached_rankings=0, cache_folder=cache_folder))
    serial = [ask(alone, want) for want in wanted]
    alone.close()
    assert serial == together
