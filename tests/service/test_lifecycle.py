"""Binding, health and draining."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import grpc
import pytest
from bgbot.v1.evaluation_service_pb2 import CountPipsRequest
from bgbot.v1.evaluation_service_pb2_grpc import EvaluationServiceStub
from bgbot.v1.position_pb2 import PositionSource
from grpc_health.v1 import health_pb2

from bgbotd.config import Settings
from bgbotd.service import server
from tests.service.health_stub import HealthStub
from tests.service.running import running

if TYPE_CHECKING:
    from collections.abc import Sequence

BGBOTD = Path(sys.executable).with_name("bgbotd")
SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the program to its end."""
    return subprocess.run([BGBOTD, *arguments], capture_output=True, text=True, timeout=30, check=False)


def test_grpc_knows_how_the_daemon_has_it_read_calls() -> None:
    """A release that has dropped the choice would only say so where nobody listens."""
    variables = {**os.environ, "GRPC_EXPERIMENTS": server.LISTENER, "GRPC_VERBOSITY": "DEBUG"}
    code = "import grpc; grpc.insecure_channel('127.0.0.1:1').close()"
    said = subprocess.run([sys.executable, "-c", code], env=variables, capture_output=True, text=True, check=True)
    assert "Unknown experiment" not in said.stderr


def test_a_taken_port_is_a_loud_error(daemon: str) -> None:
    """A second daemon on the same port says so and fails."""
    second = run("serve", "--listen", daemon)
    assert 1 == second.returncode
    assert f"cannot listen on {daemon}" in second.stderr
    assert "Traceback" not in second.stderr


def test_an_address_that_is_none_is_a_loud_error() -> None:
    """A listen address without a port is refused."""
    refused = run("serve", "--listen", "localhost")
    assert 2 == refused.returncode
    assert "HOST:PORT" in refused.stderr


@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_to_stop_drains_and_ends_with_zero(number: signal.Signals, workers: str) -> None:
    """SIGTERM is the ordinary way to stop, Ctrl-C and a terminal that is closed do the same."""
    command = [str(BGBOTD), "serve", "--listen", "127.0.0.1:0", "--workers", workers]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        lines = iter(process.stderr)
        serving = json.loads(next(lines))
        while serving["event"] != "serving":  # workers may speak first
            serving = json.loads(next(lines))
        process.send_signal(number)
        events = [json.loads(line)["event"] for line in lines]
        assert (0, "stopped") == (process.wait(timeout=30), events[-1])
        assert "draining" in events


@pytest.mark.parametrize("workers", ["1", "2"])
def test_whoever_closes_the_standard_streams_is_served_all_the_same(workers: str) -> None:
    """Nobody sees the log then, and no connection gets the number of one of them."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"127.0.0.1:{free.getsockname()[1]}"
    command = [str(BGBOTD), "serve", "--listen", address, "--workers", workers]
    with (
        subprocess.Popen(["/bin/sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", *command]) as process,
        grpc.insecure_channel(address, [("grpc.max_reconnect_backoff_ms", 100)]) as channel,
    ):
        grpc.channel_ready_future(channel).result(timeout=30)
        process.send_signal(signal.SIGTERM)
        assert 0 == process.wait(timeout=30)


def test_metrics_that_cannot_be_served_are_a_loud_error(daemon: str) -> None:
    """In one line, without a word of gRPC's about what had begun."""
    refused = run("serve", "--listen", "127.0.0.1:0", "--metrics-listen", daemon, "--workers", "1")
    assert 1 == refused.returncode
    assert [f"bgbotd: cannot serve metrics on {daemon}"] == [
        line.partition(": [")[0] for line in refused.stderr.splitlines()
    ]


def test_a_port_open_to_others_without_tls_is_said_at_each_start() -> None:
    """Whoever reads the log knows."""
    with running("--insecure", listen="0.0.0.0:0") as daemon:
        assert "warning" == daemon.await_event("insecure")["level"]


async def test_a_health_watch_hears_of_the_drain_and_does_not_hold_it_up() -> None:
    """An open watch is told NOT_SERVING and ended well before the grace is over."""
    daemon = await server.start(Settings(listen="127.0.0.1:0"))
    async with grpc.aio.insecure_channel(daemon.address) as channel:
        watch = HealthStub(channel).watch(health_pb2.HealthCheckRequest())
        answers = aiter(watch)
        first = await anext(answers)
        await asyncio.wait_for(daemon.drain(grace_seconds=30), timeout=10)
        states = [first.status, *[answer.status async for answer in answers]]
    assert (SERVING, NOT_SERVING) == (states[0], states[-1])


async def test_who_comes_while_it_drains_is_sent_elsewhere() -> None:
    """The status is the one that clients try again with."""
    daemon = await server.start(Settings(listen="127.0.0.1:0"))
    await daemon.admission.drain()
    async with grpc.aio.insecure_channel(daemon.address) as channel:
        call = EvaluationServiceStub(channel).CountPips(CountPipsRequest(), timeout=20)
        assert (grpc.StatusCode.UNAVAILABLE, "The server is stopping; send the request to another one.") == (
            await call.code(),
            await call.details(),
        )
    await daemon.drain(grace_seconds=0)


async def test_liveness_outlives_the_drain() -> None:
    """Draining must not make an orchestrator restart the process."""
    daemon = await server.start(Settings(listen="127.0.0.1:0"))
    daemon.health.drain()
    async with grpc.aio.insecure_channel(daemon.address) as channel:
        stub = HealthStub(channel)
        live = await stub.check(health_pb2.HealthCheckRequest(service="liveness"))
        ready = await stub.check(health_pb2.HealthCheckRequest(service="bgbot.v1.BotService"))
    await daemon.server.stop(0)
    assert (SERVING, NOT_SERVING) == (live.status, ready.status)


async def call_with_id(metadata: Sequence[tuple[str, str]]) -> str:
    """Count pips and give the request id that came back."""
    daemon = await server.start(Settings(listen="127.0.0.1:0"))
    async with grpc.aio.insecure_channel(daemon.address) as channel:
        call = EvaluationServiceStub(channel).CountPips(
            CountPipsRequest(position=PositionSource(gnubg_id="4HPwATDgc/ABMA")), metadata=metadata
        )
        assert 167 == (await call).player_pips
        trailing = dict(await call.trailing_metadata())
    await daemon.server.stop(0)
    return str(trailing["x-request-id"])


async def test_a_request_id_comes_back() -> None:
    """The caller's own id is kept, so that both logs can be read side by side."""
    assert "table-7.game:3" == await call_with_id([("x-request-id", "table-7.game:3")])


async def test_a_request_id_that_is_no_plain_word_is_replaced() -> None:
    """Nothing a caller sends can forge a log line."""
    assert 32 == len(await call_with_id([("x-request-id", 'x" , "level": "error')]))
