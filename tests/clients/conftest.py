"""A daemon that answers as it is told, for what the real one does only in bad hours."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import grpc
import pytest
from bgbot import v1
from google.protobuf.any_pb2 import Any as PackedMessage
from google.rpc.status_pb2 import Status
from grpc_status import rpc_status

if TYPE_CHECKING:
    from collections.abc import Iterator

    from google.protobuf.message import Message

NO_DEADLINE = 1e9
"""Seconds that only a call without a deadline has left: gRPC then says the largest number it knows."""


@dataclass(frozen=True)
class ReceivedCall:
    """What a call brought with it."""

    method: str
    metadata: dict[str, str | bytes]
    time_remaining: float


@dataclass
class ScriptedDaemon(grpc.GenericRpcHandler):
    """Answers each call with the next entry of its script: messages, then a status or the caller's end."""

    script: list[list[Message | Status]] = field(default_factory=list)
    calls: list[ReceivedCall] = field(default_factory=list)
    address: str = ""

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler[Any, Any]:
        """Handle every method as a stream, of which a unary call sees one message each way."""
        method = handler_call_details.method.rpartition("/")[2]

        def answer(requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
            next(requests)
            self.calls.append(ReceivedCall(method, dict(context.invocation_metadata()), context.time_remaining() or 0))
            for item in self.script.pop(0):
                if isinstance(item, Status):
                    wire = rpc_status.to_status(item)
                    context.set_trailing_metadata((("x-request-id", "a-request"), *wire.trailing_metadata))
                    context.abort(wire.code, wire.details)
                yield item.SerializeToString()
            for _ in requests:
                pass

        return grpc.stream_stream_rpc_method_handler(answer)


@pytest.fixture
def scripted() -> Iterator[ScriptedDaemon]:
    """Run a scripted daemon in this process."""
    scripted = ScriptedDaemon()
    server = grpc.server(ThreadPoolExecutor(4), handlers=[scripted])
    scripted.address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    server.start()
    yield scripted
    server.stop(None).wait()


def status(code: grpc.StatusCode, message: str, *details: Message) -> Status:
    """Make a status with details."""
    result = Status(code=code.value[0], message=message)
    for detail in details:
        packed = PackedMessage()
        packed.Pack(detail)
        result.details.append(packed)
    return result


PIPS = v1.CountPipsResponse(player_pips=167, opponent_pips=167)
