"""The deepest depth: positions rolled out for a few moves, plays rolled out where it may matter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bgbotd.evaluation.engine import Depth, Evaluation, RankedPlay, RolloutSettings
from bgbotd.evaluation.rollout import combine
from bgbotd.rules.position import Position

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bgbotd.evaluation.cancellation import CancelToken
    from bgbotd.evaluation.engine_process import EngineProcess
    from bgbotd.rules.match import MatchState

_SETTINGS = RolloutSettings(trials=360, truncate_after_plies=7, depth=Depth.PLY2, seed=1)
"""bgsage's "truncated2", which its author measured to be stronger than four plies."""
_MOST_PLAYS = 4
"""How many of the leading plays are rolled out, chosen at PLY3 ..."""
_WINDOW = 0.08
"""... within this equity of the best, the window of bgsage's own filter."""


def evaluate_truncated(engine: EngineProcess, position: Position, match: MatchState, token: CancelToken) -> Evaluation:
    """Evaluate a position before the roll by a truncated rollout.

    Raises:
        EvaluationCancelled: if `token` is cancelled.

    """
    chunks = [engine.rollout_chunk(position, match, _SETTINGS, index, token) for index in range(_SETTINGS.chunks)]
    state = combine(chunks, _SETTINGS, 0.0)
    return Evaluation(state.probabilities, state.cube)


def rank_truncated(
    engine: EngineProcess, results: Sequence[bytes], match: MatchState, include: int | None, token: CancelToken
) -> list[RankedPlay]:
    """Rank plays at PLY3, and those that lead, and the one at `include`, by truncated rollouts.

    Raises:
        EvaluationCancelled: if `token` is cancelled.

    """
    waiting = engine.rank_plays(results, match, Depth.PLY3, None, token)
    ranked: list[RankedPlay] = []
    best, rolled_out = float("-inf"), 0
    for play in waiting:
        leads = rolled_out < _MOST_PLAYS and play.loss <= _WINDOW
        valued = play
        # A value found at PLY3 must not stand above one that has been rolled out.
        if play.depth < Depth.TRUNCATED_ROLLOUT and (leads or play.equity > best or play.index == include):
            other = Position.unpacked(results[play.index]).mirrored()
            found = evaluate_truncated(engine, other, match.mirrored(), token)
            equity = -found.cube.after_best_action
            valued = RankedPlay(play.index, found.probabilities.mirrored(), equity, Depth.TRUNCATED_ROLLOUT)
            rolled_out += 1
        best = max(best, valued.equity)
        ranked.append(valued)
    ranked.sort(key=lambda play: (-play.equity, play.index))
    return [play.ranked(rank, best) for rank, play in enumerate(ranked, 1)]
