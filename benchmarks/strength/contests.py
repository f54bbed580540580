"""Contests of two: cubeless money games with duplicate dice, shared out to processes."""

from __future__ import annotations

import functools
import statistics
import time
from typing import TYPE_CHECKING

from rich.progress import track

from benchmarks.strength.contestants import contestant, luck, needs_engine
from bgbotd.bots import Level
from bgbotd.bots.contest import GameScore, duplicate_games, rolls
from bgbotd.rules import STARTING_POSITION

if TYPE_CHECKING:
    from multiprocessing.pool import Pool

_SEEDS = 10**9
"""Seeds of the dice of one contest; the next seed's begin after them."""
_TIMED_CHOICES = 200


def play(pool: Pool, first: str, second: str, games: int, seed: int) -> list[tuple[GameScore, GameScore]]:
    """Play pairs of games; the luck of the dice is measured unless both contestants need no engine."""
    with_luck = needs_engine(first, second)
    pair = functools.partial(_pair, first, second, with_luck=with_luck)
    seeds = range(seed * _SEEDS, seed * _SEEDS + games // 2)
    played = pool.imap_unordered(pair, seeds, chunksize=1 if with_luck else 20)
    return list(track(played, description=f"{first} v {second}".ljust(24), total=len(seeds)))


def typical_seconds(level: Level) -> float:
    """Measure the median time of a choice over the positions of games."""
    timed, other = contestant(level.value), contestant(Level.MEDIUM.value)
    position, seconds = STARTING_POSITION, []
    for dice, _ in zip(rolls(7), range(_TIMED_CHOICES), strict=False):
        started = time.perf_counter()
        timed.choose_play(position, dice, seed=1)
        seconds.append(time.perf_counter() - started)
        result = other.choose_play(position, dice).play.result
        position = result.mirrored() if result.player.rearmost() else STARTING_POSITION
    return statistics.median(seconds)


def _pair(first: str, second: str, seed: int, *, with_luck: bool) -> tuple[GameScore, GameScore]:
    """Play a pair of duplicate games in a process of the pool."""
    return duplicate_games(contestant(first), contestant(second), seed, luck if with_luck else None)
