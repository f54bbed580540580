"""Evaluations, rankings, rollouts and cube actions through the daemon."""

from __future__ import annotations

import asyncio
import math
from typing import TYPE_CHECKING

import grpc
import pytest
from bgbot import position_source, v1
from google.rpc.error_details_pb2 import RetryInfo
from grpc_status import rpc_status

from bgbotd.config import EngineLimits, Settings
from bgbotd.service import server
from tests.service.refusals import refusal

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from bgbot.v1.evaluation_service_pb2_grpc import EvaluationServiceAsyncStub

# Each side needs only one more roll, but the player rolls first; no gammon is possible.
LAST_ROLL = v1.Position(player=v1.Side(points=[2] + [0] * 23, off=13), opponent=v1.Side(points=[2] + [0] * 23, off=13))
# Both sides bear off from two points; from tests/data/bearoff_exact.jsonl, by GNU Backgammon's database.
BEAROFF = v1.Position(
    player=v1.Side(points=[2, 0, 0, 0, 2] + [0] * 19, off=11),
    opponent=v1.Side(points=[4, 0, 0, 0, 2] + [0] * 19, off=9),
)
BEFORE_ROLL = "XGID=-b-B-BCBB---bB--ab-f---bB-:0:0:1:00:2:1:0:5:10"
ROLLED = "XGID=-b-B-BCBB---bB--ab-f---bB-:0:0:1:53:2:1:0:5:10"
DOUBLED = "XGID=-b-B-BCBB---bB--ab-f---bB-:0:0:1:D:2:1:0:5:10"


LEVELS = (v1.LEVEL_EASY, v1.LEVEL_MEDIUM, v1.LEVEL_HARD, v1.LEVEL_EXPERT, v1.LEVEL_MASTER, v1.LEVEL_GRANDMASTER)


@pytest.fixture(scope="module")
def channel(daemon: str) -> Iterator[grpc.Channel]:
    """Give a channel to the daemon."""
    with grpc.insecure_channel(daemon) as channel:
        yield channel


@pytest.fixture
def evaluation(channel: grpc.Channel) -> v1.EvaluationServiceStub:
    """Give the evaluation service's stub."""
    return v1.EvaluationServiceStub(channel)


@pytest.fixture
def bots(channel: grpc.Channel) -> v1.BotServiceStub:
    """Give the bots' stub."""
    return v1.BotServiceStub(channel)


@pytest.mark.parametrize("depth", [v1.DEPTH_STATIC, v1.DEPTH_PLY2, v1.DEPTH_PLY3])
def test_the_parts_of_an_evaluation_agree(evaluation: v1.EvaluationServiceStub, depth: v1.Depth.ValueType) -> None:
    """Chances are in order, equities follow from them, and the state used is echoed whole."""
    answer = evaluation.Evaluate(v1.EvaluateRequest(position=position_source(BEFORE_ROLL), depth=depth), timeout=30)
    chances = answer.probabilities
    assert 0 <= chances.win_backgammon <= chances.win_gammon <= chances.win <= 1
    assert 0 <= chances.lose_backgammon <= chances.lose_gammon <= 1 - chances.win
    assert answer.cube.no_double == answer.cubeful_equity
    assert 0.5 < answer.match_winning_chance < 1
    assert (138, 139) == (answer.player_pips, answer.opponent_pips)
    assert (5, 2, 1, 1024) == (
        answer.match.length,
        answer.match.player_score,
        answer.match.opponent_score,
        answer.match.cube_limit,
    )
    assert ("bgsage", depth) == (answer.stamp.engine, answer.stamp.depth)


def test_a_bear_off_is_exact_and_says_so(evaluation: v1.EvaluationServiceStub) -> None:
    """Values are those of GNU Backgammon's exact database, whatever depth was asked for."""
    position = v1.PositionSource(position=BEAROFF)
    answer = evaluation.Evaluate(v1.EvaluateRequest(position=position, depth=v1.DEPTH_PLY2), timeout=30)
    assert "bearoff" == answer.stamp.engine
    assert 0.8833 == pytest.approx(answer.cubeless_equity, abs=0.0005)
    assert 0.9288 == pytest.approx(answer.cubeful_equity, abs=0.0005)


