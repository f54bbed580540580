"""Rankings of plays through the daemon."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from bgbot import position_source, v1
from hypothesis import given
from hypothesis import strategies as st

from bgbotd.service import render
from tests.evaluation.states import positions
from tests.service.questions import (
    BEFORE_ROLL,
    CRAWFORD,
    DOUBLE_MATCH_POINT,
    ROLLED,
    board,
    evaluate,
    owned,
    rank,
)
from tests.service.refusals import refusal

if TYPE_CHECKING:
    import grpc

    from bgbotd.rules import Position


@pytest.mark.parametrize(
    ("position", "die1", "die2", "match"),
    [
        pytest.param("4HPwATDgc/ABMA", 3, 1, v1.MatchState(), id="money"),
        pytest.param("4HPwATDgc/ABMA", 6, 2, v1.MatchState(length=7, player_score=3, opponent_score=5), id="match"),
        pytest.param("4HPwATDgc/ABMA", 4, 3, CRAWFORD, id="Crawford"),
        pytest.param("4HPwATDgc/ABMA", 5, 5, v1.MatchState(jacoby=True, beavers=True), id="Jacoby"),
        pytest.param("4HPwATDgc/ABMA", 5, 4, v1.MatchState(cube=owned(v1.CUBE_OWNER_PLAYER)), id="owned cube"),
    ],
)
@pytest.mark.parametrize("depth", [v1.DEPTH_STATIC, v1.DEPTH_PLY2])
def test_a_play_is_worth_what_it_leaves_the_other_side(
    evaluation: v1.EvaluationServiceStub,
    position: str,
    die1: int,
    die2: int,
    match: v1.MatchState,
    depth: v1.Depth.ValueType,
) -> None:
    """The best play's equity is that of the next position before the other side's best cube action, reversed."""
    dice = v1.Dice(die1=die1, die2=die2)
    best = rank(evaluation, position_source(position), dice=dice, match=match, depth=depth).plays[0]
    after = best.play.result
    owners = {v1.CUBE_OWNER_PLAYER: v1.CUBE_OWNER_OPPONENT, v1.CUBE_OWNER_OPPONENT: v1.CUBE_OWNER_PLAYER}
    others = v1.MatchState()
    others.CopyFrom(match)
    others.player_score, others.opponent_score = match.opponent_score, match.player_score
    others.cube.owner = owners.get(match.cube.owner, match.cube.owner)
    turned = v1.PositionSource(position=v1.Position(player=after.opponent, opponent=after.player))
    answer = evaluate(evaluation, turned, others, depth)
    cube = answer.cube
    assert -max(cube.no_double, min(cube.double_take, cube.double_pass)) == pytest.approx(best.equity, abs=1e-4)
    assert 1 - answer.probabilities.win == pytest.approx(best.probabilities.win, abs=1e-4)
    assert -answer.cubeless_equity == pytest.approx(best.cubeless_equity, abs=1e-3)


@pytest.mark.parametrize("depth", [v1.DEPTH_STATIC, v1.DEPTH_PLY2, v1.DEPTH_PLY3])
def test_every_legal_play_is_ranked(evaluation: v1.EvaluationServiceStub, depth: v1.Depth.ValueType) -> None:
    """Best first; each says at which depth it was left, and what it loses."""
    answer = rank(evaluation, position_source(ROLLED), depth=depth)
    plays = answer.plays
    assert list(range(1, len(plays) + 1)) == [play.rank for play in plays]
    assert len(plays) == len({play.play.notation for play in plays})
    equities = [play.equity for play in plays]
    assert equities == sorted(equities, reverse=True)
    assert [equities[0] - equity for equity in equities] == pytest.approx([play.loss for play in plays])
    assert [depth] * 2 == [play.depth for play in plays[:2]]
    assert {play.depth for play in plays} <= {v1.DEPTH_STATIC, v1.DEPTH_PLY2, depth}
    assert (v1.Dice(die1=5, die2=3), depth) == (answer.dice, answer.stamp.depth)
    if depth > v1.DEPTH_STATIC:
        assert v1.DEPTH_STATIC == plays[-1].depth


def test_ranked_plays_are_all_the_legal_ones(evaluation: v1.EvaluationServiceStub, channel: grpc.Channel) -> None:
    """No play is left out, none is made up, and each is in canonical form."""
    rules = v1.RulesServiceStub(channel)
    for die1, die2 in ((5, 3), (4, 4), (6, 5)):
        dice = v1.Dice(die1=die1, die2=die2)
        request = v1.ListLegalPlaysRequest(position=position_source(BEFORE_ROLL), dice=dice)
        legal = rules.ListLegalPlays(request, timeout=10).plays
        ranked = rank(evaluation, position_source(BEFORE_ROLL), dice=dice).plays
        assert sorted(play.SerializeToString() for play in legal) == sorted(
            each.play.SerializeToString() for each in ranked
        )


def test_ones_own_play_is_in_the_answer_however_low_it_ranks(evaluation: v1.EvaluationServiceStub) -> None:
    """At the wanted depth, and with its place among all plays; any way of writing it will do."""
    for written in ("8/5 7/2", "7/2 8/5", "7/2, 8/5"):
        plays = rank(evaluation, position_source(ROLLED), depth=v1.DEPTH_PLY2, max_plays=3, include_play=written).plays
        assert [False, False, False, True] == [play.included for play in plays]
        assert [1, 2, 3] == [play.rank for play in plays[:3]]
        assert (v1.DEPTH_PLY2, "8/5 7/2") == (plays[3].depth, plays[3].play.notation)
        assert 0 == plays[0].loss < plays[3].loss


def test_ones_own_play_among_the_best_is_not_there_twice(evaluation: v1.EvaluationServiceStub) -> None:
    """It is marked where it stands."""
    best = rank(evaluation, position_source(ROLLED), max_plays=2).plays[1].play.notation
    plays = rank(evaluation, position_source(ROLLED), max_plays=3, include_play=best).plays
    assert [False, True, False] == [play.included for play in plays]


def test_a_dance_is_one_empty_play(evaluation: v1.EvaluationServiceStub) -> None:
    """Ranked first, without loss."""
    dancing = board({6: 5, 8: 3, 13: 5}, {6: 2, 5: 2, 4: 2, 3: 2, 2: 2, 1: 2, 13: 3}, bar=2)
    for depth in (v1.DEPTH_STATIC, v1.DEPTH_PLY2):
        [only] = rank(evaluation, dancing, dice=v1.Dice(die1=6, die2=5), depth=depth).plays
        assert ("(no play)", 0, 1, 0.0, depth) == (
            only.play.notation,
            len(only.play.steps),
            only.rank,
            only.loss,
            only.depth,
        )


def test_bear_off_plays_are_ranked_exactly(evaluation: v1.EvaluationServiceStub) -> None:
    """2-1 from 6 and 3, with two rolls to go: 27 rolls bear off a 6-point, if no double of 6 in 36 comes before."""
    answer = rank(evaluation, board({6: 1, 3: 1}, {1: 3}), dice=v1.Dice(die1=2, die2=1), depth=v1.DEPTH_PLY3)
    best = answer.plays[0]
    assert ("bearoff", "3/off") == (answer.stamp.engine, best.play.notation)
    assert 30 / 36 * 27 / 36 == pytest.approx(best.probabilities.win, abs=1e-6)


def test_a_play_that_ends_the_game_is_worth_what_it_wins(evaluation: v1.EvaluationServiceStub) -> None:
    """A gammon; 2 in money play, 1 under Jacoby, the match at 2 away."""
    winning = board({1: 2}, {6: 10, 8: 5})
    dice = v1.Dice(die1=2, die2=1)
    two_away = v1.MatchState(length=5, player_score=3, opponent_score=3)
    for match, expected in (
        (v1.MatchState(), 2.0),
        (v1.MatchState(jacoby=True), 1.0),
        (two_away, (1 - 0.5) / 0.17736),
        (DOUBLE_MATCH_POINT, 1.0),
    ):
        answer = rank(evaluation, winning, dice=dice, match=match, depth=v1.DEPTH_PLY2)
        best = answer.plays[0]
        assert expected == pytest.approx(best.equity, abs=1e-4)
        assert (1, 1, 0) == (
            best.probabilities.win,
            best.probabilities.win_gammon,
            best.probabilities.win_backgammon,
        )


@pytest.mark.parametrize(
    ("fields", "path", "reason"),
    [
        pytest.param({"depth": 0}, "depth", "DEPTH_UNSPECIFIED", id="no depth"),
        pytest.param({"depth": 6}, "depth", "UNKNOWN_ENUM_VALUE", id="unknown depth"),
        pytest.param({"max_plays": -1}, "max_plays", "OUT_OF_RANGE", id="negative"),
        pytest.param({"max_plays": 10_001}, "max_plays", "OUT_OF_RANGE", id="too many"),
        pytest.param({"include_play": "24/20"}, "include_play", "DIE_NOT_AVAILABLE", id="illegal play"),
        pytest.param({"include_play": "my best"}, "include_play", "NOTATION_MALFORMED", id="no notation"),
        pytest.param({"dice": v1.Dice(die1=5, die2=2)}, "dice", "CONTRADICTION", id="other dice than the ID's"),
    ],
)
def test_a_ranking_is_refused_with_the_field_that_is_wrong(
    evaluation: v1.EvaluationServiceStub, fields: dict[str, object], path: str, reason: str
) -> None:
    """Its path and reason are those of the contract."""
    asked = {"depth": v1.DEPTH_STATIC, **fields}
    request = v1.RankPlaysRequest(position=position_source(ROLLED), **asked)  # type: ignore[arg-type]
    assert {path: reason} == refusal(evaluation.RankPlays, request).fields


@given(positions, st.integers(1, 6), st.integers(1, 6), st.integers(1, 5))
def test_as_many_plays_as_asked_for(
    evaluation: v1.EvaluationServiceStub, position: Position, die1: int, die2: int, most: int
) -> None:
    """Or as many as there are; the first ones of the whole ranking."""
    source = v1.PositionSource(position=render.position(position))
    dice = v1.Dice(die1=die1, die2=die2)
    whole = rank(evaluation, source, dice=dice).plays
    assert list(whole[:most]) == list(rank(evaluation, source, dice=dice, max_plays=most).plays)
