"""`BulkService`: many requests on one stream, answered as they finish.

What the kernel answers is worked through in slices of a millisecond, between which everything else
the process serves has its turn; what takes the engine runs beside it, a few at a time. A stream
holds a bounded number of requests and answers, and reads no further while it is full: a client that
does not read its answers stops its own stream, and nobody else's.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict, deque
from contextvars import copy_context
from typing import TYPE_CHECKING

from bgbot.v1 import bulk_service_pb2 as pb
from google.protobuf.message import Message
from google.rpc.code_pb2 import Code

from bgbotd import kernel
from bgbotd.evaluation import Priority
from bgbotd.evaluation.work_times import WorkTimes, times_of_work
from bgbotd.service.access_log import Items, items_of_call, reason_of
from bgbotd.service.bounds import Gate
from bgbotd.service.calls import failure_status
from bgbotd.service.engine_access import priority_of_work
from bgbotd.service.errors import CallFailed, InvalidRequest, ServiceReason, violation
from bgbotd.service.metrics import level_reader, observe_item
from bgbotd.service.plain import plain_handler

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Iterable, Mapping
    from typing import Any

    from bgbotd.rules import Violation
    from bgbotd.service.bounds import Bounds
    from bgbotd.service.calls import Answer
    from bgbotd.service.traces import ItemSpans, Traces

    Work = Coroutine[Any, Any, Answer]
    Handler = Callable[[Message], Answer | Work]

MOST_ITEMS = 1000
"""Requests in one message, by the contract."""
MOST_HELD = 4 * MOST_ITEMS
"""Requests and answers a stream holds: enough that reading, working and writing overlap."""
MOST_RUNNING = 16
"""Requests of one priority and stream that the engine has at once: its queue is everybody's."""
SLICE_SECONDS = 0.001
"""How long small work may hold up everything else: ten times what a single call costs."""
LATE_SECONDS = 0.1
"""How long a drained stream waits for the client's last word, a round trip between continents."""
LARGEST_RESPONSE = 1 << 20
"""Bytes of answers after which a new message begins; clients read at most 4 MiB by default."""

_FIELDS = {field.name: field.number for field in pb.BulkResult.DESCRIPTOR.fields}
_PRIORITIES = frozenset(pb.BulkPriority.values())
_LEVELS = {
    kind.name: level_reader(kind.message_type)
    for kind in pb.BulkItem.DESCRIPTOR.oneofs_by_name["request"].fields
    if kind.message_type
}
"""For each kind of request what reads its level or depth."""


class BulkHandlers:
    """Answers streams of requests by the handlers of the unary methods."""

    service = "bgbot.v1.BulkService"

    def __init__(
        self,
        services: Iterable[object],
        traces: Traces | None = None,
        bounds: Bounds | None = None,
        most_in_flight: int = MOST_HELD,
    ) -> None:
        """Take from `services` the handler of each kind of request, which has the name of its method."""
        self._traces = traces
        self._bounds = bounds
        self._most_in_flight = most_in_flight
        kinds = pb.BulkItem.DESCRIPTOR.oneofs_by_name["request"].fields
        self._handlers: dict[str, Handler] = {
            kind.name: getattr(service, kind.name)
            for service in services
            for kind in kinds
            if hasattr(service, kind.name)
        }
        self._streams: set[_Stream] = set()
        self._draining = False

    async def process(self, requests: AsyncIterator[pb.BulkRequest]) -> AsyncGenerator[bytes, None]:
        """Answer a stream."""
        spans = self._traces.items() if self._traces else None
        gate = Gate(self._most_in_flight) if self._bounds or self._most_in_flight < MOST_HELD else None
        stream = _Stream(self._handlers, spans, self._bounds, gate, draining=self._draining)
        self._streams.add(stream)
        items_of_call.set(stream.items)
        reading = asyncio.create_task(stream.read(requests))
        try:
            while (response := await stream.next_response()) is not None:
                yield response
            # The end of a stream that is drained with all its answers may still be on its way here.
            await asyncio.wait({reading}, timeout=LATE_SECONDS)
            while (response := await stream.next_response()) is not None:
                yield response
            if reading.done():
                reading.result()
            else:
                raise _draining()
        finally:
            reading.cancel()
            stream.close()
            self._streams.discard(stream)

    @property
    def held(self) -> int:
        """Count requests without an answer and answers that are not written, on all streams."""
        return sum(stream.held for stream in self._streams.copy())

    def drain(self) -> None:
        """Answer what has been accepted, refuse the rest, and end every stream."""
        self._draining = True
        for stream in self._streams:
            stream.drain()


