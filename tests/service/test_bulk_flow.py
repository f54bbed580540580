"""Many requests on one stream at once: which goes first, what cancels it, and bounds that hold."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import TYPE_CHECKING

import grpc
import pytest
from bgbot import v1
from google.rpc.code_pb2 import Code
from grpc_status import rpc_status

from bgbotd.config import Settings
from bgbotd.evaluation import Priority
from bgbotd.service import bulk, server
from tests.service.bulk_streams import (
    EVALUATE,
    PIPS,
    Counting,
    Slow,
    answered,
    cancel,
    item,
    read,
    reason,
    results,
    written,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from bgbot.v1.bulk_service_pb2_grpc import BulkServiceAsyncStub

    from tests.service.bulk_streams import Stream

BULKY = v1.ConvertPositionRequest(position=v1.PositionSource(xgid="x" * 100))


async def test_an_id_in_flight_cannot_be_used_again(bulk_stub: BulkServiceAsyncStub) -> None:
    """The first keeps its answer; once that is there, the id is free."""
    stream = bulk_stub.Process()
    await written(stream, item(5, PIPS), item(5, PIPS), last=False)
    first = await read(stream)
    await written(stream, item(5, PIPS))
    twice = [*first, *await results(stream)]
    assert {5: 3} == Counter(result.id for result in twice)
    assert ["DUPLICATE_BULK_ID"] == [reason(result.error) for result in twice if result.HasField("error")]


async def test_a_request_is_cancelled_before_it_is_looked_at(bulk_stub: BulkServiceAsyncStub) -> None:
    """It is answered CANCELLED at once; the one after it is not concerned."""
    gone, counted = await answered(bulk_stub, item(1, PIPS), item(2, PIPS), cancel(1))
    assert (1, Code.CANCELLED, "CALLER_CANCELLED") == (gone.id, gone.error.code, reason(gone.error))
    assert (2, 167) == (counted.id, counted.count_pips.player_pips)


async def test_cancelling_what_is_unknown_or_finished_is_no_error(bulk_stub: BulkServiceAsyncStub) -> None:
    """Nothing is answered to that."""
    stream = bulk_stub.Process()
    await written(stream, cancel(3), item(1, PIPS), last=False)
    first = await read(stream)
    await written(stream, cancel(1), cancel(2))
    assert [1] == [result.id for result in first]
    assert [] == await results(stream)


async def test_running_work_is_cancelled(slow: Slow, slow_stub: BulkServiceAsyncStub) -> None:
    """The work stops, not only the answer."""
    stream = slow_stub.Process()
    await written(stream, item(1, EVALUATE), last=False)
    await slow.begun.wait()
    await written(stream, cancel(1))
    assert [(1, Code.CANCELLED)] == [(result.id, result.error.code) for result in await results(stream)]
    assert slow.stopped.is_set()


async def test_waiting_work_is_cancelled(slow: Slow, slow_stub: BulkServiceAsyncStub) -> None:
    """What has no place among the running yet is answered CANCELLED and never begun."""
    stream = slow_stub.Process()
    numbers = range(bulk.MOST_RUNNING + 1)
    await written(stream, *(item(number, EVALUATE) for number in numbers), last=False)
    await slow.begun.wait()
    await written(stream, cancel(numbers[-1]), last=False)
    first = await read(stream)
    assert [(numbers[-1], Code.CANCELLED)] == [(each.id, each.error.code) for each in first]
    slow.go_on.set()
    await stream.done_writing()
    assert {*numbers[:-1]} == {result.id for result in await results(stream)}
    assert bulk.MOST_RUNNING == len(slow.priorities)


async def test_cancelling_the_stream_stops_its_work(slow: Slow, slow_stub: BulkServiceAsyncStub) -> None:
    """Nobody works for a client that has gone."""
    stream = slow_stub.Process()
    await written(stream, *(item(number, EVALUATE) for number in range(30)), last=False)
    await slow.begun.wait()
    stream.cancel()
    await asyncio.wait_for(slow.stopped.wait(), timeout=30)


async def test_small_work_overtakes_slow_work(slow: Slow, slow_stub: BulkServiceAsyncStub) -> None:
    """Answers come as they finish, not as they were asked for."""
    stream = slow_stub.Process()
    await written(stream, *(item(number, EVALUATE) for number in range(30)), item(99, PIPS))
    first = await read(stream)
    slow.go_on.set()
    assert [99] == [result.id for result in first]
    assert 30 == len(await results(stream))
    assert bulk.MOST_RUNNING == slow.most_running


async def test_who_is_waited_for_goes_first(slow: Slow, slow_stub: BulkServiceAsyncStub) -> None:
    """At once where it is small, with the pool's priority where it is not."""
    slow.go_on.set()
    urgent = v1.BULK_PRIORITY_INTERACTIVE
    found = await answered(
        slow_stub, item(1, PIPS), item(2, PIPS, v1.BULK_PRIORITY_UNSPECIFIED), item(3, PIPS, urgent), item(4, EVALUATE)
    )
    await answered(slow_stub, item(5, EVALUATE, urgent))
    assert [3, 1, 2, 4] == [result.id for result in found]
    assert [Priority.BACKGROUND, Priority.STREAMED] == slow.priorities


async def test_urgent_work_does_not_wait_for_places_of_slow_work(slow: Slow, slow_stub: BulkServiceAsyncStub) -> None:
    """Each priority has places of its own."""
    stream = slow_stub.Process()
    numbers = range(2 * bulk.MOST_RUNNING)
    urgent = item(99, EVALUATE, v1.BULK_PRIORITY_INTERACTIVE)
    await written(stream, *(item(number, EVALUATE) for number in numbers), last=False)
    await slow.begun.wait()
    slow.begun.clear()
    await written(stream, urgent)
    await slow.begun.wait()
    slow.go_on.set()
    assert 1 + len(numbers) == len(await results(stream))
    assert Priority.STREAMED in slow.priorities[: 1 + bulk.MOST_RUNNING]


