"""`EvaluationService`: parse, call, render."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import deque
from typing import TYPE_CHECKING

from bgbot.v1 import evaluation_service_pb2 as pb

from bgbotd.bots.engine_levels import settled
from bgbotd.evaluation import Depth, RolloutSettings, Source, cubeless_equity, take_point
from bgbotd.evaluation.engine import MOST_TRIALS
from bgbotd.evaluation.match_equity import dead_cube_error
from bgbotd.rules import legal_plays, parse_play
from bgbotd.service import enums, parse, plain, render
from bgbotd.service.engine_access import EngineAccess, evaluating
from bgbotd.service.errors import ServiceReason
from bgbotd.service.plain import plainly
from bgbotd.service.stamps import duration, engine_stamp

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator

    from bgbotd.evaluation import Evaluator, Rollout, RolloutProgress
    from bgbotd.rules import LegalPlays, Violation
    from bgbotd.service.parse import Situation

_MOST_PLAYS = 10_000
_FEWEST_TRIALS, _MOST_TRIALS, _DEFAULT_TRIALS = 36, MOST_TRIALS, 1296
_MOST_PLIES = 1000
_MOST_UNSENT = 16
"""States of a rollout that wait to be sent; a caller that reads slowly misses older ones."""


class EvaluationHandlers:
    """Says what a position is worth."""

    service = "bgbot.v1.EvaluationService"

    def __init__(self, engine: EngineAccess) -> None:
        """Ask `engine` for everything but pips and phase."""
        self._engine = engine

    @plainly(plain.count_pips)
    def count_pips(self, request: pb.CountPipsRequest) -> pb.CountPipsResponse:
        """Count pips and tell the phase."""
        position = parse.read_position(request)
        return pb.CountPipsResponse(
            player_pips=position.player.pips(),
            opponent_pips=position.opponent.pips(),
            phase=enums.PHASES.to_wire(position.phase()),
            position=render.position(position),
        )

    async def evaluate(self, request: pb.EvaluateRequest) -> pb.EvaluateResponse:
        """Evaluate a position before the roll."""
        situation = parse.read_situation(request, also=_depth_violations(request.depth))
        depth = enums.DEPTHS.known(request.depth)
        evaluator = await self._engine.evaluator()
        started = time.perf_counter()
        with evaluating():
            evaluation = await settled(evaluator.evaluate(situation.position, situation.match, depth))
        position, match, table = situation.position, situation.match, evaluator.engine.match_equity
        best = evaluation.cube.after_best_action
        return pb.EvaluateResponse(
            player_pips=position.player.pips(),
            opponent_pips=position.opponent.pips(),
            phase=enums.PHASES.to_wire(position.phase()),
            probabilities=render.probabilities(evaluation.probabilities),
            cubeless_equity=cubeless_equity(table, match, evaluation.probabilities),
            cubeful_equity=evaluation.cube.no_double,
            match_winning_chance=None if match.is_money else table.chance_of_equity(match, best),
            cube=render.cube_equities(evaluation.cube, match),
            take_point=take_point(table, match, evaluation.probabilities),
            position=render.position(position),
            match=render.match(match),
            stamp=engine_stamp(started, evaluator, evaluation.source, depth),
        )

    async def rank_plays(self, request: pb.RankPlaysRequest) -> pb.RankPlaysResponse:
        """Rank the legal plays of a roll by equity."""
        situation = parse.read_situation(
            request,
            dice_required=True,
            also=[
                *_depth_violations(request.depth),
                *parse.in_range("max_plays", request.max_plays, 0, _MOST_PLAYS),
            ],
        )
        legal = legal_plays(situation.position, situation.roll)
        include = _included(legal, situation, request.include_play)
        depth = enums.DEPTHS.known(request.depth)
        evaluator = await self._engine.evaluator()
        started = time.perf_counter()
        with evaluating():
            ranked = await settled(
                evaluator.rank_plays(situation.position, situation.roll, situation.match, depth, include=include)
            )
        most, table = request.max_plays or len(ranked), evaluator.engine.match_equity
        return pb.RankPlaysResponse(
            plays=[
                pb.RankedPlay(
                    rank=each.rank,
                    play=render.play(legal[each.index]),
                    probabilities=render.probabilities(each.probabilities),
                    equity=each.equity,
                    cubeless_equity=cubeless_equity(table, situation.match, each.probabilities),
                    loss=each.loss,
                    depth=enums.DEPTHS.to_wire(each.depth),
                    included=each.included,
                )
                for each in ranked
                if each.rank <= most or each.included
            ],
            position=render.position(situation.position),
            dice=render.dice(situation.roll),
            match=render.match(situation.match),
            stamp=engine_stamp(started, evaluator, ranked[0].source, depth),
        )

    async def rollout(self, request: pb.RolloutRequest) -> AsyncGenerator[pb.RolloutResponse, None]:
        """Roll a position out, reporting progress; closing the iterator stops the work."""
        situation = parse.read_situation(request, also=_settings_violations(request.settings))
        settings = _read_settings(request.settings)
        evaluator = await self._engine.evaluator()
        started = time.perf_counter()
        loop, news = asyncio.get_running_loop(), asyncio.Event()
        unsent: deque[RolloutProgress] = deque(maxlen=_MOST_UNSENT)

        def report(progress: RolloutProgress) -> None:
            if not progress.finished:  # that one is the rollout's result
                unsent.append(progress)
                loop.call_soon_threadsafe(news.set)

        with evaluating():
            rollout = evaluator.rollout(situation.position, situation.match, settings, report)
            rollout.add_done_callback(lambda _: loop.call_soon_threadsafe(news.set))
            try:
                async for progress in _states(rollout, unsent, news):
                    yield _render_progress(progress, settings, situation, evaluator, started)
            finally:
                rollout.cancel()


async def _states(
    rollout: Rollout, unsent: deque[RolloutProgress], news: asyncio.Event
) -> AsyncIterator[RolloutProgress]:
    """Give the states of a rollout in order, the final one last."""
    done = False
    while not done:
        await news.wait()
        news.clear()
        done = rollout.done()  # after that there is no further state
        while unsent:
            yield unsent.popleft()
    yield rollout.result()


def _depth_violations(depth: int) -> list[Violation]:
    """List what is wrong with a required depth."""
    return enums.DEPTHS.violations("depth", depth, missing=ServiceReason.DEPTH_UNSPECIFIED)


def _included(legal: LegalPlays, situation: Situation, notation: str) -> int | None:
    """Find the play that is to be in the answer, by its place in canonical order."""
    if not notation:
        return None
    play = parse.under("include_play", lambda: parse_play(situation.position, situation.roll, notation))
    return next(index for index in range(len(legal)) if legal.packed_result(index) == play.result.packed())


def _settings_violations(settings: pb.RolloutSettings) -> list[Violation]:
    """List what is wrong with the settings of a rollout."""
    wrong = [
        *(parse.in_range("settings.trials", settings.trials, _FEWEST_TRIALS, _MOST_TRIALS) if settings.trials else []),
        *parse.in_range("settings.target_standard_error", settings.target_standard_error, 0, 10),
        *parse.in_range("settings.truncate_after_plies", settings.truncate_after_plies, 0, _MOST_PLIES),
        *enums.DEPTHS.violations("settings.depth", settings.depth, required=False),
    ]
    depth = enums.DEPTHS.from_wire(settings.depth)
    if depth is not None and depth > Depth.PLY3:
        wrong.extend(parse.in_range("settings.depth", depth, Depth.STATIC, Depth.PLY3))
    return wrong


def _read_settings(settings: pb.RolloutSettings) -> RolloutSettings:
    """Read checked settings; what is left out gets its default, which the answer echoes."""
    return RolloutSettings(
        trials=settings.trials or _DEFAULT_TRIALS,
        target_standard_error=settings.target_standard_error,
        truncate_after_plies=settings.truncate_after_plies,
        cubeful=settings.cubeful,
        seed=settings.seed if settings.HasField("seed") else secrets.randbits(63),
        depth=enums.DEPTHS.from_wire(settings.depth) or Depth.STATIC,
    )


def _render_progress(
    progress: RolloutProgress, settings: RolloutSettings, situation: Situation, evaluator: Evaluator, started: float
) -> pb.RolloutResponse:
    """Render the state of a rollout."""
    match, table = situation.match, evaluator.engine.match_equity
    return pb.RolloutResponse(
        trials_done=progress.trials_done,
        trials_wanted=progress.trials_wanted,
        cubeless_equity=cubeless_equity(table, match, progress.probabilities),
        cubeless_equity_standard_error=(
            progress.cubeless_error
            if match.is_money
            else dead_cube_error(table, match, progress.probability_errors, progress.cubeless_error)
        ),
        cubeful_equity=progress.cube.no_double if settings.cubeful else None,
        cubeful_equity_standard_error=progress.no_double_error if settings.cubeful else None,
        probabilities=render.probabilities(progress.probabilities),
        standard_errors=render.probabilities(progress.probability_errors),
        time_left=duration(progress.seconds_left),
        finished=progress.finished,
        position=render.position(situation.position),
        match=render.match(match),
        settings=pb.RolloutSettings(
            trials=settings.trials,
            target_standard_error=settings.target_standard_error,
            truncate_after_plies=settings.truncate_after_plies,
            cubeful=settings.cubeful,
            seed=settings.seed,
            depth=enums.DEPTHS.to_wire(settings.depth),
        ),
        stamp=engine_stamp(started, evaluator, Source.ENGINE, settings.depth, seed=settings.seed),
    )