def test_the_money_take_point_without_gammons_is_a_quarter(evaluation: v1.EvaluationServiceStub) -> None:
    """Taking risks one point more to win three more: 25 %, where no gammon is possible."""
    position = v1.PositionSource(position=BEAROFF)
    answer = evaluation.Evaluate(v1.EvaluateRequest(position=position, depth=v1.DEPTH_STATIC), timeout=30)
    assert 0.25 == pytest.approx(answer.take_point)


def test_money_and_match_answers_never_leak_into_each_other(evaluation: v1.EvaluationServiceStub) -> None:
    """The same position under many states, asked for at once, is worth what it is worth alone."""
    position = position_source("4HPwATDgc/ABMA")
    states = [
        v1.MatchState(),
        v1.MatchState(jacoby=True),
        v1.MatchState(length=3),
        v1.MatchState(length=25, player_score=3),
        v1.MatchState(length=5, player_score=4, crawford=v1.CRAWFORD_STATE_CRAWFORD_GAME),
        v1.MatchState(length=5, player_score=4, crawford=v1.CRAWFORD_STATE_POST_CRAWFORD),
        v1.MatchState(cube=v1.Cube(value=2, owner=v1.CUBE_OWNER_OPPONENT)),
    ]
    requests = [
        v1.EvaluateRequest(position=position, match=state, depth=depth)
        for state in states
        for depth in (v1.DEPTH_STATIC, v1.DEPTH_PLY2)
    ]
    alone = [evaluation.Evaluate(request, timeout=30).cubeful_equity for request in requests]
    calls = [evaluation.Evaluate.future(request, timeout=30) for request in requests * 4]
    assert alone * 4 == [call.result().cubeful_equity for call in calls]
    assert len(states) == len(set(alone[::2]))


def test_crawford_has_no_cube(evaluation: v1.EvaluationServiceStub) -> None:
    """In the Crawford game the verdict says why nobody doubles, and there is no take point."""
    match = v1.MatchState(length=5, player_score=4, crawford=v1.CRAWFORD_STATE_CRAWFORD_GAME)
    request = v1.EvaluateRequest(position=position_source(), match=match, depth=v1.DEPTH_STATIC)
    answer = evaluation.Evaluate(request, timeout=30)
    assert v1.CUBE_VERDICT_CRAWFORD == answer.cube.verdict
    assert not answer.HasField("take_point")


def test_a_score_beyond_the_table_is_refused(evaluation: v1.EvaluationServiceStub) -> None:
    """Match equity is known up to 25 points away."""
    request = v1.EvaluateRequest(position=position_source(), match=v1.MatchState(length=26), depth=v1.DEPTH_STATIC)
    assert {"match": "OUT_OF_RANGE"} == refusal(evaluation.Evaluate, request).fields


def test_an_id_with_a_pending_double_is_no_position_before_the_roll(evaluation: v1.EvaluationServiceStub) -> None:
    """Its player is not on roll, so its value would silently be another position's."""
    request = v1.EvaluateRequest(position=position_source(DOUBLED), depth=v1.DEPTH_STATIC)
    assert {"position.xgid": "CONTRADICTION"} == refusal(evaluation.Evaluate, request).fields


def test_ranked_plays_lose_against_the_best(evaluation: v1.EvaluationServiceStub) -> None:
    """As many as asked for, best first, and the caller's own play however low it ranks."""
    request = v1.RankPlaysRequest(
        position=position_source(ROLLED), depth=v1.DEPTH_PLY2, max_plays=3, include_play="8/5 7/2"
    )
    plays = evaluation.RankPlays(request, timeout=30).plays
    assert [1, 2, 3] == [play.rank for play in plays[:3]]
    assert [False, False, False, True] == [play.included for play in plays]
    assert 0 == plays[0].loss < plays[3].loss
    assert [play.loss for play in plays] == pytest.approx([plays[0].equity - play.equity for play in plays])
    assert v1.DEPTH_PLY2 == plays[3].depth


