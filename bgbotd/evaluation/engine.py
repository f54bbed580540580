"""What an evaluation engine must offer, and the values it answers with.

Units and perspective, everywhere in this package: equities are the player's, per unit of the
current cube; in match play cubeful equities are normalised (EMG: -1 loses and +1 wins the current
cube). Positions are before the roll of their `player` unless said otherwise. Chances are 0 to 1.
Cubeless equity counts gammons always, even while the Jacoby rule holds them off.

The tree of exceptions::

    EvaluationError (Exception)
    +-- EngineUnavailable      the engine cannot run on this machine
    +-- EngineBusy             too many requests wait for it already
    +-- ClusterUnavailable     the cluster that is to do it is not there
    +-- EngineFailed           it broke down while it worked on this request
    +-- EvaluationCancelled    the caller no longer wants the answer
    +-- ScoreOutOfTable        a side needs more points than the match equity table covers
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, IntEnum
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bgbotd.rules.match import MatchState
    from bgbotd.rules.position import Position


class EvaluationError(Exception):
    """An evaluation that could not be made."""


class EngineUnavailable(EvaluationError):
    """The engine cannot run on this machine; the message says why in one line."""


class EngineBusy(EvaluationError):
    """The queue is full; nothing was done."""


class ClusterUnavailable(EvaluationError):
    """The cluster's scheduler cannot be reached, or has no worker; the message says so in one line."""


class EngineFailed(EvaluationError):
    """The engine broke down while it worked on this request."""


class EvaluationCancelled(EvaluationError):
    """The caller has cancelled; the work is stopped."""


class ScoreOutOfTable(EvaluationError):
    """A side needs more points than the match equity table covers."""


class Depth(IntEnum):
    """How deeply a position is evaluated, counted as eXtreme Gammon does."""

    STATIC = 1
    """One evaluation by the network (GNU Backgammon's 0-ply)."""
    PLY2 = 2
    """Every roll of one side ahead."""
    PLY3 = 3
    """Every roll of both sides ahead."""
    PLY4 = 4
    """Three rolls ahead."""
    TRUNCATED_ROLLOUT = 5
    """A rollout of 360 games cut short after seven plies."""


class Source(Enum):
    """Who has found a value."""

    ENGINE = "engine"
    """The engine."""
    BEAROFF_TABLE = "bearoff table"
    """The exact two-sided bear-off table."""
    RULES = "rules"
    """Nobody: the game is over."""


@dataclass(frozen=True, slots=True)
class Probabilities:
    """Chances of the results of a game, seen by the player."""

    win: float
    """Winning in any way."""
    win_gammon: float = 0.0
    """Winning a gammon or a backgammon."""
    win_backgammon: float = 0.0
    """Winning a backgammon."""
    lose_gammon: float = 0.0
    """Losing a gammon or a backgammon."""
    lose_backgammon: float = 0.0
    """Losing a backgammon."""

    @property
    def cubeless_equity(self) -> float:
        """Points per unit of the cube without any doubling; gammons count."""
        wins = self.win + self.win_gammon + self.win_backgammon
        return wins - (1.0 - self.win) - self.lose_gammon - self.lose_backgammon

    def mirrored(self) -> Probabilities:
        """Give the same chances seen by the other side."""
        return Probabilities(
            1.0 - self.win, self.lose_gammon, self.lose_backgammon, self.win_gammon, self.win_backgammon
        )

    def as_tuple(self) -> tuple[float, float, float, float, float]:
        """Give the five chances in their order."""
        return (self.win, self.win_gammon, self.win_backgammon, self.lose_gammon, self.lose_backgammon)


@dataclass(frozen=True, slots=True)
class CubeEquities:
    """The three equities of a cube decision, the doubler's, per unit of the cube before the double.

    Where the player may not double, all three are `no_double`.
    """

    no_double: float
    """Not doubling this turn, best cube play later."""
    double_take: float
    """Doubling and being taken; or beavered, where that is agreed and better for the other side."""
    double_pass: float
    """Doubling and being passed."""

    @property
    def after_best_action(self) -> float:
        """Equity when both sides do what is best for them."""
        return max(self.no_double, min(self.double_take, self.double_pass))


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What a position is worth before the roll, seen by the player."""

    probabilities: Probabilities
    """Chances of the results."""
    cube: CubeEquities
    """The cube decision; `cube.no_double` is the cubeful equity of the position."""
    source: Source = Source.ENGINE
    """Who has found it."""


@dataclass(frozen=True, slots=True)
class RankedPlay:
    """One play with its worth after it has been made, seen by the side that made it."""

    index: int
    """Place of the play in the list that was ranked, from 0; the kernel's canonical order."""
    probabilities: Probabilities
    """Chances of the results."""
    equity: float
    """Cubeful equity, the other side to decide."""
    depth: Depth
    """How deeply this play was evaluated; exact values count as the deepest."""
    source: Source = Source.ENGINE
    """Who has found it."""
    loss: float = 0.0
    """Equity lost against the best play, never negative."""
    rank: int = 1
    """Rank among all plays, 1 being the best."""
    included: bool = False
    """Whether the request asked for this very play."""

    def ranked(self, rank: int, best: float) -> RankedPlay:
        """Give the same play with its rank and its loss against `best`."""
        return replace(self, rank=rank, loss=max(0.0, best - self.equity))


