"""Equities beside those of GNU Backgammon: its 2-ply search and its exact two-sided bear-offs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bgbotd.evaluation import Depth
from tests.evaluation.closeness import CUBES, bearoff_differences, closeness

if TYPE_CHECKING:
    from bgbotd.evaluation.bearoff import BearoffTable
    from bgbotd.evaluation.sage import SageEngine


@pytest.mark.parametrize(
    ("depth", "equity_mean", "equity_95th", "win_mean", "win_95th", "most_other_verdicts"),
    [
        # Measured: 0.0297, 0.109, 0.0108, 0.0392 and 1 of 200.
        (Depth.STATIC, 0.033, 0.12, 0.012, 0.043, 3),
        # Measured: 0.0196, 0.068, 0.0064, 0.0229 and 0 of 200.
        (Depth.PLY3, 0.022, 0.075, 0.0075, 0.026, 1),
    ],
)
def test_equities_and_verdicts_are_close_to_gnu_backgammons_two_plies(
    engine: SageEngine,
    depth: Depth,
    equity_mean: float,
    equity_95th: float,
    win_mean: float,
    win_95th: float,
    most_other_verdicts: int,
) -> None:
    """Two networks differ; two hundredths in mean equity is what engines of this strength differ by."""
    found = closeness(engine, depth)
    assert found.equity_mean <= equity_mean
    assert found.equity_95th <= equity_95th
    assert found.win_mean <= win_mean
    assert found.win_95th <= win_95th
    assert found.other_verdicts <= most_other_verdicts


@pytest.mark.parametrize("column", CUBES)
def test_bearoffs_are_exact(bearoff_table: BearoffTable, column: str) -> None:
    """The source keeps 16 bits of each value, and prints four digits."""
    differences = bearoff_differences(bearoff_table, column)
    assert 120 == len(differences)
    assert max(differences) <= 0.0005
