"""Bad input: each with its status, the path of its field and its reason."""

from __future__ import annotations

import grpc
import pytest
from bgbot.v1 import bot_service_pb2, evaluation_service_pb2, match_pb2, position_pb2, rules_service_pb2
from bgbot.v1.bot_service_pb2_grpc import BotServiceStub
from bgbot.v1.evaluation_service_pb2_grpc import EvaluationServiceStub
from bgbot.v1.rules_service_pb2_grpc import RulesServiceStub

from tests.service.refusals import Refusal, refusal

START = (0, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2)
XGID_START = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10"
Match = match_pb2.MatchState
INVALID = grpc.StatusCode.INVALID_ARGUMENT


def side(changes: dict[int, int] | None = None, bar: int = 0, off: int = 0) -> position_pb2.Side:
    """Make a side from the starting one, with the counts of some points changed."""
    points = list(START)
    for point, count in (changes or {}).items():
        points[point - 1] = count
    return position_pb2.Side(points=points, bar=bar, off=off)


def source(player: position_pb2.Side, opponent: position_pb2.Side | None = None) -> position_pb2.PositionSource:
    """Make a position source from two sides."""
    return position_pb2.PositionSource(position=position_pb2.Position(player=player, opponent=opponent or side()))


START_SOURCE = source(side())
DICE = position_pb2.Dice(die1=3, die2=1)
FINISHED = source(position_pb2.Side(points=[0] * 24, off=15))


@pytest.mark.parametrize(
    ("player", "field", "reason"),
    [
        pytest.param(side({6: 6}), "position.position.player", "CHECKER_COUNT", id="16 checkers"),
        pytest.param(side({6: 4}), "position.position.player", "CHECKER_COUNT", id="14 checkers"),
        pytest.param(side({6: -1}), "position.position.player.points[5]", "COUNT_OUT_OF_RANGE", id="negative"),
        pytest.param(side({6: 2**31 - 1}), "position.position.player.points[5]", "COUNT_OUT_OF_RANGE", id="absurd"),
        pytest.param(side(bar=-2), "position.position.player.bar", "COUNT_OUT_OF_RANGE", id="negative bar"),
        pytest.param(side({6: 0, 1: 5}), "position.position.player.points[0]", "POINT_HELD_BY_BOTH", id="both"),
        pytest.param(position_pb2.Side(), "position.position.player.points", "POINT_LIST_LENGTH", id="no points"),
    ],
)
def test_an_impossible_side_is_refused_at_its_field(
    channel: grpc.Channel, player: position_pb2.Side, field: str, reason: str
) -> None:
    """A side that cannot exist is refused with the path of what is wrong."""
    request = rules_service_pb2.ListLegalPlaysRequest(position=source(player), dice=DICE)
    refused = refusal(RulesServiceStub(channel).ListLegalPlays, request)
    assert (INVALID, reason, reason) == (refused.code, refused.reason, refused.fields[field])


@pytest.mark.parametrize(
    ("dice", "field", "reason"),
    [
        pytest.param(position_pb2.Dice(die1=0, die2=3), "dice.die1", "DIE_OUT_OF_RANGE", id="die 0"),
        pytest.param(position_pb2.Dice(die1=3, die2=7), "dice.die2", "DIE_OUT_OF_RANGE", id="die 7"),
        pytest.param(None, "dice", "REQUIRED", id="missing"),
    ],
)
def test_dice_that_cannot_be_rolled_are_refused(
    channel: grpc.Channel, dice: position_pb2.Dice | None, field: str, reason: str
) -> None:
    """Dice outside 1 to 6, or no dice, are refused."""
    request = rules_service_pb2.ListLegalPlaysRequest(position=START_SOURCE, dice=dice)
    refused = refusal(RulesServiceStub(channel).ListLegalPlays, request)
    assert (INVALID, {field: reason}) == (refused.code, refused.fields)


@pytest.mark.parametrize("method", ["ListLegalPlays", "ListLegalSteps"])
def test_a_finished_game_has_no_plays(channel: grpc.Channel, method: str) -> None:
    """A game with fifteen checkers off is over."""
    request_class = getattr(rules_service_pb2, f"{method}Request")
    refused = refusal(getattr(RulesServiceStub(channel), method), request_class(position=FINISHED, dice=DICE))
    assert {"position.position.player.off": "GAME_OVER"} == refused.fields


