"""The exact table of two-sided bear-offs."""

import struct
from itertools import product

import pytest

from bgbotd import kernel
from tests.reference_cases import read_cases

POSITIONS = 924


@pytest.fixture(scope="module")
def table() -> bytes:
    """Solve it once."""
    return kernel.solve_bearoff()


def equities(table: bytes, player: list[int], opponent: list[int]) -> tuple[float, ...]:
    """Return cubeless, cube owned, centred and the opponent's, from counts on the points 1 to 6."""
    row, column = kernel.bearoff_index(bytes(player)), kernel.bearoff_index(bytes(opponent))
    return struct.unpack_from("<4f", table, 16 * (POSITIONS * row + column))


def test_table_holds_four_equities_of_every_pair_of_positions(table: bytes) -> None:
    """924 by 924 positions."""
    assert POSITIONS * POSITIONS * 4 * 4 == len(table)


def test_index_ranks_positions_by_their_checkers_from_the_6_point_down() -> None:
    """Ascending, from everything borne off to six checkers on the 6-point."""
    counts = [bytes(reversed(rear)) for rear in product(range(7), repeat=6) if sum(rear) <= 6]
    assert list(range(POSITIONS)) == [kernel.bearoff_index(points) for points in counts]


def test_equities_are_those_of_gnubg_two_sided_database(table: bytes) -> None:
    """All four columns of the 120 cases agree to within the rounding of the database."""
    columns = ("cubeless_equity", "equity_cube_owned", "equity_cube_centred", "equity_cube_opponent")
    for case in read_cases("bearoff_exact.jsonl"):
        sides = (case["position"][side]["points"][:6] for side in ("player", "opponent"))
        assert [case[column] for column in columns] == pytest.approx(equities(table, *sides), abs=0.0005)


@pytest.mark.parametrize(
    ("player", "expected"),
    [
        pytest.param([2, 0, 0, 0, 0, 0], 36, id="two on the ace point"),
        pytest.param([1, 0, 0, 0, 0, 1], 15, id="the 6- and the ace point"),
        pytest.param([0, 0, 1, 0, 0, 1], 10, id="the 6- and the 3-point"),
        pytest.param([0, 0, 0, 0, 1, 1], 6, id="the 6- and the 5-point"),
    ],
)
def test_last_roll_wins_as_often_as_the_books_say(table: bytes, player: list[int], expected: int) -> None:
    """Against an opponent who bears off next, no cube comes in any more once the roll is thrown."""
    chance = expected / 36
    assert equities(table, player, [1, 0, 0, 0, 0, 0]) == pytest.approx([2 * chance - 1] * 4)


def test_games_that_are_over_are_won_or_lost(table: bytes) -> None:
    """With no checkers left the player has won, with the opponent's gone it has lost."""
    off, left = [0] * 6, [0, 0, 0, 0, 0, 6]
    assert equities(table, off, left) == (1, 1, 1, 1)
    assert equities(table, left, off) == (-1, -1, -1, -1)
