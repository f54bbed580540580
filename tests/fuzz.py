"""Throw arbitrary and damaged messages at every method of a running daemon.

Every answer must be an answer or a refusal with a reason; INTERNAL, UNKNOWN or a dead daemon ends the
run with status 1 and the bytes that did it. So does memory or a number of open files that grows.
"""

from __future__ import annotations

import argparse
import asyncio
import collections
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import grpc
from bgbot import v1

from tests.campaigns.target import BEARER, Target, target
from tests.service.arbitrary_messages import arbitrary_message, mutated
from tests.service.test_arbitrary_messages import BULK_KINDS, METHODS

if TYPE_CHECKING:
    from collections.abc import Iterator

FORBIDDEN = {grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN, grpc.StatusCode.UNAVAILABLE}
IN_FLIGHT = 64
REPORT_EVERY = 50_000
ROLLOUT, BULK = "/bgbot.v1.EvaluationService/Rollout", "/bgbot.v1.BulkService/Process"
ROLLOUT_SHARE, BULK_SHARE = 0.01, 0.05
"""Of the calls; a rollout that begins takes the engine until its first state."""
DAMAGED = 0.5
"""Share of the messages that are damaged."""
IMPATIENT = 0.05
"""Share of the calls whose caller gives up within a twentieth of a second."""


NEVER_SENT = "Internal error from Core"
"""What grpc.aio itself says of a stream whose time was up before it was sent; or it raises CancelledError."""


class Found(Exception):
    """A message that broke something."""


class Fuzzer:
    """Makes calls, and counts how they end."""

    def __init__(self, channel: grpc.aio.Channel, seed: int) -> None:
        """Call over a channel; the same seed makes the same messages."""
        self._seed = seed
        self._unary: list[grpc.aio.UnaryUnaryMultiCallable[bytes, bytes]] = [
            channel.unary_unary(f"/{method.containing_service.full_name}/{method.name}", request_serializer=bytes)
            for method in METHODS
        ]
        self._rollout: grpc.aio.UnaryStreamMultiCallable[bytes, bytes] = channel.unary_stream(
            ROLLOUT, request_serializer=bytes
        )
        self._bulk: grpc.aio.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream(
            BULK, request_serializer=bytes
        )
        self.codes: collections.Counter[str] = collections.Counter()
        self.messages = 0

    async def call(self, number: int) -> None:
        """Make one call.

        Raises:
            Found: if it ends as none may.

        """
        generator = random.Random(self._seed * 10**9 + number)
        seconds = generator.random() / 20 if generator.random() < IMPATIENT else 60
        kind = generator.random()
        if kind < BULK_SHARE:
            sent = [_bulk_message(generator) for _ in range(generator.randint(1, 3))]
            await self._ended("Process", self._process(sent, seconds), b"".join(sent))
        elif kind < BULK_SHARE + ROLLOUT_SHARE:
            payload = _damaged(
                arbitrary_message(v1.RolloutRequest.DESCRIPTOR, generator).SerializeToString(), generator
            )
            await self._ended("Rollout", self._first_state(payload, seconds), payload)
        else:
            which = generator.randrange(len(METHODS))
            message = arbitrary_message(METHODS[which].input_type, generator)
            payload = _damaged(message.SerializeToString(), generator)
            await self._ended(METHODS[which].name, self._answer(which, payload, seconds), payload)

    async def _answer(self, which: int, payload: bytes, seconds: float) -> None:
        """Make a unary call."""
        await self._unary[which](payload, timeout=seconds, metadata=BEARER)
        self._count("OK")

    async def _first_state(self, payload: bytes, seconds: float) -> None:
        """Begin a rollout, and give it up after its first state."""
        call = self._rollout(payload, timeout=seconds, metadata=BEARER)
        await anext(aiter(call))
        call.cancel()
        self._count("OK")

    async def _process(self, sent: list[bytes], seconds: float) -> None:
        """Send a Bulk stream and read all its answers, each of which counts."""
        async for answer in self._bulk(iter(sent), timeout=seconds, metadata=BEARER):
            for result in v1.BulkResponse.FromString(answer).results:
                code = _name(result.error.code)
                if code in {each.name for each in FORBIDDEN}:
                    raise Found(f"within Process: {code} {result.error.message} by {[each.hex() for each in sent]}")
                self._count(code)

    async def _ended(self, name: str, call: collections.abc.Coroutine[object, object, None], payload: bytes) -> None:
        """Wait for a call and count its failure."""
        try:
            await call
        except asyncio.CancelledError:
            self._count("CANCELLED")
        except grpc.aio.AioRpcError as error:
            if error.code() in FORBIDDEN and error.details() != NEVER_SENT:
                raise Found(f"{name}: {error.code().name} {error.details()} by {payload.hex()}") from None
            self._count("CANCELLED" if error.details() == NEVER_SENT else error.code().name)

    def _count(self, code: str) -> None:
        """Count a message that was answered."""
        self.codes[code] += 1
        self.messages += 1


