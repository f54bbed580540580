"""Several processes serve one port."""

from __future__ import annotations

import os
import pickle
import re
import signal
import subprocess
import sys
import urllib.request
from contextlib import ExitStack
from functools import partial
from operator import itemgetter
from queue import SimpleQueue
from typing import TYPE_CHECKING

import grpc
import pytest
from bgbot import position_source, v1
from grpc_health.v1 import health_pb2

from bgbotd.config import Settings
from bgbotd.service.workers import Orders
from tests.service.running import BGBOTD, running

if TYPE_CHECKING:
    from collections.abc import Iterator

CONNECTIONS = 16
"""So many that all of them at one of two workers are a matter of 1 in 32768."""


def connections(address: str, opened: ExitStack) -> list[grpc.Channel]:
    """Open connections, each of its own."""
    return [
        opened.enter_context(grpc.insecure_channel(address, [("grpc.use_local_subchannel_pool", 1)]))
        for _ in range(CONNECTIONS)
    ]


def count_pips(channel: grpc.Channel) -> int:
    """Make a call."""
    request = v1.CountPipsRequest(position=position_source())
    return v1.EvaluationServiceStub(channel).CountPips(request, timeout=20, wait_for_ready=True).player_pips


def watch_liveness(channel: grpc.Channel) -> grpc._CallIterator[health_pb2.HealthCheckResponse]:
    """Begin a stream that lasts until the worker drains."""
    watch: grpc.UnaryStreamMultiCallable[health_pb2.HealthCheckRequest, health_pb2.HealthCheckResponse] = (
        channel.unary_stream(
            "/grpc.health.v1.Health/Watch",
            health_pb2.HealthCheckRequest.SerializeToString,
            health_pb2.HealthCheckResponse.FromString,
        )
    )
    return watch(health_pb2.HealthCheckRequest(service="liveness"), timeout=50)


def scrape(address: str) -> str:
    """Read the metrics."""
    with urllib.request.urlopen(f"http://{address}/metrics", timeout=10) as answer:
        return str(answer.read().decode())


def calls_by_worker(metrics: str) -> dict[str, int]:
    """Read how many calls each worker has answered."""
    found = re.findall(r'^bgbotd_calls_total{.*worker="(.+?)".*} (.+)$', metrics, re.MULTILINE)
    return {worker: int(float(count)) for worker, count in found}


def test_a_worker_that_is_killed_costs_only_its_own_calls_and_comes_back() -> None:
    """Streams at the other worker go on; afterwards every connection is served again."""
    with ExitStack() as opened:
        daemon = opened.enter_context(running("--workers", "2", "--metrics-listen", "127.0.0.1:0"))
        victim = daemon.await_event("worker started")
        daemon.await_event("worker started")
        channels = connections(daemon.address, opened)
        assert {167} == set(map(count_pips, channels))
        lost = calls_by_worker(scrape(daemon.serving["metrics"]))[str(victim["worker"])]
        watches = list(map(watch_liveness, channels))
        for watch in watches:
            assert health_pb2.HealthCheckResponse.SERVING == next(watch).status
        ended: SimpleQueue[grpc.Call] = SimpleQueue()
        for watch in watches:
            watch.add_callback(partial(ended.put, watch))
        os.kill(victim["pid"], signal.SIGKILL)
        died, started = daemon.await_event("worker died"), daemon.await_event("worker started")
        assert (victim["worker"], -signal.SIGKILL) == (died["worker"], died["exit_code"])
        assert victim["worker"] == started["worker"]
        assert victim["pid"] != started["pid"]
        assert {grpc.StatusCode.UNAVAILABLE} == {ended.get(timeout=20).code() for _ in range(lost)}
        assert {167} == set(map(count_pips, channels))
        metrics = scrape(daemon.serving["metrics"])
        assert f'bgbotd_worker_restarts_total{{worker="{victim["worker"]}"}} 1.0' in metrics
        daemon.process.send_signal(signal.SIGTERM)
        assert "stopped" == daemon.rest_of_log()[-1]["event"]
        assert {grpc.StatusCode.OK} == {ended.get(timeout=20).code() for _ in watches[lost:]}
        assert 0 == daemon.process.wait(timeout=30)


