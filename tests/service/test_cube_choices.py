"""Cube actions and resignations over the wire; tests/bots has when each level does what."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from bgbot import position_source, v1

from tests.service.questions import BEFORE_ROLL, CRAWFORD, DOUBLED, FINISHED, ROLLED, board, owned
from tests.service.refusals import refusal

if TYPE_CHECKING:
    import grpc

LEVELS = [level for level in v1.Level.values() if level]
BEAVERS = v1.MatchState(beavers=True)
SURE = board({1: 2}, {1: 2})
"""The player bears off its last two with any roll."""
TAKES = board({6: 1}, {1: 1})
"""27 rolls of 36 win, for a quarter that is exactly enough to take."""
TRAILS = board({3: 2}, {1: 1})
"""17 rolls of 36 win."""
MATCH = v1.MatchState(
    length=5,
    player_score=2,
    opponent_score=1,
    crawford=v1.CRAWFORD_STATE_NOT_REACHED,
    cube=v1.Cube(value=1, owner=v1.CUBE_OWNER_CENTERED),
    cube_limit=1024,
)
"""What the IDs of tests.service.questions carry."""


def mirrored(source: v1.PositionSource) -> v1.PositionSource:
    """Give the same position with the other side to decide."""
    position = source.position
    return v1.PositionSource(position=v1.Position(player=position.opponent, opponent=position.player))


def choose(bots: v1.BotServiceStub, level: v1.Level.ValueType, **fields: object) -> v1.ChooseCubeActionResponse:
    """Ask a level for a cube action."""
    return bots.ChooseCubeAction(v1.ChooseCubeActionRequest(level=level, **fields), timeout=30)  # type: ignore[arg-type]


def resign(bots: v1.BotServiceStub, level: v1.Level.ValueType, **fields: object) -> v1.ChooseResignationResponse:
    """Ask a level about a resignation."""
    return bots.ChooseResignation(v1.ChooseResignationRequest(level=level, **fields), timeout=30)  # type: ignore[arg-type]


@pytest.mark.parametrize("level", LEVELS)
def test_who_doubles_shows_its_own_equities(bots: v1.BotServiceStub, level: v1.Level.ValueType) -> None:
    """27 rolls of 36: 0.5 without the double, 1 with it taken or passed."""
    answer = choose(bots, level, position=TAKES, decision=v1.DECISION_DOUBLE_OR_ROLL)
    expected = v1.CUBE_ACTION_ROLL if level == v1.LEVEL_EASY else v1.CUBE_ACTION_DOUBLE
    assert (expected, v1.GAME_SIDE_PLAYER) == (answer.action, answer.equities_of)
    equities = answer.equities
    assert [0.5, 1.0, 1.0] == [equities.no_double, equities.double_take, equities.double_pass]
    assert v1.CUBE_VERDICT_DOUBLE_TAKE == equities.verdict
    assert (level, "bearoff") == (answer.stamp.level, answer.stamp.engine)
    assert (v1.DECISION_DOUBLE_OR_ROLL, TAKES.position) == (answer.decision, answer.position)


@pytest.mark.parametrize("level", LEVELS)
def test_who_answers_a_double_shows_the_doublers_equities(bots: v1.BotServiceStub, level: v1.Level.ValueType) -> None:
    """The taker's position is seen by the taker, its equities by the side that has doubled."""
    asked = mirrored(TAKES)
    answer = choose(bots, level, position=asked, decision=v1.DECISION_TAKE_OR_PASS)
    assert (v1.CUBE_ACTION_TAKE, v1.GAME_SIDE_OPPONENT) == (answer.action, answer.equities_of)
    assert 0.5 == answer.equities.no_double
    assert v1.CUBE_VERDICT_DOUBLE_TAKE == answer.equities.verdict
    assert (asked.position, v1.DECISION_TAKE_OR_PASS) == (answer.position, answer.decision)
    assert v1.CUBE_ACTION_PASS == choose(bots, level, position=SURE, decision=v1.DECISION_TAKE_OR_PASS).action


@pytest.mark.parametrize("level", LEVELS)
def test_beavers_come_only_where_they_are_agreed(bots: v1.BotServiceStub, level: v1.Level.ValueType) -> None:
    """And from Hard up, when the doubler trails."""
    asked = {"position": mirrored(TRAILS), "decision": v1.DECISION_TAKE_OR_PASS}
    agreed = choose(bots, level, match=BEAVERS, **asked)
    expected = v1.CUBE_ACTION_BEAVER if level >= v1.LEVEL_HARD else v1.CUBE_ACTION_TAKE
    assert (expected, v1.CUBE_VERDICT_NO_DOUBLE_BEAVER) == (agreed.action, agreed.equities.verdict)
    plain = choose(bots, level, **asked)
    assert (v1.CUBE_ACTION_TAKE, v1.CUBE_VERDICT_NO_DOUBLE) == (plain.action, plain.equities.verdict)