async def test_a_client_that_does_not_read_is_not_read_from(slow: Slow, slow_bulk: Counting, slow_address: str) -> None:
    """Work stops while the answers do not get away, others are served, and nothing is lost."""
    messages = 40
    async with (
        grpc.aio.insecure_channel(slow_address) as lazy_channel,
        grpc.aio.insecure_channel(slow_address) as other_channel,
    ):
        lazy, other = v1.BulkServiceStub(lazy_channel).Process(), v1.BulkServiceStub(other_channel).Process()
        writing = asyncio.create_task(write_all(lazy, messages))
        worked = -1
        while worked < 1 or worked != slow.counted:  # until it stands still while somebody else makes calls
            worked = slow.counted
            for number in range(20):
                await written(other, item(number, EVALUATE), cancel(number), last=False)
                assert 1 == len(await read(other))
                slow_bulk.accepted -= 2
        assert 0 < worked < (messages - 1) * bulk.MOST_ITEMS
        assert slow_bulk.accepted - worked <= bulk.MOST_HELD
        sizes = [(len(response.results), response.ByteSize()) async for response in lazy]
        await writing
        await other.done_writing()
    assert messages * bulk.MOST_ITEMS == sum(count for count, _ in sizes) == slow.counted
    assert max(size for _, size in sizes) <= bulk.LARGEST_RESPONSE + 2 * 1024


async def write_all(stream: Stream, messages: int) -> None:
    """Write full messages of 100 kB, whose answers are 1 MB."""
    for message in range(messages):
        first = message * bulk.MOST_ITEMS
        items = (item(number, BULKY) for number in range(first, first + bulk.MOST_ITEMS))
        await written(stream, *items, last=message == messages - 1)


async def test_a_draining_server_answers_what_it_accepted_and_refuses_the_rest(
    slow: Slow, slow_bulk: Counting, slow_stub: BulkServiceAsyncStub
) -> None:
    """Then it ends the stream, so that nobody waits for what was not even read."""
    stream = slow_stub.Process()
    await written(stream, item(1, EVALUATE), last=False)
    await slow.begun.wait()
    slow_bulk.drain()
    await written(stream, item(2, EVALUATE), item(3, PIPS), last=False)
    refused = await read(stream)
    assert {2: "SERVER_DRAINING", 3: "SERVER_DRAINING"} == {each.id: reason(each.error) for each in refused}
    assert {Code.UNAVAILABLE} == {each.error.code for each in refused}
    slow.go_on.set()
    assert [1] == [result.id for result in await read(stream)]
    with pytest.raises(grpc.aio.AioRpcError) as ended:
        await stream.read()
    assert (grpc.StatusCode.UNAVAILABLE, "SERVER_DRAINING") == (
        ended.value.code(),
        reason(rpc_status.from_call(ended.value)),  # type: ignore[arg-type]
    )


async def test_a_half_closed_stream_ends_well_while_draining(
    slow: Slow, slow_bulk: Counting, slow_stub: BulkServiceAsyncStub
) -> None:
    """It has all its answers, and so nothing is unavailable."""
    stream = slow_stub.Process()
    await written(stream, item(1, EVALUATE), item(2, EVALUATE))
    await slow.begun.wait()
    slow_bulk.drain()
    slow.go_on.set()
    assert [1, 2] == [result.id for result in await results(stream)]
    assert grpc.StatusCode.OK == await stream.code()


async def test_an_idle_stream_does_not_hold_up_the_drain() -> None:
    """The daemon ends it well before the grace is over."""
    daemon = await server.start(Settings(listen="127.0.0.1:0"))
    async with grpc.aio.insecure_channel(daemon.address) as channel:
        stream = v1.BulkServiceStub(channel).Process()
        await written(stream, item(1, PIPS), last=False)
        await stream.read()
        await asyncio.wait_for(daemon.drain(grace_seconds=50), timeout=30)
        assert grpc.StatusCode.UNAVAILABLE == await stream.code()


async def ids(stream: grpc.aio.StreamStreamCall[bytes, bytes]) -> AsyncIterator[int]:
    """Give the ids that are answered until the stream ends."""
    async for payload in stream:
        for result in v1.BulkResponse.FromString(payload).results:
            yield result.id


@pytest.mark.parametrize(
    ("payload", "why"),
    [
        (b"\xff", "MESSAGE_MALFORMED"),
        (v1.BulkRequest(items=[v1.BulkItem()] * 1001).SerializeToString(), "OUT_OF_RANGE"),
    ],
    ids=["no message", "too many items"],
)
async def test_a_message_that_cannot_be_taken_apart_ends_the_stream(
    aio_channel: grpc.aio.Channel, payload: bytes, why: str
) -> None:
    """There is no id to answer to; what was accepted before is still answered."""
    good = v1.BulkRequest(items=[item(8, PIPS)]).SerializeToString()
    call: grpc.aio.StreamStreamMultiCallable[bytes, bytes] = aio_channel.stream_stream("/bgbot.v1.BulkService/Process")
    answers = ids(call(iter([good, payload])))
    assert 8 == await anext(answers)
    with pytest.raises(grpc.aio.AioRpcError) as ended:
        await anext(answers)
    status = rpc_status.from_call(ended.value)  # type: ignore[arg-type]
    assert (grpc.StatusCode.INVALID_ARGUMENT, why) == (ended.value.code(), reason(status))
