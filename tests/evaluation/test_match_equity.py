"""Match equity: published values and what follows from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bgbotd.evaluation.engine import Probabilities, ScoreOutOfTable
from bgbotd.evaluation.match_equity import (
    cubeless_equity,
    dead_cube_equity,
    dead_cube_error,
    require_covered,
    take_point,
)
from bgbotd.rules.match import CrawfordState, Cube, CubeOwner, MatchState
from tests.evaluation.states import MONEY, match_states

if TYPE_CHECKING:
    from bgbotd.evaluation.sage import SageEngine

_DOUBLE_MATCH_POINT = MatchState(5, 4, 4, CrawfordState.POST_CRAWFORD)
_aways = st.integers(min_value=1, max_value=25)


@pytest.mark.parametrize(
    ("own_away", "other_away", "chance"),
    [
        (1, 2, 0.67736),
        (1, 3, 0.75076),
        (1, 4, 0.81436),
        (2, 2, 0.5),
        (2, 3, 0.59947),
        (2, 4, 0.66870),
        (3, 4, 0.57150),
        (5, 3, 0.35205),
        (4, 7, 0.69924),
        (5, 9, 0.72540),
        (11, 15, 0.667927),
        (20, 13, 0.25037),
        (25, 1, 0.00095),
        (25, 25, 0.5),
    ],
)
def test_the_table_is_kazaross_xg2(engine: SageEngine, own_away: int, other_away: int, chance: float) -> None:
    """Values of the table as GNU Backgammon publishes it (met/Kazaross-XG2.xml, 2011)."""
    assert chance == pytest.approx(engine.match_equity.chance(own_away, other_away), abs=1e-6)


@pytest.mark.parametrize(
    ("away", "chance"), [(1, 0.5), (2, 0.48803), (3, 0.32264), (4, 0.31002), (5, 0.19012), (24, 0.00182)]
)
def test_after_crawford_an_even_number_of_points_away_is_nearly_worth_the_odd_number_below(
    engine: SageEngine, away: int, chance: float
) -> None:
    """The trailer doubles at once: 2 away needs one game as 1 away does, less the free drop."""
    assert chance == pytest.approx(engine.match_equity.chance(away, 1, crawford_played=True), abs=1e-6)


@given(_aways, _aways, st.booleans())
def test_both_sides_chances_make_one(engine: SageEngine, own: int, other: int, crawford_played: bool) -> None:
    """Somebody wins the match."""
    table = engine.match_equity
    total = table.chance(own, other, crawford_played=crawford_played) + table.chance(
        other, own, crawford_played=crawford_played
    )
    assert total == pytest.approx(1.0, abs=1e-5)


@given(_aways, _aways)
def test_a_point_never_hurts(engine: SageEngine, own: int, other: int) -> None:
    """One point fewer to go is worth more."""
    assert engine.match_equity.chance(own, other) < engine.match_equity.chance(own - 1, other)


def test_a_match_to_more_points_than_the_table_covers_is_refused() -> None:
    """26 away is past the table's end."""
    require_covered(MatchState(26, 1, 1))
    with pytest.raises(ScoreOutOfTable):
        require_covered(MatchState(26))


@given(match_states(), st.floats(min_value=-1, max_value=1))
def test_equity_and_chance_of_the_match_turn_into_each_other(
    engine: SageEngine, match: MatchState, equity: float
) -> None:
    """Normalised equity is a chance on another scale."""
    table = engine.match_equity
    assert equity == pytest.approx(table.equity_of_chance(match, table.chance_of_equity(match, equity)), abs=1e-9)


def test_winning_the_current_cube_is_equity_one(engine: SageEngine) -> None:
    """At 4 away and 7 away with the cube on 2, winning leads to 2 away."""
    match = MatchState(7, 3, 0, cube=Cube(2, CubeOwner.PLAYER))
    assert engine.match_equity.chance_of_equity(match, 1.0) == engine.match_equity.chance(2, 7)


def test_a_chance_stays_within_0_and_1(engine: SageEngine) -> None:
    """Equities in single precision may lie a hair beyond what can be won."""
    found = [engine.match_equity.chance_of_equity(_DOUBLE_MATCH_POINT, equity) for equity in (-1.00003, 1.00003)]
    assert [0, 1] == found


def test_after_the_crawford_game_the_score_counts_as_post_crawford(engine: SageEngine) -> None:
    """The trailer wins the Crawford game and is 2 away."""
    match = MatchState(5, 2, 4, CrawfordState.CRAWFORD_GAME)
    assert pytest.approx(0.48803, abs=1e-6) == engine.match_equity.after_game(match, 1)


