"""One of several worker processes; bgbotd.service.workers tells what passes between it and its supervisor."""

from __future__ import annotations

import asyncio
import os
import pickle
import signal
import sys
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, BinaryIO, NoReturn

from bgbotd import logging
from bgbotd.config import WrongSettings
from bgbotd.service import server
from bgbotd.service.ports import CannotListen
from bgbotd.service.signals import leave_to_supervisor
from bgbotd.service.workers import BEGIN, PULSE, PULSE_SECONDS, WEB_UP

if TYPE_CHECKING:
    from pathlib import Path

    from bgbotd.config import Settings
    from bgbotd.service.health import Health
    from bgbotd.service.workers import Orders


def main() -> None:
    """Serve as the supervisor orders."""
    leave_to_supervisor()
    orders: Orders = pickle.load(sys.stdin.buffer)  # noqa: S301 - written by the supervisor
    reports = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what the engine may print must not get among the reports
    logging.configure(orders.settings.log_level, worker=orders.number)
    # Each worker tells its own metrics to the supervisor alone, which serves them all.
    metrics_listen = "127.0.0.1:0" if orders.settings.metrics_listen else ""
    try:
        asyncio.run(_serve(replace(orders.settings, metrics_listen=metrics_listen), orders.web_socket, reports))
    except (CannotListen, WrongSettings) as error:
        sys.stderr.write(f"bgbotd: {error}\n")
        sys.exit(1)


async def _serve(settings: Settings, web_socket: Path | None, reports: BinaryIO) -> None:
    """Serve until SIGTERM, or until the supervisor is gone."""
    orders = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(orders), sys.stdin.buffer)
    stopping = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopping.set)
    daemon = await server.start(settings, shared_port=True, web_socket=web_socket)
    reports.write(f"{daemon.metrics}\n".encode())
    reports.flush()
    begin = asyncio.Event()
    obeying = asyncio.create_task(_obey(orders, daemon.health, begin, stopping))
    living = asyncio.create_task(_say_that_it_lives(reports))
    # It may be told to stop before it is told to begin.
    waited = [asyncio.create_task(event.wait()) for event in (begin, stopping)]
    await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
    await daemon.run(stopping, settings)
    for task in (obeying, living, *waited):
        task.cancel()


async def _obey(orders: asyncio.StreamReader, health: Health, begin: asyncio.Event, stopping: asyncio.Event) -> None:
    """Do what the supervisor says, and stop when it is gone."""
    while order := await orders.read(1):
        if order == BEGIN:
            begin.set()
        else:
            health.web(up=order == WEB_UP)
    begin.set()
    stopping.set()


async def _say_that_it_lives(reports: BinaryIO) -> NoReturn:
    """Say again and again that the event loop turns."""
    os.set_blocking(reports.fileno(), False)
    while True:
        with suppress(OSError):  # nobody reads any more
            os.write(reports.fileno(), PULSE)
        await asyncio.sleep(PULSE_SECONDS)
