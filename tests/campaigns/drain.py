"""Stop a daemon, and kill a worker, in the middle of everything, and count how each call ends.

SIGTERM finds hundreds of calls in flight, Bulk streams open and a rollout running; callers go on asking.
SIGKILL takes one of two workers from callers on many connections. The exit status is 1 when a call is lost:
neither answered nor told UNAVAILABLE; when the daemon does not end with 0 within its grace; when a
killed worker's callers are not answered again within two seconds, or others notice.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import sys
import time
from collections import Counter
from contextlib import AsyncExitStack, suppress
from random import Random

import grpc
from bgbot import v1

from bgbotd.rules import Position
from bgbotd.service import render
from tests.campaigns.vanishing import POSITION, ROLLOUT, bulk_requests
from tests.oracle.thrown import throw_position
from tests.service.running import Running, running

STREAMS, MESSAGES, ITEMS = 4, 10, 500
CONNECTIONS = 16
GRACE_SECONDS = 30
BACK_SECONDS = 2.0
_OWN_CONNECTION = (("grpc.use_local_subchannel_pool", 1),)
_TOLD = {"OK", "UNAVAILABLE", "RESOURCE_EXHAUSTED"}
"""How calls may end: those that the queue is too long for are refused at once, SIGTERM or not."""


async def _rank(channel: grpc.aio.Channel, number: int, depth: v1.Depth.ValueType) -> str:
    """Rank the plays of a roll in one of many positions, and say how that ended."""
    position = render.position(Position.unpacked(throw_position(Random(number)).packed()))
    request = v1.RankPlaysRequest(
        position=v1.PositionSource(position=position), dice=v1.Dice(die1=6, die2=number % 6 + 1), depth=depth
    )
    call = v1.EvaluationServiceStub(channel).RankPlays(request, timeout=120)
    return (await call.code()).name


async def _roll_out(channel: grpc.aio.Channel, begun: asyncio.Event) -> str:
    """Roll out until that ends."""
    call = v1.EvaluationServiceStub(channel).Rollout(ROLLOUT, timeout=120)
    with suppress(grpc.aio.AioRpcError):
        async for _ in call:
            begun.set()
    return (await call.code()).name


async def _process(channel: grpc.aio.Channel, begun: asyncio.Event, counts: Counter[str]) -> str:
    """Ask much on one stream, and count the answers; the rest is as the stream ended, and lost if that was well."""
    deep = v1.EvaluateRequest(position=POSITION, depth=v1.DEPTH_PLY3)
    last = v1.BulkRequest(items=[v1.BulkItem(id=MESSAGES * ITEMS + number, evaluate=deep) for number in range(100)])
    left = MESSAGES * ITEMS + len(last.items)
    stream = v1.BulkServiceStub(channel).Process(iter([*bulk_requests(MESSAGES, ITEMS), last]), timeout=120)
    with suppress(grpc.aio.AioRpcError):
        async for response in stream:
            begun.set()
            for result in response.results:
                counts[_name(result.error.code)] += 1
                left -= 1
    code = (await stream.code()).name
    if left:
        counts[code if code != "OK" else "lost"] += left
    return code


def _name(number: int) -> str:
    """Give a code's name."""
    return next(code.name for code in grpc.StatusCode if code.value[0] == number)


async def terminate(daemon: Running, calls: int) -> list[str]:
    """Send SIGTERM under load."""
    items: Counter[str] = Counter()
    begun = [asyncio.Event() for _ in range(STREAMS + 1)]
    async with AsyncExitStack() as opened:
        channels = [await opened.enter_async_context(_channel(daemon)) for _ in range(4)]
        streams = [asyncio.create_task(_process(channels[n], begun[n], items)) for n in range(STREAMS)]
        rollout = asyncio.create_task(_roll_out(channels[0], begun[STREAMS]))
        await asyncio.gather(*(each.wait() for each in begun))
        depths = (v1.DEPTH_STATIC, v1.DEPTH_PLY2, v1.DEPTH_PLY3)
        ranked = [asyncio.create_task(_rank(channels[n % 4], n, depths[n % 3])) for n in range(calls)]
        for answered in asyncio.as_completed(ranked):
            await answered
            if sum(task.done() for task in ranked) > calls // 3:
                break
        began = time.monotonic()
        in_flight = [sum(not task.done() for task in tasks) for tasks in (ranked, streams, [rollout])]
        daemon.process.send_signal(signal.SIGTERM)
        late = [asyncio.create_task(_rank(channels[n % 4], n, v1.DEPTH_STATIC)) for n in range(100)]
        ended = asyncio.create_task(asyncio.to_thread(daemon.process.wait, 120))
        counts = Counter(await asyncio.gather(*ranked))
        print("in flight at SIGTERM: {} calls, {} Bulk streams, {} rollout; how all ended:".format(*in_flight))
        print(f"  calls {dict(counts)}; 100 that came later {dict(Counter(await asyncio.gather(*late)))}")
        print(f"  Bulk streams {Counter([await stream for stream in streams])}, their requests {dict(items)}")
        print(f"  rollout {await rollout}")
        status = await ended
        seconds = time.monotonic() - began
    print(f"  the daemon ended with {status} after {seconds:.1f} s")
    wrong = [f"{count} ended {code}" for code, count in (counts + items).items() if code not in _TOLD]
    if status or seconds > GRACE_SECONDS + 10:
        wrong.append(f"ended with {status} after {seconds:.1f} s")
    return wrong