def test_the_levels_above_hard_play_the_best_by_equity(
    bots: v1.BotServiceStub, evaluation: v1.EvaluationServiceStub
) -> None:
    """A level's play is the first of the ranking at its depth."""
    for level, depth in ((v1.LEVEL_EXPERT, v1.DEPTH_STATIC), (v1.LEVEL_MASTER, v1.DEPTH_PLY2)):
        choice = bots.ChoosePlay(
            v1.ChoosePlayRequest(position=position_source(ROLLED), level=level, candidates=2), timeout=30
        )
        ranking = evaluation.RankPlays(
            v1.RankPlaysRequest(position=position_source(ROLLED), depth=depth, max_plays=2), timeout=30
        )
        assert [each.play.notation for each in ranking.plays] == [each.play.notation for each in choice.candidates]
        assert choice.candidates[0].play == choice.play
        assert v1.VALUE_UNIT_EQUITY == choice.value_unit


def cube_action(
    bots: v1.BotServiceStub, level: v1.Level.ValueType, position: v1.Position, **fields: object
) -> v1.ChooseCubeActionResponse:
    """Ask a level for a cube action."""
    request = v1.ChooseCubeActionRequest(
        position=v1.PositionSource(position=position),
        level=level,
        **fields,  # type: ignore[arg-type]
    )
    return bots.ChooseCubeAction(request, timeout=30)


def test_every_level_passes_a_lost_race_and_only_easy_does_not_double_a_won_one(bots: v1.BotServiceStub) -> None:
    """Two checkers on the 1-point and the roll: the player wins for certain."""
    doubles = {
        level: cube_action(bots, level, LAST_ROLL, decision=v1.DECISION_DOUBLE_OR_ROLL).action for level in LEVELS
    }
    assert {v1.CUBE_ACTION_ROLL} == {doubles.pop(v1.LEVEL_EASY)}
    assert {v1.CUBE_ACTION_DOUBLE} == set(doubles.values())
    answers = [cube_action(bots, level, LAST_ROLL, decision=v1.DECISION_TAKE_OR_PASS) for level in LEVELS]
    assert {v1.CUBE_ACTION_PASS} == {answer.action for answer in answers}
    assert {v1.GAME_SIDE_OPPONENT} == {answer.equities_of for answer in answers}
    assert [1.0] * 6 == pytest.approx([answer.equities.double_pass for answer in answers])


def test_a_lost_game_is_resigned_and_a_single_accepted(bots: v1.BotServiceStub) -> None:
    """The opponent bears off its last two for certain before the player, who is far away."""
    lost = v1.Position(
        player=v1.Side(points=[0] * 5 + [10] + [0] * 18, off=5), opponent=v1.Side(points=[2] + [0] * 23, off=13)
    )
    request = v1.ChooseResignationRequest(
        position=v1.PositionSource(position=lost),
        level=v1.LEVEL_HARD,
        decision=v1.RESIGNATION_DECISION_OFFER_OR_PLAY,
    )
    offered = bots.ChooseResignation(request, timeout=30)
    assert (v1.RESIGNATION_ACTION_OFFER, v1.RESULT_KIND_SINGLE) == (offered.action, offered.offer)
    request.level = v1.LEVEL_EASY
    assert v1.RESIGNATION_ACTION_PLAY_ON == bots.ChooseResignation(request, timeout=30).action
    accepting = v1.ChooseResignationRequest(
        position=v1.PositionSource(position=LAST_ROLL),
        level=v1.LEVEL_MASTER,
        decision=v1.RESIGNATION_DECISION_ACCEPT_OR_REFUSE,
        offered=v1.RESULT_KIND_SINGLE,
    )
    assert v1.RESIGNATION_ACTION_ACCEPT == bots.ChooseResignation(accepting, timeout=30).action


