"""Whatever is sent, the answer is an answer or a refusal that says why, and the daemon lives."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import grpc
import pytest
from bgbot import v1
from bgbot.v1 import bot_service_pb2, dice_service_pb2, evaluation_service_pb2, rules_service_pb2
from bgbot.v1.evaluation_service_pb2_grpc import EvaluationServiceStub
from bgbot.v1.position_pb2 import PositionSource
from google.rpc.error_details_pb2 import ErrorInfo
from grpc_status import rpc_status
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.service.arbitrary_messages import IDS, arbitrary_message, mutated

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from google.protobuf.descriptor import MethodDescriptor

METHODS = [
    method
    for file in (rules_service_pb2, bot_service_pb2, evaluation_service_pb2, dice_service_pb2)
    for service in file.DESCRIPTOR.services_by_name.values()
    for method in service.methods
    if not method.server_streaming
]
BULK_KINDS = v1.BulkItem.DESCRIPTOR.oneofs_by_name["request"].fields
EXPECTED = {
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.UNIMPLEMENTED,
    grpc.StatusCode.FAILED_PRECONDITION,
}


def failure(call: Callable[..., object], payload: bytes) -> grpc.Call | None:
    """Make a call and give its failure, None if it was answered."""
    try:
        call(payload, timeout=10)
    except grpc.RpcError as error:
        return cast("grpc.Call", error)
    return None


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
@given(generator=st.randoms(use_true_random=False), damage=st.booleans())
def test_no_message_is_an_internal_error(
    channel: grpc.Channel, method: MethodDescriptor, generator: random.Random, *, damage: bool
) -> None:
    """Arbitrary messages, and arbitrary damage to them, are answered or refused with a reason."""
    payload = arbitrary_message(method.input_type, generator).SerializeToString()
    if damage:
        payload = mutated(payload, generator)
    path = f"/{method.containing_service.full_name}/{method.name}"
    call: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(path, request_serializer=bytes)
    refused = failure(call, payload)
    if refused is not None:
        assert_refused_with_a_reason(refused)
    assert_alive(channel)


@settings(max_examples=40)  # each good one is played
@given(generator=st.randoms(use_true_random=False), damage=st.booleans())
def test_no_rollout_is_an_internal_error(channel: grpc.Channel, generator: random.Random, *, damage: bool) -> None:
    """A rollout that may begin is given up after its first state."""
    payload = arbitrary_message(v1.RolloutRequest.DESCRIPTOR, generator).SerializeToString()
    if damage:
        payload = mutated(payload, generator)
    path = "/bgbot.v1.EvaluationService/Rollout"
    call: grpc.UnaryStreamMultiCallable[bytes, bytes] = channel.unary_stream(path, request_serializer=bytes)
    states = call(payload, timeout=30)
    refused = failure(lambda _payload, timeout: next(states), payload)  # noqa: ARG005 - begun already
    states.cancel()
    if refused is not None:
        assert_refused_with_a_reason(refused)
    assert_alive(channel)


@given(generator=st.randoms(use_true_random=False), damage=st.booleans())
def test_nothing_in_bulk_is_an_internal_error(channel: grpc.Channel, generator: random.Random, *, damage: bool) -> None:
    """Each request of a stream is answered or refused by itself; bytes that are no message end the stream."""
    message = v1.BulkRequest()
    for number in range(generator.randrange(4)):
        method = generator.choice(BULK_KINDS)
        assert method.message_type is not None
        part = arbitrary_message(method.message_type, generator)
        getattr(message.items.add(id=number), method.name).CopyFrom(part)
    payload = message.SerializeToString()
    if damage:
        payload = mutated(payload, generator)
    call: grpc.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream(
        "/bgbot.v1.BulkService/Process", request_serializer=bytes
    )
    answers: list[bytes] = []
    refused = failure(lambda _payload, timeout: answers.extend(call(iter([payload]), timeout=3 * timeout)), payload)
    if refused is not None:
        assert_refused_with_a_reason(refused)
    for answer in answers:
        for result in v1.BulkResponse.FromString(answer).results:
            assert grpc.StatusCode.INTERNAL.value[0] != result.error.code, result.error.message
    assert_alive(channel)


def assert_refused_with_a_reason(refused: grpc.Call) -> None:
    """Hold a failure to be the caller's, with a reason and without a word about the inside."""
    assert refused.code() in EXPECTED, refused.details()
    status = rpc_status.from_call(refused)
    assert status is not None
    assert any(detail.Is(ErrorInfo.DESCRIPTOR) for detail in status.details)
    assert "Traceback" not in refused.details()


def assert_alive(channel: grpc.Channel) -> None:
    """Hold the daemon to answer the next call."""
    pips = EvaluationServiceStub(channel).CountPips(
        evaluation_service_pb2.CountPipsRequest(position=PositionSource(gnubg_id=IDS["gnubg_id"][0])), timeout=10
    )
    assert 167 == pips.player_pips
