"""Throw arbitrary and damaged messages at every unary method of a running daemon.

Every answer must be an answer or a refusal with a reason; INTERNAL, UNKNOWN or a dead daemon ends the
run with status 1 and the bytes that did it. Memory of the daemon is printed from start to end.
"""

from __future__ import annotations

import argparse
import asyncio
import collections
import json
import random
import subprocess
import sys
import threading
import time
from pathlib import Path

import grpc

from tests.resident_memory import resident_megabytes
from tests.service.arbitrary_messages import arbitrary_message, mutated
from tests.service.test_arbitrary_messages import METHODS

FORBIDDEN = {grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN, grpc.StatusCode.UNAVAILABLE}
IN_FLIGHT = 64
REPORT_EVERY = 50_000


class Found(Exception):
    """A message that broke something."""


async def fuzz(address: str, messages: int, seconds: float, seed: int, process: int) -> None:
    """Send messages until there were enough or time is up."""
    codes: collections.Counter[str] = collections.Counter()
    numbers = iter(range(messages))
    until = time.monotonic() + seconds

    async with grpc.aio.insecure_channel(address) as channel:
        calls: list[grpc.aio.UnaryUnaryMultiCallable[bytes, bytes]] = [
            channel.unary_unary(f"/{method.containing_service.full_name}/{method.name}", request_serializer=bytes)
            for method in METHODS
        ]

        async def send() -> None:
            for number in numbers:
                if time.monotonic() > until:
                    return
                generator = random.Random(seed * 10**9 + number)
                which = generator.randrange(len(METHODS))
                payload = arbitrary_message(METHODS[which].input_type, generator).SerializeToString()
                if generator.random() < 0.5:
                    payload = mutated(payload, generator)
                code = grpc.StatusCode.OK
                try:
                    await calls[which](payload, timeout=30)
                except grpc.aio.AioRpcError as error:
                    code = error.code()
                    if code in FORBIDDEN:
                        message = f"{METHODS[which].full_name}: {code.name} {error.details()} by {payload.hex()}"
                        raise Found(message) from None
                codes[code.name] += 1
                if codes.total() % REPORT_EVERY == 0:
                    print(f"{codes.total():>9,} messages, daemon {resident_megabytes(process):.1f} MB", flush=True)

        await asyncio.gather(*(send() for _ in range(IN_FLIGHT)))
    print(f"{codes.total():,} messages: {dict(codes.most_common())}")


def main() -> int:
    """Start a daemon, fuzz it, stop it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=120.0, help="stop after this time at the latest")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    command = [str(Path(sys.executable).with_name("bgbotd")), "serve", "--listen", "127.0.0.1:0", "--log-level", "info"]
    with subprocess.Popen([*command], stderr=subprocess.PIPE, text=True) as daemon:
        assert daemon.stderr is not None
        address = json.loads(daemon.stderr.readline())["listen"]
        threading.Thread(target=daemon.stderr.read, daemon=True).start()  # a full pipe would hold the daemon up
        try:
            asyncio.run(fuzz(address, arguments.messages, arguments.seconds, arguments.seed, daemon.pid))
        except Found as found:
            print(found)
            return 1
        finally:
            daemon.terminate()
            status = daemon.wait(timeout=60)
    print(f"daemon ended with {status}")
    return status


if __name__ == "__main__":
    sys.exit(main())
