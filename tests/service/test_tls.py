"""Who gets in over TLS, and that certificates change without anybody noticing."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import grpc
import pytest
from bgbot import position_source, v1
from grpc_health.v1 import health_pb2

from bgbotd.config import Settings, Tls, WrongSettings
from bgbotd.service import server
from bgbotd.service.tls import Certificates
from tests.service.certificates import Authority, Pair
from tests.service.health_stub import HealthStub

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    """Make up an authority."""
    return Authority(tmp_path_factory.mktemp("tls") / "ours")


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    """Make up another authority."""
    return Authority(tmp_path_factory.mktemp("tls") / "theirs")


@asynccontextmanager
async def serving(tls: Tls) -> AsyncIterator[str]:
    """Serve and give the name that certificates are for."""
    daemon = await server.start(Settings(listen="127.0.0.1:0", tls=tls))
    try:
        yield f"localhost:{daemon.address.rpartition(':')[2]}"
    finally:
        await daemon.drain(grace_seconds=0)


def channel(address: str, authority: Authority, client: Pair | None = None) -> grpc.aio.Channel:
    """Open a connection of its own that trusts an authority."""
    pair = (client.key.read_bytes(), client.certificate.read_bytes()) if client else (None, None)
    credentials = grpc.ssl_channel_credentials(authority.certificate.read_bytes(), *pair)
    return grpc.aio.secure_channel(address, credentials, options=[("grpc.use_local_subchannel_pool", 1)])


async def outcome(connection: grpc.aio.Channel) -> grpc.StatusCode:
    """Make a call and say how it ended."""
    request = v1.CountPipsRequest(position=position_source())
    async with connection:
        call = v1.EvaluationServiceStub(connection).CountPips(request, timeout=20)
        return await call.code()


async def test_only_who_trusts_the_authority_gets_in(ours: Authority, theirs: Authority) -> None:
    """Neither plain text nor another authority will do."""
    pair = ours.sign("server")
    async with serving(Tls(pair.certificate, pair.key)) as address:
        assert grpc.StatusCode.OK == await outcome(channel(address, ours))
        assert grpc.StatusCode.UNAVAILABLE == await outcome(channel(address, theirs))
        assert grpc.StatusCode.UNAVAILABLE == await outcome(grpc.aio.insecure_channel(address))


async def test_with_client_certificates_only_those_of_the_authority_get_in(ours: Authority, theirs: Authority) -> None:
    """Neither no certificate nor one that somebody else has signed will do."""
    pair = ours.sign("server")
    async with serving(Tls(pair.certificate, pair.key, client_ca=ours.certificate)) as address:
        assert grpc.StatusCode.OK == await outcome(channel(address, ours, ours.sign("client")))
        assert grpc.StatusCode.UNAVAILABLE == await outcome(channel(address, ours))
        assert grpc.StatusCode.UNAVAILABLE == await outcome(channel(address, ours, theirs.sign("client")))


def put(pair: Pair, place: Pair) -> None:
    """Replace files as those do who replace certificates: at once, one after the other."""
    for source, target in ((pair.certificate, place.certificate), (pair.key, place.key)):
        fresh = target.with_suffix(".new")
        fresh.write_bytes(source.read_bytes())
        fresh.replace(target)


async def test_new_certificates_are_taken_up_without_breaking_a_connection(
    ours: Authority, theirs: Authority, tmp_path: Path
) -> None:
    """A stream that is open goes on; who comes later sees the new certificate."""
    place = Pair(tmp_path / "server.pem", tmp_path / "key.pem")
    put(ours.sign("old"), place)
    async with serving(Tls(place.certificate, place.key)) as address, channel(address, ours) as before:
        watch = HealthStub(before).watch(health_pb2.HealthCheckRequest(service="liveness"))
        await anext(aiter(watch))
        put(theirs.sign("new"), place)
        assert grpc.StatusCode.OK == await outcome(channel(address, theirs))
        assert grpc.StatusCode.UNAVAILABLE == await outcome(channel(address, ours))
        answer = await HealthStub(before).check(health_pb2.HealthCheckRequest())
        assert health_pb2.HealthCheckResponse.SERVING == answer.status
        assert not watch.done()


async def test_certificates_that_cannot_be_used_leave_the_last_ones_in_force(ours: Authority, tmp_path: Path) -> None:
    """A key that is late, a file that is gone: nobody is sent away for it."""
    place = Pair(tmp_path / "server.pem", tmp_path / "key.pem")
    put(ours.sign("old"), place)
    async with serving(Tls(place.certificate, place.key)) as address:
        place.key.write_bytes(ours.sign("other").key.read_bytes())
        assert grpc.StatusCode.OK == await outcome(channel(address, ours))
        place.certificate.unlink()
        assert grpc.StatusCode.OK == await outcome(channel(address, ours))


def test_certificates_that_cannot_be_used_stop_the_start(ours: Authority, tmp_path: Path) -> None:
    """A daemon that nobody can reach must not look as if it served."""
    first, second = ours.sign("first"), ours.sign("second")
    for tls in (Tls(first.certificate, second.key), Tls(first.certificate, tmp_path / "nothing.pem")):
        with pytest.raises(WrongSettings, match="tls: "):
            Certificates(tls)
