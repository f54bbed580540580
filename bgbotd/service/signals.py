"""Signals that ask for an end."""

from __future__ import annotations

import asyncio
import signal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def on_stop(stop: Callable[[], object]) -> None:
    """Have `stop` called on SIGTERM, on SIGINT, and on SIGHUP unless somebody like nohup lets us outlive a terminal."""
    asked = [signal.SIGTERM, signal.SIGINT]
    hangup = getattr(signal, "SIGHUP", None)  # Windows has none
    if hangup is not None and signal.getsignal(hangup) is not signal.SIG_IGN:
        asked.append(hangup)
    for number in asked:
        asyncio.get_running_loop().add_signal_handler(number, stop)


def leave_to_supervisor() -> None:
    """Ignore what a terminal sends to all its processes: the supervisor says when to stop."""
    for name in ("SIGINT", "SIGHUP"):
        if number := getattr(signal, name, None):
            signal.signal(number, signal.SIG_IGN)
