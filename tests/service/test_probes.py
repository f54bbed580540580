"""Health at an address of its own, for probes that know neither TLS nor tokens."""

from __future__ import annotations

import asyncio
import subprocess
from typing import TYPE_CHECKING

import grpc
import pytest
from bgbot import position_source, v1
from grpc_health.v1 import health_pb2

from bgbotd.config import Settings
from bgbotd.service import server
from tests.service.certificates import Authority
from tests.service.health_stub import HealthStub
from tests.service.running import BGBOTD, running

if TYPE_CHECKING:
    from pathlib import Path


def health(*flags: str) -> tuple[int, str]:
    """Run `bgbotd health`, and give its status and what it says."""
    asked = subprocess.run([BGBOTD, "health", *flags], capture_output=True, text=True, timeout=30, check=False)
    return asked.returncode, (asked.stdout + asked.stderr).partition(":")[0].strip()


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_probe_without_a_certificate_is_answered_where_calls_need_one(tmp_path: Path, workers: str) -> None:
    """Kubernetes' own probes have none."""
    authority = Authority(tmp_path / "authority")
    pair = authority.sign("server")
    tls = ("--tls.certificate", str(pair.certificate), "--tls.key", str(pair.key))
    mutual = ("--tls.client-ca", str(authority.certificate))
    with running(*tls, *mutual, "--health-listen", "127.0.0.1:0", "--workers", workers) as daemon:
        address = daemon.serving["health"]
        assert (0, "SERVING") == health("--health-listen", address)
        assert (0, "SERVING") == health("--health-listen", address, "--liveness")
        with grpc.insecure_channel(address) as channel:
            call = v1.EvaluationServiceStub(channel).CountPips.with_call
            with pytest.raises(grpc.RpcError) as refused:
                call(v1.CountPipsRequest(position=position_source()), timeout=20)
        assert grpc.StatusCode.UNIMPLEMENTED == refused.value.code()


async def test_a_probe_hears_of_the_drain_and_that_the_process_lives() -> None:
    """Until the engine is closed, whatever asks for liveness is told that nothing is wrong."""
    settings = v1.RolloutSettings(trials=1_000_000, truncate_after_plies=1)
    daemon = await server.start(Settings(listen="127.0.0.1:0", health_listen="127.0.0.1:0"))
    async with (
        grpc.aio.insecure_channel(daemon.address) as other,
        grpc.aio.insecure_channel(daemon.health_address) as channel,
    ):
        rollout = v1.EvaluationServiceStub(other).Rollout(
            v1.RolloutRequest(position=position_source(), settings=settings)
        )
        await rollout.read()  # from here on it holds the drain up
        watch = HealthStub(channel).watch(health_pb2.HealthCheckRequest())
        answers = aiter(watch)
        assert health_pb2.HealthCheckResponse.SERVING == (await anext(answers)).status
        draining = asyncio.create_task(daemon.drain(grace_seconds=30))
        assert health_pb2.HealthCheckResponse.NOT_SERVING == (await anext(answers)).status
        live = await HealthStub(channel).check(health_pb2.HealthCheckRequest(service="liveness"))
        assert health_pb2.HealthCheckResponse.SERVING == live.status
        rollout.cancel()
        await draining


def test_the_daemon_s_own_address_is_asked_where_there_is_no_other(daemon: str) -> None:
    """Without TLS it will do."""
    assert (0, "SERVING") == health("--listen", daemon)
    assert (0, "SERVING") == health("--listen", daemon.replace("127.0.0.1", "0.0.0.0"), "--insecure")  # noqa: S104 - not bound


def test_a_daemon_that_is_not_there_does_not_serve() -> None:
    """Nothing listens on the first port."""
    assert (1, "UNAVAILABLE") == health("--listen", "127.0.0.1:1")


def test_with_tls_alone_there_is_nothing_to_ask(tmp_path: Path) -> None:
    """Whoever has set it up so is told which setting is missing, whether the files are there or not."""
    tls = ("--tls.certificate", str(tmp_path / "server.pem"), "--tls.key", str(tmp_path / "key.pem"))
    assert (2, "bgbotd") == health(*tls)


def test_an_address_for_health_that_is_taken_stops_the_start(daemon: str) -> None:
    """As the daemon's own would."""
    for workers in ("1", "2"):
        command = [BGBOTD, "serve", "--listen", "127.0.0.1:0", "--health-listen", daemon, "--workers", workers]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
        assert 1 == ended.returncode
        assert f"cannot listen on {daemon}" in ended.stderr