class _Lane:
    """The requests of one priority, each in the first of three states that fits, by id."""

    def __init__(self, priority: Priority) -> None:
        """Begin empty."""
        self.priority = priority
        self.accepted: OrderedDict[int, tuple[str, Message]] = OrderedDict()
        """Not looked at yet: their kind, and the request."""
        self.waiting: OrderedDict[int, tuple[str, Work, str]] = OrderedDict()
        """Looked at, with their kind and level; more than a moment's work, not begun."""
        self.running: dict[int, asyncio.Task[Answer]] = {}
        """Begun."""
        self.context = copy_context()
        self.context.run(priority_of_work.set, priority)


class _Stream:
    """One stream: what it has accepted and not answered, and the answers that are not written yet."""

    def __init__(
        self,
        handlers: Mapping[str, Handler],
        spans: ItemSpans | None,
        bounds: Bounds | None,
        gate: Gate | None,
        *,
        draining: bool,
    ) -> None:
        """Answer by `handlers` what bounds and gate let in; while `draining`, refuse everything."""
        self._handlers = handlers
        self._spans = spans
        self._bounds = bounds
        self._gate = gate
        self._draining = draining
        self._ended = False
        self.items = Items()
        self._interactive, self._background = _Lane(Priority.STREAMED), _Lane(Priority.BACKGROUND)
        self._lanes = (self._interactive, self._background)
        self._in_flight: dict[int, _Lane] = {}
        self._responses: deque[list[bytes]] = deque()
        self._response_bytes = 0
        self._unwritten = 0
        self._news = asyncio.Event()
        self._room = asyncio.Event()

    async def read(self, requests: AsyncIterator[pb.BulkRequest]) -> None:
        """Accept requests until the client has no more, waiting while the stream is full.

        Raises:
            InvalidRequest: if a message has more requests than allowed.

        """
        try:
            async for request in requests:
                if len(request.items) > MOST_ITEMS:
                    raise InvalidRequest(
                        [
                            violation(
                                "items", f"{len(request.items)} items", f"1 to {MOST_ITEMS}", ServiceReason.OUT_OF_RANGE
                            )
                        ]
                    )
                for item in request.items:
                    self._accept(item)
                self._news.set()
                while self.held > MOST_HELD - MOST_ITEMS:
                    self._room.clear()
                    await self._room.wait()
        finally:
            self._ended = True
            self._news.set()

    @property
    def held(self) -> int:
        """Count requests without an answer and answers that are not written."""
        return len(self._in_flight) + self._unwritten

    async def next_response(self) -> bytes | None:
        """Work until there are answers to write, and give them, serialized; None when there will be no more."""
        while True:
            self._news.clear()
            self._work()
            if self._responses:
                response = self._responses.popleft()
                self._unwritten -= len(response)
                self._room.set()
                return b"".join(response)
            if any(lane.accepted for lane in self._lanes):
                await asyncio.sleep(0)
            elif not self._in_flight and (self._ended or self._draining):
                return None
            else:
                await self._news.wait()

    def drain(self) -> None:
        """Refuse what comes from now on, and end once everything accepted is answered."""
        self._draining = True
        self._news.set()

    def close(self) -> None:
        """Stop all work."""
        for lane in self._lanes:
            for _, work, _ in lane.waiting.values():
                work.close()
            for task in lane.running.values():
                task.cancel()
        if self._spans:
            self._spans.close()
        if self._gate:
            self._gate.close()

    def _accept(self, item: pb.BulkItem) -> None:
        """Take a request into its lane, or answer it at once where that cannot be."""
        number = item.id
        kind: str | None = item.WhichOneof("request")
        if kind == "cancel":
            self._cancel(number)
            return
        if self._spans and number not in self._in_flight:
            self._spans.begin(kind or "nothing", number)
        if self._draining:
            self._fail(number, kind or "", _draining())
        elif number in self._in_flight:
            message = "A request with this id is still in flight; wait for its answer or use another id."
            self._fail(number, kind or "", CallFailed(ServiceReason.DUPLICATE_BULK_ID, message))
        elif kind is None or item.priority not in _PRIORITIES:
            self._fail(number, kind or "", InvalidRequest(_violations(item, kind)))
        else:
            try:
                if self._gate:
                    self._gate.begin(kind)
            except CallFailed as error:
                self._fail(number, kind, error)
                return
            lane = self._interactive if item.priority == pb.BULK_PRIORITY_INTERACTIVE else self._background
            lane.accepted[number] = (kind, getattr(item, kind))
            self._in_flight[number] = lane

    def _release(self, number: int) -> None:
        """Count a request that is answered."""
        del self._in_flight[number]
        if self._gate:
            self._gate.end()

    def _cancel(self, number: int) -> None:
        """Cancel the request with an id; what is unknown or answered is left alone."""
        lane = self._in_flight.get(number)
        if lane is None:
            return
        if task := lane.running.get(number):
            task.cancel()  # answered when it has ended
            return
        if number in lane.waiting:
            kind, work, _ = lane.waiting.pop(number)
            work.close()
        else:
            kind, _ = lane.accepted.pop(number)
        self._release(number)
        self._fail(number, kind, _cancelled())

    def _work(self) -> None:
        """Answer what can be answered at once for a slice of time, whoever waits first, and begin the rest."""
        until = time.perf_counter() + SLICE_SECONDS
        for lane in self._lanes:
            while lane.accepted:
                self._look_at(lane, *lane.accepted.popitem(last=False))
                if time.perf_counter() > until:
                    break
            while lane.waiting and len(lane.running) < MOST_RUNNING:
                self._begin(lane, *lane.waiting.popitem(last=False))

    def _look_at(self, lane: _Lane, number: int, accepted: tuple[str, Message]) -> None:
        """Answer a request, or let it wait where that takes more than a moment."""
        kind, request = accepted
        try:
            if self._bounds:
                self._bounds.check(request)
            handler = self._handlers[kind]
            plainly = plain_handler(handler)
            answered = plainly(request.SerializeToString()) if plainly else None
            answer = answered[0] if answered else handler(request)
        except Exception as error:  # noqa: BLE001 - one request's failure is that request's answer
            self._release(number)
            self._fail(number, kind, error)
            return
        if isinstance(answer, (Message, bytes)):
            self._release(number)
            self._succeed(number, kind, answer, _LEVELS[kind](request) if self._spans else "")
        else:
            lane.waiting[number] = (kind, answer, _LEVELS[kind](request))

    def _begin(self, lane: _Lane, number: int, waiting: tuple[str, Work, str]) -> None:
        """Begin what takes more than a moment."""
        kind, work, level = waiting
        times, context = WorkTimes(), lane.context.copy()
        context.run(times_of_work.set, times)

        def finished(task: asyncio.Task[Answer]) -> None:
            del lane.running[number]
            self._release(number)
            if task.cancelled():
                self._fail(number, kind, _cancelled(), level, times)
            elif error := task.exception():
                self._fail(number, kind, error, level, times)
            else:
                self._succeed(number, kind, task.result(), level, times)
            self._news.set()

        lane.running[number] = asyncio.get_running_loop().create_task(work, context=context)
        lane.running[number].add_done_callback(finished)

    def _succeed(self, number: int, kind: str, answer: Answer, level: str, times: WorkTimes | None = None) -> None:
        """Have an answer written."""
        self._add(number, kind, answer if isinstance(answer, bytes) else answer.SerializeToString())
        self.items.answered += 1
        observe_item(kind, "OK", level, times)
        if self._spans:
            self._spans.end(number, "OK", level, times=times)

    def _fail(
        self, number: int, kind: str, error: BaseException, level: str = "", times: WorkTimes | None = None
    ) -> None:
        """Have a failure written."""
        status = failure_status(error)
        self._add(number, "error", status.SerializeToString())
        code = Code.Name(status.code)
        self.items.failed += 1
        observe_item(kind, code, level, times)
        if self._spans and number not in self._in_flight:  # there another request with the same id still is
            self._spans.end(number, code, level, reason_of(status), times)

    def _add(self, number: int, field: str, answer: bytes) -> None:
        """Add a result to the newest response, or to another one where that is full."""
        if not self._responses or self._response_bytes > LARGEST_RESPONSE:
            self._responses.append([])
            self._response_bytes = 0
        self._response_bytes += len(answer)
        self._unwritten += 1
        self._responses[-1].append(kernel.result_message(number, _FIELDS[field], answer))


def _violations(item: pb.BulkItem, kind: str | None) -> list[Violation]:
    """List what is wrong with an item itself."""
    wrong = []
    if kind is None:
        wrong.append(violation("request", "no request", "one of the kinds of request", ServiceReason.REQUIRED))
    if item.priority not in _PRIORITIES:
        allowed = ", ".join(pb.BulkPriority.keys())
        wrong.append(violation("priority", f"{item.priority}", allowed, ServiceReason.UNKNOWN_ENUM_VALUE))
    return wrong


def _cancelled() -> CallFailed:
    """Say that the caller has cancelled a request."""
    return CallFailed(ServiceReason.CALLER_CANCELLED, "The request was cancelled.")


def _draining() -> CallFailed:
    """Say that a request came too late."""
    return CallFailed(ServiceReason.SERVER_DRAINING, "The server is stopping; send the request to another one.")
