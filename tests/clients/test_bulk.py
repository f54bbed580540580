"""Many requests through `AsyncClient.ask_all`: each answered once, whatever becomes of the stream."""

from __future__ import annotations

import asyncio
import itertools
from typing import TYPE_CHECKING

import grpc
import pytest
from bgbot import AsyncClient, BgbotError, _bulk, position_source, v1

from tests.clients.conftest import PIPS, ScriptedDaemon, status

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from google.protobuf.message import Message
    from google.rpc.status_pb2 import Status

PIPS_ASKED = v1.CountPipsRequest(position=position_source())
GONE = status(grpc.StatusCode.UNAVAILABLE, "draining")


async def test_mixed_requests_are_each_answered_by_their_own_answer(daemon: str) -> None:
    """A thousand rolls and their pips come back, each beside its request."""
    rolls = [v1.Dice(die1=1 + number % 6, die2=1 + number // 6 % 6) for number in range(1000)]
    plays: list[Message] = [v1.ListLegalPlaysRequest(position=position_source(), dice=dice) for dice in rolls]
    async with AsyncClient(daemon) as client:
        answers = [answer async for answer in client.ask_all([*plays, PIPS_ASKED], most_under_way=50)]
    assert 1001 == len(answers)
    assert all(error is None for _, _, error in answers)
    by_request = [
        (request.dice, answer.dice)
        for request, answer, _ in answers
        if isinstance(request, v1.ListLegalPlaysRequest) and isinstance(answer, v1.ListLegalPlaysResponse)
    ]
    assert 1000 == len(by_request)
    assert all(asked == answered for asked, answered in by_request)


async def test_a_refused_request_comes_back_with_its_error(daemon: str) -> None:
    """The others are not touched by it."""
    bad = v1.CountPipsRequest()
    async with AsyncClient(daemon) as client:
        answers = [each async for each in client.ask_all([PIPS_ASKED, bad, PIPS_ASKED])]
    (refused,) = (each.error for each in answers if each.error)
    assert (grpc.StatusCode.INVALID_ARGUMENT, "position") == (refused.code, refused.violations[0].field)
    assert 2 == sum(each.answer is not None for each in answers)


async def test_a_request_may_depend_on_an_earlier_answer(daemon: str) -> None:
    """What has come is sent at once, so that a game can be played through one stream."""
    ready: asyncio.Queue[v1.CountPipsRequest] = asyncio.Queue()

    async def requests() -> AsyncIterator[v1.CountPipsRequest]:
        for _ in range(3):
            yield await ready.get()

    ready.put_nowait(PIPS_ASKED)
    answers = 0
    async with AsyncClient(daemon) as client:
        async for _ in client.ask_all(requests()):
            answers += 1
            ready.put_nowait(PIPS_ASKED)
    assert 3 == answers


async def test_what_a_draining_daemon_has_left_is_asked_again(scripted: ScriptedDaemon) -> None:
    """One item was answered, one told UNAVAILABLE, one not answered at all when the stream broke."""
    told = v1.BulkResult(id=1, error=GONE)
    scripted.script = [
        [v1.BulkResponse(results=[v1.BulkResult(id=0, count_pips=PIPS), told]), GONE],
        [v1.BulkResponse(results=[v1.BulkResult(id=number, count_pips=PIPS) for number in (2, 1)])],
    ]
    async with AsyncClient(scripted.address) as client:
        answers = [each async for each in client.ask_all([PIPS_ASKED] * 3)]
    assert [PIPS] * 3 == [each.answer for each in answers]


async def test_what_comes_after_a_stream_was_lost_goes_to_the_next(
    scripted: ScriptedDaemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lost one's sender, which still waits for more, takes nothing away."""
    opened_again = asyncio.Event()

    async def requests() -> AsyncIterator[v1.CountPipsRequest]:
        yield PIPS_ASKED
        await opened_again.wait()
        yield PIPS_ASKED

    scripted.script = [
        [v1.BulkResponse(results=[v1.BulkResult(id=0, count_pips=PIPS)]), GONE],
        [v1.BulkResponse(results=[v1.BulkResult(id=1, count_pips=PIPS)])],
    ]
    async with AsyncClient(scripted.address) as client:
        process = client.bulk.Process

        async def watched(messages: AsyncIterator[v1.BulkRequest]) -> AsyncIterator[v1.BulkRequest]:
            while True:
                coming = asyncio.ensure_future(anext(messages, None))
                await asyncio.sleep(0)  # from here on it waits for more
                if scripted.calls:
                    opened_again.set()
                if (message := await coming) is None:
                    return
                yield message

        monkeypatch.setattr(client.bulk, "Process", lambda messages: process(watched(messages)))
        answers = [each async for each in client.ask_all(requests())]
    assert [PIPS] * 2 == [each.answer for each in answers]


async def test_what_a_daemon_that_stays_refuses_for_now_leaves_room_for_the_rest(scripted: ScriptedDaemon) -> None:
    """Both that may be under way were told UNAVAILABLE, and the stream does not end before there is an answer."""
    answered = asyncio.Event()

    async def requests() -> AsyncIterator[v1.CountPipsRequest]:
        yield PIPS_ASKED
        yield PIPS_ASKED
        await answered.wait()

    scripted.script = [
        [v1.BulkResponse(results=[v1.BulkResult(id=number, error=GONE) for number in (0, 1)])],
        [v1.BulkResponse(results=[v1.BulkResult(id=number, count_pips=PIPS) for number in (0, 1)])],
    ]
    answers = []
    async with AsyncClient(scripted.address) as client:
        async for each in client.ask_all(requests(), most_under_way=2):
            answers.append(each.answer)
            answered.set()
    assert [PIPS] * 2 == answers


@pytest.mark.parametrize("code", [grpc.StatusCode.CANCELLED, grpc.StatusCode.DEADLINE_EXCEEDED])
async def test_a_stream_that_the_daemon_ends_is_opened_again(scripted: ScriptedDaemon, code: grpc.StatusCode) -> None:
    """Because it came in the moment the daemon stopped, or has lasted as long as the daemon lets any."""
    scripted.script = [
        [v1.BulkResponse(results=[v1.BulkResult(id=0, count_pips=PIPS)]), status(code, "ended")],
        [v1.BulkResponse(results=[v1.BulkResult(id=1, count_pips=PIPS)])],
    ]
    async with AsyncClient(scripted.address) as client:
        answers = [each async for each in client.ask_all([PIPS_ASKED] * 2)]
    assert [PIPS] * 2 == [each.answer for each in answers]


async def test_leaving_early_leaves_nothing_behind(daemon: str) -> None:
    """Requests without end are taken no more once the loop is left."""
    before = asyncio.all_tasks()
    async with AsyncClient(daemon) as client:
        answers = client.ask_all(itertools.repeat(PIPS_ASKED))
        async for _ in answers:
            break
        await answers.aclose()  # type: ignore[attr-defined] # it is a generator
    # gRPC still learns of the stream's end in tasks of its own; a task that went on taking would not end.
    while left := asyncio.all_tasks() - before:
        await asyncio.wait(left)
    assert before == asyncio.all_tasks()


async def test_a_daemon_that_stays_away_is_given_up(scripted: ScriptedDaemon) -> None:
    """After as long as was said; the error is the daemon's last."""
    scripted.script = [[GONE]] * 1000
    async with AsyncClient(scripted.address) as client:
        with pytest.raises(BgbotError, match="draining"):
            [each async for each in client.ask_all([PIPS_ASKED], patience=0)]
        assert 1 == len(scripted.calls)
        with pytest.raises(BgbotError, match="draining"):
            [each async for each in client.ask_all([PIPS_ASKED], patience=0.2)]
        assert len(scripted.calls) > 2


async def test_a_daemon_that_comes_back_is_waited_for(
    scripted: ScriptedDaemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However often it was tried meanwhile; what an answer shows to be there is waited for as long again."""
    monkeypatch.setattr(_bulk, "_FIRST_PAUSE", 0.001)
    away: list[list[Message | Status]] = [[GONE]] * 7
    first, second = (v1.BulkResponse(results=[v1.BulkResult(id=number, count_pips=PIPS)]) for number in (0, 1))
    scripted.script = [*away, [first, GONE], *away, [second]]
    async with AsyncClient(scripted.address) as client:
        found = [each.answer async for each in client.ask_all([PIPS_ASKED] * 2)]
    assert ([PIPS] * 2, 16) == (found, len(scripted.calls))


async def test_another_failure_of_the_stream_is_raised(scripted: ScriptedDaemon) -> None:
    """A token that is refused will be refused again."""
    scripted.script = [[status(grpc.StatusCode.UNAUTHENTICATED, "no token")]]
    async with AsyncClient(scripted.address) as client:
        with pytest.raises(BgbotError, match="no token"):
            [each async for each in client.ask_all([PIPS_ASKED])]


async def test_what_is_no_request_of_bulk_is_refused_after_the_others(daemon: str) -> None:
    """A rollout is no unary call; what was asked before it is answered."""
    async with AsyncClient(daemon) as client:
        answers = client.ask_all([PIPS_ASKED, v1.RolloutRequest()])
        assert PIPS_ASKED == (await anext(answers)).request
        with pytest.raises(TypeError, match=r"bgbot\.v1\.RolloutRequest"):
            await anext(answers)
