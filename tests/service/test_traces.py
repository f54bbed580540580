"""Traces, as a collector gets them over a socket."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, cast
from unittest.mock import Mock

import grpc
import pytest
from bgbot import position_source, v1

from bgbotd.config import Tracing
from bgbotd.service.traces import MOST_ITEM_SPANS, ItemSpans
from bgbotd.service.tracing import asked_for_by
from tests.service.certificates import Authority
from tests.service.collector import Collector, Seen, collecting
from tests.service.running import running
from tests.service.test_access_log import ROLLOUT, evaluate
from tests.test_logging import FAILING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.service.running import Running

TRACE, CALLER = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
SAMPLED, UNSAMPLED = f"00-{TRACE}-{CALLER}-01", f"00-{TRACE}-{CALLER}-00"


@pytest.fixture(scope="module")
def opened() -> Iterator[ExitStack]:
    """Give what closes all that a module opens."""
    with ExitStack() as stack:
        yield stack


@pytest.fixture(scope="module")
def traced(opened: ExitStack) -> tuple[Collector, Running, grpc.Channel]:
    """Run a collector, and a daemon whose calls are traced where their caller says so; one of its methods fails."""
    collector = opened.enter_context(collecting())
    arguments = ("--tracing.endpoint", collector.address, "--tracing.sample-ratio", "0", "--log.sample-ratio", "1")
    environment = {"OTEL_BSP_SCHEDULE_DELAY": "50", "OTEL_RESOURCE_ATTRIBUTES": "deployment.environment.name=test"}
    daemon = opened.enter_context(running(*arguments, program=(sys.executable, "-c", FAILING), environment=environment))
    return collector, daemon, opened.enter_context(grpc.insecure_channel(daemon.address))


def sampled(**metadata: str) -> dict[str, Any]:
    """Give what a call in the caller's trace carries."""
    return {"timeout": 30, "metadata": (("traceparent", SAMPLED), *metadata.items())}


def refused(call: Callable[[], object]) -> grpc.StatusCode:
    """Make a call that fails and give its code."""
    with pytest.raises(grpc.RpcError) as raised:
        call()
    return cast("grpc.Call", raised.value).code()


def await_line(daemon: Running, event: str, request_id: str) -> dict[str, Any]:
    """Read the log up to a line of a request."""
    while (line := daemon.await_event(event))["request_id"] != request_id:
        pass
    return line


def names(spans: list[Seen]) -> list[str]:
    """Give the names of spans."""
    return [seen.span.name for seen in spans]


def test_a_call_is_a_span_of_its_callers_trace_with_what_it_took_of_the_engine(
    traced: tuple[Collector, Running, grpc.Channel],
) -> None:
    """Below it the wait for the engine and the engine's work; the log names the trace."""
    collector, daemon, channel = traced
    evaluate(channel, v1.DEPTH_PLY2, traceparent=SAMPLED)
    seen = collector.await_span("bgbot.v1.EvaluationService/Evaluate")
    assert (TRACE, CALLER) == (seen.span.trace_id.hex(), seen.span.parent_span_id.hex())
    assert {
        "rpc.system": "grpc",
        "rpc.service": "bgbot.v1.EvaluationService",
        "rpc.method": "Evaluate",
        "rpc.grpc.status_code": 0,
        "rpc.response.status_code": "OK",
        "bgbot.level": "PLY2",
        "bgbot.engine_pieces": 1,
    }.items() <= seen.attributes.items()
    assert {"service.name": "bgbotd", "deployment.environment.name": "test"}.items() <= seen.resource.items()
    queue, engine = collector.below(seen)
    assert ("queue", "engine") == (queue.span.name, engine.span.name)
    assert queue.span.end_time_unix_nano == engine.span.start_time_unix_nano
    assert seen.span.start_time_unix_nano < queue.span.start_time_unix_nano
    assert engine.span.end_time_unix_nano <= seen.span.end_time_unix_nano
    assert TRACE == daemon.await_event("call")["trace_id"]


