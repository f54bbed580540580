"""Tells systemd how the daemon fares, where it was started by a unit of `Type=notify`; sd_notify(3)."""

from __future__ import annotations

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
