"""Tells systemd how the daemon fares, where it was started by a unit of `Type=notify`; sd_notify(3)."""

from __future__ import annotations

import asyncio
import os
import socket
from contextlib import suppress


def notify(state: str) -> None:
    """Send a state such as READY=1; nothing where nobody listens."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address.startswith(("/", "@")):
        return
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sending:
        sending.sendto(state.encode(), address.replace("@", "\0", 1) if address.startswith("@") else address)


async def say_that_it_lives() -> None:
    """Tell again and again that the event loop turns, where the unit has `WatchdogSec`; sd_watchdog_enabled(3)."""
    microseconds, meant = os.environ.get("WATCHDOG_USEC", ""), os.environ.get("WATCHDOG_PID", str(os.getpid()))
    if not microseconds.isdecimal() or meant != str(os.getpid()):
        return
    while True:
        notify("WATCHDOG=1")
        await asyncio.sleep(int(microseconds) / 3_000_000)  # a third of what it waits, so that one may be late