@pytest.mark.parametrize("level", LEVELS)
def test_a_beaver_is_answered_without_equities_of_a_double(bots: v1.BotServiceStub, level: v1.Level.ValueType) -> None:
    """17 rolls of 36 play on, 8 pass; the cube said is the one before the double."""
    for position, action in ((TRAILS, v1.CUBE_ACTION_TAKE), (board({6: 1, 4: 1}, {1: 1}), v1.CUBE_ACTION_PASS)):
        answer = choose(bots, level, position=position, match=BEAVERS, decision=v1.DECISION_BEAVER_RESPONSE)
        assert (action, v1.GAME_SIDE_UNSPECIFIED) == (answer.action, answer.equities_of)
        assert not answer.HasField("equities")
        assert (1, v1.DECISION_BEAVER_RESPONSE) == (answer.match.cube.value, answer.decision)


@pytest.mark.parametrize(
    ("level", "depth"),
    [
        (v1.LEVEL_EASY, v1.DEPTH_STATIC),
        (v1.LEVEL_MEDIUM, v1.DEPTH_STATIC),
        (v1.LEVEL_HARD, v1.DEPTH_STATIC),
        (v1.LEVEL_EXPERT, v1.DEPTH_STATIC),
        (v1.LEVEL_MASTER, v1.DEPTH_PLY2),
        (v1.LEVEL_GRANDMASTER, v1.DEPTH_PLY3),
    ],
)
def test_the_stamp_says_how_deep_a_level_looks(
    bots: v1.BotServiceStub, level: v1.Level.ValueType, depth: v1.Depth.ValueType
) -> None:
    """At the cube and at resignations alike."""
    position = position_source(BEFORE_ROLL)
    cube = choose(bots, level, position=position, decision=v1.DECISION_DOUBLE_OR_ROLL)
    resignation = resign(bots, level, position=position, decision=v1.RESIGNATION_DECISION_OFFER_OR_PLAY)
    for stamp in (cube.stamp, resignation.stamp):
        assert ("bgsage", level, depth) == (stamp.engine, stamp.level, stamp.depth)
    assert MATCH == cube.match == resignation.match
    assert v1.RESIGNATION_ACTION_PLAY_ON == resignation.action


def test_the_verdict_is_the_evaluations(bots: v1.BotServiceStub, channel: grpc.Channel) -> None:
    """Grandmaster's equities are those of an evaluation at PLY3, on either side of the double."""
    evaluation = v1.EvaluationServiceStub(channel)
    request = v1.EvaluateRequest(position=position_source(BEFORE_ROLL), depth=v1.DEPTH_PLY3)
    expected = evaluation.Evaluate(request, timeout=30)
    asked = choose(
        bots, v1.LEVEL_GRANDMASTER, position=position_source(BEFORE_ROLL), decision=v1.DECISION_DOUBLE_OR_ROLL
    )
    answered = choose(bots, v1.LEVEL_GRANDMASTER, position=position_source(DOUBLED))
    assert expected.cube == asked.equities == answered.equities
    assert (v1.DECISION_TAKE_OR_PASS, v1.GAME_SIDE_OPPONENT) == (answered.decision, answered.equities_of)
    # The one with a pending double is seen by the side that answers it, score and all.
    assert (1, 2) == (answered.match.player_score, answered.match.opponent_score)
    assert expected.position.player == answered.position.opponent


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    ("position", "match"),
    [
        pytest.param(SURE, CRAWFORD, id="Crawford game"),
        pytest.param(SURE, v1.MatchState(cube=owned(v1.CUBE_OWNER_OPPONENT)), id="opponent's cube"),
        pytest.param(position_source(), v1.MatchState(), id="opening turn"),
    ],
)
def test_nobody_doubles_where_the_rules_forbid_it(
    bots: v1.BotServiceStub, level: v1.Level.ValueType, position: v1.PositionSource, match: v1.MatchState
) -> None:
    """Not even a game that is won."""
    answer = choose(bots, level, position=position, match=match, decision=v1.DECISION_DOUBLE_OR_ROLL)
    assert v1.CUBE_ACTION_ROLL == answer.action


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        pytest.param({"position": SURE}, {"decision": "REQUIRED"}, id="no decision"),
        pytest.param(
            {"position": SURE, "decision": v1.DECISION_PLAY},
            {"decision": "ACTION_NOT_FOR_DECISION"},
            id="no cube decision",
        ),
        pytest.param(
            {"position": position_source(DOUBLED), "decision": v1.DECISION_DOUBLE_OR_ROLL},
            {"decision": "CONTRADICTION"},
            id="the ID says another",
        ),
        pytest.param(
            {"position": SURE, "decision": v1.DECISION_TAKE_OR_PASS, "match": CRAWFORD},
            {"match.crawford": "CRAWFORD_GAME"},
            id="a double in the Crawford game",
        ),
        pytest.param(
            {
                "position": SURE,
                "decision": v1.DECISION_TAKE_OR_PASS,
                "match": v1.MatchState(cube=owned(v1.CUBE_OWNER_PLAYER)),
            },
            {"match.cube.owner": "CUBE_OWNER"},
            id="a double with one's own cube",
        ),
        pytest.param(
            {"position": SURE, "decision": v1.DECISION_BEAVER_RESPONSE},
            {"match.beavers": "BEAVERS_NOT_AGREED"},
            id="a beaver that was not agreed",
        ),
        pytest.param(
            {"position": v1.PositionSource(position=FINISHED), "decision": v1.DECISION_DOUBLE_OR_ROLL},
            {"position.position.player.off": "GAME_OVER"},
            id="finished",
        ),
    ],
)
def test_a_cube_decision_that_cannot_stand_is_refused(
    bots: v1.BotServiceStub, fields: dict[str, object], expected: dict[str, str]
) -> None:
    """The field that is wrong is named, at every level."""
    for level in LEVELS:
        request = v1.ChooseCubeActionRequest(level=level, **fields)  # type: ignore[arg-type]
        assert expected == refusal(bots.ChooseCubeAction, request).fields


