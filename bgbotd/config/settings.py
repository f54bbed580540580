"""All settings together, checked one by one."""

from __future__ import annotations

import math
import os
import re
import sys
from dataclasses import dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from bgbotd.config.addresses import parted
from bgbotd.config.contradictions import contradictions
from bgbotd.config.tables import (
    CallLog,
    Cluster,
    Connections,
    Dice,
    EngineLimits,
    Limits,
    Tls,
    Tracing,
    Web,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

_COLLECTOR = re.compile(r"https?://[^/\s]+/?\Z")
_CPU_QUOTA = Path("/sys/fs/cgroup/cpu.max")
_LEAST: dict[str, float] = {
    "workers": 1,
    "limits.most-engine-calls": 1,
    "limits.most-rollouts": 1,
    "limits.most-bulk-in-flight": 1,
    "limits.most-bulk-streams": 1,
    "limits.deadline-seconds": 0.001,
    "limits.stream-deadline-seconds": 0.001,
    "connections.most-age-seconds": 1,
    "connections.keepalive-seconds": 1,
    "connections.keepalive-timeout-seconds": 1,
    "connections.most-streams": 1,
    "connections.most-header-bytes": 1024,
    "web.most-connections": 1,
    "engine.processes": 1,
    "engine.most-waiting": 1,
}
"""The least that numbers may be; zero for all others."""
_WEEK_SECONDS = 7 * 24 * 3600
_MOST: dict[str, float] = {
    "log.sample-ratio": 1,
    "tracing.sample-ratio": 1,
    "web.most-connections": 1_000_000,
    "web.most-calls-a-second": 1_000_000,
    "web.trusted-hops": 100,
    "workers": 1024,
    "engine.processes": 1024,
    "grace-seconds": _WEEK_SECONDS,
    "limits.deadline-seconds": _WEEK_SECONDS,
    "limits.stream-deadline-seconds": _WEEK_SECONDS,
    "connections.most-age-seconds": _WEEK_SECONDS,
    "connections.age-grace-seconds": _WEEK_SECONDS,
    "connections.keepalive-seconds": _WEEK_SECONDS,
    "connections.keepalive-timeout-seconds": _WEEK_SECONDS,
    "connections.least-ping-interval-seconds": _WEEK_SECONDS,
    "connections.most-streams": 1_000_000,
    "connections.most-header-bytes": 1 << 20,
}
"""The most that numbers may be; any number for all others. gRPC counts milliseconds in 31 bits, which is 24 days, and
Envoy takes headers of up to 8 MiB."""


class WrongSettings(Exception):
    """Settings that cannot be: `problems` has a line for each, which begins with the key's name."""

    def __init__(self, problems: list[str]) -> None:
        """Hold the problems, of which there is at least one."""
        self.problems = problems
        super().__init__("; ".join(problems))


def usable_cores() -> int:
    """Give the number of cores this process may use: those it may run on, or its container's share if less."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        quota, period = _CPU_QUOTA.read_text().split()
        return max(1, min(cores, int(quota) // int(period)))
    except (OSError, ValueError):  # no container, or "max": no limit
        return cores


def _default_workers() -> int:
    """Give half the cores.

    At its fastest, 6,600 HARD plays a second, a worker keeps 1.3 cores busy: one with its event loop, which holds
    Python's lock, and a third of another with gRPC's threads. As many workers as cores could thus be 1.5 times as
    fast, each for 100 MB and two engine processes more, and would leave those no core.
    """
    return max(1, usable_cores() // 2) if sys.platform == "linux" else 1


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings of `bgbotd serve`.

    Raises:
        WrongSettings: naming every key that cannot be as it is.

    """

    listen: str = "127.0.0.1:50051"
    """HOST:PORT to listen on; port 0 takes a free one and logs it."""
    workers: int = field(default_factory=_default_workers)
    """Processes that share the port. More than one needs Linux."""
    grace_seconds: float = 30.0
    """How long calls in flight may take to finish once the daemon is asked to stop."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """The least urgent lines that are logged."""
    metrics_listen: str = ""
    """HOST:PORT for Prometheus to scrape at /metrics; empty serves none."""
    health_listen: str = ""
    """HOST:PORT for health alone, without TLS, for probes that know none; empty serves it with all else only."""
    reflection: bool = True
    """Whether callers may ask which services there are."""
    insecure: bool = False
    """Whether to listen without TLS on other addresses than the loopback."""
    tokens: Path | None = None
    """File of tokens, of which callers need one. Unset: nobody needs one."""
    log: CallLog = field(default_factory=CallLog)
    tracing: Tracing = field(default_factory=Tracing)
    tls: Tls = field(default_factory=Tls)
    web: Web = field(default_factory=Web)
    dice: Dice = field(default_factory=Dice)
    limits: Limits = field(default_factory=Limits)
    connections: Connections = field(default_factory=Connections)
    engine: EngineLimits = field(default_factory=EngineLimits)
    cluster: Cluster = field(default_factory=Cluster)

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        if problems := [*_problems(self), *contradictions(self)]:
            raise WrongSettings(problems)

    def resolved(self) -> Settings:
        """Give the settings with what depends on others said."""
        if self.engine.processes is not None:
            return self
        return replace(self, engine=replace(self.engine, processes=max(2, usable_cores() // self.workers)))


def _problems(settings: Settings) -> Iterator[str]:
    """Say what is wrong."""
    addresses = {
        "listen": settings.listen,
        "metrics-listen": settings.metrics_listen,
        "health-listen": settings.health_listen,
    }
    addresses["web.listen"] = settings.web.listen
    for key, address in addresses.items():
        if (address or key in {"listen", "web.listen"}) and parted(address) is None:
            yield f"{key}: {address!r} is no address: HOST:PORT is needed, such as 127.0.0.1:50051 or [::1]:50051"
    if settings.tracing.endpoint and not _COLLECTOR.match(settings.tracing.endpoint):
        yield f"tracing.endpoint: {settings.tracing.endpoint!r} is no http://HOST:PORT or https://HOST:PORT"
    if settings.workers > 1 and sys.platform != "linux":
        yield f"workers: {settings.workers} processes can share a port on Linux only"
    for key, value in leaves(settings):
        least = _LEAST.get(key, 0)
        if isinstance(value, (int, float)) and not least <= value < math.inf:
            yield f"{key}: {value} is not allowed; at least {least}"
        elif isinstance(value, (int, float)) and value > _MOST.get(key, math.inf):
            yield f"{key}: {value} is not allowed; at most {_MOST[key]}"


def leaves(settings: object, prefix: str = "") -> Iterator[tuple[str, object]]:
    """Give every key, such as `engine.most-waiting`, with its value."""
    for each in fields(settings):  # type: ignore[arg-type] # a dataclass, as those within it are
        key, value = prefix + each.name.replace("_", "-"), getattr(settings, each.name)
        if is_dataclass(value):
            yield from leaves(value, f"{key}.")
        else:
            yield key, value
