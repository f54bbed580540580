"""Measure the levels against each other, and write what `ListBots` and the README say of them.

Cubeless money games with duplicate dice: every sequence of dice is played twice with the seats
changed. Intervals are 95 %, a pair of games being the unit of chance.
"""

from __future__ import annotations

import argparse
import dataclasses
import functools
import json
import multiprocessing
import statistics
import time
from importlib import resources
from pathlib import Path

from rich.progress import track

from bgbotd.bots import KERNEL_BOTS, Level
from bgbotd.bots.bot import Strength
from bgbotd.bots.contest import GameScore, duplicate_games, rolls, strength
from bgbotd.rules import STARTING_POSITION

CONTESTS = [(Level.MEDIUM, Level.EASY), (Level.HARD, Level.MEDIUM), (Level.HARD, Level.EASY)]
STRENGTHS = Path(str(resources.files("bgbotd.bots").joinpath("strength.json")))


def main() -> None:
    """Play the contests and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=20_000, help="games of each contest (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the dice (default: %(default)s)")
    parser.add_argument("--processes", type=int, default=multiprocessing.cpu_count())
    parser.add_argument("--write", action="store_true", help="write the figures that ListBots and the README show")
    parser.add_argument("--table", action="store_true", help="only print the README's table from the written figures")
    arguments = parser.parse_args()
    if arguments.table:
        print(table(json.loads(STRENGTHS.read_text())["levels"]))
        return
    levels = measure(arguments.games, arguments.seed, arguments.processes)
    print(table(levels))
    if arguments.write:
        command = f"make strength ARGS='--games {arguments.games} --seed {arguments.seed} --write'"
        STRENGTHS.write_text(json.dumps({"measured_by": command, "levels": levels}, indent=2) + "\n")


def measure(games: int, seed: int, processes: int) -> dict[str, dict[str, object]]:
    """Play every contest and sum up, for each level, its strength against the others."""
    strengths: dict[Level, list[Strength]] = {level: [] for level in KERNEL_BOTS}
    with multiprocessing.Pool(processes) as pool:
        for first, second in CONTESTS:
            play = functools.partial(_pair, first, second)
            seeds = range(seed * 10**9, seed * 10**9 + games // 2)
            played = pool.imap_unordered(play, seeds, chunksize=20)
            name = f"{first.value} v {second.value}"
            pairs = list(track(played, description=f"{name:<16}", total=len(seeds)))
            strengths[first].append(strength(second, pairs))
            strengths[second].append(strength(first, [(_turned(one), _turned(two)) for one, two in pairs]))
    return {
        level.value: {
            "typical_seconds": _typical_seconds(level),
            "strengths": [{**dataclasses.asdict(each), "opponent": each.opponent.value} for each in measured],
        }
        for level, measured in strengths.items()
    }


def table(levels: dict[str, dict[str, object]]) -> str:
    """Write the figures as the README's table."""
    lines = [
        "| level | against | games | wins | of them gammons | points a game |",
        "|---|---|---:|---:|---:|---:|",
    ]
    for stronger, weaker in CONTESTS:
        [measured] = [each for each in levels[stronger.value]["strengths"] if each["opponent"] == weaker.value]  # type: ignore[attr-defined]
        lines.append(
            f"| {stronger.value.title()} | {weaker.value.title()} | {measured['games']:,} "
            f"| {100 * measured['win_rate']:.1f} ± {100 * measured['win_rate_margin']:.1f} % "
            f"| {100 * measured['gammon_rate'] / measured['win_rate']:.0f} % "
            f"| {measured['points_per_game']:+.3f} ± {measured['points_per_game_margin']:.3f} |"
        )
    return "\n".join(lines)


def _pair(first: Level, second: Level, seed: int) -> tuple[GameScore, GameScore]:
    """Play a pair of duplicate games."""
    return duplicate_games(KERNEL_BOTS[first], KERNEL_BOTS[second], seed)


def _turned(score: GameScore) -> GameScore:
    """See a score from the other side."""
    return GameScore(-score.points)


def _typical_seconds(level: Level) -> float:
    """Measure the median time of a choice over positions of a game."""
    bot, position, seconds = KERNEL_BOTS[level], STARTING_POSITION, []
    for dice, _ in zip(rolls(7), range(400), strict=False):
        started = time.perf_counter()
        bot.choose_play(position, dice, seed=1)
        seconds.append(time.perf_counter() - started)
        chosen = KERNEL_BOTS[Level.MEDIUM].choose_play(position, dice).play.result
        position = STARTING_POSITION if not chosen.player.rearmost() else chosen.mirrored()
    return statistics.median(seconds)


if __name__ == "__main__":
    main()
