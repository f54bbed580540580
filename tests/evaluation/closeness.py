"""How close evaluations are to GNU Backgammon's: its 2-ply search and its exact two-sided bear-offs.

`python -m tests.evaluation.closeness` prints the figures that the README gives.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bgbotd.evaluation import CubeEquities, CubeVerdict, Depth, cube_verdict
from bgbotd.evaluation.bearoff import BearoffTable
from bgbotd.evaluation.sage import SageEngine
from bgbotd.rules.match import Cube, CubeOwner, MatchState
from tests.evaluation.states import MONEY, read_position
from tests.reference_cases import read_cases

if TYPE_CHECKING:
    from collections.abc import Iterable

VERDICTS = {
    "No double, take": CubeVerdict.NO_DOUBLE,
    "Double, take": CubeVerdict.DOUBLE_TAKE,
    "Double, pass": CubeVerdict.DOUBLE_PASS,
    "Too good to double, pass": CubeVerdict.TOO_GOOD_PASS,
    "Too good to double, take": CubeVerdict.TOO_GOOD_TAKE,
}
CLOSE = 0.02
"""Where our own equities are no farther apart, the verdict may fall either way."""
CUBES = {
    "cubeless_equity": None,
    "equity_cube_owned": Cube(2, CubeOwner.PLAYER),
    "equity_cube_centred": Cube(1),
    "equity_cube_opponent": Cube(2, CubeOwner.OPPONENT),
}
"""For each column of the exact bear-offs the cube it is for; None for no cube at all."""


@dataclass(frozen=True, slots=True)
class Closeness:
    """Absolute differences over the 200 positions, of cubeless equity and of the winning chance."""

    equity_mean: float
    equity_95th: float
    win_mean: float
    win_95th: float
    other_verdicts: int
    """Verdicts that differ where our own equities are more than `CLOSE` apart."""


def closeness(engine: SageEngine, depth: Depth) -> Closeness:
    """Compare evaluations for money at a depth with GNU Backgammon's at 2-ply."""
    cases = read_cases("gnubg_2ply.jsonl")
    found = [(case, engine.evaluate(read_position(case["position"]), MONEY, depth)) for case in cases]
    equities = _mean_and_95th(abs(each.probabilities.cubeless_equity - case["cubeless_equity"]) for case, each in found)
    wins = _mean_and_95th(abs(each.probabilities.win - case["win"]) for case, each in found)
    others = sum(
        cube_verdict(each.cube, MONEY) is not VERDICTS[case["verdict"]] and not _is_close(each.cube)
        for case, each in found
    )
    return Closeness(*equities, *wins, others)


def bearoff_differences(table: BearoffTable, column: str) -> list[float]:
    """Give the absolute differences of a column of the exact bear-offs, in points per unit of the cube."""
    cube = CUBES[column]
    match = MatchState(cube=cube) if cube else MONEY
    differences = []
    for case in read_cases("bearoff_exact.jsonl"):
        value = table.evaluate(read_position(case["position"]).packed(), match)
        assert value is not None
        found = value.cube.no_double if cube else value.probabilities.cubeless_equity
        differences.append(abs(found - case[column]))
    return differences


def _mean_and_95th(differences: Iterable[float]) -> tuple[float, float]:
    ordered = sorted(differences)
    return sum(ordered) / len(ordered), ordered[len(ordered) * 95 // 100]


def _is_close(cube: CubeEquities) -> bool:
    """Tell whether some decision of the three equities hangs on less than two hundredths."""
    best_double = min(cube.double_take, cube.double_pass)
    gaps = (best_double - cube.no_double, cube.double_take - cube.double_pass, cube.no_double - cube.double_pass)
    return min(map(abs, gaps)) <= CLOSE


def main() -> None:
    """Print every figure."""
    engine = SageEngine()
    for depth in (Depth.STATIC, Depth.PLY3):
        print(f"{depth.name}: {closeness(engine, depth)}")
    table = BearoffTable.open(None)
    for column in CUBES:
        print(f"{column}: largest difference {max(bearoff_differences(table, column)):.5f}")


if __name__ == "__main__":
    main()
