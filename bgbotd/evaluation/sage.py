"""The engine bgsage (Open Sage), adapted to this program's positions, units and rules.

Its extension module is used directly, with one thread a call, so that a call runs wholly in the
thread that makes it. Unless told otherwise bgsage plays with the Jacoby rule and beavers; here it is
always told.
"""

from __future__ import annotations

import hashlib
import importlib
from dataclasses import replace
from functools import cache, lru_cache
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, NamedTuple

from bgbotd.evaluation.chances import settled, won
from bgbotd.evaluation.engine import (
    GAMES_PER_CHUNK,
    CubeEquities,
    Depth,
    EngineUnavailable,
    Evaluation,
    Probabilities,
    RankedPlay,
    RolloutChunk,
    RolloutSettings,
    Source,
)
from bgbotd.evaluation.match_equity import MatchEquityTable, dead_cube_equity, dead_cube_error, require_covered
from bgbotd.evaluation.processor import why_unable
from bgbotd.evaluation.verdict import may_beaver, may_double
from bgbotd.rules.match import CrawfordState, Cube, CubeOwner, MatchState
from bgbotd.rules.position import CHECKERS, Position

if TYPE_CHECKING:
    from collections.abc import Sequence

_OFF, _SIDE = 25, 26
"""Place of the checkers off in a packed side, and its length: points 1 to 24, bar, off."""


class _Step(NamedTuple):
    """Which plays are evaluated deeper: those that a step before has not left too far behind."""

    depth: Depth
    most: int
    window: float
    """Equity lost against the best play on the step before, at most."""


_STEPS = (
    # Twice what bgsage's own filter lets through (5 plays, 0.08), where there is another step to come.
    _Step(Depth.PLY2, 10, 0.16),
    _Step(Depth.PLY3, 5, 0.08),
    _Step(Depth.PLY4, 5, 0.08),
)
_TIE = 1e-5
"""Single precision tells equities no finer."""
_FEWEST = 2
"""The best play and the next are always of the depth asked for: their difference is what is looked at."""


@cache
def _extension() -> Any:  # noqa: ANN401 - the extension module has no types
    """Load the engine's extension module, once the processor is known to be able to run it."""
    if why := why_unable():
        raise EngineUnavailable(why)
    try:
        return importlib.import_module("bgbot_cpp")
    except ImportError as error:
        msg = f"the engine bgsage is not installed or cannot be loaded here: {error}"
        raise EngineUnavailable(msg) from error


class _Networks:
    """The networks and what is built on them."""

    def __init__(self) -> None:
        """Read the networks and the one-sided bear-off distributions: 23 MB, 35 ms."""
        extension = _extension()
        try:
            weights = importlib.import_module("bgsage.weights")
            chosen = weights.default_weights()
        except (ImportError, OSError, RuntimeError, ValueError) as error:
            msg = "the networks of the engine bgsage are not installed or cannot be read"
            raise EngineUnavailable(msg) from error
        self.arguments = (chosen.strategy_type, chosen.weight_paths_list, chosen.hidden_sizes_list)
        self.bearoff = extension.BearoffDB()
        path = weights.bearoff_db_path()
        if path is None or not self.bearoff.load(path):
            msg = "the bear-off distributions of the engine bgsage cannot be read"
            raise EngineUnavailable(msg)
        self.bare = extension.create_strategy(*self.arguments)
        self.strategy = extension.BearoffStrategy(self.bare, self.bearoff)
        self.rollout = lru_cache(maxsize=4)(self._rollout)

    def _rollout(self, depth: Depth, truncate_after_plies: int) -> Any:  # noqa: ANN401 - no types
        """Make a rollout of one chunk; its seed is set before each use."""
        extension = _extension()
        deep = depth > Depth.STATIC
        strategy = extension.create_rollout(
            *self.arguments,
            n_trials=GAMES_PER_CHUNK,
            truncation_depth=truncate_after_plies,
            n_threads=1,
            decision_ply=int(depth),
            truncation_ply=int(depth),
            cube=extension.TrialEvalConfig(ply=int(depth)),
            cube_late=extension.TrialEvalConfig(ply=int(depth)),
            # bgsage's "truncated2" and "truncated3": a ply less after the first plays of a game.
            late_ply=int(depth) - 1 if deep else 1,
            late_threshold=int(depth) - 1 if deep else 0,
            ultra_late_threshold=9999,  # never down to 1 ply for lateness alone
        )
        extension.rollout_set_bearoff_db(strategy, self.bearoff)
        return strategy


