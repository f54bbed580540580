"""What one connection may do."""

from __future__ import annotations

import socket
import struct
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, cast

import grpc
import pytest
from bgbot import position_source, v1

from bgbotd.config import LARGEST_REQUEST, Connections
from bgbotd.service.server import LARGEST_RECEIVED
from tests.campaigns.frames import Kind, call, frame, hello
from tests.service.refusals import refusal
from tests.service.running import running
from tests.service.test_workers import watch_liveness

if TYPE_CHECKING:
    from collections.abc import Iterator

ACKNOWLEDGED = 1
MOST_STREAMS, HEADER_BYTES = 3, 6
"""Numbers of the settings of HTTP/2, RFC 9113 section 6.5.2."""
ENHANCE_YOUR_CALM = 11
"""The error of RFC 9113 section 7 for who asks for too much."""
COUNT_PIPS = "/bgbot.v1.EvaluationService/CountPips"
WATCH = "/grpc.health.v1.Health/Watch"


class Wire:
    """A connection by hand."""

    def __init__(self, connection: socket.socket) -> None:
        """Begin it."""
        self._connection = connection
        self._bytes = connection.makefile("rb")
        self.send(hello())

    def close(self) -> None:
        """Hang up."""
        self._bytes.close()

    def send(self, *frames: bytes) -> None:
        """Send frames."""
        self._connection.sendall(b"".join(frames))

    def frames(self) -> Iterator[tuple[int, int, bytes]]:
        """Give kind, flags and content of each frame until the other end hangs up, answering none."""
        while header := self._bytes.read(9):
            yield header[3], header[4], self._bytes.read(int.from_bytes(header[:3], "big"))

    def await_frame(self, kind: Kind) -> tuple[int, bytes]:
        """Wait for a frame of a kind, and give its flags and content."""
        return next((flags, content) for found, flags, content in self.frames() if found == kind)


@contextmanager
def wire(address: str) -> Iterator[Wire]:
    """Open a connection by hand."""
    host, _, port = address.rpartition(":")
    with (
        socket.create_connection((host, int(port)), timeout=30) as connection,
        closing(Wire(connection)) as opened,
    ):
        yield opened


def told(connection: Wire) -> dict[int, int]:
    """Read the settings that the daemon tells."""
    _, content = connection.await_frame(Kind.SETTINGS)
    return dict(struct.iter_unpack(">HI", content))


def count_pips(channel: grpc.Channel, padding: int) -> int:
    """Make a call whose metadata has at least so many bytes."""
    request = v1.CountPipsRequest(position=position_source())
    metadata = (("padding", "x" * padding),)
    return v1.EvaluationServiceStub(channel).CountPips(request, timeout=20, metadata=metadata).player_pips


def test_metadata_beyond_the_limit_is_refused_and_the_connection_goes_on() -> None:
    """The next call on it is answered."""
    with running("--connections.most-header-bytes", "2000") as daemon, grpc.insecure_channel(daemon.address) as channel:
        with pytest.raises(grpc.RpcError) as raised:
            count_pips(channel, 2000)
        assert grpc.StatusCode.RESOURCE_EXHAUSTED == cast("grpc.Call", raised.value).code()
        assert 167 == count_pips(channel, 1000)


def test_more_calls_than_a_connection_may_have_wait_in_the_client() -> None:
    """All are answered, and none is refused for those that have just ended."""
    request = v1.CountPipsRequest(position=position_source())
    with running("--connections.most-streams", "4") as daemon, grpc.insecure_channel(daemon.address) as channel:
        stub = v1.EvaluationServiceStub(channel)
        calls = [stub.CountPips.future(request, timeout=50) for _ in range(1000)]
        assert {grpc.StatusCode.OK} == {call.code() for call in calls}


def test_a_connection_of_full_age_is_ended_and_the_next_one_serves() -> None:
    """What is still open on it after the grace ends as UNAVAILABLE."""
    ages = ("--connections.most-age-seconds", "1", "--connections.age-grace-seconds", "0.1")
    with running(*ages) as daemon, grpc.insecure_channel(daemon.address) as channel:
        watch = watch_liveness(channel)
        with pytest.raises(grpc.RpcError):
            list(watch)
        assert grpc.StatusCode.UNAVAILABLE == watch.code()
        assert next(watch_liveness(channel)).status