def test_a_call_whose_caller_does_not_sample_is_not_sent(traced: tuple[Collector, Running, grpc.Channel]) -> None:
    """Its trace is named in the log all the same; of two callers' decisions each holds."""
    collector, daemon, channel = traced
    legal = v1.RulesServiceStub(channel).ListLegalPlays
    request = v1.ListLegalPlaysRequest(position=position_source(), dice=v1.Dice(die1=3, die2=1))
    legal(request, timeout=30, metadata=(("traceparent", UNSAMPLED), ("x-request-id", "unsampled")))
    legal(request, **sampled(**{"x-request-id": "sampled"}))
    assert "sampled" == collector.await_span("bgbot.v1.RulesService/ListLegalPlays").attributes["bgbot.request_id"]
    assert "bgbot.v1.RulesService/ListLegalPlays" in names(collector.spans())
    assert TRACE == await_line(daemon, "call", "unsampled")["trace_id"]


def test_a_refusal_has_its_code_and_reason_and_is_no_error_of_the_server(
    traced: tuple[Collector, Running, grpc.Channel],
) -> None:
    """Whoever looks for defects does not find callers' mistakes."""
    collector, _, channel = traced
    stub = v1.BotServiceStub(channel)
    assert grpc.StatusCode.INVALID_ARGUMENT == refused(lambda: stub.ChoosePlay(v1.ChoosePlayRequest(), **sampled()))
    seen = collector.await_span("bgbot.v1.BotService/ChoosePlay")
    assert (3, "INVALID_ARGUMENT") == (
        seen.attributes["rpc.grpc.status_code"],
        seen.attributes["rpc.response.status_code"],
    )
    assert "LEVEL_UNSPECIFIED" == seen.attributes["bgbot.reason"]
    assert 0 == seen.span.status.code


def test_an_exception_nobody_foresaw_is_an_error_of_the_server(traced: tuple[Collector, Running, grpc.Channel]) -> None:
    """Even one whose text cannot be printed; the span has the id that finds it in the log."""
    collector, daemon, channel = traced
    stub = v1.RulesServiceStub(channel)
    assert grpc.StatusCode.INTERNAL == refused(lambda: stub.ScoreGame(v1.ScoreGameRequest(), **sampled()))
    seen = collector.await_span("bgbot.v1.RulesService/ScoreGame")
    line = await_line(daemon, "internal error", str(seen.attributes["bgbot.request_id"]))
    assert (13, "INTERNAL", 2) == (
        seen.attributes["rpc.grpc.status_code"],
        seen.attributes["bgbot.reason"],
        seen.span.status.code,
    )
    assert (TRACE, "Unprintable") == (line["trace_id"], line["exception"][0]["exc_type"])


def test_a_rollout_has_its_depth_and_a_span_for_each_of_its_first_chunks(
    traced: tuple[Collector, Running, grpc.Channel],
) -> None:
    """What it took of the engine is said in sum as well."""
    collector, _, channel = traced
    assert list(v1.EvaluationServiceStub(channel).Rollout(ROLLOUT, **sampled()))
    seen = collector.await_span("bgbot.v1.EvaluationService/Rollout")
    assert ("PLY2", "OK") == (seen.attributes["bgbot.level"], seen.attributes["rpc.response.status_code"])
    assert seen.attributes["bgbot.engine_pieces"] == names(collector.below(seen)).count("engine")


def test_a_rollout_that_is_cancelled_says_so(traced: tuple[Collector, Running, grpc.Channel]) -> None:
    """The trace ends with the call, not with the work that was asked for."""
    collector, _, channel = traced
    request = v1.RolloutRequest(position=position_source(), settings=v1.RolloutSettings(trials=1_000_000))
    rollout = v1.EvaluationServiceStub(channel).Rollout(request, **sampled())
    next(rollout)
    rollout.cancel()
    seen = collector.await_span("bgbot.v1.EvaluationService/Rollout")
    assert "CANCELLED" == seen.attributes["rpc.response.status_code"]