@pytest.mark.parametrize(
    ("form", "text", "reason"),
    [
        pytest.param("gnubg_id", "4HPwATDgc/ABM", "ID_LENGTH", id="short"),
        pytest.param("gnubg_id", "4HPwATDgc/ABMA:cAk", "ID_LENGTH", id="short match id"),
        pytest.param("gnubg_id", "4HPwATDgc!ABMA", "ID_ALPHABET", id="alphabet"),
        pytest.param("xgid", "XGID=-b----E-C---eE---c-e----B", "ID_LENGTH", id="xgid short"),
        pytest.param("xgid", XGID_START.replace("E-C", "F-C"), "CHECKER_COUNT", id="xgid with 16 checkers"),
        pytest.param("xgid", XGID_START.replace("-b-", "-!-"), "ID_ALPHABET", id="xgid alphabet"),
    ],
)
def test_an_id_that_cannot_be_read_is_refused(channel: grpc.Channel, form: str, text: str, reason: str) -> None:
    """An ID of the wrong length or alphabet, or with 16 checkers, is refused under its form's path."""
    broken = position_pb2.PositionSource(**{form: text})  # type: ignore[arg-type]
    refused = refusal(
        EvaluationServiceStub(channel).CountPips, evaluation_service_pb2.CountPipsRequest(position=broken)
    )
    assert (INVALID, {f"position.{form}": reason}) == (refused.code, refused.fields)


@pytest.mark.parametrize(
    ("match", "field", "reason"),
    [
        pytest.param(Match(length=5, jacoby=True), "match.jacoby", "JACOBY_IN_MATCH", id="Jacoby in a match"),
        pytest.param(Match(length=5, beavers=True), "match.beavers", "BEAVERS_IN_MATCH", id="beavers in a match"),
        pytest.param(Match(length=5, player_score=6), "match.player_score", "SCORE_OUT_OF_RANGE", id="past target"),
        pytest.param(Match(length=5, opponent_score=5), "match.opponent_score", "SCORE_OUT_OF_RANGE", id="at target"),
        pytest.param(
            Match(length=5, crawford=match_pb2.CRAWFORD_STATE_CRAWFORD_GAME),
            "match.crawford",
            "CRAWFORD_CONTRADICTS_SCORE",
            id="Crawford with nobody one away",
        ),
        pytest.param(
            Match(length=5, player_score=4), "match.crawford", "CRAWFORD_UNSPECIFIED", id="nothing said at one away"
        ),
        pytest.param(
            Match(cube=match_pb2.Cube(value=3, owner=match_pb2.CUBE_OWNER_PLAYER)),
            "match.cube.value",
            "CUBE_VALUE",
            id="cube 3",
        ),
        pytest.param(Match(cube=match_pb2.Cube(value=2)), "match.cube.owner", "CUBE_OWNER", id="no owner"),
        pytest.param(Match(length=-1), "match.length", "MATCH_LENGTH_OUT_OF_RANGE", id="negative length"),
        pytest.param(Match(crawford=9), "match.crawford", "UNKNOWN_ENUM_VALUE", id="unknown enum"),  # type: ignore[arg-type]
    ],
)
def test_a_contradicting_match_state_is_refused(
    channel: grpc.Channel, match: match_pb2.MatchState, field: str, reason: str
) -> None:
    """Contradictions between score, cube and agreements name their field."""
    request = bot_service_pb2.ChoosePlayRequest(position=START_SOURCE, dice=DICE, match=match, level=2)  # type: ignore[arg-type]
    refused = refusal(BotServiceStub(channel).ChoosePlay, request)
    assert (INVALID, {field: reason}) == (refused.code, refused.fields)


def test_an_unspecified_level_is_refused(channel: grpc.Channel) -> None:
    """No level is guessed."""
    request = bot_service_pb2.ChoosePlayRequest(position=START_SOURCE, dice=DICE)
    refused = refusal(BotServiceStub(channel).ChoosePlay, request)
    assert {"level": "LEVEL_UNSPECIFIED"} == refused.fields
    assert "LEVEL_EASY" in refused.text


def test_every_problem_is_reported_at_once(channel: grpc.Channel) -> None:
    """A request with four wrong fields gets four violations."""
    request = bot_service_pb2.ChoosePlayRequest(
        position=source(side({6: 6})),
        dice=position_pb2.Dice(die1=7, die2=1),
        match=Match(length=3, jacoby=True),
    )
    refused = refusal(BotServiceStub(channel).ChoosePlay, request)
    assert {"level", "position.position.player", "dice.die1", "match.jacoby"} == set(refused.fields)


def apply(channel: grpc.Channel, notation: str, die1: int, die2: int) -> Refusal:
    """Apply an illegal play to the starting position."""
    request = rules_service_pb2.ApplyPlayRequest(
        position=START_SOURCE, dice=position_pb2.Dice(die1=die1, die2=die2), notation=notation
    )
    return refusal(RulesServiceStub(channel).ApplyPlay, request)