def _name(code: int) -> str:
    """Give a code's name."""
    return next(each.name for each in grpc.StatusCode if each.value[0] == code)


def _damaged(payload: bytes, generator: random.Random) -> bytes:
    """Damage some."""
    return mutated(payload, generator) if generator.random() < DAMAGED else payload


def _bulk_message(generator: random.Random) -> bytes:
    """Make a message with some requests of any kind, of which one may cancel another."""
    message = v1.BulkRequest()
    for _ in range(generator.randrange(8)):
        item = message.items.add(id=generator.randrange(12), priority=generator.choice(list(v1.BulkPriority.values())))
        field = generator.choice(BULK_KINDS)
        assert field.message_type is not None
        getattr(item, field.name).CopyFrom(arbitrary_message(field.message_type, generator))
    payload = message.SerializeToString()
    return mutated(payload, generator) if generator.random() < DAMAGED / 4 else payload


async def fuzz(daemon: Target, messages: int, seconds: float, seed: int) -> list[str]:
    """Send messages until there were enough or time is up, and say what is wrong."""
    until = time.monotonic() + seconds
    held: list[tuple[float, int]] = []
    async with grpc.aio.insecure_channel(daemon.address) as channel:
        fuzzer = Fuzzer(channel, seed)
        numbers = _numbers(fuzzer, messages, until)

        async def send() -> None:
            for number in numbers:
                await fuzzer.call(number)
                if fuzzer.messages >= REPORT_EVERY * (len(held) + 1):
                    held.append((daemon.megabytes(), daemon.files()))
                    print(f"{fuzzer.messages:>9,} messages; {held[-1][0]:.0f} MB, {held[-1][1]} files", flush=True)

        await asyncio.gather(*(send() for _ in range(IN_FLIGHT)))
    print(f"{fuzzer.messages:,} messages: {dict(fuzzer.codes.most_common())}")
    return list(_growth(held))


def _numbers(fuzzer: Fuzzer, messages: int, until: float) -> Iterator[int]:
    """Give numbers until there were enough messages, or time is up."""
    number = 0
    while fuzzer.messages < messages and time.monotonic() < until:
        yield number
        number += 1


def _growth(held: list[tuple[float, int]]) -> Iterator[str]:
    """Say what has grown since the daemon was warm, a third through the run."""
    if len(held) < 3:
        return
    (warm_megabytes, warm_files), (megabytes, files) = held[len(held) // 3], held[-1]
    if megabytes > 1.1 * warm_megabytes:
        yield f"memory grew from {warm_megabytes:.0f} to {megabytes:.0f} MB"
    if files > warm_files + 8:
        yield f"open files grew from {warm_files} to {files}"


def main() -> int:
    """Start a daemon, fuzz it, stop it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=100_000, help="how many (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=120.0, help="stop after this time at the latest")
    parser.add_argument("--seed", type=int, default=1, help="the same makes the same messages")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, target(Path(folder)) as daemon:
        try:
            wrong = asyncio.run(fuzz(daemon, arguments.messages, arguments.seconds, arguments.seed))
        except Found as found:
            wrong = [str(found)]
    if daemon.process.returncode != 0:
        wrong.append(f"the daemon ended with {daemon.process.returncode}")
    wrong += [f"logged: {line}" for line in daemon.urgent[:3]]
    print(*wrong, sep="\n", end="\n" if wrong else "")
    print(f"daemon ended with {daemon.process.returncode}; {len(daemon.urgent)} lines of its log are urgent")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
