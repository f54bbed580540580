"""Measure how strong the levels are, for what `ListBots` and the README say of them.

Contests are cubeless money games with duplicate dice: every sequence of dice is played twice with
the seats changed. Where an engine plays, the luck of the dice is taken out too: what each roll
brings, by a static evaluation, is 0 on average, so the points less the luck are the same on
average and vary far less. Mean losses are judged by rollouts. Intervals are 95 %, with a pair of
games, or a decision, as the unit of chance. Everything repeats from its seed.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from functools import partial
from importlib import metadata
from typing import TYPE_CHECKING

from benchmarks.strength import contests, losses
from benchmarks.strength.contestants import GNUBG_NAMES, needs_engine
from benchmarks.strength.gnubg import GnubgMissing, program, version
from benchmarks.strength.written import Written
from bgbotd.bots import Level

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.pool import Pool

_BETWEEN_LEVELS = {
    ("medium", "easy"): 100_000,
    ("hard", "medium"): 100_000,
    ("hard", "easy"): 100_000,
    ("expert", "hard"): 1_000,
    ("master", "hard"): 1_000,
    ("master", "expert"): 3_000,
    ("grandmaster", "hard"): 300,
}
"""Games of each contest: enough for an interval that excludes zero."""
_AGAINST_GNUBG = {(level, gnubg): 1_000 for gnubg in GNUBG_NAMES for level in ("expert", "master")}
_CONTESTS = ", ".join(" ".join(pair) for pair in _BETWEEN_LEVELS | _AGAINST_GNUBG)
_DECISIONS = 600


def main() -> None:
    """Measure what was asked for and print the tables."""
    arguments = _arguments()
    written = Written.read()
    if not arguments.table:
        with multiprocessing.get_context("spawn").Pool(arguments.processes) as pool:
            for addition in _measurements(pool, arguments):
                # Read anew each time: another run may have written in the meantime.
                written = Written.read() if arguments.write else written
                addition(written)
                if arguments.write:
                    written.write()
    print(written.tables())


def _arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.strength",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--contest", nargs=2, metavar=("FIRST", "SECOND"), help=f"play one contest only: {_CONTESTS}")
    what.add_argument("--gnubg", action="store_true", help="play Expert and Master against gnubg, which must be there")
    what.add_argument("--losses", action="store_true", help="judge the decisions of all levels by rollouts")
    what.add_argument("--times", action="store_true", help="time each level's choices")
    what.add_argument("--table", action="store_true", help="only print the tables of the written figures")
    parser.add_argument("--games", type=int, help="games of each contest, or decisions judged")
    parser.add_argument("--seed", type=int, default=1, help="seed of the dice (default: %(default)s)")
    parser.add_argument("--processes", type=int, default=multiprocessing.cpu_count())
    parser.add_argument("--write", action="store_true", help="write the figures that ListBots and the README show")
    arguments = parser.parse_args()
    if arguments.contest and tuple(arguments.contest) not in _BETWEEN_LEVELS | _AGAINST_GNUBG:
        parser.error(f"no such contest; there are: {_CONTESTS}")
    return arguments


def _measurements(pool: Pool, arguments: argparse.Namespace) -> Iterator[Callable[[Written], None]]:
    """Measure one thing after the other; give what adds each to the written figures."""
    everything = not (arguments.contest or arguments.gnubg or arguments.losses or arguments.times)
    chosen = _BETWEEN_LEVELS if everything else _AGAINST_GNUBG if arguments.gnubg else {}
    if arguments.contest:
        pair = tuple(arguments.contest)
        chosen = {pair: (_BETWEEN_LEVELS | _AGAINST_GNUBG)[pair]}
    if any(second in GNUBG_NAMES for _, second in chosen):
        try:
            program()
        except GnubgMissing as missing:
            sys.exit(str(missing))
    for (first, second), usual_games in chosen.items():
        games = arguments.games or usual_games
        pairs = contests.play(pool, first, second, games, arguments.seed)
        what = f"--contest {first} {second} --games {games} --seed {arguments.seed}"
        measured_by = _repeated_by(what, first, second)
        yield partial(Written.add_contest, first=first, second=second, pairs=pairs, measured_by=measured_by)
    if everything or arguments.losses:
        decisions = (arguments.losses and arguments.games) or _DECISIONS
        measured = losses.measure(pool, decisions, arguments.seed)
        what = f"--losses --games {decisions} --seed {arguments.seed}"
        measured_by = _repeated_by(what, *(level.value for level in Level))
        yield partial(Written.add_losses, measured=measured, decisions=decisions, measured_by=measured_by)
    if everything or arguments.times:
        for level in Level:
            yield partial(Written.add_time, level=level, seconds=contests.typical_seconds(level))


def _repeated_by(what: str, *names: str) -> str:
    """Give the command that repeats a measurement, with the versions of the engines its contestants need."""
    engines = []
    if needs_engine(*names):
        engines.append(f"bgsage {metadata.version('bgsage')}")
    if not GNUBG_NAMES.keys().isdisjoint(names):
        engines.append(f"gnubg {version()}")
    return f"make strength ARGS='{what}'" + (f" with {' and '.join(engines)}" if engines else "")


if __name__ == "__main__":
    main()
