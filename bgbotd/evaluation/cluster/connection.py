"""The way to a Dask scheduler, and who works there."""

from __future__ import annotations

import logging
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import structlog
from distributed import Client, Security
from distributed.comm.core import connect

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from distributed.comm.core import Comm

    from bgbotd.evaluation.cluster import ClusterSettings
    from bgbotd.evaluation.cluster.build import Build

CONNECT_SECONDS = 5.0
"""How long a try to reach the scheduler takes at most."""
_CLOSE_SECONDS = 2.0
_LOGGERS = ("distributed", "tornado")
BUILD = "bgbotd"
"""Under this name workers tell their build."""
JOINED = "bgbotd-joined"
"""Topic under which workers tell that they are ready; Dask itself tells of those that are not quite."""


@dataclass(frozen=True, slots=True)
class Members:
    """The workers that a scheduler has, by address."""

    fitting: dict[str, int]
    """Those of the build that was asked for, with the number of their engine processes."""
    refused: dict[str, str]
    """Those of another build, which is said."""
    foreign: tuple[str, ...]
    """Those that are none of ours."""

    @property
    def missing(self) -> str:
        """Say why there is nobody to work; empty if there is."""
        if self.fitting:
            return ""
        if self.refused:
            builds = "; ".join(sorted(set(self.refused.values())))
            return f"the cluster's workers are of another build ({builds})"
        return "no cluster worker is connected"


def security(settings: ClusterSettings) -> Security:
    """Give what Dask wants to know of certificates; both ends of each connection check the other's."""
    if settings.certificate is None:
        return Security(require_encryption=False)
    pair = {"cert": str(settings.certificate), "key": str(settings.key)}
    roles = {f"tls_{role}_{name}": file for role in ("client", "worker") for name, file in pair.items()}
    return Security(require_encryption=True, tls_ca_file=str(settings.ca), **roles)


async def reached(settings: ClusterSettings) -> Comm:
    """Open a bare connection to the scheduler, which says whether it is there and, by its end, that it is gone.

    Dask's clients and workers say neither, nor why they could not connect.

    Raises:
        OSError: if that cannot be done within CONNECT_SECONDS.

    """
    encryption = security(settings).get_connection_args("client")
    comm: Comm = await connect(settings.scheduler, timeout=CONNECT_SECONDS, **encryption)
    return comm


@asynccontextmanager
async def connected(settings: ClusterSettings) -> AsyncIterator[Client]:
    """Connect to the scheduler.

    Raises:
        OSError: if that cannot be done within CONNECT_SECONDS.

    """
    forward_logs()
    client = Client(
        settings.scheduler,
        security=security(settings),
        asynchronous=True,
        set_as_default=False,
        timeout=CONNECT_SECONDS,
        name="bgbotd",
    )
    try:
        await client
        yield client
    finally:
        with suppress(OSError, TimeoutError):
            await client.close(_CLOSE_SECONDS)


async def members(client: Client, build: Build) -> Members:
    """Ask the scheduler for its workers.

    Raises:
        OSError: if the connection is lost.

    """
    if client.scheduler is None:
        raise OSError("the client is closed")
    identity: dict[str, Any] = await client.scheduler.identity(n_workers=-1)
    running = {address: each for address, each in identity["workers"].items() if each["status"] == "running"}
    fitting = {address: each["nthreads"] for address, each in running.items() if str(build) in each["resources"]}
    others = {address: each.get(BUILD) for address, each in running.items() if address not in fitting}
    return Members(
        fitting,
        {address: told for address, told in others.items() if told},
        tuple(address for address, told in others.items() if not told),
    )


def cause(error: BaseException) -> str:
    """Say why the scheduler could not be reached: Dask's own message only says how long it has tried."""
    while error.__cause__ is not None:
        error = error.__cause__
    return str(error) or type(error).__name__


class _Forward(logging.Handler):
    """Has lines of Dask written as all others are."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write one line."""
        structlog.get_logger("bgbotd.dask").log(record.levelno, record.getMessage(), logger=record.name)


def forward_logs() -> None:
    """Have Dask's warnings written as our lines are: it has set up its own loggers, when it was imported."""
    for name in (*_LOGGERS, *(name for name in logging.root.manager.loggerDict if name.startswith(_LOGGERS))):
        logger = logging.getLogger(name)
        logger.handlers[:] = [_Forward()] if name in _LOGGERS else []
        logger.propagate = name not in _LOGGERS
        logger.setLevel(logging.WARNING if name in _LOGGERS else logging.NOTSET)
