"""The kernel on one thread, on mid-game positions, beside bgsage in the same run.

Positions come from seeded games that Medium plays against itself: every position
with contact from the sixth roll on, with a roll drawn for it. Every figure is the
median over several rounds, in processor time, so that a busy machine does not
count; Hard's percentiles are over positions, each with its own median. Figures of
single calls include the call from Python.
"""

from __future__ import annotations

import random
import statistics
import subprocess
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import thread_time_ns
from typing import TYPE_CHECKING

import bgsage

from benchmarks.results import Figure
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


def measure(count: int = 5000, rounds: int = 21, seed: int = 1) -> list[Figure]:
    """Measure everything, one thing after the other."""
    drawn = mid_game(count, seed)
    positions = b"".join(roll.position for roll in drawn)
    dice = b"".join(bytes([roll.die1, roll.die2]) for roll in drawn)
    boards = [(bgsage_board(roll.position), roll.die1, roll.die2) for roll in drawn]
    hard = statistics.quantiles(
        [
            median_ns(rounds // 4, partial(kernel.choose_hard, roll.position, roll.die1, roll.die2)) / 1e3
            for roll in drawn
        ],
        n=100,
    )

    def all_rolls(choose: Callable[[bytes, int, int], object]) -> float:
        return median_ns(rounds, lambda: [choose(roll.position, roll.die1, roll.die2) for roll in drawn]) / count / 1e3

    def each_ns(work: Callable[[], object]) -> float:
        return median_ns(rounds, work) / count

    ours = all_rolls(kernel.legal_plays)
    theirs = median_ns(rounds, lambda: [bgsage.possible_moves(*board) for board in boards]) / count / 1e3
    figures = [
        Figure("legal plays of a roll, many in one call", each_ns(lambda: kernel.count_plays(positions, dice)), "ns"),
        Figure("legal plays of a roll, from Python", ours, "µs", "bgsage", theirs, ours / theirs),
        Figure("Medium's value of a position", each_ns(lambda: kernel.medium_values(positions)), "ns"),
        Figure("Medium's choice of play", all_rolls(kernel.choose_medium), "µs"),
        Figure("Hard's choice of play, p50", hard[49], "µs"),
        Figure("Hard's choice of play, p99", hard[98], "µs"),
        Figure("import of the kernel", in_fresh_process(IMPORT_TIME, 7), "ms"),
    ]
    if Path("/proc/self/status").exists():
        memory = in_fresh_process(MEMORY_ADDED.format(position=drawn[0].position.hex()), 3)
        figures.append(Figure("memory that the kernel takes", memory, "MB"))
    return figures