GAMES_PER_CHUNK = 36
"""A rollout goes on in chunks of this many games: their first rolls are the 36 rolls, once each."""


@dataclass(frozen=True, slots=True)
class RolloutSettings:
    """How a position is rolled out.

    Raises:
        ValueError: if a number is out of its range, or the depth is above PLY3.

    """

    trials: int = 1296
    """Most games to play; rounded up to full chunks of 36."""
    target_standard_error: float = 0.0
    """Standard error of equity at which to stop early; 0 = never."""
    truncate_after_plies: int = 0
    """Plies after which a game is cut short and evaluated; 0 = played to the end."""
    cubeful: bool = True
    """Whether the cube is turned during play."""
    seed: int = 0
    """Seed of the dice: the same seed gives the same answer."""
    depth: Depth = Depth.STATIC
    """How deeply plays and cube actions are chosen. PLY2 and PLY3 look that deep at the first plays
    of each game and one ply less after them, as the engine's author found best."""

    def __post_init__(self) -> None:
        """Refuse what cannot be played and round the trials up."""
        if not 1 <= self.trials <= MOST_TRIALS:
            msg = f"trials: {self.trials}; allowed: 1 to {MOST_TRIALS}"
            raise ValueError(msg)
        if self.target_standard_error < 0 or self.truncate_after_plies < 0:
            msg = "target_standard_error and truncate_after_plies: negative; allowed: 0 or more"
            raise ValueError(msg)
        if self.depth > Depth.PLY3:
            msg = f"depth: {self.depth.name}; allowed: STATIC, PLY2 or PLY3 inside a rollout"
            raise ValueError(msg)
        object.__setattr__(self, "trials", self.chunks * GAMES_PER_CHUNK)

    @property
    def chunks(self) -> int:
        """Number of chunks that make up the trials."""
        return -(-self.trials // GAMES_PER_CHUNK)


MOST_TRIALS = 1_000_008
"""A full number of chunks, so that settings that were rounded up are allowed again. Above any use:
1,296 games already bring the standard error to about 0.01."""


@dataclass(frozen=True, slots=True)
class RolloutChunk:
    """Means over the games of one chunk, and their standard errors, seen by the player."""

    probabilities: Probabilities
    probability_errors: Probabilities
    cubeless_error: float
    """Standard error of the cubeless equity."""
    cube: CubeEquities
    no_double_error: float
    """Standard error of `cube.no_double`; the cubeless one where the cube is not turned."""
    double_take_error: float
    """Standard error of `cube.double_take`."""


@dataclass(frozen=True, slots=True)
class RolloutProgress:
    """The state of a rollout, seen by the player."""

    trials_done: int
    """Games played."""
    trials_wanted: int
    """Games wanted at most."""
    probabilities: Probabilities
    """Mean chances."""
    probability_errors: Probabilities
    """Standard errors of the chances."""
    cubeless_error: float
    """Standard error of the cubeless equity, which is `probabilities.cubeless_equity`."""
    cube: CubeEquities
    """Mean equities of the cube decision; without a cube all three are the cubeless equity."""
    no_double_error: float
    """Standard error of `cube.no_double`."""
    double_take_error: float
    """Standard error of `cube.double_take`."""
    seconds_left: float
    """Estimated time left; 0 when finished."""
    finished: bool
    """Whether this is the final state."""


class Engine(Protocol):
    """What an engine must offer.

    Calls block. Static ones may be made by several threads at once, all others by one at a time.
    """

    @property
    def name(self) -> str:
        """The engine's name, as stamps carry it."""

    @property
    def version(self) -> str:
        """The engine's version, as stamps carry it."""

    def probabilities(self, positions: Sequence[Position]) -> list[Probabilities]:
        """Give the static chances of each position, whose games are not over."""

    def evaluate(self, position: Position, match: MatchState, depth: Depth) -> Evaluation:
        """Evaluate a position whose game is not over, at most PLY4 deep.

        Raises:
            ScoreOutOfTable: if a side needs more points than the match equity table covers.

        """

    def rank_plays(
        self, results: Sequence[bytes], match: MatchState, depth: Depth, include: int | None = None
    ) -> list[RankedPlay]:
        """Rank plays by the packed positions they lead to, seen by the side that moves; best first.

        Every play is in the answer. Those that lead are evaluated at `depth`, at most PLY4, and so
        is the one at index `include`; those set aside earlier say at which depth.

        Raises:
            ScoreOutOfTable: if a side needs more points than the match equity table covers.

        """

    def rollout_chunk(
        self, position: Position, match: MatchState, settings: RolloutSettings, index: int
    ) -> RolloutChunk:
        """Play the 36 games of chunk `index`; the same arguments give the same answer.

        Raises:
            ScoreOutOfTable: if a side needs more points than the match equity table covers.

        """
