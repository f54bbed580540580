"""Exact bear-offs and the file they are kept in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bgbotd import kernel
from bgbotd.evaluation.bearoff import BearoffTable, cache_folder
from bgbotd.evaluation.engine import Depth, Source
from bgbotd.evaluation.verdict import CubeVerdict, cube_verdict
from bgbotd.rules.match import CrawfordState, Cube, CubeOwner, MatchState
from bgbotd.rules.position import STARTING_POSITION, Position, Side
from tests.evaluation.states import MONEY
from tests.rules.boards import side

if TYPE_CHECKING:
    from pathlib import Path

_LAST_ROLL = Position(side({6: 1}), side({1: 1})).packed()
"""The player bears off from its 6-point with 27 rolls of 36: every one with a 6, 2-2, or 6 pips on the way."""
_DOUBLE_MATCH_POINT = MatchState(5, 4, 4, CrawfordState.POST_CRAWFORD)
_FAR_AWAY = MatchState(7, 2, 4)

_counts = st.lists(st.integers(1, 6), min_size=1, max_size=6)


def _side(points: list[int]) -> Side:
    return side({point: points.count(point) for point in points})


_covered = st.builds(lambda player, opponent: Position(_side(player), _side(opponent)), _counts, _counts)


def _win(table: BearoffTable, packed: bytes, match: MatchState = MONEY) -> float:
    value = table.evaluate(packed, match)
    assert value is not None
    return value.probabilities.win


def test_a_checker_on_the_6_point_is_off_with_27_rolls(bearoff_table: BearoffTable) -> None:
    """If it is not, the opponent is."""
    assert _win(bearoff_table, _LAST_ROLL) == pytest.approx(27 / 36)


def test_the_last_roll_of_the_game_is_doubled_and_taken_at_a_quarter(bearoff_table: BearoffTable) -> None:
    """27 of 36: equity 0.5 without a double, 1 with one, so that take and pass cost the same."""
    value = bearoff_table.evaluate(_LAST_ROLL, MONEY)
    assert value is not None
    assert (0.5, 1.0, 1.0) == pytest.approx((value.cube.no_double, value.cube.double_take, value.cube.double_pass))
    assert CubeVerdict.DOUBLE_TAKE is cube_verdict(value.cube, MONEY)


@given(_covered)
def test_a_cube_of_ones_own_is_worth_most(bearoff_table: BearoffTable, position: Position) -> None:
    """The centred one is worth less, and the opponent's least."""
    worths = []
    for cube in (Cube(2, CubeOwner.OPPONENT), Cube(1), Cube(2, CubeOwner.PLAYER)):
        value = bearoff_table.evaluate(position.packed(), MatchState(cube=cube))
        assert value is not None
        worths.append(value.cube.after_best_action)
    assert worths == sorted(worths)
    assert -1 <= worths[0]
    assert worths[2] <= 1


@given(_covered, st.integers(1, 6), st.integers(1, 6))
def test_the_value_of_a_roll_is_never_better_than_a_sure_win(
    bearoff_table: BearoffTable, position: Position, die1: int, die2: int
) -> None:
    """All plays are ranked exactly, the best first; losses are never negative."""
    packed = kernel.legal_plays(position.packed(), die1, die2)[2]
    results = [packed[begin : begin + 52] for begin in range(0, len(packed), 52)]
    plays = bearoff_table.rank_plays(results, MONEY)
    assert plays is not None
    assert list(range(len(results))) == sorted(play.index for play in plays)
    assert [play.equity for play in plays] == sorted((play.equity for play in plays), reverse=True)
    assert plays[0].equity <= 1
    assert all(play.depth is Depth.TRUNCATED_ROLLOUT and play.loss >= 0 for play in plays)


@given(_covered)
def test_a_position_is_worth_the_mean_of_its_rolls(bearoff_table: BearoffTable, position: Position) -> None:
    """One step of the induction, cubeless, done again by the ranking of plays at double match point."""
    mean = 0.0
    for die1 in range(1, 7):
        for die2 in range(1, 7):
            packed = kernel.legal_plays(position.packed(), die1, die2)[2]
            results = [packed[begin : begin + 52] for begin in range(0, len(packed), 52)]
            plays = bearoff_table.rank_plays(results, _DOUBLE_MATCH_POINT)
            assert plays is not None
            mean += plays[0].probabilities.win / 36
    assert _win(bearoff_table, position.packed()) == pytest.approx(mean, abs=1e-6)


