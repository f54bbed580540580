"""Evaluations through the daemon, and what is refused by all that ask the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from bgbot import position_source, v1
from hypothesis import given

from bgbotd.service import render
from tests.evaluation.states import match_states, money_states, positions
from tests.reference_cases import read_cases
from tests.service.questions import (
    BEFORE_ROLL,
    CRAWFORD,
    DOUBLE_MATCH_POINT,
    DOUBLED,
    FINISHED,
    board,
    evaluate,
    owned,
)
from tests.service.refusals import refusal

if TYPE_CHECKING:
    from collections.abc import Callable

    from bgbotd.rules import MatchState, Position

PLAYERS, OPPONENTS = owned(v1.CUBE_OWNER_PLAYER), owned(v1.CUBE_OWNER_OPPONENT)
LAST_ROLL = board({6: 1}, {1: 1})
"""27 rolls of 36 win; on the 36 others the opponent does."""
BLITZ = board({13: 2, 8: 3, 6: 4, 5: 3, 4: 3}, {24: 1, 13: 5, 8: 3, 6: 4, 3: 2})
"""Much of what the player wins is a gammon."""


@given(positions, money_states | match_states())
def test_the_parts_of_an_evaluation_agree(
    evaluation: v1.EvaluationServiceStub, position: Position, match: MatchState
) -> None:
    """Chances are in order, the verdict fits its numbers, and what was asked is echoed whole."""
    asked = render.position(position)
    answer = evaluate(evaluation, v1.PositionSource(position=asked), render.match(match))
    assert (asked, render.match(match)) == (answer.position, answer.match)
    chances, cube, state = answer.probabilities, answer.cube, answer.match
    assert 0 <= chances.win_backgammon <= chances.win_gammon <= chances.win <= 1
    assert 0 <= chances.lose_backgammon <= chances.lose_gammon <= 1 - chances.win
    assert cube.no_double == answer.cubeful_equity
    verdict = v1.CubeVerdict.Name(cube.verdict).removeprefix("CUBE_VERDICT_")
    crawford = state.crawford == v1.CRAWFORD_STATE_CRAWFORD_GAME
    may_double = not crawford and state.cube.owner != v1.CUBE_OWNER_OPPONENT
    assert crawford == (verdict == "CRAWFORD")
    assert may_double == answer.HasField("take_point") == (verdict not in {"CRAWFORD", "NOT_AVAILABLE"})
    if may_double:
        gain = min(cube.double_take, cube.double_pass) - cube.no_double
        doubles = verdict.startswith(("DOUBLE", "REDOUBLE"))
        assert gain >= 0 if doubles else gain <= 0
        assert ("REDOUBLE" in verdict) == (state.cube.owner == v1.CUBE_OWNER_PLAYER)
        assert verdict.endswith("PASS") == (cube.double_take > cube.double_pass)
        assert "BEAVER" not in verdict or (state.beavers and cube.double_take < 0)
        assert 0 <= answer.take_point <= 1
    assert bool(state.length) == answer.HasField("match_winning_chance")
    if state.length:
        assert 0 <= answer.match_winning_chance <= 1
        return
    won, lost = (
        chances.win + chances.win_gammon + chances.win_backgammon,
        1 - chances.win + chances.lose_gammon + chances.lose_backgammon,
    )
    assert won - lost == pytest.approx(answer.cubeless_equity)


@pytest.mark.parametrize(
    "depth", [v1.DEPTH_STATIC, v1.DEPTH_PLY2, v1.DEPTH_PLY3, v1.DEPTH_PLY4, v1.DEPTH_TRUNCATED_ROLLOUT]
)
def test_the_stamp_says_who_has_looked_how_deep(
    evaluation: v1.EvaluationServiceStub, depth: v1.Depth.ValueType
) -> None:
    """A race of a few rolls, which even the deepest looks are done with at once."""
    answer = evaluate(evaluation, board({6: 4, 5: 3}, {6: 4, 5: 3}), depth=depth)
    assert ("bgsage", depth, v1.LEVEL_UNSPECIFIED) == (answer.stamp.engine, answer.stamp.depth, answer.stamp.level)
    assert answer.stamp.engine_version
    assert answer.stamp.server_version
    assert answer.stamp.HasField("elapsed")
    assert not answer.stamp.HasField("seed")
    assert (39, 39, v1.PHASE_BEAROFF) == (answer.player_pips, answer.opponent_pips, answer.phase)


def test_what_an_id_carries_is_used_and_echoed(evaluation: v1.EvaluationServiceStub) -> None:
    """Score, cube limit and a Crawford state that the score settles."""
    answer = evaluate(evaluation, position_source(BEFORE_ROLL))
    match = v1.MatchState(
        length=5,
        player_score=2,
        opponent_score=1,
        crawford=v1.CRAWFORD_STATE_NOT_REACHED,
        cube=v1.Cube(value=1, owner=v1.CUBE_OWNER_CENTERED),
        cube_limit=1024,
    )
    assert match == answer.match
    assert (138, 139) == (answer.player_pips, answer.opponent_pips)
    assert 0.5 < answer.match_winning_chance < 1


def test_bear_offs_are_exact_and_say_so(evaluation: v1.EvaluationServiceStub) -> None:
    """Values are those of GNU Backgammon's exact database, whoever owns the cube and whatever depth is asked for."""
    for case in read_cases("bearoff_exact.jsonl")[::10]:
        position = v1.PositionSource(
            position=v1.Position(
                player=v1.Side(**case["position"]["player"]), opponent=v1.Side(**case["position"]["opponent"])
            )
        )
        for cube, column in ((PLAYERS, "owned"), (None, "centred"), (OPPONENTS, "opponent")):
            answer = evaluate(evaluation, position, v1.MatchState(cube=cube), v1.DEPTH_PLY3)
            assert ("bearoff", v1.DEPTH_PLY3) == (answer.stamp.engine, answer.stamp.depth)
            assert case["cubeless_equity"] == pytest.approx(answer.cubeless_equity, abs=0.0005)
            assert case[f"equity_cube_{column}"] == pytest.approx(answer.cubeful_equity, abs=0.0005)