def test_each_request_of_a_bulk_stream_has_a_span_below_the_streams(
    traced: tuple[Collector, Running, grpc.Channel],
) -> None:
    """With its level, how it ended, and what it took of the engine."""
    collector, _, channel = traced
    source = position_source()
    hard = v1.ChoosePlayRequest(position=source, dice=v1.Dice(die1=5, die2=3), level=v1.LEVEL_HARD)
    items = [
        v1.BulkItem(id=1, evaluate=v1.EvaluateRequest(position=source, depth=v1.DEPTH_PLY3)),
        v1.BulkItem(id=2, choose_play=hard),
        v1.BulkItem(id=3, count_pips=v1.CountPipsRequest()),
        v1.BulkItem(id=4, score_game=v1.ScoreGameRequest()),
        v1.BulkItem(id=5),
    ]
    for item in items:
        item.priority = v1.BULK_PRIORITY_INTERACTIVE
    process = v1.BulkServiceStub(channel).Process
    assert 5 == sum(len(each.results) for each in process(iter([v1.BulkRequest(items=items)]), **sampled()))
    stream = collector.await_span("bgbot.v1.BulkService/Process")
    below = {seen.attributes["bgbot.bulk.id"]: seen for seen in collector.below(stream)}
    assert {1: "OK", 2: "OK", 3: "INVALID_ARGUMENT", 4: "INTERNAL", 5: "INVALID_ARGUMENT"} == {
        number: seen.attributes["rpc.response.status_code"] for number, seen in below.items()
    }
    assert ("item evaluate", "PLY3") == (below[1].span.name, below[1].attributes["bgbot.level"])
    assert "HARD" == below[2].attributes["bgbot.level"]
    assert [] == names(collector.below(below[2]))


def test_every_worker_sends_what_waits_before_it_ends() -> None:
    """Each has a provider of its own, and nothing it has traced is lost with it."""
    with collecting() as collector:
        arguments = ("--workers", "2", "--tracing.endpoint", collector.address)
        with running(*arguments) as daemon, ExitStack() as opened:
            options = [("grpc.use_local_subchannel_pool", 1)]
            for _ in range(16):
                channel = opened.enter_context(grpc.insecure_channel(daemon.address, options))
                v1.BotServiceStub(channel).ListBots(v1.ListBotsRequest(), timeout=20, wait_for_ready=True)
            daemon.process.terminate()
            assert "stopped" == daemon.rest_of_log()[-1]["event"]
            assert 0 == daemon.process.wait(timeout=30)
        spans = collector.spans()
    assert 16 == names(spans).count("bgbot.v1.BotService/ListBots")
    assert 2 == len({seen.resource["service.instance.id"] for seen in spans})


def test_spans_go_encrypted_to_a_collector_that_the_variables_authority_vouches_for(tmp_path: Path) -> None:
    """By https in the address, and OpenTelemetry's own names for what else it takes."""
    authority = Authority(tmp_path / "authority")
    pair = authority.sign("collector")
    credentials = grpc.ssl_server_credentials([(pair.key.read_bytes(), pair.certificate.read_bytes())])
    with collecting(credentials) as collector:
        variables = {"OTEL_EXPORTER_OTLP_CERTIFICATE": str(authority.certificate), "OTEL_SERVICE_NAME": "dice-room"}
        with running("--tracing.endpoint", collector.address, environment=variables) as daemon:
            with grpc.insecure_channel(daemon.address) as channel:
                v1.RulesServiceStub(channel).StartGame(v1.StartGameRequest(), timeout=20)
            daemon.process.terminate()
            assert 0 == daemon.process.wait(timeout=30)
        [seen] = collector.spans()
    assert ("bgbot.v1.RulesService/StartGame", "dice-room") == (seen.span.name, seen.resource["service.name"])


