"""The log says what it can, and never stands in the way of a call."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, cast

import grpc
import pytest
import structlog
from bgbot import v1
from google.rpc.error_details_pb2 import ErrorInfo, RequestInfo
from grpc_status import rpc_status

from bgbotd import logging
from bgbotd.config import Settings
from bgbotd.service import server
from bgbotd.service.rules_handlers import RulesHandlers
from tests.service.running import running

if TYPE_CHECKING:
    from collections.abc import Iterator


class Unprintable(Exception):
    """An error whose text cannot be had."""

    def __str__(self) -> str:
        """Fail."""
        raise RuntimeError("no text")

    __repr__ = __str__


@pytest.fixture
def _json_log() -> Iterator[None]:
    """Log as the daemon does, for one test."""
    logging.configure("info", worker=7)
    yield
    structlog.reset_defaults()


@pytest.mark.usefixtures("_json_log")
async def test_an_error_that_cannot_be_printed_is_internal_with_an_id_that_the_log_has(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing else dies, nothing of it leaves the process, and the log names its kind."""

    def fail(*_: object) -> None:
        raise Unprintable

    monkeypatch.setattr(RulesHandlers, "score_game", fail)
    logging.configure("info", worker=7)
    daemon = await server.start(Settings(listen="127.0.0.1:0"))
    async with grpc.aio.insecure_channel(daemon.address) as channel:
        stub = v1.RulesServiceStub(channel)
        with pytest.raises(grpc.aio.AioRpcError) as raised:
            await stub.ScoreGame(v1.ScoreGameRequest())
        start = await stub.StartGame(v1.StartGameRequest())
    await daemon.drain(0)
    status = rpc_status.from_call(cast("grpc.Call", raised.value))
    assert status is not None
    reason, request = ErrorInfo(), RequestInfo()
    for detail in status.details:
        detail.Unpack(reason)
        detail.Unpack(request)
    assert (grpc.StatusCode.INTERNAL, "INTERNAL") == (raised.value.code(), reason.reason)
    assert request.request_id in status.message
    assert "Unprintable" not in str(status)
    assert start.dice.die1
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    [told] = [line for line in lines if line["event"] == "internal error"]
    assert (request.request_id, 7) == (told["request_id"], told["worker"])
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