def test_at_double_match_point_nothing_counts_but_winning(evaluation: v1.EvaluationServiceStub) -> None:
    """Gammons and the cube are worth nothing: equities and the match follow from the chance of winning."""
    for depth in (v1.DEPTH_STATIC, v1.DEPTH_PLY2, v1.DEPTH_PLY3):
        answer = evaluate(evaluation, BLITZ, DOUBLE_MATCH_POINT, depth)
        win = answer.probabilities.win
        assert answer.probabilities.win_gammon > 0.2
        assert 2 * win - 1 == pytest.approx(answer.cubeful_equity, abs=1e-4)
        assert 2 * win - 1 == pytest.approx(answer.cubeless_equity)
        assert win == pytest.approx(answer.match_winning_chance, abs=1e-4)


def test_the_match_is_won_after_the_best_cube_action(evaluation: v1.EvaluationServiceStub) -> None:
    """27 of 36 at 2 away each: a double is passed, which leads to 1 away against 2, 67.736 % before Crawford."""
    match = v1.MatchState(length=5, player_score=3, opponent_score=3)
    answer = evaluate(evaluation, LAST_ROLL, match)
    assert v1.CUBE_VERDICT_DOUBLE_PASS == answer.cube.verdict
    assert 0.67736 == pytest.approx(answer.match_winning_chance, abs=1e-5)
    # Played out with the cube on 2 it is the chance of winning: (0.75 - 0.5) / (0.67736 - 0.5).
    assert 0.25 / 0.17736 == pytest.approx(answer.cube.double_take, abs=1e-3)


@pytest.mark.parametrize(
    ("match", "expected"),
    [
        pytest.param(v1.MatchState(), 0.25, id="money"),
        pytest.param(v1.MatchState(cube=PLAYERS), 0.25, id="redouble"),
        pytest.param(
            v1.MatchState(length=5, player_score=3, opponent_score=4, crawford=v1.CRAWFORD_STATE_POST_CRAWFORD),
            0.5,
            id="a pass leads to double match point",
        ),
        pytest.param(v1.MatchState(length=5, player_score=3, opponent_score=3), 0.32264, id="2 away each"),
    ],
)
def test_the_take_point_without_gammons(
    evaluation: v1.EvaluationServiceStub, match: v1.MatchState, expected: float
) -> None:
    """Known values of money play and of the published match equity table."""
    assert expected == pytest.approx(evaluate(evaluation, LAST_ROLL, match).take_point, abs=1e-5)


