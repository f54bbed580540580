"""Callers that behave badly, over and over, while others want their answers. All of them know the daemon's TLS."""

from __future__ import annotations

import asyncio
import gc
import itertools
import socket
import ssl
import sys
from collections import Counter
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import grpc
from bgbot import v1

from tests.campaigns.frames import call, hello, message
from tests.campaigns.target import BEARER
from tests.campaigns.vanishing import ROLLOUT, bulk_requests, credentials

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path
    from random import Random

_OWN_CONNECTION = (("grpc.use_local_subchannel_pool", 1),)
_HALF_OPEN = 10
_PATIENCE_SECONDS = 60.0


@dataclass(slots=True)
class Disturbers:
    """What they need, and what they have done."""

    address: str
    """localhost:PORT, for which the certificate is."""
    folder: Path
    """Certificates of the authority that the daemon trusts."""
    foreign: Path
    """Certificates of another one."""
    random: Random
    done: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def tasks(self) -> list[Awaitable[None]]:
        """Give all of them, each of which goes on until it is cancelled."""
        return [
            self._again(5, self.vanish),
            self._again(5, self.stay_half_open),
            self._again(4, self.show_bad_certificates),
            self._again(2, self.cancel_a_rollout),
            self._again(8, self.leave_bulk_unread),
        ]

    async def _again(self, seconds: float, disturb: Callable[[], Awaitable[None]]) -> None:
        """Do it about every so many seconds."""
        for _ in itertools.count():
            await asyncio.sleep(2 * seconds * self.random.random())
            await disturb()
            self.done[disturb.__name__] += 1
            gc.collect()  # a cancelled stream of grpc.aio keeps its connection until then

    async def vanish(self) -> None:
        """Run a client and kill it in the middle of everything."""
        program = [sys.executable, "-m", "tests.campaigns.vanishing", self.address, str(self.folder)]
        process = await asyncio.create_subprocess_exec(
            *program, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL
        )
        try:
            assert process.stdout is not None
            if not await asyncio.wait_for(process.stdout.readline(), _PATIENCE_SECONDS):
                self.wrong.append("a client that should vanish ended by itself")
            await asyncio.sleep(self.random.random())
        finally:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()

    async def stay_half_open(self) -> None:
        """Hold connections with nothing on them, half a TLS handshake, and half a call within TLS."""
        with ExitStack() as held:
            for _ in range(_HALF_OPEN):
                await asyncio.to_thread(self._half_open, held)
            await asyncio.sleep(20 * self.random.random())

    def _half_open(self, held: ExitStack) -> None:
        """Open one."""
        host, _, port = self.address.rpartition(":")
        plain = held.enter_context(socket.create_connection((host, int(port)), timeout=10))
        kind = self.random.randrange(3)
        if kind == 1:
            plain.sendall(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + self.random.randbytes(100))
        elif kind == 2:
            context = ssl.create_default_context(cafile=str(self.folder / "authority.pem"))
            context.load_cert_chain(self.folder / "client.pem", self.folder / "client-key.pem")
            context.set_alpn_protocols(["h2"])
            wrapped = held.enter_context(context.wrap_socket(plain, server_hostname=host))
            whole = hello() + call(1, "/bgbot.v1.BotService/ChoosePlay", message(b"x" * 100))
            wrapped.sendall(whole[: self.random.randrange(len(whole))])

    async def show_bad_certificates(self) -> None:
        """Come with another authority's certificate, or in plain text; neither must get in."""
        host_options = [*_OWN_CONNECTION]
        foreign = credentials(self.foreign, "client")
        for channel in (
            grpc.aio.secure_channel(self.address, foreign, options=host_options),
            grpc.aio.insecure_channel(self.address, options=host_options),
        ):
            async with channel:
                try:
                    await v1.BotServiceStub(channel).ListBots(v1.ListBotsRequest(), timeout=10, metadata=BEARER)
                    self.wrong.append("somebody got in with a bad certificate")
                except grpc.aio.AioRpcError as error:
                    if error.code() not in {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED}:
                        self.wrong.append(f"a bad certificate was told {error.code().name}")

    async def cancel_a_rollout(self) -> None:
        """Give it up after its first state."""
        async with self._channel() as channel:
            rollout = v1.EvaluationServiceStub(channel).Rollout(ROLLOUT, metadata=BEARER, timeout=_PATIENCE_SECONDS)
            try:
                await anext(aiter(rollout))
            except grpc.aio.AioRpcError as error:
                if error.code() is not grpc.StatusCode.RESOURCE_EXHAUSTED:
                    self.wrong.append(f"a rollout that should begin: {error.code().name} {error.details()}")
            rollout.cancel()

    async def leave_bulk_unread(self) -> None:
        """Ask more than a stream holds and read nothing for a while; then go, or read all of it."""
        async with self._channel() as channel:
            stream = v1.BulkServiceStub(channel).Process(metadata=BEARER, timeout=_PATIENCE_SECONDS)
            asked = 0
            with suppress(TimeoutError):
                async with asyncio.timeout(2 + 3 * self.random.random()):
                    for request in bulk_requests(20, 500):
                        await stream.write(request)
                        asked += len(request.items)
            if self.random.random() < 0.5 or asked < 10_000:
                stream.cancel()
                return
            await stream.done_writing()
            answered = 0
            async for response in stream:
                answered += len(response.results)
            if answered != asked:
                self.wrong.append(f"{asked} asked in Bulk, {answered} answered")

    def _channel(self) -> grpc.aio.Channel:
        """Open a connection of its own."""
        return grpc.aio.secure_channel(self.address, credentials(self.folder, "client"), options=[*_OWN_CONNECTION])
