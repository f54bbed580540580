"""Writes and reads Bulk streams, and serves them with answers that come when they are told to."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import TYPE_CHECKING

from bgbot import position_source, v1
from google.rpc.error_details_pb2 import ErrorInfo

from bgbotd.service import bulk
from bgbotd.service.engine_access import priority_of_work

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator

    import grpc
    from bgbot.v1.bulk_service_pb2_grpc import BulkServiceAsyncStub
    from google.protobuf.message import Message
    from google.rpc.status_pb2 import Status

    from bgbotd.evaluation import Priority

    Stream = grpc.aio.StreamStreamCall[v1.BulkRequest, v1.BulkResponse]

PIPS = v1.CountPipsRequest(position=position_source())
EVALUATE = v1.EvaluateRequest()


def kind_of(request: Message) -> str:
    """Give the name an item has for a request."""
    fields = v1.BulkItem.DESCRIPTOR.oneofs_by_name["request"].fields
    return next(field.name for field in fields if field.message_type is request.DESCRIPTOR)


def item(
    number: int, request: Message, priority: v1.BulkPriority.ValueType = v1.BULK_PRIORITY_BACKGROUND
) -> v1.BulkItem:
    """Make an item of any request."""
    made = v1.BulkItem(id=number, priority=priority)
    getattr(made, kind_of(request)).MergeFrom(request)
    return made


def cancel(number: int) -> v1.BulkItem:
    """Make an item that cancels another one."""
    return v1.BulkItem(id=number, cancel=v1.BulkCancel())


async def written(stream: Stream, *items: v1.BulkItem, last: bool = True) -> None:
    """Write one message, the last one if it is."""
    await stream.write(v1.BulkRequest(items=items))
    if last:
        await stream.done_writing()


async def read(stream: Stream) -> list[v1.BulkResult]:
    """Read one message, or nothing at the end of the stream."""
    response = await stream.read()
    return [*response.results] if isinstance(response, v1.BulkResponse) else []


async def results(stream: Stream) -> list[v1.BulkResult]:
    """Read all that comes until the stream ends."""
    found = []
    while some := await read(stream):
        found += some
    return found


async def answered(stub: BulkServiceAsyncStub, *items: v1.BulkItem) -> list[v1.BulkResult]:
    """Send one message and give all results."""
    stream = stub.Process()
    await written(stream, *items)
    return await results(stream)


def reason(status: Status | None) -> str:
    """Give the reason a status carries."""
    info = ErrorInfo()
    assert status is not None
    assert any(detail.Unpack(info) for detail in status.details)
    return info.reason


class Slow:
    """Handlers that answer when they are told to, in place of the engine's; and pips, by the dozen."""

    def __init__(self) -> None:
        """Hold everything up."""
        self.go_on = asyncio.Event()
        self.begun = asyncio.Event()
        self.stopped = asyncio.Event()
        self.running = self.most_running = self.counted = 0
        self.priorities: list[Priority] = []

    async def evaluate(self, request: v1.EvaluateRequest) -> v1.EvaluateResponse:
        """Wait."""
        del request
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        self.priorities.append(priority_of_work.get())
        self.begun.set()
        try:
            await self.go_on.wait()
        except asyncio.CancelledError:
            self.stopped.set()
            raise
        finally:
            self.running -= 1
        return v1.EvaluateResponse(player_pips=167)

    def count_pips(self, request: v1.CountPipsRequest) -> v1.CountPipsResponse:
        """Answer at once."""
        del request
        self.counted += 1
        return v1.CountPipsResponse(player_pips=167)

    def convert_position(self, request: v1.ConvertPositionRequest) -> v1.ConvertPositionResponse:
        """Answer at once, with 1 kB."""
        del request
        self.counted += 1
        return v1.ConvertPositionResponse(xgid="x" * 1024)

    def score_game(self, request: v1.ScoreGameRequest) -> v1.ScoreGameResponse:
        """Fail as nobody foresaw."""
        raise ZeroDivisionError(request)


class Counting(bulk.BulkHandlers):
    """Counts what is accepted."""

    accepted = 0

    async def process(self, requests: AsyncIterator[v1.BulkRequest]) -> AsyncGenerator[bytes, None]:
        """Answer a stream."""

        async def counted() -> AsyncIterator[v1.BulkRequest]:
            async for request in requests:
                self.accepted += len(request.items)
                yield request

        async with aclosing(super().process(counted())) as answers:
            async for answer in answers:
                yield answer
