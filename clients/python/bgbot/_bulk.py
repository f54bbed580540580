"""Many requests on one stream, answered as they finish."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterable
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, NamedTuple

import grpc

from bgbot._errors import BgbotError
from bgbot.v1 import BulkItem, BulkRequest

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Iterable

    from google.protobuf.message import Message
    from google.rpc.status_pb2 import Status

    from bgbot.v1 import BulkPriority, BulkResult
    from bgbot.v1.bulk_service_pb2_grpc import BulkServiceAsyncStub

_KINDS: dict[Any, str] = {
    field.message_type: field.name for field in BulkItem.DESCRIPTOR.oneofs_by_name["request"].fields
}
_MOST_ITEMS = 64
"""Items of one message: beyond some dozens a message costs what its items cost."""
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 1.0  # seconds, doubled with each try, as for single calls
_LOST = {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED, grpc.StatusCode.DEADLINE_EXCEEDED}
"""How a stream ends whose daemon is gone, as for single calls, or has had it for as long as it allows."""
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
        self._coming: deque[Message] = deque()
        self._all_came = False
        self._news = asyncio.Event()
        self._sent = 0
        self._under_way: dict[int, Message] = {}
        self._refused: set[int] = set()
        self._stream: object = None

    async def take(self, requests: Iterable[Message] | AsyncIterable[Message]) -> None:
        """Take requests as there is room for them; what they raise is raised, with all before it sent."""
        try:
            async with aclosing(_one_by_one(requests)) as each:
                async for request in each:
                    if request.DESCRIPTOR not in _KINDS:
                        raise TypeError(f"{request.DESCRIPTOR.full_name} is no request that Bulk knows")
                    await self._room.acquire()
                    self._coming.append(request)
                    self._news.set()
                    if len(self._coming) >= _MOST_ITEMS:
                        await asyncio.sleep(0)  # a list of many would hold up everything else
        finally:
            self._all_came = True
            self._news.set()

    def begin(self) -> AsyncIterator[BulkRequest]:
        """Give the messages of a new stream, the only one from now on."""
        self._stream = stream = object()
        self._refused.clear()
        self._news.set()
        return self._messages(stream)

    def answered(self, number: int) -> Message:
        """Give the request that was answered, which leaves room for another."""
        self._room.release()
        return self._under_way.pop(number)

    def refused(self, number: int) -> bool:
        """Keep a request for another stream; tell whether this one has nothing else under way."""
        self._refused.add(number)
        return len(self._refused) == len(self._under_way)

    async def _messages(self, stream: object) -> AsyncIterator[BulkRequest]:
        """Give first what an earlier stream has left, then what has come, together.

        Nobody stops a stream's messages when it is lost, so they see for themselves that there is another.
        """
        left = list(self._under_way)
        for first in range(0, len(left), _MOST_ITEMS):
            yield self._message(left[first : first + _MOST_ITEMS])
        while self._stream is stream:
            if self._coming:
                together = [self._coming.popleft() for _ in range(min(len(self._coming), _MOST_ITEMS))]
                numbers = range(self._sent, self._sent + len(together))
                self._sent += len(together)
                self._under_way.update(zip(numbers, together, strict=True))
                yield self._message(numbers)
            elif self._all_came:
                return
            else:
                self._news.clear()
                await self._news.wait()

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
    patience: float,
) -> AsyncIterator[BulkAnswer]:
    """Ask any unary requests on one stream; see `AsyncClient.ask_all`."""
    questions = _Questions(priority, most_under_way)
    taking = asyncio.create_task(questions.take(requests))
    clock = asyncio.get_running_loop().time
    pause, away_since = _FIRST_PAUSE, None
    try:
        while True:
            lost: BgbotError | None = None
            try:
                async with aclosing(_results(stub, questions)) as results:
                    async for result in results:
                        error = BgbotError(_ItemRefused(result.error)) if result.HasField("error") else None
                        if error and error.code is grpc.StatusCode.UNAVAILABLE:
                            lost = error
                            if questions.refused(result.id):
                                break
                        else:
                            pause, away_since = _FIRST_PAUSE, None
                            answer = None if error else getattr(result, result.WhichOneof("result") or "")
                            yield BulkAnswer(questions.answered(result.id), answer, error)
            except BgbotError as error:
                if error.code not in _LOST:
                    raise
                lost = error
            if lost is None:
                await taking
                return
            away_since = clock() if away_since is None else away_since
            if clock() + pause - away_since > patience:
                raise lost
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)
    finally:
        taking.cancel()
        await asyncio.wait({taking})
        if not taking.cancelled():
            taking.exception()  # or asyncio would tell of it, after another failure


async def _results(stub: BulkServiceAsyncStub, questions: _Questions) -> AsyncGenerator[BulkResult, None]:
    """Give the results of one stream, which ends with it or with who reads it."""
    call = stub.Process(questions.begin())
    try:
        async for response in call:
            for result in response.results:
                yield result
    finally:
        call.cancel()


async def _one_by_one(requests: Iterable[Message] | AsyncIterable[Message]) -> AsyncGenerator[Message, None]:
    if isinstance(requests, AsyncIterable):
        async for request in requests:
            yield request
    else:
        for request in requests:
            yield request
