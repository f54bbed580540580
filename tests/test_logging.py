"""The log says what it can, and never stands in the way of a call."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from io import StringIO
from typing import TYPE_CHECKING, cast

import grpc
import pytest
from bgbot import position_source, v1
from google.rpc.code_pb2 import Code
from google.rpc.error_details_pb2 import ErrorInfo, RequestInfo
from grpc_status import rpc_status

from bgbotd.logging import Writer
from tests.service.running import running

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from google.protobuf.message import Message
    from google.rpc.status_pb2 import Status

    from tests.service.running import Running

FAILING = """
from bgbotd.cli import main
from bgbotd.service.evaluation_handlers import EvaluationHandlers
from bgbotd.service.rules_handlers import RulesHandlers

class Unprintable(Exception):
    def __str__(self):
        raise RuntimeError
    __repr__ = __str__

def fail(*_):
    raise Unprintable

async def fail_later(*_):
    raise Unprintable

begin = EvaluationHandlers.rollout

async def fail_midway(self, request):
    async for progress in begin(self, request):
        yield progress
        if request.settings.seed:
            raise Unprintable

RulesHandlers.score_game = fail
EvaluationHandlers.rank_plays = fail_later
EvaluationHandlers.rollout = fail_midway
main()
"""
"""A daemon some of whose methods raise an error whose text cannot be had; a rollout with a seed does so midway."""


@pytest.fixture(scope="module")
def failing() -> Iterator[tuple[Running, grpc.Channel]]:
    """Run it."""
    with (
        running(program=(sys.executable, "-c", FAILING)) as daemon,
        grpc.insecure_channel(daemon.address) as channel,
    ):
        yield daemon, channel


def score_game(channel: grpc.Channel) -> Status:
    """Make a call that fails at once."""
    return status_of(lambda: v1.RulesServiceStub(channel).ScoreGame(v1.ScoreGameRequest(), timeout=20))


def rank_plays(channel: grpc.Channel) -> Status:
    """Make a call that fails while it waits."""
    return status_of(lambda: v1.EvaluationServiceStub(channel).RankPlays(v1.RankPlaysRequest(), timeout=20))


def rollout(channel: grpc.Channel) -> Status:
    """Make a call whose stream of answers fails after the first."""
    settings = v1.RolloutSettings(trials=36, truncate_after_plies=1, seed=1)
    request = v1.RolloutRequest(position=position_source(), settings=settings)
    answers = v1.EvaluationServiceStub(channel).Rollout(request, timeout=30)
    assert next(answers).trials_done
    return status_of(lambda: next(answers))


def status_of(call: Callable[[], object]) -> Status:
    """Make a call that fails and read its status."""
    with pytest.raises(grpc.RpcError) as raised:
        call()
    status: Status | None = rpc_status.from_call(cast("grpc.Call", raised.value))
    assert status is not None
    return status


def on_a_stream(**request: Message) -> Callable[[grpc.Channel], Status]:
    """Give what makes a request on a Bulk stream that fails, beside one that is answered."""

    def call(channel: grpc.Channel) -> Status:
        items = [
            v1.BulkItem(id=1, priority=v1.BULK_PRIORITY_INTERACTIVE, **request),  # type: ignore[arg-type] # by their names
            v1.BulkItem(id=2, priority=v1.BULK_PRIORITY_BACKGROUND, start_game=v1.StartGameRequest()),
        ]
        responses = v1.BulkServiceStub(channel).Process(iter([v1.BulkRequest(items=items)]), timeout=20)
        results = {result.id: result for response in responses for result in response.results}
        assert results[2].start_game.dice.die1
        return results[1].error

    return call


@pytest.mark.parametrize(
    "call",
    [
        score_game,
        rank_plays,
        rollout,
        on_a_stream(score_game=v1.ScoreGameRequest()),
        on_a_stream(rank_plays=v1.RankPlaysRequest()),
    ],
    ids=["a call", "a call that waits", "a rollout", "a Bulk request", "a Bulk request that waits"],
)
def test_an_error_that_cannot_be_printed_is_internal_with_an_id_that_the_log_has(
    failing: tuple[Running, grpc.Channel], call: Callable[[grpc.Channel], Status]
) -> None:
    """Nothing else dies, nothing of it leaves the process, and the log names its kind."""
    daemon, channel = failing
    status = call(channel)
    told = daemon.await_event("internal error")
    assert v1.RulesServiceStub(channel).StartGame(v1.StartGameRequest(), timeout=20).dice.die1
    reason, request = ErrorInfo(), RequestInfo()
    for detail in status.details:
        detail.Unpack(reason)
        detail.Unpack(request)
    assert (Code.INTERNAL, "INTERNAL") == (status.code, reason.reason)
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


def test_what_libraries_log_is_a_line_like_all_others() -> None:
    """Whoever reads JSON lines must not stumble over plain ones."""
    program = """
import logging
from bgbotd.logging import configure
configure("info")
logging.getLogger("some.library").warning("%d of %d", 1, 2)
logging.getLogger("some.library").info("unasked")
"""
    written = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=30, check=True)
    [line] = map(json.loads, written.stderr.splitlines())
    assert ("1 of 2", "some.library", "warning") == (line["event"], line["library"], line["level"])


def test_what_is_written_past_the_log_becomes_its_lines() -> None:
    """A traceback that a library prints is a line for each of its own."""
    program = """
import sys, traceback
from bgbotd.logging import catch_strays, configure
configure("info")
catch_strays()
try:
    1 / 0
except ZeroDivisionError:
    traceback.print_exc()
sys.stderr.write("not ended")
"""
    written = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=30, check=True)
    lines = [*map(json.loads, written.stderr.splitlines())]
    assert ("Traceback (most recent call last):", "stderr") == (lines[0]["event"], lines[0]["library"])
    assert "ZeroDivisionError: division by zero" == lines[-1]["event"]
