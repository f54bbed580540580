"""Requests on one stream are answered as they are one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import grpc
import pytest
from bgbot import position_source, v1
from google.rpc.code_pb2 import Code
from google.rpc.error_details_pb2 import BadRequest
from grpc_status import rpc_status

from tests.service.bulk_streams import PIPS, answered, item, kind_of, reason, results, written

if TYPE_CHECKING:
    from bgbot.v1.bulk_service_pb2_grpc import BulkServiceAsyncStub
    from google.protobuf.message import Message

ROLLED = position_source("XGID=-b-B-BCBB---bB--ab-f---bB-:0:0:1:53:2:1:0:5:10")
BEFORE = position_source("XGID=-b-B-BCBB---bB--ab-f---bB-:0:0:1:00:2:1:0:5:10")
IMPOSSIBLE = v1.PositionSource(
    position=v1.Position(player=v1.Side(points=[16] + [0] * 23), opponent=v1.Side(points=[15, -1] + [0] * 22, bar=2))
)
SERVICES = {
    "list_legal_plays": v1.RulesServiceStub,
    "list_legal_steps": v1.RulesServiceStub,
    "apply_play": v1.RulesServiceStub,
    "list_cube_actions": v1.RulesServiceStub,
    "apply_cube_action": v1.RulesServiceStub,
    "score_game": v1.RulesServiceStub,
    "start_game": v1.RulesServiceStub,
    "convert_position": v1.RulesServiceStub,
    "list_bots": v1.BotServiceStub,
    "choose_play": v1.BotServiceStub,
    "choose_cube_action": v1.BotServiceStub,
    "choose_resignation": v1.BotServiceStub,
    "count_pips": v1.EvaluationServiceStub,
    "evaluate": v1.EvaluationServiceStub,
    "rank_plays": v1.EvaluationServiceStub,
}
REQUESTS: list[Message] = [
    v1.ListLegalPlaysRequest(position=ROLLED),
    v1.ListLegalStepsRequest(position=ROLLED),
    v1.ApplyPlayRequest(position=ROLLED, notation="24/16*"),
    v1.ListCubeActionsRequest(position=BEFORE, decision=v1.DECISION_DOUBLE_OR_ROLL),
    v1.ApplyCubeActionRequest(position=BEFORE, decision=v1.DECISION_DOUBLE_OR_ROLL, action=v1.CUBE_ACTION_DOUBLE),
    v1.ScoreGameRequest(winner=v1.GAME_SIDE_PLAYER, kind=v1.RESULT_KIND_GAMMON),
    v1.StartGameRequest(dice=v1.Dice(die1=3, die2=1)),
    v1.ConvertPositionRequest(position=ROLLED),
    v1.ListBotsRequest(),
    v1.ChoosePlayRequest(position=ROLLED, level=v1.LEVEL_EASY, seed=7),
    v1.ChoosePlayRequest(position=ROLLED, level=v1.LEVEL_HARD, candidates=3),
    v1.ChoosePlayRequest(position=ROLLED, level=v1.LEVEL_MASTER),
    v1.ChooseCubeActionRequest(position=BEFORE, level=v1.LEVEL_HARD, decision=v1.DECISION_DOUBLE_OR_ROLL),
    v1.ChooseResignationRequest(position=BEFORE, level=v1.LEVEL_HARD, decision=v1.RESIGNATION_DECISION_OFFER_OR_PLAY),
    PIPS,
    v1.EvaluateRequest(position=BEFORE, depth=v1.DEPTH_PLY2),
    v1.RankPlaysRequest(position=ROLLED, depth=v1.DEPTH_STATIC),
]
REFUSED: list[Message] = [
    v1.CountPipsRequest(),
    v1.ListLegalPlaysRequest(position=IMPOSSIBLE, dice=v1.Dice(die1=7)),
    v1.ApplyPlayRequest(position=ROLLED, notation="24/20"),
    v1.ChoosePlayRequest(position=IMPOSSIBLE),
    v1.EvaluateRequest(position=BEFORE, match=v1.MatchState(length=7)),
]


def without_time(answer: Message) -> Message:
    """Take away what differs from call to call."""
    if "stamp" in answer.DESCRIPTOR.fields_by_name:
        answer.stamp.ClearField("elapsed")  # type: ignore[attr-defined]
    return answer


def test_every_kind_of_request_is_tried_here() -> None:
    """None can be added to the contract and forgotten."""
    kinds = {field.name for field in v1.BulkItem.DESCRIPTOR.oneofs_by_name["request"].fields}
    assert kinds - {"cancel"} == set(SERVICES) == set(map(kind_of, REQUESTS))


async def test_answers_are_those_of_the_unary_methods(
    aio_channel: grpc.aio.Channel, bulk_stub: BulkServiceAsyncStub
) -> None:
    """Every kind, all in one message, each under its own id."""
    found = await answered(bulk_stub, *(item(number, request) for number, request in enumerate(REQUESTS)))
    assert sorted(result.id for result in found) == [*range(len(REQUESTS))]
    for result in found:
        request = REQUESTS[result.id]
        kind = kind_of(request)
        method = kind.title().replace("_", "")
        unary = await getattr(SERVICES[kind](aio_channel), method)(request)
        assert (kind, without_time(unary)) == (
            result.WhichOneof("result"),
            without_time(getattr(result, kind)),
        )


async def test_errors_are_those_of_the_unary_methods(
    aio_channel: grpc.aio.Channel, bulk_stub: BulkServiceAsyncStub
) -> None:
    """Code, message and every detail, the request id among them; and none of them breaks the stream."""
    metadata = (("x-request-id", "the-same"),)
    stream = bulk_stub.Process(metadata=metadata)
    await written(stream, *(item(number, request) for number, request in enumerate([*REFUSED, PIPS])))
    found = {result.id: result for result in await results(stream)}
    for number, request in enumerate(REFUSED):
        kind = kind_of(request)
        with pytest.raises(grpc.aio.AioRpcError) as raised:
            await getattr(SERVICES[kind](aio_channel), kind.title().replace("_", ""))(request, metadata=metadata)
        assert rpc_status.from_call(raised.value) == found[number].error  # type: ignore[arg-type]
    assert 167 == found[len(REFUSED)].count_pips.player_pips


async def test_an_unforeseen_failure_is_that_requests_answer_alone(slow_stub: BulkServiceAsyncStub) -> None:
    """It says INTERNAL and nothing of what happened."""
    failed, counted = await answered(slow_stub, item(1, v1.ScoreGameRequest()), item(2, PIPS))
    assert (Code.INTERNAL, "INTERNAL") == (failed.error.code, reason(failed.error))
    assert "Zero" not in str(failed)
    assert 167 == counted.count_pips.player_pips


async def test_items_themselves_are_checked(bulk_stub: BulkServiceAsyncStub) -> None:
    """An item without a request, and a priority that is none, are refused by their field."""
    empty, urgent = await answered(bulk_stub, v1.BulkItem(id=1), v1.BulkItem(id=2, priority=9, count_pips=PIPS))  # type: ignore[arg-type]
    fields = []
    for result in (empty, urgent):
        wrong = BadRequest()
        assert any(detail.Unpack(wrong) for detail in result.error.details)
        fields.append([(each.field, each.reason) for each in wrong.field_violations])
    assert [[("request", "REQUIRED")], [("priority", "UNKNOWN_ENUM_VALUE")]] == fields
