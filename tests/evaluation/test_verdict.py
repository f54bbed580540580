"""The verdict follows from three numbers and the state of the cube."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bgbotd.evaluation.engine import CubeEquities
from bgbotd.evaluation.verdict import CubeVerdict, cube_verdict, may_double
from bgbotd.rules.match import CrawfordState, Cube, CubeOwner, MatchState
from tests.evaluation.states import MONEY, match_states, money_states

_OWNED = MatchState(cube=Cube(2, CubeOwner.PLAYER))
_BEAVERS = MatchState(jacoby=True, beavers=True)
_CRAWFORD = MatchState(5, 4, 0, CrawfordState.CRAWFORD_GAME)
_equities = st.floats(min_value=-3, max_value=3)
_cubes = st.builds(CubeEquities, _equities, _equities, st.just(1.0))
_states = money_states | match_states()


@pytest.mark.parametrize(
    ("no_double", "double_take", "first", "second"),
    [
        (0.30, 0.20, CubeVerdict.NO_DOUBLE, CubeVerdict.NO_REDOUBLE),
        (0.30, 0.40, CubeVerdict.DOUBLE_TAKE, CubeVerdict.REDOUBLE_TAKE),
        (0.90, 1.20, CubeVerdict.DOUBLE_PASS, CubeVerdict.REDOUBLE_PASS),
        (1.00, 2.00, CubeVerdict.DOUBLE_PASS, CubeVerdict.REDOUBLE_PASS),
        (1.10, 0.95, CubeVerdict.TOO_GOOD_TAKE, CubeVerdict.TOO_GOOD_TO_REDOUBLE_TAKE),
        (1.10, 1.60, CubeVerdict.TOO_GOOD_PASS, CubeVerdict.TOO_GOOD_TO_REDOUBLE_PASS),
        (0.50, 0.50, CubeVerdict.NO_DOUBLE, CubeVerdict.NO_REDOUBLE),
        (0.50, 1.00, CubeVerdict.DOUBLE_TAKE, CubeVerdict.REDOUBLE_TAKE),
    ],
)
def test_each_order_of_the_numbers_has_its_verdict(
    no_double: float, double_take: float, first: CubeVerdict, second: CubeVerdict
) -> None:
    """Double when both answers to it beat waiting; pass what costs more than 1."""
    cube = CubeEquities(no_double, double_take, 1.0)
    assert first is cube_verdict(cube, MONEY)
    assert second is cube_verdict(cube, _OWNED)


def test_a_double_into_a_position_the_taker_leads_is_beavered_where_that_is_agreed() -> None:
    """The same numbers are a plain take without beavers."""
    cube = CubeEquities(0.1, -0.2, 1.0)
    assert CubeVerdict.NO_DOUBLE_BEAVER is cube_verdict(cube, _BEAVERS)
    assert CubeVerdict.NO_DOUBLE is cube_verdict(cube, MONEY)


def test_a_beaver_past_the_limit_of_the_cube_is_none() -> None:
    """With the cube on 1 a limit of 2 leaves room for the double alone."""
    cube = CubeEquities(0.1, -0.2, 1.0)
    assert CubeVerdict.NO_DOUBLE is cube_verdict(cube, MatchState(beavers=True, cube_limit=2))
    assert CubeVerdict.NO_DOUBLE_BEAVER is cube_verdict(cube, MatchState(beavers=True, cube_limit=4))


def test_jacoby_can_make_a_double_right_that_is_beavered() -> None:
    """Waiting, gammons would not count."""
    assert CubeVerdict.DOUBLE_BEAVER is cube_verdict(CubeEquities(-0.3, -0.1, 1.0), _BEAVERS)


def test_nobody_doubles_in_the_crawford_game() -> None:
    """Whatever the numbers say."""
    assert CubeVerdict.CRAWFORD is cube_verdict(CubeEquities(0.3, 0.6, 1.0), _CRAWFORD)


@pytest.mark.parametrize(
    "match",
    [MatchState(cube=Cube(2, CubeOwner.OPPONENT)), MatchState(cube=Cube(64, CubeOwner.PLAYER), cube_limit=64)],
)
def test_the_cube_is_not_available_when_the_opponent_owns_it_or_at_its_limit(match: MatchState) -> None:
    """There is nothing to decide."""
    assert CubeVerdict.NOT_AVAILABLE is cube_verdict(CubeEquities(0.3, 0.3, 0.3), match)


@given(_cubes, _states)
def test_a_verdict_never_contradicts_its_numbers(cube: CubeEquities, match: MatchState) -> None:
    """A double gains, what is not doubled does not, and passes cost the taker less than takes."""
    name = cube_verdict(cube, match).name
    if name in {"CRAWFORD", "NOT_AVAILABLE"}:
        assert not may_double(match)
        return
    gain = min(cube.double_take, cube.double_pass) - cube.no_double
    doubles = name.startswith(("DOUBLE", "REDOUBLE"))
    assert gain >= 0 if doubles else gain <= 0
    assert name.endswith("PASS") == (cube.double_take > cube.double_pass)
    assert name.startswith("TOO_GOOD") == (cube.no_double > cube.double_pass and not doubles)
    assert ("REDOUBLE" in name) == (match.cube.owner is CubeOwner.PLAYER)


@given(_cubes, _states)
def test_only_money_play_has_beavers(cube: CubeEquities, match: MatchState) -> None:
    """And only where they are agreed and taking is good."""
    if "BEAVER" in cube_verdict(cube, match).name:
        assert match.is_money
        assert match.beavers
        assert cube.double_take < 0


@given(_cubes, match_states())
def test_no_verdict_of_the_crawford_game_doubles(cube: CubeEquities, match: MatchState) -> None:
    """The state alone settles it."""
    crawford = match.crawford is CrawfordState.CRAWFORD_GAME
    assert crawford == (cube_verdict(cube, match) is CubeVerdict.CRAWFORD)
