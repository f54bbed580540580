"""The levels above Hard: the best play by an evaluation engine's cubeful equity."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bgbotd.bots.bot import Candidate, ChosenPlay, Level, ValueUnit
from bgbotd.evaluation import Depth
from bgbotd.rules import legal_plays

if TYPE_CHECKING:
    from concurrent.futures import Future
    from typing import TypeVar

    from bgbotd.evaluation import Evaluator, RankedPlay, Source
    from bgbotd.rules import Dice, LegalPlays, MatchState, Position

    T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class EngineLevel:
    """A level that plays by an engine's equities at one depth."""

    level: Level
    title: str
    description: str
    depth: Depth
    """How deeply the leading plays, the cube and resignations are evaluated."""


ENGINE_LEVELS = {
    each.level: each
    for each in (
        EngineLevel(
            Level.EXPERT,
            "Expert",
            "Takes the best play by a neural network's cubeful equity, one evaluation each.",
            Depth.STATIC,
        ),
        EngineLevel(Level.MASTER, "Master", "As Expert, with the leading plays looked at one roll ahead.", Depth.PLY2),
        EngineLevel(
            Level.GRANDMASTER, "Grandmaster", "As Expert, with the leading plays looked at two rolls ahead.", Depth.PLY3
        ),
    )
}


@dataclass(frozen=True, slots=True)
class EnginePlay:
    """A choice with who has found the values."""

    chosen: ChosenPlay
    source: Source


async def choose_play(  # noqa: PLR0913 - all that a choice depends on
    evaluator: Evaluator, level: EngineLevel, position: Position, dice: Dice, match: MatchState, *, candidates: int = 0
) -> EnginePlay:
    """Choose the play with the highest cubeful equity; of equals that with the higher cubeless one.

    Raises:
        InvalidState: if the game is over.
        EvaluationError: if the engine cannot answer.

    """
    legal = legal_plays(position, dice)
    ranked = await settled(evaluator.rank_plays(position, dice, match, level.depth))
    found = tuple(_candidate(legal, each) for each in ranked[:candidates])
    play = found[0].play if found else legal[ranked[0].index]
    return EnginePlay(ChosenPlay(play, found, ValueUnit.EQUITY if found else None), ranked[0].source)


async def settled(future: Future[T]) -> T:
    """Wait for an evaluation, without a detour where it is there at once; cancelling stops its work."""
    return future.result() if future.done() else await asyncio.wrap_future(future)


def _candidate(legal: LegalPlays, ranked: RankedPlay) -> Candidate:
    """Make the candidate of a ranked play."""
    return Candidate(legal[ranked.index], ranked.equity)
