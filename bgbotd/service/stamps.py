"""The stamp of a computed answer."""

from __future__ import annotations

import time
from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING

from bgbot.v1 import stamp_pb2
from google.protobuf.duration_pb2 import Duration

from bgbotd.evaluation import Source
from bgbotd.service import enums

if TYPE_CHECKING:
    from bgbotd.bots import Level
    from bgbotd.evaluation import Depth, Evaluator


@cache
def server_version() -> str:
    """Give this program's version."""
    return version("bgbotd")


def duration(seconds: float) -> Duration:
    """Render a time span."""
    nanoseconds = round(seconds * 1e9)
    return Duration(seconds=nanoseconds // 10**9, nanos=nanoseconds % 10**9)


def stamp(  # noqa: PLR0913 - a stamp says where an answer comes from, whole
    started: float, engine: str, engine_version: str, *, level: Level | None, depth: Depth | None, seed: int | None
) -> stamp_pb2.Stamp:
    """Stamp an answer that was asked for when `time.perf_counter()` gave `started`."""
    stamped = stamp_pb2.Stamp()
    stamped.CopyFrom(source_stamp(engine, engine_version, level, depth))
    elapsed = stamped.elapsed
    elapsed.seconds, elapsed.nanos = divmod(round(1e9 * (time.perf_counter() - started)), 10**9)
    if seed is not None:
        stamped.seed = seed
    return stamped


@cache
def source_stamp(engine: str, engine_version: str, level: Level | None, depth: Depth | None) -> stamp_pb2.Stamp:
    """Make what is the same in all stamps of a source; nobody changes it."""
    return stamp_pb2.Stamp(
        server_version=server_version(),
        engine=engine,
        engine_version=engine_version,
        level=enums.LEVELS.to_wire(level),
        depth=enums.DEPTHS.to_wire(depth),
    )


def kernel_stamp(started: float, *, level: Level, seed: int | None) -> stamp_pb2.Stamp:
    """Stamp an answer of our own kernel."""
    return stamp(started, "bgbotd", server_version(), level=level, depth=None, seed=seed)


def engine_stamp(  # noqa: PLR0913 - a stamp says where an answer comes from, whole
    started: float,
    evaluator: Evaluator,
    source: Source,
    depth: Depth,
    *,
    level: Level | None = None,
    seed: int | None = None,
) -> stamp_pb2.Stamp:
    """Stamp an answer of the engine, or of the bear-off table where that has overridden it."""
    if source is Source.ENGINE:
        return stamp(started, evaluator.engine.name, evaluator.engine.version, level=level, depth=depth, seed=seed)
    engine = "bearoff" if source is Source.BEAROFF_TABLE else "bgbotd"
    return stamp(started, engine, server_version(), level=level, depth=depth, seed=seed)
