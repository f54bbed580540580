"""Calls every unary method of the daemon as a caller does who has no generated code, only reflection."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from unittest.mock import ANY

import grpc
import pytest
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.json_format import MessageToDict, ParseDict
from google.protobuf.message_factory import GetMessageClass
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

if TYPE_CHECKING:
    from collections.abc import Iterator

    from google.protobuf.descriptor import MethodDescriptor
    from google.protobuf.message import Message

RULES, BOTS, EVALUATION = "bgbot.v1.RulesService", "bgbot.v1.BotService", "bgbot.v1.EvaluationService"
START = {"xgid": "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10"}
# Match to 5, the player leads 2-1 and has rolled 5-3.
ROLLED = {"xgid": "XGID=-b-B-BCBB---bB--ab-f---bB-:0:0:1:53:2:1:0:5:10"}
# The same before the roll.
BEFORE = {"xgid": "XGID=-b-B-BCBB---bB--ab-f---bB-:0:0:1:00:2:1:0:5:10"}

CALLS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    f"{RULES}/ListLegalPlays": ({"position": ROLLED}, {"restriction": "RESTRICTION_FREE", "dicePlayed": 2}),
    f"{RULES}/ListLegalSteps": (
        {"position": ROLLED, "played": [{"from": 24, "to": 21}]},
        {"remainingDice": [5], "dice": {"die1": 5, "die2": 3}},
    ),
    f"{RULES}/ApplyPlay": ({"position": ROLLED, "notation": "24/16*"}, {"nextDecision": "DECISION_DOUBLE_OR_ROLL"}),
    f"{RULES}/ListCubeActions": (
        {"position": BEFORE, "decision": "DECISION_DOUBLE_OR_ROLL"},
        {"decision": "DECISION_DOUBLE_OR_ROLL"},
    ),
    f"{RULES}/ApplyCubeAction": (
        {"position": BEFORE, "decision": "DECISION_DOUBLE_OR_ROLL", "action": "CUBE_ACTION_DOUBLE"},
        {"nextDecision": "DECISION_TAKE_OR_PASS"},
    ),
    f"{RULES}/ScoreGame": (
        {"match": {"length": 3}, "winner": "GAME_SIDE_OPPONENT", "kind": "RESULT_KIND_BACKGAMMON"},
        {"matchOver": True, "points": 3},
    ),
    f"{RULES}/StartGame": ({"dice": {"die1": 2, "die2": 6}}, {"beginner": "GAME_SIDE_OPPONENT"}),
    f"{RULES}/ConvertPosition": ({"position": START}, {"gnubgPositionId": "4HPwATDgc/ABMA", "playerPips": 167}),
    f"{BOTS}/ListBots": ({}, {"bots": ANY}),
    f"{BOTS}/ChoosePlay": (
        {"position": ROLLED, "level": "LEVEL_EASY", "seed": "7"},
        {"dice": {"die1": 5, "die2": 3}},
    ),
    f"{BOTS}/ChooseCubeAction": (
        {"position": BEFORE, "level": "LEVEL_EASY", "decision": "DECISION_DOUBLE_OR_ROLL"},
        {"action": "CUBE_ACTION_ROLL"},
    ),
    f"{BOTS}/ChooseResignation": (
        {"position": BEFORE, "level": "LEVEL_HARD", "decision": "RESIGNATION_DECISION_OFFER_OR_PLAY"},
        {"action": "RESIGNATION_ACTION_PLAY_ON"},
    ),
    f"{EVALUATION}/Evaluate": ({"position": BEFORE, "depth": "DEPTH_STATIC"}, {"playerPips": 138, "cube": ANY}),
    f"{EVALUATION}/RankPlays": ({"position": ROLLED, "depth": "DEPTH_STATIC", "maxPlays": 1}, {"plays": [ANY]}),
    f"{EVALUATION}/CountPips": ({"position": ROLLED}, {"playerPips": 138, "opponentPips": 139}),
    "grpc.health.v1.Health/Check": ({}, {"status": "SERVING"}),
}
"""For each method a sensible request, and a part of its answer."""


@pytest.fixture(scope="module")
def channel(daemon: str) -> Iterator[grpc.Channel]:
    """Open a channel."""
    with grpc.insecure_channel(daemon) as channel:
        yield channel


@pytest.fixture(scope="module")
def methods(channel: grpc.Channel) -> dict[str, MethodDescriptor]:
    """Give every unary method the daemon tells of."""
    database = ProtoReflectionDescriptorDatabase(channel)
    pool = DescriptorPool(database)
    return {
        f"{service}/{method.name}": method
        for service in database.get_services()
        for method in pool.FindServiceByName(service).methods
        if not (method.client_streaming or method.server_streaming)
    }


def _call(channel: grpc.Channel, method: MethodDescriptor, request: dict[str, Any]) -> dict[str, Any]:
    """Make one call with messages made from the descriptors."""
    answer_class = GetMessageClass(method.output_type)
    call: grpc.UnaryUnaryMultiCallable[Message, Message] = channel.unary_unary(
        f"/{method.containing_service.full_name}/{method.name}",
        request_serializer=lambda message: message.SerializeToString(),
        response_deserializer=answer_class.FromString,
    )
    answer = call(ParseDict(request, GetMessageClass(method.input_type)()))
    return MessageToDict(answer)


def test_every_method_is_called_here(methods: dict[str, MethodDescriptor]) -> None:
    """Whoever adds a method to the contract adds a call of it."""
    assert set(CALLS) == set(methods)


@pytest.mark.parametrize("name", CALLS)
def test_method_answers_a_caller_without_generated_code(
    channel: grpc.Channel, methods: dict[str, MethodDescriptor], name: str
) -> None:
    """Request and answer are made of what reflection tells."""
    request, expected = CALLS[name]
    assert expected == {
        field: value for field, value in _call(channel, methods[name], request).items() if field in expected
    }