class SageEngine:
    """bgsage behind the `Engine` protocol.

    Static evaluations may be asked for by any thread, for they are made under Python's global lock;
    all others by one thread at a time.

    Raises:
        EngineUnavailable: if it is not installed or the processor cannot run it.

    """

    name = "bgsage"

    def __init__(self) -> None:
        """Load the engine and read its networks."""
        extension = _extension()
        self.version = version("bgsage")
        self.match_equity = MatchEquityTable.read(extension.get_met)
        self._networks = _Networks()

    def probabilities(self, positions: Sequence[Position]) -> list[Probabilities]:
        """Give the static chances of each position, whose games are not over."""
        return [self._static(position.mirrored().packed()).mirrored() for position in positions]

    def evaluate(self, position: Position, match: MatchState, depth: Depth) -> Evaluation:
        """Evaluate a position whose game is not over, at most PLY4 deep."""
        require_covered(match)
        if depth is Depth.STATIC:
            [probabilities] = self.probabilities([position])
            return Evaluation(probabilities, self._static_cube(position.packed(), match, probabilities))
        packed = position.packed()
        if match.is_money and depth > Depth.PLY2 and may_double(match):
            decision = self._decide(packed, match, depth)
            return Evaluation(settled(decision["probs"], packed), _cube(decision["equity_nd"], decision["equity_dt"]))
        # Chances of a cube decision come from play for money; these from play for the match.
        best = self._search(packed, match, depth)
        probabilities = settled(best["probs"], packed)
        return Evaluation(probabilities, self._searched_cube(packed, match, depth, best["equity"], probabilities))

    def rank_plays(
        self, results: Sequence[bytes], match: MatchState, depth: Depth, include: int | None = None
    ) -> list[RankedPlay]:
        """Rank plays by the packed positions they lead to, seen by the side that moves; best first."""
        require_covered(match)
        plays = {index: self._static_play(index, result, match) for index, result in enumerate(results)}
        for step in _STEPS:
            if step.depth <= depth:
                plays |= self._deepened(plays, results, match, step)
        if include is not None and plays[include].depth < depth:
            plays[include] = self._deep_play(include, results[include], match, depth)
        ranked = sorted(plays.values(), key=_best_first)
        return [play.ranked(rank, ranked[0].equity) for rank, play in enumerate(ranked, 1)]

    def rollout_chunk(
        self, position: Position, match: MatchState, settings: RolloutSettings, index: int
    ) -> RolloutChunk:
        """Play the 36 games of chunk `index`; the same arguments give the same answer."""
        require_covered(match)
        rollout = self._networks.rollout(settings.depth, settings.truncate_after_plies)
        rollout.set_seed(_chunk_seed(settings.seed, index))
        packed = position.packed()
        limit = match.cube_limit if settings.cubeful else 1
        state = _state(match)
        if not settings.cubeful:
            # With any match state a cube that may not be turned would be counted in points all the same.
            state = _state(MatchState())
        found = rollout.cube_decision(bgsage_board(packed), max_cube_value=limit, **state)
        probabilities = settled(found["probs"], packed)
        errors = Probabilities(*found["prob_std_errors"])
        cubeless_error = found["cubeless_se"]
        if not settings.cubeful or match.cube.value >= match.cube_limit:
            cube = _undoubled(dead_cube_equity(self.match_equity, match, probabilities))
            error = dead_cube_error(self.match_equity, match, errors, cubeless_error)
            return RolloutChunk(probabilities, errors, cubeless_error, cube, error, error)
        no_double, no_double_error = found["equity_nd"], found["equity_nd_se"]
        if not may_double(match):
            cube = _undoubled(no_double)
            return RolloutChunk(probabilities, errors, cubeless_error, cube, no_double_error, no_double_error)
        cube = _cube(no_double, found["equity_dt"])
        return RolloutChunk(probabilities, errors, cubeless_error, cube, no_double_error, found["equity_dt_se"])

    def _static(self, packed: bytes) -> Probabilities:
        """Give the chances after a play, seen by the side that has made it; its game is not over."""
        board = bgsage_board(packed)
        return settled(self._networks.strategy.evaluate_board(board, board)["probs"], packed)

    def _static_cube(self, packed: bytes, match: MatchState, probabilities: Probabilities) -> CubeEquities:
        """Give the cube equities that follow from static chances by Janowski's interpolation."""
        if match.cube.value >= match.cube_limit:
            return _undoubled(dead_cube_equity(self.match_equity, match, probabilities))
        state = _state(match)
        del state["beaver"]
        found = _extension().cube_decision_1ply(
            probabilities.as_tuple(), cube_x=_cube_life(bgsage_board(packed), probabilities), **state
        )
        if not may_double(match):
            return _undoubled(found.equity_nd)
        return _cube(found.equity_nd, _beavered(found.equity_dt, match))

    def _static_play(self, index: int, result: bytes, match: MatchState) -> RankedPlay:
        """Value a play by one evaluation of the position after it."""
        if result[_OFF] == CHECKERS:
            chances = won(result)
            equity = dead_cube_equity(self.match_equity, match, chances)
            return RankedPlay(index, chances, equity, Depth.TRUNCATED_ROLLOUT, Source.RULES)
        probabilities = self._static(result)
        # As deeper ones do, a static value takes the other side's double into account.
        other = result[_SIDE:] + result[:_SIDE]
        cube = self._static_cube(other, match.mirrored(), probabilities.mirrored())
        return RankedPlay(index, probabilities, -cube.after_best_action, Depth.STATIC)

    def _deep_play(self, index: int, result: bytes, match: MatchState, depth: Depth) -> RankedPlay:
        """Value a play by the best the other side can do after it, at `depth`."""
        other = result[_SIDE:] + result[:_SIDE]
        found = self._search(other, match.mirrored(), depth)
        probabilities = settled(found["probs"], other).mirrored()
        if match.cube.value >= match.cube_limit:
            equity = dead_cube_equity(self.match_equity, match, probabilities)
        else:
            equity = -found["equity"]
        return RankedPlay(index, probabilities, equity, depth)

    def _deepened(
        self, plays: dict[int, RankedPlay], results: Sequence[bytes], match: MatchState, step: _Step
    ) -> dict[int, RankedPlay]:
        """Value the leading plays deeper, and any other that would still stand above the best of them."""
        waiting = sorted(plays.values(), key=_best_first)
        lowest = waiting[0].equity - step.window
        deep: dict[int, RankedPlay] = {}
        best = float("-inf")
        for play in waiting:
            leads = len(deep) < _FEWEST or (len(deep) < step.most and play.equity >= lowest)
            if not leads and play.equity <= best:
                break
            valued = play
            if play.depth < step.depth:
                valued = self._deep_play(play.index, results[play.index], match, step.depth)
            deep[play.index] = valued
            best = max(best, valued.equity)
        return deep

    def _searched_cube(
        self, packed: bytes, match: MatchState, depth: Depth, best: float, probabilities: Probabilities
    ) -> CubeEquities:
        """Find the cube equities, knowing the equity after the best action, and avoid `_decide` where that tells."""
        if match.cube.value >= match.cube_limit:
            return _undoubled(dead_cube_equity(self.match_equity, match, probabilities))
        if not may_double(match):
            return _undoubled(best)
        taken = replace(match, cube=Cube(2 * match.cube.value, CubeOwner.OPPONENT))
        double_take = self._search(packed, taken, depth)["equity"]
        if match.is_money:
            double_take = _beavered(2.0 * double_take, match)
        else:
            chance = self.match_equity.chance_of_equity(taken, double_take)
            double_take = self.match_equity.equity_of_chance(match, chance)
        if best > min(double_take, 1.0) + _TIE:
            return _cube(best, double_take)
        decision = self._decide(packed, match, depth)
        return _cube(decision["equity_nd"], decision["equity_dt"])

    def _decide(self, packed: bytes, match: MatchState, depth: Depth) -> Any:  # noqa: ANN401 - no types
        """Find bgsage's chances and cube equities; it reads its networks anew, 20 ms, at every call."""
        strategy_type, weight_paths, hidden_sizes = self._networks.arguments
        return _extension().cube_decision_nply_unified(
            bgsage_board(packed),
            n_plies=int(depth),
            n_threads=1,
            strategy_type=strategy_type,
            weight_paths=weight_paths,
            hidden_sizes=hidden_sizes,
            bearoff_db=self._networks.bearoff,
            max_cube_value=match.cube_limit,
            **_state(match),
        )

    def _search(self, packed: bytes, match: MatchState, depth: Depth) -> Any:  # noqa: ANN401 - no types
        """Find bgsage's chances, and its equity after the best cube action, before the roll."""
        networks = self._networks
        return _extension().cubeful_probs_and_equity_nply(
            bgsage_board(packed),
            strategy=networks.bare,
            n_plies=int(depth),
            n_threads=1,
            bearoff_db=networks.bearoff,
            **_state(match),
        )


