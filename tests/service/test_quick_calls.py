"""Plain calls have a shorter way, which differs in nothing but its time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import grpc
import pytest
from bgbot import v1

from bgbotd.config import Limits
from bgbotd.rules import STARTING_POSITION
from bgbotd.service import render
from bgbotd.service.access_log import REQUEST_ID, AccessLog
from bgbotd.service.admission import Admission, Kind
from bgbotd.service.calls import ServedMethods, quick_methods, served_methods
from bgbotd.service.plain import plainly
from tests.service.running import running

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.service.running import Running

SERVICE = v1.evaluation_service_pb2.DESCRIPTOR.services_by_name["EvaluationService"]
PATH = "/bgbot.v1.EvaluationService/CountPips"
REQUEST = v1.CountPipsRequest(position=v1.PositionSource(position=render.position(STARTING_POSITION)))


@pytest.fixture(scope="module")
def talkative() -> Iterator[Running]:
    """Run a daemon that logs every call."""
    with running("--log.sample-ratio", "1") as daemon:
        yield daemon


def trailing_id(daemon: Running, *metadata: tuple[str, str]) -> str:
    """Count pips, and give the request id that comes back."""
    with grpc.insecure_channel(daemon.address) as channel:
        counted, call = v1.EvaluationServiceStub(channel).CountPips.with_call(REQUEST, metadata=metadata)
    assert 167 == counted.player_pips
    return str(dict(call.trailing_metadata()).get(REQUEST_ID, ""))


def test_a_callers_request_id_comes_back(talkative: Running) -> None:
    """And is in the log."""
    assert "table-7" == trailing_id(talkative, (REQUEST_ID, "table-7"))
    assert "table-7" == talkative.await_event("call")["request_id"]


def test_a_call_that_is_logged_has_a_request_id(talkative: Running) -> None:
    """Which is sent to its caller, to find the line by."""
    found = trailing_id(talkative)
    assert 32 == len(found)
    assert found == talkative.await_event("call")["request_id"]


def count_plainly(payload: bytes) -> tuple[bytes, str]:
    """Count nothing but an empty request."""
    if payload:
        raise ZeroDivisionError
    return b"plain", ""


class _Counting:
    """Counts pips plainly."""

    @plainly(count_plainly)
    def count_pips(self, _request: object) -> bytes:
        """Count those of which the other says nothing."""
        return b"ordinary"


async def answer(admission: Admission, payload: bytes) -> bytes:
    """Serve a call."""
    handlers, access_log = _Counting(), AccessLog()
    served = ServedMethods()
    methods = served_methods(SERVICE, handlers, admission, access_log)
    served.add(SERVICE.full_name, methods, quick_methods(SERVICE, handlers, admission, access_log, methods))
    server = grpc.aio.server()
    server.add_generic_rpc_handlers((served,))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            method: Any = channel.unary_unary(PATH)
            found: bytes = await method(payload, timeout=20)
            return found
    finally:
        await server.stop(None)


async def test_a_failure_of_the_short_way_is_told_as_any_other() -> None:
    """Internal, with a request id."""
    assert b"plain" == await answer(Admission(Limits(), None), b"")
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await answer(Admission(Limits(), None), REQUEST.SerializeToString())
    assert grpc.StatusCode.INTERNAL == failed.value.code()
    assert 32 == len(str(dict(failed.value.trailing_metadata())[REQUEST_ID]))


def test_where_no_room_is_left_nobody_goes_a_short_way() -> None:
    """A call is refused or let in whichever way it comes."""
    admission = Admission(Limits(most_engine_calls=1), None)
    door = admission.door(v1.bot_service_pb2.DESCRIPTOR.services_by_name["BotService"].methods_by_name["ChoosePlay"])
    assert door.stands_open()
    with admission.rooms[Kind.ENGINE]:
        assert not door.stands_open()
    assert door.stands_open()


async def test_a_draining_server_has_no_short_way() -> None:
    """Its calls are told that it stops."""
    admission = Admission(Limits(), None)
    admission.draining = True
    with pytest.raises(grpc.aio.AioRpcError, match="stopping"):
        await answer(admission, b"")