def test_a_collector_that_does_not_answer_holds_nothing_up() -> None:
    """Calls are answered, the stop takes no longer than its few seconds, and the log says what was lost."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        endpoint = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with running(environment={"OTEL_EXPORTER_OTLP_ENDPOINT": endpoint}) as daemon:
            with grpc.insecure_channel(daemon.address) as channel:
                assert v1.RulesServiceStub(channel).StartGame(v1.StartGameRequest(), timeout=20).dice.die1
            daemon.process.terminate()
            assert "traces lost" in {line["event"] for line in daemon.rest_of_log()}
            assert 0 == daemon.process.wait(timeout=30)


WITHOUT = """
import sys
sys.modules["opentelemetry"] = None
from bgbotd.cli import main
main()
"""
"""The program where the extra is not installed."""


@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize(
    ("key", "flags", "variables"),
    [
        ("tracing.endpoint", ["--tracing.endpoint", "http://127.0.0.1:4317"], {}),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", [], {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4317"}),
    ],
)
def test_without_the_extra_the_start_stops_by_the_settings_name(
    key: str, flags: list[str], variables: dict[str, str], workers: str
) -> None:
    """Whoever asks for traces must not believe that there are any."""
    stopped = subprocess.run(
        [sys.executable, "-c", WITHOUT, "serve", "--listen", "127.0.0.1:0", "--workers", workers, *flags],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert (2, f"bgbotd: {key}: traces need the extra tracing, which is not installed: bgbotd[tracing]\n") == (
        stopped.returncode,
        stopped.stderr,
    )


@pytest.mark.parametrize(
    ("settings", "variables", "key"),
    [
        (Tracing(), {}, ""),
        (Tracing("http://127.0.0.1:4317"), {}, "tracing.endpoint"),
        (Tracing("http://127.0.0.1:4317"), {"OTEL_SDK_DISABLED": "true"}, ""),
        (Tracing(), {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://a:1"}, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"),
        (Tracing(), {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://a:1", "OTEL_TRACES_EXPORTER": "none"}, ""),
    ],
)
def test_open_telemetrys_own_variables_switch_traces_on_and_off(
    monkeypatch: pytest.MonkeyPatch, settings: Tracing, variables: dict[str, str], key: str
) -> None:
    """Whoever runs everything with them need not learn another name."""
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert key == asked_for_by(settings)


def test_only_the_first_requests_of_a_stream_have_spans() -> None:
    """A trace with a million of them opens nowhere."""
    traces = Mock()
    spans = ItemSpans(traces)
    for number in range(MOST_ITEM_SPANS + 1):
        spans.begin("evaluate", number)
        spans.end(number, "OK")
    assert (MOST_ITEM_SPANS, MOST_ITEM_SPANS) == (traces.begin_item.call_count, traces.end_item.call_count)


async def test_many_callers_at_once_are_all_answered_while_every_call_is_traced() -> None:
    """What sends the spans shares a process with the server, and neither waits for the other."""
    request = v1.EvaluateRequest(position=position_source(), depth=v1.DEPTH_STATIC)
    with (
        collecting() as collector,
        running("--tracing.endpoint", collector.address, "--tracing.sample-ratio", "1") as daemon,
    ):
        async with grpc.aio.insecure_channel(daemon.address) as channel:
            call = v1.EvaluationServiceStub(channel).Evaluate

            async def call_on() -> list[int]:
                return [(await call(request, timeout=30)).player_pips for _ in range(25)]

            answers = await asyncio.gather(*(call_on() for _ in range(64)))
        daemon.process.terminate()
        assert 0 == daemon.process.wait(timeout=30)
        spans = names(collector.spans())
    assert [[167] * 25] * 64 == answers
    assert 64 * 25 == spans.count("bgbot.v1.EvaluationService/Evaluate")
