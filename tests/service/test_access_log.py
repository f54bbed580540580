"""What the log says of calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import grpc
import pytest
from bgbot import position_source, v1

from tests.service.guarded import called_by, write_tokens
from tests.service.refusals import refusal_of
from tests.service.running import running
from tests.service.test_metrics import scrape

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.service.running import Running

NEVER_SLOW = ("--log.slow-seconds", "1000")
"""However busy the machine is."""
TRACE = "0af7651916cd43dd8448eb211c80319c"
ROLLOUT = v1.RolloutRequest(
    position=position_source(), settings=v1.RolloutSettings(trials=36, truncate_after_plies=1, depth=v1.DEPTH_PLY2)
)


@pytest.fixture(scope="module")
def talkative() -> Iterator[Running]:
    """Run a daemon that logs every call at info."""
    with running("--log.sample-ratio", "1", *NEVER_SLOW) as daemon:
        daemon.await_event("engine ready")
        yield daemon


def evaluate(channel: grpc.Channel, depth: v1.Depth.ValueType, **metadata: str) -> None:
    """Evaluate the start."""
    request = v1.EvaluateRequest(position=position_source(), depth=depth)
    v1.EvaluationServiceStub(channel).Evaluate(request, timeout=20, metadata=tuple(metadata.items()))


def line_of(daemon: Running, call: Callable[[grpc.Channel], object]) -> dict[str, Any]:
    """Make a call and read its line."""
    with grpc.insecure_channel(daemon.address) as channel:
        call(channel)
        return daemon.await_event("call")


def test_a_line_says_who_asked_for_what_and_how_it_went(talkative: Running) -> None:
    """Of a call that needed the engine also how long it waited for it and how long it worked."""
    line = line_of(
        talkative, lambda channel: evaluate(channel, v1.DEPTH_PLY2, traceparent=f"00-{TRACE}-b7ad6b7169203331-01")
    )
    assert {
        "method": "/bgbot.v1.EvaluationService/Evaluate",
        "code": "OK",
        "asked": "PLY2",
        "trace_id": TRACE,
        "level": "info",
    }.items() <= line.items()
    assert line["peer"].startswith("ipv4:127.0.0.1:")
    assert line["request_id"]
    assert 0 <= line["queue_milliseconds"] <= line["milliseconds"]
    assert 0 < line["engine_milliseconds"] <= line["milliseconds"]


def test_a_rollouts_line_has_its_depth(talkative: Running) -> None:
    """And what all its chunks took of the engine."""
    line = line_of(talkative, lambda channel: list(v1.EvaluationServiceStub(channel).Rollout(ROLLOUT, timeout=30)))
    assert ("PLY2", "OK", True) == (line["asked"], line["code"], line["engine_milliseconds"] > 0)


def test_a_bulk_streams_line_counts_its_requests(talkative: Running) -> None:
    """Those that have got an answer, and those that have failed."""
    right = [v1.BulkItem(id=number, count_pips=v1.CountPipsRequest(position=position_source())) for number in range(3)]
    asked = v1.BulkRequest(items=[*right, v1.BulkItem(id=3), v1.BulkItem(id=4, evaluate=v1.EvaluateRequest())])
    line = line_of(talkative, lambda channel: list(v1.BulkServiceStub(channel).Process(iter([asked]), timeout=30)))
    assert ("OK", 3, 2) == (line["code"], line["items_answered"], line["items_failed"])


def test_what_needs_no_engine_says_nothing_of_it(talkative: Running) -> None:
    """A line has no fields that mean nothing."""
    line = line_of(
        talkative,
        lambda channel: v1.RulesServiceStub(channel).StartGame(
            v1.StartGameRequest(), timeout=20, metadata=(("traceparent", "made-up"),)
        ),
    )
    absent = {"queue_milliseconds", "engine_milliseconds", "items_answered", "trace_id", "asked", "reason", "caller"}
    assert set() == absent & set(line)


def test_a_failed_call_always_has_a_line_with_its_reason_and_never_a_position() -> None:
    """The answered one before it has none: nothing is sampled unless told."""
    request = v1.EvaluateRequest(position=v1.PositionSource(gnubg_id="4HPwATDgc/ABMA"))

    def call(channel: grpc.Channel) -> None:
        evaluate(channel, v1.DEPTH_STATIC)
        with pytest.raises(grpc.RpcError) as raised:
            v1.EvaluationServiceStub(channel).Evaluate(request, timeout=20)
        assert grpc.StatusCode.INVALID_ARGUMENT == cast("grpc.Call", raised.value).code()

    with running(*NEVER_SLOW) as daemon:
        line = line_of(daemon, call)
    assert ("INVALID_ARGUMENT", "DEPTH_UNSPECIFIED") == (line["code"], line["reason"])
    assert "4HPwATDgc/ABMA" not in str(line)


def test_a_line_names_the_token_that_asked(tmp_path: Path) -> None:
    """By its name, and never by itself."""
    tokens = write_tokens(tmp_path / "tokens.toml", {"player": "most_trials = 0"})
    with running("--tokens", str(tokens)) as daemon:
        with grpc.insecure_channel(daemon.address) as channel:
            answers = v1.EvaluationServiceStub(channel).Rollout(ROLLOUT, **called_by("player"))
            assert "TOKEN_LIMIT_EXCEEDED" == refusal_of(lambda: list(answers)).reason
        line = daemon.await_event("call")
    assert ("player", "TOKEN_LIMIT_EXCEEDED", "PLY2") == (line["caller"], line["reason"], line["asked"])
    assert "Bearer" not in str(line)


def test_positions_are_logged_when_asked_for() -> None:
    """Whoever looks into a complaint sees what was asked; what is slow is said as well."""
    with running("--log.requests", "--log.slow-seconds", "0.000001") as daemon:
        line = line_of(daemon, lambda channel: evaluate(channel, v1.DEPTH_STATIC))
    assert "warning" == line["level"]
    assert ["player", "opponent"] == list(line["request"]["position"]["position"])
    assert "DEPTH_STATIC" == line["request"]["depth"]


def test_methods_that_nobody_serves_are_told_of_under_one_name() -> None:
    """Whoever makes up names does not make up metrics."""

    def call(channel: grpc.Channel) -> None:
        unknown: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary("/made.up/Name")
        assert "METHOD_NOT_SERVED" == refusal_of(lambda: unknown(b"", timeout=20)).reason

    with running("--metrics-listen", "127.0.0.1:0") as daemon:
        line = line_of(daemon, call)
        counts = scrape(daemon.serving["metrics"])
    assert ("unserved", "UNIMPLEMENTED", "METHOD_NOT_SERVED") == (line["method"], line["code"], line["reason"])
    assert 1 == counts["bgbotd_refusals_total unserved METHOD_NOT_SERVED"]
    assert "made.up" not in str(counts)
