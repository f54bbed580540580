"""The stamp of a computed answer."""

from __future__ import annotations

import time
from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING

from bgbot.v1 import stamp_pb2
from google.protobuf.duration_pb2 import Duration

from bgbotd.service import enums

if TYPE_CHECKING:
    from bgbotd.bots import Level


@cache
def server_version() -> str:
    """Give this program's version."""
    return version("bgbotd")


def duration(seconds: float) -> Duration:
    """Render a time span."""
    nanoseconds = round(seconds * 1e9)
    return Duration(seconds=nanoseconds // 10**9, nanos=nanoseconds % 10**9)


def kernel_stamp(started: float, *, level: Level, seed: int | None) -> stamp_pb2.Stamp:
    """Stamp an answer of our own kernel, asked for when `time.perf_counter()` gave `started`."""
    return stamp_pb2.Stamp(
        server_version=server_version(),
        engine="bgbotd",
        engine_version=server_version(),
        level=enums.LEVELS.to_wire(level),
        seed=seed,
        elapsed=duration(time.perf_counter() - started),
    )