@pytest.mark.parametrize(
    ("match", "verdict"),
    [
        pytest.param(CRAWFORD, v1.CUBE_VERDICT_CRAWFORD, id="Crawford game"),
        pytest.param(v1.MatchState(cube=OPPONENTS), v1.CUBE_VERDICT_NOT_AVAILABLE, id="opponent's cube"),
        pytest.param(
            v1.MatchState(cube=owned(v1.CUBE_OWNER_PLAYER, 8), cube_limit=8),
            v1.CUBE_VERDICT_NOT_AVAILABLE,
            id="cube at its limit",
        ),
    ],
)
@pytest.mark.parametrize("depth", [v1.DEPTH_STATIC, v1.DEPTH_PLY2])
def test_where_nobody_may_double_the_verdict_says_why(
    evaluation: v1.EvaluationServiceStub,
    match: v1.MatchState,
    verdict: v1.CubeVerdict.ValueType,
    depth: v1.Depth.ValueType,
) -> None:
    """All three equities are the one there is, and there is no take point."""
    answer = evaluate(evaluation, position_source(), match, depth)
    assert verdict == answer.cube.verdict
    assert answer.cubeful_equity == answer.cube.double_take == answer.cube.double_pass
    assert not answer.HasField("take_point")


@pytest.mark.parametrize("depth", [v1.DEPTH_STATIC, v1.DEPTH_PLY2])
def test_jacoby_holds_gammons_off_until_the_cube_is_turned(
    evaluation: v1.EvaluationServiceStub, depth: v1.Depth.ValueType
) -> None:
    """It makes waiting worth less and changes little else; once the cube is turned, nothing at all."""
    money, jacoby = (evaluate(evaluation, BLITZ, v1.MatchState(jacoby=agreed), depth) for agreed in (False, True))
    assert jacoby.cube.no_double < money.cube.no_double - 0.05
    # Looking ahead, plays are chosen for what counts, so that chances are not quite the same.
    assert money.cube.double_take == pytest.approx(jacoby.cube.double_take, abs=0.05)
    assert money.cubeless_equity == pytest.approx(jacoby.cubeless_equity, abs=0.05)
    turned = [
        evaluate(evaluation, BLITZ, v1.MatchState(jacoby=agreed, cube=PLAYERS), depth).cube for agreed in (False, True)
    ]
    assert turned[0] == turned[1]


@pytest.mark.parametrize("depth", [v1.DEPTH_STATIC, v1.DEPTH_PLY2, v1.DEPTH_PLY3])
def test_a_beaver_doubles_what_a_bad_double_costs(
    evaluation: v1.EvaluationServiceStub, depth: v1.Depth.ValueType
) -> None:
    """With 3-3 for a last roll 17 of 36 win, by the exact table; without the agreement it is a plain take."""
    trailing = board({3: 2}, {1: 1})
    plain, agreed = (evaluate(evaluation, trailing, v1.MatchState(beavers=beavers), depth) for beavers in (False, True))
    assert (-2 / 36, -4 / 36) == pytest.approx((plain.cube.no_double, plain.cube.double_take), abs=1e-6)
    assert (-2 / 36, -8 / 36) == pytest.approx((agreed.cube.no_double, agreed.cube.double_take), abs=1e-6)
    assert (v1.CUBE_VERDICT_NO_DOUBLE, v1.CUBE_VERDICT_NO_DOUBLE_BEAVER) == (plain.cube.verdict, agreed.cube.verdict)


STATES = [
    v1.MatchState(),
    v1.MatchState(jacoby=True),
    v1.MatchState(cube=PLAYERS),
    v1.MatchState(cube=OPPONENTS),
    v1.MatchState(length=3),
    v1.MatchState(length=25, player_score=3),
    CRAWFORD,
    v1.MatchState(length=5, player_score=4, crawford=v1.CRAWFORD_STATE_POST_CRAWFORD),
    v1.MatchState(length=5, opponent_score=4, crawford=v1.CRAWFORD_STATE_POST_CRAWFORD),
    v1.MatchState(length=7, player_score=2, cube=PLAYERS),
    DOUBLE_MATCH_POINT,
]


