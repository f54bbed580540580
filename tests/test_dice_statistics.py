"""Sealed dice could be fair, and dice that are not are found."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.dice_statistics import FACES, SUSPICIOUS, chi_squared, examined, run_lengths


def test_sealed_dice_could_be_fair() -> None:
    """Faces, pairs, successive rolls and runs of 100,000 rolls; the campaign throws millions."""
    found = examined(100_000, seed=2)
    assert {"faces", "pairs of a roll", "successive rolls", "runs of a face"} == set(found)
    assert [] == [name for name, (_, probability) in found.items() if probability < SUSPICIOUS]


@pytest.mark.parametrize(
    ("statistic_of", "probability"),
    # Quantiles of chi-squared with 5 degrees, from the usual tables.
    [(11.070, 0.05), (15.086, 0.01), (4.351, 0.5)],
)
def test_probabilities_are_those_of_the_tables(statistic_of: float, probability: float) -> None:
    """A table's quantile has the table's probability."""
    # Two faces differ by as much as gives the wanted statistic.
    total = 600_000
    off = (statistic_of * total / FACES / 2) ** 0.5
    counted = dict.fromkeys(range(1, FACES + 1), total / FACES) | {1: total / FACES + off, 2: total / FACES - off}
    statistic, found = chi_squared(counted, dict.fromkeys(range(1, FACES + 1), 1 / FACES))
    assert statistic_of == pytest.approx(statistic)
    assert probability == pytest.approx(found, abs=0.002)


def test_a_biased_die_is_found() -> None:
    """One face in 6 thrown 3 % too often, among 300,000, cannot be chance."""
    counted = Counter({1: 51_500, 2: 49_700, 3: 49_700, 4: 49_700, 5: 49_700, 6: 49_700})
    assert SUSPICIOUS > chi_squared(counted, dict.fromkeys(range(1, 7), 1 / 6))[1]


def test_runs_are_counted_by_length() -> None:
    """The last run is not over and does not count."""
    assert {2: 1, 1: 2, 3: 1} == run_lengths([5, 5, 1, 2, 6, 6, 6, 4, 4])