def _best_first(play: RankedPlay) -> tuple[float, float, int]:
    """Order plays by equity, equals by cubeless equity (at some scores nothing else tells them apart)."""
    return (-play.equity, -play.probabilities.cubeless_equity, play.index)


def bgsage_board(packed: bytes) -> list[int]:
    """Give a packed position as bgsage writes it.

    26 numbers: the opponent's bar, points 1 to 24 (the opponent's checkers negative), the own bar.
    """
    points = [packed[point] - packed[_SIDE + 23 - point] for point in range(24)]
    return [packed[_SIDE + 24], *points, packed[24]]


def _state(match: MatchState) -> dict[str, Any]:
    """Give what bgsage wants to know of a match state."""
    owners = _extension().CubeOwner
    owner = {
        CubeOwner.CENTERED: owners.CENTERED,
        CubeOwner.PLAYER: owners.PLAYER,
        CubeOwner.OPPONENT: owners.OPPONENT,
    }[match.cube.owner]
    return {
        "cube_value": match.cube.value,
        "owner": owner,
        "away1": 0 if match.is_money else match.player_away,
        "away2": 0 if match.is_money else match.opponent_away,
        "is_crawford": match.crawford is CrawfordState.CRAWFORD_GAME,
        "jacoby": match.jacoby,
        "beaver": may_beaver(match),
    }


def _cube(no_double: float, double_take: float) -> CubeEquities:
    """Give the three equities; being passed wins the current cube, which is 1 by definition."""
    return CubeEquities(no_double, double_take, 1.0)


def _undoubled(equity: float) -> CubeEquities:
    """Give the one equity there is where the player may not double."""
    return CubeEquities(equity, equity, equity)


def _beavered(double_take: float, match: MatchState) -> float:
    """Give what a double is worth where the other side may beaver it."""
    return 2.0 * double_take if may_beaver(match) and double_take < 0 else double_take


def _cube_life(board: list[int], probabilities: Probabilities) -> float:
    """Give bgsage's cube life index (Janowski's x), the same before and after a play."""
    extension = _extension()
    life: float = extension.cube_efficiency(
        probabilities.as_tuple(), extension.is_race(board), *extension.pip_counts(board)
    )
    return life


def _chunk_seed(seed: int, index: int) -> int:
    """Give the 32-bit seed of a chunk: chunks of one rollout and of different seeds are unrelated."""
    return int.from_bytes(hashlib.blake2b(f"{seed}:{index}".encode(), digest_size=4).digest(), "big")
