"""Rolls millions of sealed dice and tests whether they could be fair: `make dice-statistics`."""

from __future__ import annotations

import argparse
import hashlib
from collections import Counter
from itertools import pairwise
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

from bgbotd.rules.sealed_dice import derive_roll

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

FACES = 6
ROLLS_A_GAME = 200
LONGEST_RUN = 7
"""Runs of this length and longer are counted together, so that each class stays well filled."""
SUSPICIOUS = 1e-4
"""A probability below this fails; of the four tests on fair dice one in 2,500 campaigns would."""


def rolls(count: int, seed: int) -> Iterator[tuple[int, int]]:
    """Give rolls of many games, each with a seed of its own."""
    for game in range(-(-count // ROLLS_A_GAME)):
        sealed = hashlib.sha256(f"{seed}:{game}".encode()).digest()
        for index in range(min(ROLLS_A_GAME, count - game * ROLLS_A_GAME)):
            roll = derive_roll(sealed, index, opening=False)
            yield roll.dice.die1, roll.dice.die2


def chi_squared(counted: Mapping[Any, float], chances: Mapping[Any, float]) -> tuple[float, float]:
    """Give chi-squared and the probability that fair dice differ from their chances at least so much.

    The probability is that of Wilson and Hilferty's approximation (PNAS 17, 1931).
    """
    total = sum(counted.values())
    statistic = sum((counted.get(each, 0) - total * chance) ** 2 / (total * chance) for each, chance in chances.items())
    degrees = len(chances) - 1
    spread = 2 / (9 * degrees)
    deviate = ((statistic / degrees) ** (1 / 3) - (1 - spread)) / spread**0.5
    return statistic, 1 - NormalDist().cdf(deviate)


def run_lengths(faces: list[int]) -> Counter[int]:
    """Count the runs of one face by length."""
    lengths: Counter[int] = Counter()
    length = 1
    for before, after in pairwise(faces):
        if before == after:
            length += 1
        else:
            lengths[min(length, LONGEST_RUN)] += 1
            length = 1
    return lengths


def examined(count: int, seed: int) -> dict[str, tuple[float, float]]:
    """Give chi-squared and its probability for faces, pairs, successive rolls and runs."""
    thrown = list(rolls(count, seed))
    faces = [face for roll in thrown for face in roll]
    numbers = range(1, FACES + 1)
    pairs = [(one, other) for one in numbers for other in numbers]
    lengths = {length: (FACES - 1) / FACES**length for length in range(1, LONGEST_RUN)}
    return {
        "faces": chi_squared(Counter(faces), dict.fromkeys(numbers, 1 / FACES)),
        "pairs of a roll": chi_squared(Counter(thrown), dict.fromkeys(pairs, FACES**-2)),
        "successive rolls": chi_squared(
            Counter(pairwise(thrown)), {(roll, following): FACES**-4 for roll in pairs for following in pairs}
        ),
        "runs of a face": chi_squared(run_lengths(faces), {**lengths, LONGEST_RUN: FACES ** -(LONGEST_RUN - 1)}),
    }


def main() -> int:
    """Print a line for each test; fail if one is suspicious."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rolls", type=int, default=10_000_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    found = examined(arguments.rolls, arguments.seed)
    print(f"{arguments.rolls:,} rolls")
    for name, (statistic, probability) in found.items():
        print(f"{name:<18} chi-squared {statistic:10.2f}   p = {probability:.4f}")
    return 1 if any(probability < SUSPICIOUS for _, probability in found.values()) else 0


if __name__ == "__main__":
    raise SystemExit(main())