@pytest.mark.parametrize(
    ("notation", "die1", "die2", "reason"),
    [
        ("24/19 13/12", 5, 1, "POINT_BLOCKED"),
        ("8/5", 3, 1, "MORE_DICE_CAN_BE_PLAYED"),
        ("8/4 6/5", 3, 1, "DIE_NOT_AVAILABLE"),
        ("7/4 6/5", 3, 1, "NO_CHECKER_THERE"),
        ("6/off 8/7", 6, 1, "BEARING_OFF_TOO_EARLY"),
        ("eight to five", 3, 1, "NOTATION_MALFORMED"),
    ],
)
def test_an_illegal_play_is_refused_with_the_rule_it_breaks(
    channel: grpc.Channel, notation: str, die1: int, die2: int, reason: str
) -> None:
    """The reason names the rule."""
    refused = apply(channel, notation, die1, die2)
    assert (INVALID, reason) == (refused.code, refused.reason)


@pytest.mark.parametrize(
    ("position", "match", "reason"),
    [
        pytest.param(START_SOURCE, Match(), "OPENING_TURN", id="opening turn"),
        pytest.param(
            source(side({6: 4, 5: 1})),
            Match(length=5, player_score=4, crawford=match_pb2.CRAWFORD_STATE_CRAWFORD_GAME),
            "CRAWFORD_GAME",
            id="Crawford game",
        ),
        pytest.param(
            source(side({6: 4, 5: 1})),
            Match(cube=match_pb2.Cube(value=2, owner=match_pb2.CUBE_OWNER_OPPONENT)),
            "CUBE_OWNED_BY_OPPONENT",
            id="opponent's cube",
        ),
    ],
)
def test_a_double_that_is_not_allowed_is_refused(
    channel: grpc.Channel, position: position_pb2.PositionSource, match: match_pb2.MatchState, reason: str
) -> None:
    """A double on the opening turn, in the Crawford game or with the opponent's cube is refused."""
    request = rules_service_pb2.ApplyCubeActionRequest(
        position=position,
        match=match,
        decision=match_pb2.DECISION_DOUBLE_OR_ROLL,
        action=match_pb2.CUBE_ACTION_DOUBLE,
    )
    refused = refusal(RulesServiceStub(channel).ApplyCubeAction, request)
    assert (INVALID, reason) == (refused.code, refused.reason)


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        pytest.param({"dice": position_pb2.Dice(die1=5, die2=5)}, "dice", id="dice"),
        pytest.param({"match": Match(length=7)}, "match.length", id="length"),
        pytest.param(
            {"match": Match(cube=match_pb2.Cube(value=2, owner=match_pb2.CUBE_OWNER_PLAYER))}, "match.cube", id="cube"
        ),
    ],
)
def test_an_id_that_contradicts_a_field_is_refused(channel: grpc.Channel, fields: dict[str, object], path: str) -> None:
    """What both the ID and the request say must agree; the refusal names both."""
    xgid = position_pb2.PositionSource(xgid=XGID_START.replace(":00:", ":31:"))
    request = bot_service_pb2.ChoosePlayRequest(position=xgid, level=2, **fields)  # type: ignore[arg-type]
    refused = refusal(BotServiceStub(channel).ChoosePlay, request)
    assert {path: "CONTRADICTION"} == refused.fields
    assert "position.xgid" in refused.text


def test_dice_in_another_order_contradict_nothing(channel: grpc.Channel) -> None:
    """1-3 is the same roll as 3-1."""
    request = bot_service_pb2.ChoosePlayRequest(
        position=position_pb2.PositionSource(xgid=XGID_START.replace(":00:", ":31:")),
        dice=position_pb2.Dice(die1=1, die2=3),
        level=2,  # type: ignore[arg-type]
    )
    assert "8/5 6/5" == BotServiceStub(channel).ChoosePlay(request, timeout=10).play.notation


def test_a_message_over_the_size_limit_is_refused(channel: grpc.Channel) -> None:
    """More than a megabyte is not read."""
    request = rules_service_pb2.ApplyPlayRequest(position=START_SOURCE, dice=DICE, notation="x" * (1 << 20))
    refused = refusal(RulesServiceStub(channel).ApplyPlay, request)
    assert (INVALID, "MESSAGE_TOO_LARGE") == (refused.code, refused.reason)


def test_bytes_that_are_no_message_are_refused(channel: grpc.Channel) -> None:
    """Garbage is the caller's mistake, not the server's."""
    call: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(
        "/bgbot.v1.RulesService/ListLegalPlays", request_serializer=bytes
    )
    refused = refusal(call, b"\xff\xff\xff")
    assert (INVALID, "MESSAGE_MALFORMED") == (refused.code, refused.reason)


def test_a_method_that_is_not_served_says_so(channel: grpc.Channel) -> None:
    """An unknown method is UNIMPLEMENTED, with a reason."""
    call: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(
        "/bgbot.v1.RulesService/Cheat", request_serializer=bytes
    )
    refused = refusal(call, b"")
    assert (grpc.StatusCode.UNIMPLEMENTED, "METHOD_NOT_SERVED") == (refused.code, refused.reason)
