"""Measure the kernel on one thread, on mid-game positions, beside bgsage in the same run.

Positions come from seeded games that Medium plays against itself: every position
with contact from the sixth roll on, with a roll drawn for it. Every figure is the
median over several rounds, in processor time, so that a busy machine does not
count; Hard's percentiles are over positions, each with its own median. Figures of
single calls include the call from Python.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import subprocess
import sys
from dataclasses import asdict, dataclass, fields
from functools import partial
from pathlib import Path
from time import thread_time_ns
from typing import TYPE_CHECKING

import bgsage

from bgbotd import kernel

if TYPE_CHECKING:
    from collections.abc import Callable

PACKED = 52
SIDE = 26
OFF = 25
CHECKERS = 15
START_SIDE = bytes([0, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, 0, 5] + [0] * 10 + [2, 0, 0])
FIRST_MEASURED_ROLL = 6
REPOSITORY = Path(__file__).parents[1]

IMPORT_TIME = """
import time
start = time.process_time()
import bgbotd.kernel
print((time.process_time() - start) * 1e3)
"""
# Reads /proc, so it is there on Linux only.
MEMORY_ADDED = """
import pathlib, re
def resident():
    return int(re.search(r"VmRSS:\\s+(\\d+)", pathlib.Path("/proc/self/status").read_text())[1])
before = resident()
import bgbotd.kernel as kernel
kernel.choose_hard(bytes.fromhex({position!r}), 6, 5)
print((resident() - before) / 1024)
"""


@dataclass(frozen=True, slots=True)
class Figures:
    """What one run measured. The unit ends each name."""

    positions: int
    plays_per_roll: float
    legal_plays_in_kernel_ns: float
    """One position-roll of many in one call, reading the packed position included."""
    medium_value_ns: float
    """One position of many in one call, reading the packed position included."""
    choose_medium_us: float
    choose_hard_p50_us: float
    choose_hard_p99_us: float
    legal_plays_from_python_us: float
    """Results and steps, in canonical order."""
    bgsage_possible_moves_us: float
    """Results only, in no order."""
    times_bgsage: float
    import_ms: float
    memory_mb: float | None
    """None where there is no /proc."""


@dataclass(frozen=True, slots=True)
class PositionRoll:
    """A packed position and the roll to play."""

    position: bytes
    die1: int
    die2: int


def mid_game(count: int, seed: int) -> list[PositionRoll]:
    """Return positions of Medium's games, from its sixth roll on and before the race."""
    # Dice for a benchmark, not for a game.
    draw = random.Random(seed)
    drawn: list[PositionRoll] = []
    position, rolls = START_SIDE * 2, 0
    while len(drawn) < count:
        rolls += 1
        roll = PositionRoll(position, draw.randint(1, 6), draw.randint(1, 6))
        if rolls >= FIRST_MEASURED_ROLL:
            drawn.append(roll)
        result, _, _ = kernel.choose_medium(position, roll.die1, roll.die2)
        position = result[SIDE:] + result[:SIDE]
        if result[OFF] == CHECKERS or is_race(position):
            position, rolls = START_SIDE * 2, 0
    return drawn


def is_race(position: bytes) -> bool:
    """Say whether no checker can be hit any more. A checker on the bar makes it no race."""
    rearmost = [max(i for i in range(OFF) if position[side + i]) + 1 for side in (0, SIDE)]
    return sum(rearmost) <= OFF - 1


def bgsage_board(position: bytes) -> list[int]:
    """Return bgsage's 26 numbers: index 1-24 the player's points, the opponent's checkers negative.

    Index 25 is the player's bar, index 0 the opponent's.
    """
    board = [position[SIDE + 24], *position[:24], position[24]]
    for point in range(1, 25):
        board[point] -= position[SIDE + 24 - point]
    return board


def median_ns(rounds: int, work: Callable[[], object]) -> float:
    """Return the median time of some work, in nanoseconds."""
    times = []
    for _ in range(rounds):
        start = thread_time_ns()
        work()
        times.append(thread_time_ns() - start)
    return statistics.median(times)


def in_fresh_process(code: str, rounds: int) -> float:
    """Return the median of the numbers that this code prints in processes of its own."""
    command = [sys.executable, "-c", code]
    # S603: the code is one of the two texts above.
    return statistics.median(float(subprocess.check_output(command, cwd=REPOSITORY)) for _ in range(rounds))


def measure(count: int, rounds: int, seed: int) -> Figures:
    """Measure everything, one thing after the other."""
    drawn = mid_game(count, seed)
    positions = b"".join(roll.position for roll in drawn)
    dice = b"".join(bytes([roll.die1, roll.die2]) for roll in drawn)
    boards = [(bgsage_board(roll.position), roll.die1, roll.die2) for roll in drawn]
    hard_us = statistics.quantiles(
        [
            median_ns(rounds // 4, partial(kernel.choose_hard, roll.position, roll.die1, roll.die2)) / 1e3
            for roll in drawn
        ],
        n=100,
    )

    def all_rolls(choose: Callable[[bytes, int, int], object]) -> float:
        return median_ns(rounds, lambda: [choose(roll.position, roll.die1, roll.die2) for roll in drawn]) / count / 1e3

    ours = all_rolls(kernel.legal_plays)
    theirs = median_ns(rounds, lambda: [bgsage.possible_moves(*board) for board in boards]) / count / 1e3
    memory = None
    if Path("/proc/self/status").exists():
        memory = in_fresh_process(MEMORY_ADDED.format(position=drawn[0].position.hex()), 3)
    return Figures(
        positions=count,
        plays_per_roll=kernel.count_plays(positions, dice) / count,
        legal_plays_in_kernel_ns=median_ns(rounds, lambda: kernel.count_plays(positions, dice)) / count,
        medium_value_ns=median_ns(rounds, lambda: kernel.medium_values(positions)) / count,
        choose_medium_us=all_rolls(kernel.choose_medium),
        choose_hard_p50_us=hard_us[49],
        choose_hard_p99_us=hard_us[98],
        legal_plays_from_python_us=ours,
        bgsage_possible_moves_us=theirs,
        times_bgsage=theirs / ours,
        import_ms=in_fresh_process(IMPORT_TIME, 7),
        memory_mb=memory,
    )


def main() -> None:
    """Print the figures, one a line or as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--positions", type=int, default=5000, help="how many position-rolls (default: %(default)s)")
    parser.add_argument(
        "--rounds",
        type=int,
        default=21,
        help="rounds of each measurement, a quarter of them for Hard (default: %(default)s)",
    )
    parser.add_argument("--seed", type=int, default=1, help="of the games and rolls (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()
    figures = measure(arguments.positions, arguments.rounds, arguments.seed)
    if arguments.json:
        print(json.dumps(asdict(figures)))
        return
    for field in fields(Figures):
        value = getattr(figures, field.name)
        shown = "-" if value is None else f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"
        print(f"{field.name:<28}{shown:>12}")


if __name__ == "__main__":
    main()
