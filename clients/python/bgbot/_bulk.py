"""Many requests on one stream, answered as they finish."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable
from typing import TYPE_CHECKING, Any, NamedTuple

import grpc

from bgbot._errors import BgbotError
from bgbot.v1 import BulkItem, BulkRequest

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable

    from google.protobuf.message import Message
    from google.rpc.status_pb2 import Status

    from bgbot.v1 import BulkPriority, BulkResult
    from bgbot.v1.bulk_service_pb2_grpc import BulkServiceAsyncStub

_KINDS: dict[Any, str] = {
    field.message_type: field.name for field in BulkItem.DESCRIPTOR.oneofs_by_name["request"].fields
}
_MOST_ITEMS = 64
"""Items of one message: beyond some dozens a message costs what its items cost."""
_MOST_TRIES = 4
_FIRST_PAUSE = 0.1  # seconds, doubled with each try, as for single calls
_CODES = {code.value[0]: code for code in grpc.StatusCode}


class BulkAnswer(NamedTuple):
    """A request of many, and what came of it: an answer or an error."""

    request: Message
    """The very request that was given."""
    answer: Message | None
    """The answer of the request's RPC."""
    error: BgbotError | None
    """Why it was refused."""


class _ItemRefused(grpc.RpcError):
    """An item's status in the shape of a failed call's."""

    def __init__(self, status: Status) -> None:
        self._status = status

    def code(self) -> grpc.StatusCode:
        return _CODES.get(self._status.code, grpc.StatusCode.UNKNOWN)

    def details(self) -> str:
        return self._status.message

    def trailing_metadata(self) -> Any:  # noqa: ANN401 - pairs, which the stubs give a private name
        return (("grpc-status-details-bin", self._status.SerializeToString()),)


class _Questions:
    """The requests under way, and those still to be sent."""

    def __init__(self, priority: BulkPriority.ValueType, most_under_way: int) -> None:
        self._priority = priority
        self._room = asyncio.Semaphore(most_under_way)
        self._coming: asyncio.Queue[Message | None] = asyncio.Queue(_MOST_ITEMS)
        self._all_sent = False
        self._sent = 0
        self._under_way: dict[int, Message] = {}

    async def take(self, requests: Iterable[Message] | AsyncIterable[Message]) -> None:
        """Take requests as there is room for them; what they raise is raised, with all before it sent."""
        try:
            async for request in _one_by_one(requests):
                if request.DESCRIPTOR not in _KINDS:
                    raise TypeError(f"{request.DESCRIPTOR.full_name} is no request that Bulk knows")
                await self._room.acquire()
                await self._coming.put(request)
        finally:
            await self._coming.put(None)

    async def messages(self) -> AsyncIterator[BulkRequest]:
        """Give a stream's messages: first what an earlier stream has left, then what has come, together."""
        left = list(self._under_way)
        for first in range(0, len(left), _MOST_ITEMS):
            yield self._message(left[first : first + _MOST_ITEMS])
        while not self._all_sent:
            together = [await self._coming.get()]
            while not self._coming.empty() and len(together) < _MOST_ITEMS:
                together.append(self._coming.get_nowait())
            self._all_sent = together[-1] is None
            requests = [request for request in together if request is not None]
            numbers = range(self._sent, self._sent + len(requests))
            self._sent += len(requests)
            self._under_way.update(zip(numbers, requests, strict=True))
            if requests:
                yield self._message(numbers)

    def answered(self, number: int) -> Message:
        """Give the request that was answered, which leaves room for another."""
        self._room.release()
        return self._under_way.pop(number)

    def _message(self, numbers: Iterable[int]) -> BulkRequest:
        message = BulkRequest()
        for number in numbers:
            request = self._under_way[number]
            item = message.items.add(id=number, priority=self._priority)
            getattr(item, _KINDS[request.DESCRIPTOR]).CopyFrom(request)
        return message


async def ask_all(
    stub: BulkServiceAsyncStub,
    requests: Iterable[Message] | AsyncIterable[Message],
    priority: BulkPriority.ValueType,
    most_under_way: int,
) -> AsyncIterator[BulkAnswer]:
    """Ask any unary requests on one stream; see `AsyncClient.ask_all`."""
    questions = _Questions(priority, most_under_way)
    taking = asyncio.create_task(questions.take(requests))
    tries = 0
    try:
        while tries < _MOST_TRIES:
            lost: BgbotError | None = None
            try:
                async for result in _results(stub, questions):
                    error = BgbotError(_ItemRefused(result.error)) if result.HasField("error") else None
                    if error and error.code is grpc.StatusCode.UNAVAILABLE:
                        lost = error
                    else:
                        tries = 0
                        answer = None if error else getattr(result, result.WhichOneof("result") or "")
                        yield BulkAnswer(questions.answered(result.id), answer, error)
            except BgbotError as error:
                if error.code is not grpc.StatusCode.UNAVAILABLE:
                    raise
                lost = error
            if lost is None:
                await taking
                return
            tries += 1
            await asyncio.sleep(_FIRST_PAUSE * 2 ** (tries - 1))
        raise lost or AssertionError
    finally:
        taking.cancel()


async def _results(stub: BulkServiceAsyncStub, questions: _Questions) -> AsyncIterator[BulkResult]:
    """Give the results of one stream, which ends with it or with who reads it."""
    call = stub.Process(questions.messages())
    try:
        async for response in call:
            for result in response.results:
                yield result
    finally:
        call.cancel()


async def _one_by_one(requests: Iterable[Message] | AsyncIterable[Message]) -> AsyncIterator[Message]:
    if isinstance(requests, AsyncIterable):
        async for request in requests:
            yield request
    else:
        for request in requests:
            yield request