def test_reaching_one_point_away_first_leads_to_the_crawford_game(engine: SageEngine) -> None:
    """At 2 away and 2 away the winner of a point is 1 away before Crawford."""
    assert pytest.approx(0.67736, abs=1e-6) == engine.match_equity.after_game(MatchState(5, 3, 3), 1)


def test_gammons_are_worth_nothing_at_double_match_point(engine: SageEngine) -> None:
    """Any win wins the match."""
    match = MatchState(5, 4, 4, CrawfordState.POST_CRAWFORD)
    chances = Probabilities(0.5, 0.4, 0.1)
    assert pytest.approx(0.0, abs=1e-6) == dead_cube_equity(engine.match_equity, match, chances)


def test_jacoby_holds_gammons_off_while_the_cube_is_centred(engine: SageEngine) -> None:
    """Cubeless equity counts them all the same."""
    chances = Probabilities(0.6, 0.3)
    assert pytest.approx(0.2) == dead_cube_equity(engine.match_equity, MatchState(jacoby=True), chances)
    assert pytest.approx(0.5) == dead_cube_equity(engine.match_equity, MONEY, chances)
    assert pytest.approx(0.5) == cubeless_equity(engine.match_equity, MatchState(jacoby=True), chances)


def test_the_error_of_an_equity_weighs_each_chance_as_the_score_does(engine: SageEngine) -> None:
    """In money play it is the cubeless one; at double match point only the error of winning is left."""
    errors, table = Probabilities(0.03, 0.04, 0.0, 0.0, 0.0), engine.match_equity
    double_match_point = MatchState(5, 4, 4, CrawfordState.POST_CRAWFORD)
    assert dead_cube_error(table, MONEY, errors, 0.05) == pytest.approx(0.05)
    spread = (0.06**2 + 0.04**2) ** 0.5
    assert dead_cube_error(table, double_match_point, errors, spread) == pytest.approx(0.06)
    assert dead_cube_error(table, MONEY, Probabilities(0.0), 0.0) == 0


def test_in_a_match_cubeless_equity_is_normalised(engine: SageEngine) -> None:
    """At 2 away and 2 away a gammon wins the match: 100 %, where a single game leads to 67.736 %."""
    equity = cubeless_equity(engine.match_equity, MatchState(5, 3, 3), Probabilities(1.0, 1.0))
    assert equity == pytest.approx((1 - 0.5) / (0.67736 - 0.5), abs=1e-4)


def test_a_money_double_without_gammons_is_taken_at_a_quarter(engine: SageEngine) -> None:
    """Winning 2 once makes up for losing 1 more three times."""
    assert pytest.approx(0.25) == take_point(engine.match_equity, MONEY, Probabilities(0.7))


def test_gammons_against_the_taker_raise_its_take_point(engine: SageEngine) -> None:
    """With a quarter of the losses gammons: (1.25 - 0.5) / (1 + 1.25)."""
    chances = Probabilities(0.8, 0.2)
    assert pytest.approx(1 / 3) == take_point(engine.match_equity, MONEY, chances)


@pytest.mark.parametrize(
    ("match", "expected"),
    [
        # Passing leaves 2 away against 1 away before Crawford, taking plays for the match.
        (MatchState(5, 3, 3), 0.32264),
        # The trailer's double after Crawford at 2 away: passing leads to double match point, 50 %.
        (MatchState(5, 3, 4, CrawfordState.POST_CRAWFORD), 0.5),
        # At double match point passing loses the match: any chance is enough.
        (MatchState(5, 4, 4, CrawfordState.POST_CRAWFORD), 0.0),
    ],
)
def test_take_points_of_a_match_follow_from_its_equities(
    engine: SageEngine, match: MatchState, expected: float
) -> None:
    """Without gammons the take point is a ratio of three values of the table."""
    assert expected == pytest.approx(take_point(engine.match_equity, match, Probabilities(0.7)), abs=1e-5)


@pytest.mark.parametrize(
    "match",
    [
        MatchState(5, 4, 0, CrawfordState.CRAWFORD_GAME),
        MatchState(cube=Cube(2, CubeOwner.OPPONENT)),
        MatchState(cube_limit=1),
    ],
)
def test_there_is_no_take_point_where_the_player_may_not_double(engine: SageEngine, match: MatchState) -> None:
    """Crawford game, the opponent's cube, the limit."""
    assert take_point(engine.match_equity, match, Probabilities(0.7)) is None
