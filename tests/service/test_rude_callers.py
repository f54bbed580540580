"""What no gRPC client would send harms nobody else; `make fuzz` sends much more of it."""

from __future__ import annotations

import signal

import grpc
import pytest
from bgbot import position_source, v1

from bgbotd.config import parted
from tests.campaigns.attacks import send
from tests.campaigns.frames import Flag, Kind, block, field, frame, hello, message
from tests.service.running import running


def call_of(*fields: bytes) -> bytes:
    """Make a call of these header fields."""
    begin = frame(Kind.HEADERS, Flag.END_HEADERS, 1, b"".join(fields))
    return hello() + begin + frame(Kind.DATA, Flag.END_STREAM, 1, message(b""))


RUDE = {
    "a method whose name is no UTF-8": call_of(block(b"/x\xe8/y")),
    "a farewell that forges a line of the log": hello()
    + frame(Kind.GOAWAY, payload=bytes(4) + b"\0\0\0\x0b" + b'\n{"event": "forged"}\n\xff'),
    "a status that is no number": call_of(block("/nothing"), field(":status", "none")),
    "metadata that is no UTF-8": call_of(block("/bgbot.v1.RulesService/StartGame", field("x-request-id", b"\xff\n"))),
}


@pytest.mark.parametrize("workers", ["1", "2"])
def test_rude_callers_harm_nobody_else_and_write_nothing_in_the_log(workers: str) -> None:
    """The daemon answers the next call, ends well, and takes nothing of it for an error of its own."""
    with running("--workers", workers) as daemon:
        address = parted(daemon.address)
        assert address
        for _ in range(8):
            for sent in RUDE.values():
                send(address, sent, seconds=0.05)
        with grpc.insecure_channel(daemon.address) as channel:
            request = v1.CountPipsRequest(position=position_source())
            assert 167 == v1.EvaluationServiceStub(channel).CountPips(request, timeout=20).player_pips
        daemon.process.send_signal(signal.SIGTERM)
        log = daemon.rest_of_log()
        assert "forged" not in {line["event"] for line in log}
        assert [] == [line for line in log if line["level"] == "error"]
        assert 0 == daemon.process.wait(timeout=30)