@pytest.mark.parametrize("level", LEVELS)
def test_what_is_worth_enough_is_accepted(bots: v1.BotServiceStub, level: v1.Level.ValueType) -> None:
    """A sure single game for a single; a sure gammon not for less, unless Jacoby holds it off."""
    accepting = {"decision": v1.RESIGNATION_DECISION_ACCEPT_OR_REFUSE}
    single, gammon = v1.RESULT_KIND_SINGLE, v1.RESULT_KIND_GAMMON
    sure_gammon = board({1: 2}, {6: 10, 8: 5})
    accepted = resign(bots, level, position=SURE, offered=single, **accepting)
    assert (v1.RESIGNATION_ACTION_ACCEPT, 1.0, "bearoff") == (accepted.action, accepted.equity, accepted.stamp.engine)
    refused = resign(bots, level, position=sure_gammon, offered=single, **accepting)
    assert (v1.RESIGNATION_ACTION_REFUSE, v1.RESULT_KIND_UNSPECIFIED) == (refused.action, refused.offer)
    assert 2 == pytest.approx(refused.equity, abs=1e-4)
    answer = resign(bots, level, position=sure_gammon, offered=gammon, **accepting)
    assert v1.RESIGNATION_ACTION_ACCEPT == answer.action
    jacoby = v1.MatchState(jacoby=True)
    answer = resign(bots, level, position=sure_gammon, offered=single, match=jacoby, **accepting)
    assert (v1.RESIGNATION_ACTION_ACCEPT, True) == (answer.action, answer.match.jacoby)


@pytest.mark.parametrize("level", LEVELS)
def test_a_lost_game_is_resigned_by_all_but_easy(bots: v1.BotServiceStub, level: v1.Level.ValueType) -> None:
    """The opponent is off with its next roll, the player has ten checkers to go."""
    lost = board({6: 10}, {1: 2})
    answer = resign(bots, level, position=lost, decision=v1.RESIGNATION_DECISION_OFFER_OR_PLAY)
    if level == v1.LEVEL_EASY:
        assert (v1.RESIGNATION_ACTION_PLAY_ON, v1.RESULT_KIND_UNSPECIFIED) == (answer.action, answer.offer)
    else:
        assert (v1.RESIGNATION_ACTION_OFFER, v1.RESULT_KIND_SINGLE) == (answer.action, answer.offer)
    assert -1 == pytest.approx(answer.equity, abs=1e-3)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        pytest.param({}, {"decision": "REQUIRED"}, id="no decision"),
        pytest.param({"decision": 3}, {"decision": "UNKNOWN_ENUM_VALUE"}, id="unknown decision"),
        pytest.param(
            {"decision": v1.RESIGNATION_DECISION_ACCEPT_OR_REFUSE}, {"offered": "REQUIRED"}, id="nothing offered"
        ),
        pytest.param(
            {"decision": v1.RESIGNATION_DECISION_OFFER_OR_PLAY, "offered": v1.RESULT_KIND_SINGLE},
            {"offered": "FIELD_NOT_ALLOWED"},
            id="nothing may be offered",
        ),
        pytest.param(
            {"decision": v1.RESIGNATION_DECISION_OFFER_OR_PLAY, "level": 0},
            {"level": "LEVEL_UNSPECIFIED"},
            id="no level",
        ),
    ],
)
def test_a_resignation_without_its_fields_is_refused(
    bots: v1.BotServiceStub, fields: dict[str, object], expected: dict[str, str]
) -> None:
    """What is to be decided says whether an offer is needed."""
    asked = {"level": v1.LEVEL_HARD, "position": position_source(ROLLED), **fields}
    assert expected == refusal(bots.ChooseResignation, v1.ChooseResignationRequest(**asked)).fields  # type: ignore[arg-type]