def test_streams_and_header_bytes_are_told_when_a_connection_begins() -> None:
    """The client's library holds back what is more."""
    limits = ("--connections.most-streams", "7", "--connections.most-header-bytes", "3000")
    with running(*limits) as daemon, wire(daemon.address) as connection:
        settings = told(connection)
    assert (7, 3000) == (settings[MOST_STREAMS], settings[HEADER_BYTES])


def test_without_a_word_the_limits_are_those_of_the_settings(daemon: str) -> None:
    """Nothing is left to what gRPC's next version may choose."""
    with wire(daemon) as connection:
        settings = told(connection)
    defaults = Connections()
    assert (defaults.most_streams, defaults.most_header_bytes) == (settings[MOST_STREAMS], settings[HEADER_BYTES])


def test_calls_beyond_the_streams_of_a_connection_wait_for_one_that_ends() -> None:
    """None is refused."""
    with (
        running("--connections.most-streams", "1") as daemon,
        grpc.insecure_channel(daemon.address) as channel,
    ):
        watch = watch_liveness(channel)
        assert next(watch).status
        waiting = v1.EvaluationServiceStub(channel).CountPips.future(
            v1.CountPipsRequest(position=position_source()), timeout=30
        )
        watch.cancel()
        assert 167 == waiting.result().player_pips


@pytest.mark.parametrize("request_bytes", [b"", call(1, WATCH, b"\0\0\0\0\0")], ids=["idle", "with a stream"])
def test_a_connection_that_is_silent_for_too_long_is_asked_and_then_closed(request_bytes: bytes) -> None:
    """A client that has vanished without a word takes up nothing, whether or not it had calls open."""
    times = ("--connections.keepalive-seconds", "1", "--connections.keepalive-timeout-seconds", "1")
    with running(*times) as daemon, wire(daemon.address) as connection:
        connection.send(frame(Kind.SETTINGS, ACKNOWLEDGED), request_bytes)
        kinds = [kind for kind, flags, _ in connection.frames() if not (kind == Kind.PING and flags & ACKNOWLEDGED)]
    assert Kind.PING in kinds


def test_who_pings_too_often_is_sent_away() -> None:
    """As HTTP/2 says it."""
    with running("--connections.least-ping-interval-seconds", "300") as daemon, wire(daemon.address) as connection:
        connection.send(frame(Kind.SETTINGS, ACKNOWLEDGED), *(frame(Kind.PING, payload=bytes(8)) for _ in range(5)))
        _, content = connection.await_frame(Kind.GOAWAY)
    assert (ENHANCE_YOUR_CALM, b"too_many_pings") == (int.from_bytes(content[4:8], "big"), content[8:])


def test_who_pings_no_more_often_than_allowed_stays() -> None:
    """The same pings, and the call after them is answered."""
    with running("--connections.least-ping-interval-seconds", "0") as daemon, wire(daemon.address) as connection:
        connection.send(frame(Kind.SETTINGS, ACKNOWLEDGED), *(frame(Kind.PING, payload=bytes(8)) for _ in range(5)))
        connection.send(call(1, COUNT_PIPS, b"\0\0\0\0\0"))
        assert Kind.HEADERS == next(kind for kind, _, _ in connection.frames() if kind in (Kind.HEADERS, Kind.GOAWAY))


@pytest.mark.parametrize(
    ("size", "code", "reason"),
    [
        (LARGEST_REQUEST - 100, grpc.StatusCode.INVALID_ARGUMENT, "ID_LENGTH"),
        (LARGEST_REQUEST, grpc.StatusCode.INVALID_ARGUMENT, "MESSAGE_TOO_LARGE"),
    ],
)
def test_a_message_is_read_up_to_its_limit(
    channel: grpc.Channel, size: int, code: grpc.StatusCode, reason: str
) -> None:
    """Beyond it says so, and the connection goes on."""
    request = v1.CountPipsRequest(position=v1.PositionSource(gnubg_id="A" * size))
    refused = refusal(v1.EvaluationServiceStub(channel).CountPips, request)
    assert (code, reason) == (refused.code, refused.reason)


def test_a_message_far_beyond_its_limit_is_not_even_taken(channel: grpc.Channel) -> None:
    """The call ends before there is memory for it."""
    request = v1.CountPipsRequest(position=v1.PositionSource(gnubg_id="A" * LARGEST_RECEIVED))
    with pytest.raises(grpc.RpcError) as raised:
        v1.EvaluationServiceStub(channel).CountPips(request, timeout=20)
    assert grpc.StatusCode.RESOURCE_EXHAUSTED == cast("grpc.Call", raised.value).code()
    assert 167 == count_pips(channel, 0)
