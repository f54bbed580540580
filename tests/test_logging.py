"""The log says what it can, and never stands in the way of a call."""

from __future__ import annotations

import json
import sys
import threading
from io import StringIO
from typing import cast

import grpc
import pytest
from bgbot import v1
from google.rpc.error_details_pb2 import ErrorInfo, RequestInfo
from grpc_status import rpc_status

from bgbotd.logging import Writer
from tests.service.running import running

FAILING = """
from bgbotd.cli import main
from bgbotd.service.rules_handlers import RulesHandlers

class Unprintable(Exception):
    def __str__(self):
        raise RuntimeError
    __repr__ = __str__

def fail(*_):
    raise Unprintable

RulesHandlers.score_game = fail
main()
"""
"""A daemon one of whose methods raises an error whose text cannot be had."""


def test_an_error_that_cannot_be_printed_is_internal_with_an_id_that_the_log_has() -> None:
    """Nothing else dies, nothing of it leaves the process, and the log names its kind."""
    program = (sys.executable, "-c", FAILING)
    with running(program=program) as daemon, grpc.insecure_channel(daemon.address) as channel:
        stub = v1.RulesServiceStub(channel)
        with pytest.raises(grpc.RpcError) as raised:
            stub.ScoreGame(v1.ScoreGameRequest(), timeout=20)
        error = cast("grpc.Call", raised.value)
        told = daemon.await_event("internal error")
        assert stub.StartGame(v1.StartGameRequest(), timeout=20).dice.die1
    status = rpc_status.from_call(error)
    assert status is not None
    reason, request = ErrorInfo(), RequestInfo()
    for detail in status.details:
        detail.Unpack(reason)
        detail.Unpack(request)
    assert (grpc.StatusCode.INTERNAL, "INTERNAL") == (error.code(), reason.reason)
    assert request.request_id == told["request_id"]
    assert request.request_id in status.message
    assert "Unprintable" not in str(status)
    assert "Unprintable" in json.dumps(told)


def test_a_log_that_nobody_reads_any_more_stops_nothing() -> None:
    """Calls that would be logged are answered as ever."""
    with running() as daemon, grpc.insecure_channel(daemon.address) as channel:
        daemon.await_event("engine ready")
        assert daemon.process.stderr is not None
        daemon.process.stderr.close()
        for _ in range(2):
            with pytest.raises(grpc.RpcError) as raised:
                v1.RulesServiceStub(channel).ListLegalPlays(v1.ListLegalPlaysRequest(), timeout=20)
            assert grpc.StatusCode.INVALID_ARGUMENT == cast("grpc.Call", raised.value).code()
        daemon.process.terminate()
        assert 0 == daemon.process.wait(timeout=30)


def test_a_log_that_is_not_read_holds_nothing_up() -> None:
    """More lines than a pipe holds wait; calls go on."""
    with running("--log-level", "debug") as daemon, grpc.insecure_channel(daemon.address) as channel:
        start_game = v1.RulesServiceStub(channel).StartGame
        for _ in range(1000):
            start_game(v1.StartGameRequest(), timeout=20)
        daemon.process.terminate()
        calls = [line for line in daemon.rest_of_log() if line["event"] == "call"]
        assert (1000, 0) == (len(calls), daemon.process.wait(timeout=30))


class Stuck(StringIO):
    """A file that nobody reads until told."""

    def __init__(self) -> None:
        """Let nothing through."""
        super().__init__()
        self.reached, self.opened = threading.Event(), threading.Event()

    def write(self, text: str) -> int:
        """Wait to be opened."""
        self.reached.set()
        self.opened.wait(20)
        return super().write(text)


def test_lines_that_find_no_room_are_counted() -> None:
    """One is being written, one waits, two are lost."""
    file = Stuck()
    writer = Writer(file, most_waiting=1)
    writer.write("first\n")
    assert file.reached.wait(20)
    for line in ("second\n", "third\n", "fourth\n"):
        writer.write(line)
    file.opened.set()
    writer.close()
    first, lost, second = file.getvalue().splitlines()
    assert ("first", "second", 2) == (first, second, json.loads(lost)["count"])
