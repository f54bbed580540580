"""Send a daemon what is no proper HTTP/2, and see that nobody else notices: `python -m tests.campaigns.wire`.

While an attack goes on, health and a HARD move are asked for over a connection of their own. The exit
status is 1 when one of them fails, the daemon logs an error or dies, an attack takes much memory, or memory
or open sockets have grown from the second round to the last.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import grpc

from bgbotd.config import parted
from tests.campaigns.attacks import ATTACKS
from tests.campaigns.target import Target, target, wrongs

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_MEGABYTES = 100
"""What an attack may take while it lasts."""
SETTLING_SECONDS = 10.0
"""How long the daemon may take to notice that an attacker has left."""


@dataclass(slots=True)
class Watch:
    """What was seen during an attack."""

    megabytes: float = 0.0
    slowest: float = 0.0
    """Seconds that somebody else waited for both answers."""
    asked: int = 0
    wrong: list[str] = field(default_factory=list)


@contextmanager
def watching(daemon: Target, channel: grpc.Channel) -> Iterator[Watch]:
    """Ask and measure all the time."""
    seen, ended = Watch(), threading.Event()

    def watch() -> None:
        while not (seen.asked and ended.wait(0.02)):
            began = time.monotonic()
            seen.wrong += wrongs(channel)
            seen.slowest = max(seen.slowest, time.monotonic() - began)
            seen.megabytes = max(seen.megabytes, daemon.megabytes())
            seen.asked += 1

    with ThreadPoolExecutor(1) as pool:
        watched = pool.submit(watch)
        try:
            yield seen
        finally:
            ended.set()
        watched.result()


def settled_sockets(daemon: Target, most: int) -> int:
    """Count the open sockets once they are down again, or time is up."""
    until = time.monotonic() + SETTLING_SECONDS
    while (sockets := daemon.sockets()) > most and time.monotonic() < until:
        time.sleep(0.1)
    return sockets


def attack(daemon: Target, rounds: int, seed: int) -> list[str]:
    """Make every attack, round after round, and say what is wrong."""
    address = parted(daemon.address)
    assert address
    found: list[str] = []
    held: list[tuple[float, int]] = []
    with grpc.insecure_channel(daemon.address) as channel:
        found += wrongs(channel)
        sockets = daemon.sockets()
        for number in range(rounds):
            for each in ATTACKS:
                before, began = daemon.megabytes(), time.monotonic()
                with watching(daemon, channel) as seen:
                    each(address, Random(f"{seed} {number} {each.__name__}"))
                took = time.monotonic() - began
                print(
                    f"{each.__name__:<22} {took:>5.1f} s; meanwhile at most {seen.slowest:>5.2f} s for an answer"
                    f" ({seen.asked} asked), {seen.megabytes - before:>+5.0f} MB",
                    flush=True,
                )
                found += [f"{each.__name__}: {wrong}" for wrong in seen.wrong]
                if seen.megabytes - before > MOST_MEGABYTES:
                    found.append(f"{each.__name__} took {seen.megabytes - before:.0f} MB")
            held.append((daemon.megabytes(), settled_sockets(daemon, sockets)))
            print(f"round {number + 1}: {held[-1][0]:.0f} MB, {held[-1][1]} sockets", flush=True)
    if held[-1][1] > sockets:
        found.append(f"open sockets grew from {sockets} to {held[-1][1]}")
    if len(held) > 2 and held[-1][0] > 1.1 * held[1][0]:
        found.append(f"memory grew from {held[1][0]:.0f} to {held[-1][0]:.0f} MB")
    return found


def main() -> int:
    """Start a daemon, attack it, stop it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="how often each attack is made (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="the same makes the same bytes")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, target(Path(folder)) as daemon:
        wrong = attack(daemon, arguments.rounds, arguments.seed)
    if daemon.process.returncode != 0:
        wrong.append(f"the daemon ended with {daemon.process.returncode}")
    wrong += [f"logged: {line}" for line in daemon.urgent[:3]]
    print(*wrong, sep="\n", end="\n" if wrong else "")
    print(f"daemon ended with {daemon.process.returncode}; {len(daemon.urgent)} lines of its log are urgent")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