class Connection:
    """Asks over one connection, again and again."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        """Begin."""
        self._channel = channel
        self.ends: list[tuple[float, float, str]] = []
        """When each call began, when it ended, and how."""

    async def ask(self, stopping: asyncio.Event) -> None:
        """Ask until told to stop."""
        while not stopping.is_set():
            began = time.monotonic()
            code = await _rank(self._channel, len(self.ends), v1.DEPTH_PLY2)
            self.ends.append((began, time.monotonic(), code))


async def kill(daemon: Running, victim: int) -> list[str]:
    """Kill a worker under load."""
    stopping = asyncio.Event()
    async with AsyncExitStack() as opened:
        channels = [await opened.enter_async_context(_channel(daemon)) for _ in range(CONNECTIONS)]
        connections = [Connection(channel) for channel in channels]
        asking = [asyncio.create_task(each.ask(stopping)) for each in connections]
        await asyncio.sleep(2)
        killed = time.monotonic()
        os.kill(victim, signal.SIGKILL)
        await asyncio.to_thread(daemon.await_event, "worker died")
        await asyncio.to_thread(daemon.await_event, "worker started")
        restarted = time.monotonic() - killed
        await asyncio.sleep(3)
        stopping.set()
        await asyncio.gather(*asking)
    failed = [end for each in connections for end in each.ends if end[2] != "OK"]
    later = [end for end in failed if end[0] > killed]
    hit = sum(any(end[2] != "OK" for end in each.ends) for each in connections)
    back = max(min(end[1] for end in each.ends if end[0] > killed and end[2] == "OK") - killed for each in connections)
    total = sum(len(each.ends) for each in connections)
    print(f"killed one of two workers: {total} calls on {CONNECTIONS} connections, of which {hit} were its own")
    print(f"  failed: {len(failed) - len(later)} in flight there, {len(later)} before the client had connected anew")
    print(f"  every connection was answered again within {back:.2f} s; a new worker was there after {restarted:.2f} s")
    wrong = [f"a call ended {end[2]}" for end in failed if end[2] != "UNAVAILABLE"]
    if back > BACK_SECONDS or any(end[1] > killed + BACK_SECONDS for end in failed):
        wrong.append(f"calls failed for longer than {BACK_SECONDS:g} s")
    if hit == CONNECTIONS:
        wrong.append("the other worker's calls failed too")
    return wrong


def _channel(daemon: Running) -> grpc.aio.Channel:
    """Open a connection of its own."""
    return grpc.aio.insecure_channel(daemon.address, options=[*_OWN_CONNECTION])


def main() -> int:
    """Run both and print what has come of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=500, help="in flight at SIGTERM (default: %(default)s)")
    arguments = parser.parse_args()
    wrong: list[str] = []
    room = ("--engine.most-waiting", "2000", "--limits.most-engine-calls", "2000")
    for workers in ("1", "2"):
        print(f"workers: {workers}")
        with running("--workers", workers, *room) as daemon:
            wrong += asyncio.run(terminate(daemon, arguments.calls))
    with running("--workers", "2", *room) as daemon:
        victim = daemon.await_event("worker started")["pid"]
        daemon.await_event("worker started")
        wrong += asyncio.run(kill(daemon, victim))
    print(*wrong, sep="\n", end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