def test_a_rollout_reports_progress_and_repeats_from_its_seed(evaluation: v1.EvaluationServiceStub) -> None:
    """The last message is final, settings are echoed whole, and the same seed gives the same numbers."""
    settings = v1.RolloutSettings(trials=108, truncate_after_plies=3, cubeful=True, seed=11)
    request = v1.RolloutRequest(position=position_source(BEFORE_ROLL), settings=settings)
    first, second = (list(evaluation.Rollout(request, timeout=60)) for _ in range(2))
    assert [False] * (len(first) - 1) + [True] == [each.finished for each in first]
    assert 108 == first[-1].trials_done
    assert (11, v1.DEPTH_STATIC) == (first[-1].settings.seed, first[-1].settings.depth)
    assert first[-1].cubeful_equity == second[-1].cubeful_equity
    assert first[-1].probabilities == second[-1].probabilities
    assert 0 < first[-1].standard_errors.win < 0.1


def test_bad_rollout_settings_are_refused_field_by_field(evaluation: v1.EvaluationServiceStub) -> None:
    """Every setting out of its range is named, not-a-number too."""
    settings = v1.RolloutSettings(
        trials=5, truncate_after_plies=-1, target_standard_error=math.nan, depth=v1.DEPTH_PLY4
    )
    request = v1.RolloutRequest(position=position_source(), settings=settings)
    refused = refusal(lambda request, timeout: list(evaluation.Rollout(request, timeout=timeout)), request)
    names = ("trials", "truncate_after_plies", "target_standard_error", "depth")
    assert {f"settings.{name}" for name in names} == set(refused.fields)


@pytest.fixture
async def small() -> AsyncIterator[EvaluationServiceAsyncStub]:
    """Run a server whose engine has one worker and lets one request wait."""
    daemon = await server.start(Settings(listen="127.0.0.1:0", engine=EngineLimits(processes=1, most_waiting=1)))
    async with grpc.aio.insecure_channel(daemon.address) as channel:
        yield v1.EvaluationServiceStub(channel)
    await daemon.drain(0)


LONG = v1.RolloutRequest(position=position_source(), settings=v1.RolloutSettings(trials=1_000_000))


async def test_cancelling_a_rollout_frees_its_slot(small: EvaluationServiceAsyncStub) -> None:
    """The one worker answers the next request at once, though the rollout had days to go."""
    call = small.Rollout(LONG)
    request = v1.EvaluateRequest(position=position_source(), depth=v1.DEPTH_PLY2)
    await call.read()
    call.cancel()
    answer = await small.Evaluate(request, timeout=20)
    assert v1.DEPTH_PLY2 == answer.stamp.depth


async def test_a_full_queue_says_when_to_try_again(small: EvaluationServiceAsyncStub) -> None:
    """RESOURCE_EXHAUSTED comes with RetryInfo, and what was accepted is not lost."""
    running = small.Rollout(LONG)
    await running.read()
    requests = [
        v1.EvaluateRequest(position=position_source(), match=v1.MatchState(length=length), depth=v1.DEPTH_PLY3)
        for length in (3, 5, 7, 9)
    ]
    calls = [small.Evaluate(request) for request in requests]
    outcomes = await asyncio.gather(*(_outcome(call) for call in calls[1:]))
    assert grpc.StatusCode.RESOURCE_EXHAUSTED in [error.code() for error in outcomes if error]
    refused = next(error for error in outcomes if error)
    status = rpc_status.from_call(refused)  # type: ignore[arg-type]
    assert status is not None
    assert any(detail.Is(RetryInfo.DESCRIPTOR) for detail in status.details)
    running.cancel()
    assert v1.DEPTH_PLY3 == (await calls[0]).stamp.depth


async def _outcome(
    call: grpc.aio.UnaryUnaryCall[v1.EvaluateRequest, v1.EvaluateResponse],
) -> grpc.aio.AioRpcError | None:
    """Give a call's failure, None while it has none: only refusals come before the rollout ends."""
    done, _ = await asyncio.wait({asyncio.ensure_future(call.code())}, timeout=2)
    if not done:
        return None
    try:
        await call
    except grpc.aio.AioRpcError as error:
        return error
    return None
