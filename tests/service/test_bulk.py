"""Many requests on one stream: the same answers as one by one, and bounds that hold."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import aclosing
from typing import TYPE_CHECKING

import grpc
import pytest
from bgbot import position_source, v1
from bgbot.v1 import bulk_service_pb2
from google.rpc.code_pb2 import Code
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo
from grpc_status import rpc_status

from bgbotd.config import Settings
from bgbotd.evaluation import Priority
from bgbotd.service import bulk, server
from bgbotd.service.calls import served_methods
from bgbotd.service.engine_access import priority_of_work

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator

    from bgbot.v1.bulk_service_pb2_grpc import BulkServiceAsyncStub
    from google.protobuf.message import Message
    from google.rpc.status_pb2 import Status

    Stream = grpc.aio.StreamStreamCall[v1.BulkRequest, v1.BulkResponse]

ROLLED = position_source("XGID=-b-B-BCBB---bB--ab-f---bB-:0:0:1:53:2:1:0:5:10")
BEFORE = position_source("XGID=-b-B-BCBB---bB--ab-f---bB-:0:0:1:00:2:1:0:5:10")
IMPOSSIBLE = v1.PositionSource(
    position=v1.Position(player=v1.Side(points=[16] + [0] * 23), opponent=v1.Side(points=[15, -1] + [0] * 22, bar=2))
)
PIPS = v1.CountPipsRequest(position=position_source())
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


def without_time(answer: Message) -> Message:
    """Take away what differs from call to call."""
    if "stamp" in answer.DESCRIPTOR.fields_by_name:
        answer.stamp.ClearField("elapsed")  # type: ignore[attr-defined]
    return answer


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


@pytest.fixture
def slow() -> Slow:
    """Give the handlers of `slow_bulk`."""
    return Slow()


@pytest.fixture
def slow_bulk(slow: Slow) -> Counting:
    """Give what serves `slow_stub`."""
    return Counting([slow])


@pytest.fixture
async def slow_address(slow_bulk: Counting) -> AsyncIterator[str]:
    """Serve `slow_bulk`."""
    descriptor = bulk_service_pb2.DESCRIPTOR.services_by_name["BulkService"]
    methods = served_methods(descriptor, slow_bulk)
    serving = grpc.aio.server()
    serving.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(descriptor.full_name, methods),))
    port = serving.add_insecure_port("127.0.0.1:0")
    await serving.start()
    yield f"127.0.0.1:{port}"
    await serving.stop(0)


@pytest.fixture
async def slow_stub(slow_address: str) -> AsyncIterator[BulkServiceAsyncStub]:
    """Give a stub of `slow_bulk`."""
    async with grpc.aio.insecure_channel(slow_address) as channel:
        yield v1.BulkServiceStub(channel)


@pytest.fixture
async def channel(daemon: str) -> AsyncIterator[grpc.aio.Channel]:
    """Give a channel to the daemon."""
    async with grpc.aio.insecure_channel(daemon) as channel:
        yield channel


@pytest.fixture
def stub(channel: grpc.aio.Channel) -> BulkServiceAsyncStub:
    """Give a stub of the daemon."""
    return v1.BulkServiceStub(channel)


EVALUATE = v1.EvaluateRequest()
BULKY = v1.ConvertPositionRequest(position=v1.PositionSource(xgid="x" * 100))


def test_every_kind_of_request_is_tried_here() -> None:
    """None can be added to the contract and forgotten."""
    kinds = {field.name for field in v1.BulkItem.DESCRIPTOR.oneofs_by_name["request"].fields}
    assert kinds - {"cancel"} == set(SERVICES) == set(map(kind_of, REQUESTS))


async def test_answers_are_those_of_the_unary_methods(channel: grpc.aio.Channel, stub: BulkServiceAsyncStub) -> None:
    """Every kind, all in one message, each under its own id."""
    found = await answered(stub, *(item(number, request) for number, request in enumerate(REQUESTS)))
    assert sorted(result.id for result in found) == [*range(len(REQUESTS))]
    for result in found:
        request = REQUESTS[result.id]
        kind = kind_of(request)
        method = kind.title().replace("_", "")
        unary = await getattr(SERVICES[kind](channel), method)(request)
        assert (kind, without_time(unary)) == (
            result.WhichOneof("result"),
            without_time(getattr(result, kind)),
        )


async def test_errors_are_those_of_the_unary_methods(channel: grpc.aio.Channel, stub: BulkServiceAsyncStub) -> None:
    """Code, message and every detail, the request id among them; and none of them breaks the stream."""
    metadata = (("x-request-id", "the-same"),)
    stream = stub.Process(metadata=metadata)
    await written(stream, *(item(number, request) for number, request in enumerate([*REFUSED, PIPS])))
    found = {result.id: result for result in await results(stream)}
    for number, request in enumerate(REFUSED):
        kind = kind_of(request)
        with pytest.raises(grpc.aio.AioRpcError) as raised:
            await getattr(SERVICES[kind](channel), kind.title().replace("_", ""))(request, metadata=metadata)
        assert rpc_status.from_call(raised.value) == found[number].error  # type: ignore[arg-type]
    assert 167 == found[len(REFUSED)].count_pips.player_pips


async def test_an_unforeseen_failure_is_that_requests_answer_alone(slow_stub: BulkServiceAsyncStub) -> None:
    """It says INTERNAL and nothing of what happened."""
    failed, counted = await answered(slow_stub, item(1, v1.ScoreGameRequest()), item(2, PIPS))
    assert (Code.INTERNAL, "INTERNAL") == (failed.error.code, reason(failed.error))
    assert "Zero" not in str(failed)
    assert 167 == counted.count_pips.player_pips


async def test_items_themselves_are_checked(stub: BulkServiceAsyncStub) -> None:
    """An item without a request, and a priority that is none, are refused by their field."""
    empty, urgent = await answered(stub, v1.BulkItem(id=1), v1.BulkItem(id=2, priority=9, count_pips=PIPS))  # type: ignore[arg-type]
    fields = []
    for result in (empty, urgent):
        wrong = BadRequest()
        assert any(detail.Unpack(wrong) for detail in result.error.details)
        fields.append([(each.field, each.reason) for each in wrong.field_violations])
    assert [[("request", "REQUIRED")], [("priority", "UNKNOWN_ENUM_VALUE")]] == fields


async def test_an_id_in_flight_cannot_be_used_again(stub: BulkServiceAsyncStub) -> None:
    """The first keeps its answer; once that is there, the id is free."""
    stream = stub.Process()
    await written(stream, item(5, PIPS), item(5, PIPS), last=False)
    first = await read(stream)
    await written(stream, item(5, PIPS))
    twice = [*first, *await results(stream)]
    assert {5: 3} == Counter(result.id for result in twice)
    assert ["DUPLICATE_BULK_ID"] == [reason(result.error) for result in twice if result.HasField("error")]


async def test_a_request_is_cancelled_before_it_is_looked_at(stub: BulkServiceAsyncStub) -> None:
    """It is answered CANCELLED at once; the one after it is not concerned."""
    gone, counted = await answered(stub, item(1, PIPS), item(2, PIPS), cancel(1))
    assert (1, Code.CANCELLED, "CALLER_CANCELLED") == (gone.id, gone.error.code, reason(gone.error))
    assert (2, 167) == (counted.id, counted.count_pips.player_pips)


async def test_cancelling_what_is_unknown_or_finished_is_no_error(stub: BulkServiceAsyncStub) -> None:
    """Nothing is answered to that."""
    stream = stub.Process()
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
    channel: grpc.aio.Channel, payload: bytes, why: str
) -> None:
    """There is no id to answer to; what was accepted before is still answered."""
    good = v1.BulkRequest(items=[item(8, PIPS)]).SerializeToString()
    call: grpc.aio.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream("/bgbot.v1.BulkService/Process")
    answers = ids(call(iter([good, payload])))
    assert 8 == await anext(answers)
    with pytest.raises(grpc.aio.AioRpcError) as ended:
        await anext(answers)
    status = rpc_status.from_call(ended.value)  # type: ignore[arg-type]
    assert (grpc.StatusCode.INVALID_ARGUMENT, why) == (ended.value.code(), reason(status))