@pytest.mark.parametrize(
    ("position", "match"),
    [
        (STARTING_POSITION, MONEY),
        (Position(side({1: 7}), side({1: 1})), MONEY),
        (Position(side({7: 1}), side({1: 1})), MONEY),
        (Position(side({1: 1}, bar=1), side({6: 1})), MONEY),
        (Position(side({6: 1}), side({1: 1})), _FAR_AWAY),
        (Position(side({6: 1}), side({1: 1})), MatchState(cube_limit=8)),
    ],
)
def test_what_the_table_does_not_know_is_left_to_the_engine(
    bearoff_table: BearoffTable, position: Position, match: MatchState
) -> None:
    """Too many checkers, checkers outside, a cube of use in a match, a limit in sight."""
    assert bearoff_table.evaluate(position.packed(), match) is None


def test_plays_are_ranked_only_if_all_are_known(bearoff_table: BearoffTable) -> None:
    """One of them lands outside the table."""
    known = Position(side({1: 1}), side({1: 1})).packed()
    assert bearoff_table.rank_plays([known, STARTING_POSITION.packed()], MONEY) is None


@pytest.mark.parametrize(
    "match",
    [
        _DOUBLE_MATCH_POINT,
        MatchState(5, 4, 1, CrawfordState.CRAWFORD_GAME),
        MatchState(cube=Cube(64, CubeOwner.PLAYER), cube_limit=64),
    ],
)
def test_where_the_cube_is_of_no_use_the_cubeless_value_is_exact(
    bearoff_table: BearoffTable, match: MatchState
) -> None:
    """Double match point, the Crawford game, the cube's limit."""
    value = bearoff_table.evaluate(_LAST_ROLL, match)
    assert value is not None
    assert Source.BEAROFF_TABLE is value.source
    assert value.cube.no_double == pytest.approx(0.5)
    assert value.cube.after_best_action == pytest.approx(0.5)


def test_a_double_the_taker_leads_after_is_worth_its_beaver(bearoff_table: BearoffTable) -> None:
    """Two checkers on the 6-point against one on the 1-point: only doubles from 3-3 up bear both off."""
    packed = Position(side({6: 2}), side({1: 1})).packed()
    taken = bearoff_table.evaluate(packed, MONEY)
    beavered = bearoff_table.evaluate(packed, MatchState(beavers=True))
    assert taken is not None
    assert beavered is not None
    assert beavered.cube.double_take == pytest.approx(2 * taken.cube.double_take)
    assert CubeVerdict.NO_DOUBLE_BEAVER is cube_verdict(beavered.cube, MatchState(beavers=True))


def _solve_never() -> bytes:
    msg = "the table was there"
    raise AssertionError(msg)


def test_a_kept_table_is_not_computed_again(cache_folder: Path, bearoff_table: BearoffTable) -> None:
    """It is mapped from its file."""
    again = BearoffTable.open(cache_folder, _solve_never)
    assert _win(bearoff_table, _LAST_ROLL) == _win(again, _LAST_ROLL)


@pytest.mark.parametrize("damage", ["cut short", "one bit", "another layout", "empty"])
def test_a_damaged_table_is_computed_anew(
    cache_folder: Path, bearoff_table: BearoffTable, tmp_path: Path, damage: str
) -> None:
    """And written again, whole."""
    [good] = cache_folder.iterdir()
    whole = good.read_bytes()
    changed = bytearray(whole)
    changed[0 if damage == "another layout" else len(whole) // 2] ^= 1
    broken = {"cut short": whole[:-1], "empty": b""}.get(damage, bytes(changed))
    (tmp_path / good.name).write_bytes(broken)
    table = BearoffTable.open(tmp_path, lambda: whole[-924 * 924 * 16 :])
    assert _win(bearoff_table, _LAST_ROLL) == _win(table, _LAST_ROLL)
    assert table.why_not_kept is None
    assert whole == (tmp_path / good.name).read_bytes()
    assert [good.name] == [path.name for path in tmp_path.iterdir()]


def test_a_folder_that_cannot_be_written_stops_nobody(
    cache_folder: Path, bearoff_table: BearoffTable, tmp_path: Path
) -> None:
    """A file stands where the folder should be; the table is held in memory."""
    (tmp_path / "file").touch()
    [good] = cache_folder.iterdir()
    table = BearoffTable.open(tmp_path / "file" / "folder", lambda: good.read_bytes()[-924 * 924 * 16 :])
    assert table.why_not_kept is not None
    assert _win(bearoff_table, _LAST_ROLL) == _win(table, _LAST_ROLL)


def test_the_table_is_kept_under_the_users_cache_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """XDG_CACHE_HOME says where that is."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert tmp_path / "bgbotd" == cache_folder()
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder().name == "bgbotd"
