"""gRPC-Web, as pages speak it."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

import grpc
import pytest
from bgbot import position_source, v1
from google.rpc.code_pb2 import Code
from google.rpc.error_details_pb2 import BadRequest
from google.rpc.status_pb2 import Status

from tests.web.asking import IN_TRAILERS, ask, framed, frames

if TYPE_CHECKING:
    from google.protobuf.message import Message

KIND = {"content-type": "application/grpc-web+proto", "x-grpc-web": "1"}


def call(web: str, method: str, request: Message) -> tuple[list[bytes], dict[str, str]]:
    """Call a method, and give the messages and the trailers."""
    answer = ask(web, f"/bgbot.v1.{method}", framed(request), KIND)
    assert 200 == answer.status
    found = frames(answer.body)
    trailers = {key: value for key, value in answer.headers.items() if key.startswith("grpc-")}
    for flags, text in found:
        if flags == IN_TRAILERS:
            trailers |= dict(line.split(":", 1) for line in text.decode().strip().split("\r\n"))
    return [payload for flags, payload in found if flags != IN_TRAILERS], trailers


def test_a_call_is_answered(web: str) -> None:
    """A message in a frame, and the status in another."""
    request = v1.ListLegalPlaysRequest(position=position_source(), dice=v1.Dice(die1=3, die2=1))
    [message], trailers = call(web, "RulesService/ListLegalPlays", request)
    assert 16 == len(v1.ListLegalPlaysResponse.FromString(message).plays)
    assert "0" == trailers["grpc-status"]


def test_a_stream_tells_its_progress(web: str) -> None:
    """A frame for each message."""
    settings = v1.RolloutSettings(trials=72, truncate_after_plies=2)
    messages, trailers = call(
        web, "EvaluationService/Rollout", v1.RolloutRequest(position=position_source(), settings=settings)
    )
    progress = [v1.RolloutResponse.FromString(message) for message in messages]
    assert [(36, False), (72, True)] == [(state.trials_done, state.finished) for state in progress]
    assert "0" == trailers["grpc-status"]


def test_refused_input_comes_with_its_details(web: str) -> None:
    """In the trailers, as gRPC has them."""
    messages, trailers = call(web, "RulesService/ListLegalPlays", v1.ListLegalPlaysRequest(position=position_source()))
    encoded = trailers["grpc-status-details-bin"].strip()
    status = Status.FromString(base64.b64decode(encoded + "=" * (-len(encoded) % 4)))
    request = BadRequest()
    assert any(detail.Unpack(request) for detail in status.details)
    assert ([], str(grpc.StatusCode.INVALID_ARGUMENT.value[0])) == (messages, trailers["grpc-status"].strip())
    assert ["dice"] == [each.field for each in request.field_violations]


@pytest.mark.parametrize("kind", ["application/grpc-web+proto", "application/grpc"])
def test_a_header_that_cannot_be_read_is_the_callers_mistake(web: str, kind: str) -> None:
    """It is refused in the caller's own form, and never as INTERNAL."""
    request = v1.CountPipsRequest(position=position_source())
    headers = {"content-type": kind, "grpc-timeout": "-1S"}
    answer = ask(web, "/bgbot.v1.EvaluationService/CountPips", framed(request), headers)
    told = (answer.headers["grpc-status"], answer.headers["grpc-message"].partition(":")[0])
    assert (200, (str(Code.INVALID_ARGUMENT), "grpc-timeout")) == (answer.status, told)


def test_grpc_itself_passes_as_well(web: str) -> None:
    """One port is enough for those who have only one."""
    with grpc.insecure_channel(web) as channel:
        request = v1.CountPipsRequest(position=position_source())
        assert 167 == v1.EvaluationServiceStub(channel).CountPips(request, timeout=20).player_pips
        bulk = v1.BulkServiceStub(channel).Process(
            iter([v1.BulkRequest(items=[v1.BulkItem(id=7, count_pips=request)])]), timeout=20
        )
        assert [7] == [item.id for answer in bulk for item in answer.results]