def test_money_and_match_answers_never_leak_into_each_other(evaluation: v1.EvaluationServiceStub) -> None:
    """The same position and roll under many states, asked for at once, are worth what they are worth alone."""
    position = position_source("4HPwATDgc/ABMA")
    dice = v1.Dice(die1=6, die2=2)
    depths = (v1.DEPTH_STATIC, v1.DEPTH_PLY2)
    values = [v1.EvaluateRequest(position=position, match=state, depth=depth) for depth in depths for state in STATES]
    ranks = [
        v1.RankPlaysRequest(position=position, dice=dice, match=state, depth=depth)
        for depth in depths
        for state in STATES
    ]
    alone = [evaluation.Evaluate(request, timeout=30).cube for request in values]
    alone_ranked = [list(evaluation.RankPlays(request, timeout=30).plays) for request in ranks]
    calls = [
        (evaluation.Evaluate.future(value, timeout=30), evaluation.RankPlays.future(ranking, timeout=30))
        for value, ranking in zip(values * 4, ranks * 4, strict=True)
    ]
    assert alone * 4 == [call.result().cube for call, _ in calls]
    assert alone_ranked * 4 == [list(call.result().plays) for _, call in calls]
    equities = [cube.no_double for cube in alone]
    # Static equities tell all states apart, so that any mix-up would have been seen.
    assert len(STATES) == len(set(equities[: len(STATES)]))


def refused_fields(
    evaluation: v1.EvaluationServiceStub,
    bots: v1.BotServiceStub,
    position: v1.PositionSource,
    match: v1.MatchState | None = None,
) -> list[dict[str, str]]:
    """Ask the engine in every way about a position before the roll, or about plays; give the fields refused."""
    dice = v1.Dice(die1=3, die2=1)
    static, expert = v1.DEPTH_STATIC, v1.LEVEL_EXPERT
    playing_on = v1.RESIGNATION_DECISION_OFFER_OR_PLAY
    asked: list[tuple[Callable[..., object], object]] = [
        (evaluation.Evaluate, v1.EvaluateRequest(position=position, match=match, depth=static)),
        (evaluation.RankPlays, v1.RankPlaysRequest(position=position, match=match, dice=dice, depth=static)),
        (
            lambda request, timeout: list(evaluation.Rollout(request, timeout=timeout)),
            v1.RolloutRequest(position=position, match=match),
        ),
        (bots.ChoosePlay, v1.ChoosePlayRequest(position=position, match=match, dice=dice, level=expert)),
        (
            bots.ChooseResignation,
            v1.ChooseResignationRequest(position=position, match=match, decision=playing_on, level=expert),
        ),
    ]
    return [refusal(call, request).fields for call, request in asked]


def test_a_score_beyond_the_table_is_refused_by_all_that_need_it(
    evaluation: v1.EvaluationServiceStub, bots: v1.BotServiceStub
) -> None:
    """Match equity is known up to 25 points away, on either side."""
    for match in (v1.MatchState(length=26), v1.MatchState(length=26, player_score=1)):
        fields = refused_fields(evaluation, bots, position_source("4HPwATDgc/ABMA"), match)
        assert [{"match": "OUT_OF_RANGE"}] * 5 == fields
    least = evaluate(
        evaluation, position_source(), v1.MatchState(length=26, player_score=1, opponent_score=1), v1.DEPTH_PLY2
    )
    assert 0.5 < least.match_winning_chance < 0.6


def test_a_pending_double_is_no_position_before_the_roll(
    evaluation: v1.EvaluationServiceStub, bots: v1.BotServiceStub
) -> None:
    """The ID's player is not on roll, so its value would silently be another position's."""
    fields = refused_fields(evaluation, bots, position_source(DOUBLED))
    assert [{"position.xgid": "CONTRADICTION"}] * 5 == fields


def test_a_finished_game_is_refused(evaluation: v1.EvaluationServiceStub, bots: v1.BotServiceStub) -> None:
    """There is nothing left to evaluate."""
    lost = v1.Position(player=FINISHED.opponent, opponent=FINISHED.player)
    for position, side in ((FINISHED, "player"), (lost, "opponent")):
        fields = refused_fields(evaluation, bots, v1.PositionSource(position=position))
        assert [{f"position.position.{side}.off": "GAME_OVER"}] * 5 == fields