def impatient(module: str) -> tuple[str, ...]:
    """Give the program with less patience for what says nothing."""
    program = f"import {module} as it; it._MOST_SILENT = 4; from bgbotd.cli import main; main()"
    return sys.executable, "-c", program


def test_a_worker_that_hangs_is_killed_and_comes_back() -> None:
    """It holds its connections and would never answer."""
    with ExitStack() as opened:
        daemon = opened.enter_context(running("--workers", "2", program=impatient("bgbotd.service.workers")))
        hung = daemon.await_event("worker started")
        os.kill(hung["pid"], signal.SIGSTOP)
        assert (hung["worker"], hung["pid"]) == itemgetter("worker", "pid")(daemon.await_event("worker silent"))
        assert -signal.SIGKILL == daemon.await_event("worker died")["exit_code"]
        assert hung["worker"] == daemon.await_event("worker started")["worker"]
        assert {167} == set(map(count_pips, connections(daemon.address, opened)))


def test_a_worker_that_does_not_get_ready_stops_the_start() -> None:
    """Nobody waits for it for ever."""
    program = "import bgbotd.service.workers as it; it._START_SECONDS = 0; from bgbotd.cli import main; main()"
    command = [sys.executable, "-c", program, "serve", "--workers", "2", "--listen", "127.0.0.1:0"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=50, check=False)
    assert (1, True) == (done.returncode, "was not ready within 0 s" in done.stderr)


def test_both_workers_get_connections_and_tell_their_metrics() -> None:
    """The kernel spreads connections, and the metrics say which worker got which calls."""
    with ExitStack() as opened:
        daemon = opened.enter_context(running("--workers", "2", "--metrics-listen", "127.0.0.1:0"))
        assert {167} == set(map(count_pips, connections(daemon.address, opened)))
        counts = calls_by_worker(scrape(daemon.serving["metrics"]))
    assert (["0", "1"], CONNECTIONS) == (sorted(counts), sum(counts.values()))


@pytest.fixture(scope="module")
def shared_address() -> Iterator[str]:
    """Run a daemon of two workers."""
    with running("--workers", "2") as daemon:
        yield daemon.address


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_second_daemon_on_the_port_fails(shared_address: str, workers: str) -> None:
    """However many workers it would have."""
    command = [BGBOTD, "serve", "--workers", workers, "--listen", shared_address]
    second = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert 1 == second.returncode
    assert f"cannot listen on {shared_address}" in second.stderr


def test_no_call_is_lost_while_the_workers_stop() -> None:
    """What is on its way is answered, or told to go elsewhere; nobody hears that a call of his was cancelled."""
    request = v1.EvaluateRequest(position=position_source(), depth=v1.DEPTH_PLY2)
    with ExitStack() as opened:
        daemon = opened.enter_context(running("--workers", "2", "--engine.cached-evaluations", "0"))
        channels = connections(daemon.address, opened)
        assert {167} == set(map(count_pips, channels))
        stubs = map(v1.EvaluationServiceStub, channels)
        calls = [stub.Evaluate.future(request, timeout=50) for stub in stubs for _ in range(10)]
        assert calls[0].result().stamp.elapsed
        daemon.process.send_signal(signal.SIGTERM)
        codes = {call.code() for call in calls}
        told = {grpc.StatusCode.OK, grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.UNAVAILABLE}
        assert codes <= told, codes
        assert grpc.StatusCode.OK in {call.code() for call in calls[1:]}


def test_no_worker_outlives_its_supervisor() -> None:
    """The log ends only when no process holds it any more."""
    with running("--workers", "2") as daemon:
        daemon.await_event("worker started")
        daemon.process.kill()
        assert ["stopped", "stopped"] == [line["event"] for line in daemon.rest_of_log() if line["event"] == "stopped"]


def test_a_worker_that_is_stopped_before_it_begins_ends() -> None:
    """A daemon that is stopped while it starts does not wait for the grace to pass."""
    orders = Orders(0, Settings(listen="127.0.0.1:0"), None)
    command = [sys.executable, "-P", "-c", "from bgbotd.service.worker import main; main()"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as worker:
        assert worker.stdin is not None
        assert worker.stdout is not None
        worker.stdin.write(pickle.dumps(orders))
        worker.stdin.flush()
        assert b"\n" == worker.stdout.readline()
        worker.terminate()
        assert 0 == worker.wait(timeout=30)
