"""Who gets in over TLS, and that certificates change without anybody noticing."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import asynccontextmanager
from functools import partial
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
from tests.service.running import running

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
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


def channel(address: str, trusted: Authority | bytes, client: Pair | None = None) -> grpc.aio.Channel:
    """Open a connection of its own that trusts an authority, or several."""
    roots = trusted if isinstance(trusted, bytes) else trusted.certificate.read_bytes()
    pair = (client.key.read_bytes(), client.certificate.read_bytes()) if client else (None, None)
    credentials = grpc.ssl_channel_credentials(roots, *pair)
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
    replace(place.certificate, pair.certificate.read_bytes())
    replace(place.key, pair.key.read_bytes())


def replace(file: Path, content: bytes) -> None:
    """Put something else in the place of a file."""
    fresh = file.with_suffix(".new")
    fresh.write_bytes(content)
    fresh.replace(file)


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


class Client:
    """Calls without end: over one connection, or over a new one for each call."""

    def __init__(self, open_channel: Callable[[], grpc.aio.Channel], *, stays: bool) -> None:
        """Hold how to connect."""
        self._open = open_channel
        self._stays = stays
        self._answered = asyncio.Semaphore(0)
        self.codes: Counter[grpc.StatusCode] = Counter()

    async def call_on(self) -> None:
        """Call until cancelled, and count how it went."""
        while True:
            async with self._open() as connection:
                stub = v1.EvaluationServiceStub(connection)
                while True:
                    call = stub.CountPips(v1.CountPipsRequest(position=position_source()), timeout=20)
                    self.codes[await call.code()] += 1
                    self._answered.release()
                    if not self._stays:
                        break

    async def await_answers(self, count: int) -> None:
        """Wait for so many answers more."""
        while not self._answered.locked():
            await self._answered.acquire()
        for _ in range(count):
            await self._answered.acquire()


async def test_certificates_change_under_load_without_one_failed_call(
    ours: Authority, theirs: Authority, tmp_path: Path
) -> None:
    """Old connections and new ones, two workers, and the clients' authorities change as well."""
    place, authorities = Pair(tmp_path / "server.pem", tmp_path / "key.pem"), tmp_path / "authorities.pem"
    both = ours.certificate.read_bytes() + theirs.certificate.read_bytes()
    pairs = [authority.sign(f"server-{number}") for number in range(3) for authority in (ours, theirs)]
    put(pairs[0], place)
    authorities.write_bytes(ours.certificate.read_bytes())
    flags = {"certificate": place.certificate, "key": place.key, "client-ca": authorities}
    arguments = [word for name, path in flags.items() for word in (f"--tls.{name}", str(path))]
    with running("--workers", "2", *arguments) as daemon:
        address = f"localhost:{daemon.address.rpartition(':')[2]}"
        client = ours.sign("client")
        clients = [Client(partial(channel, address, both, client), stays=stays) for stays in (True, True, False, False)]
        calling = [asyncio.create_task(each.call_on()) for each in clients]
        for number, pair in enumerate(pairs[1:], 1):
            put(pair, place)
            replace(authorities, both if number % 2 else ours.certificate.read_bytes())
            await asyncio.gather(*(each.await_answers(20) for each in clients))
            served = (theirs if number % 2 else ours).certificate.read_bytes()
            assert grpc.StatusCode.OK == await outcome(channel(address, served, client))
        for task in calling:
            task.cancel()
        await asyncio.gather(*calling, return_exceptions=True)
    assert [{grpc.StatusCode.OK}] * 4 == [set(each.codes) for each in clients]


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
