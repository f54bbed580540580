"""Equities beside those of GNU Backgammon: its 2-ply search and its exact two-sided bear-offs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bgbotd.evaluation import CubeEquities, CubeVerdict, Depth, Evaluation, cube_verdict
from bgbotd.rules.match import Cube, CubeOwner, MatchState
from tests.evaluation.states import MONEY, read_position
from tests.reference_cases import read_cases

if TYPE_CHECKING:
    from bgbotd.evaluation.bearoff import BearoffTable
    from bgbotd.evaluation.sage import SageEngine

_VERDICTS = {
    "No double, take": CubeVerdict.NO_DOUBLE,
    "Double, take": CubeVerdict.DOUBLE_TAKE,
    "Double, pass": CubeVerdict.DOUBLE_PASS,
    "Too good to double, pass": CubeVerdict.TOO_GOOD_PASS,
    "Too good to double, take": CubeVerdict.TOO_GOOD_TAKE,
}
_CLOSE = 0.02
"""Where our own equities are no farther apart, the verdict may fall either way."""
_CASES = read_cases("gnubg_2ply.jsonl")
_POSITIONS = [read_position(case["position"]) for case in _CASES]


def _evaluate(engine: SageEngine, depth: Depth) -> list[Evaluation]:
    return [engine.evaluate(position, MONEY, depth) for position in _POSITIONS]


def _mean_and_95th(differences: list[float]) -> tuple[float, float]:
    ordered = sorted(differences)
    return sum(ordered) / len(ordered), ordered[len(ordered) * 95 // 100]


def _is_close(cube: CubeEquities) -> bool:
    """Tell whether some decision of the three equities hangs on less than two hundredths."""
    best_double = min(cube.double_take, cube.double_pass)
    gaps = (best_double - cube.no_double, cube.double_take - cube.double_pass, cube.no_double - cube.double_pass)
    return min(map(abs, gaps)) <= _CLOSE


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
    evaluations = _evaluate(engine, depth)
    mean, most = _mean_and_95th(
        [
            abs(found.probabilities.cubeless_equity - case["cubeless_equity"])
            for found, case in zip(evaluations, _CASES, strict=True)
        ]
    )
    assert mean <= equity_mean
    assert most <= equity_95th
    mean, most = _mean_and_95th(
        [abs(found.probabilities.win - case["win"]) for found, case in zip(evaluations, _CASES, strict=True)]
    )
    assert mean <= win_mean
    assert most <= win_95th
    others = [
        case
        for found, case in zip(evaluations, _CASES, strict=True)
        if cube_verdict(found.cube, MONEY) is not _VERDICTS[case["verdict"]] and not _is_close(found.cube)
    ]
    assert len(others) <= most_other_verdicts


@pytest.mark.parametrize(
    ("column", "cube"),
    [
        ("cubeless_equity", None),
        ("equity_cube_owned", Cube(2, CubeOwner.PLAYER)),
        ("equity_cube_centred", Cube(1)),
        ("equity_cube_opponent", Cube(2, CubeOwner.OPPONENT)),
    ],
)
def test_bearoffs_are_exact(bearoff_table: BearoffTable, column: str, cube: Cube | None) -> None:
    """The source keeps 16 bits of each value, and prints four digits."""
    for case in read_cases("bearoff_exact.jsonl"):
        match = MatchState(cube=cube) if cube else MONEY
        value = bearoff_table.evaluate(read_position(case["position"]).packed(), match)
        assert value is not None
        found = value.cube.no_double if cube else value.probabilities.cubeless_equity
        assert case[column] == pytest.approx(found, abs=0.0005)
