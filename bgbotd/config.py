"""Settings: what an operator may say, and where each value comes from.

A flag wins over an environment variable, that over the file named by `--config`, that over the
default. `tls.key` is the flag `--tls.key`, the variable `BGBOTD_TLS_KEY` and the key `key` of the
table `[tls]`. Whatever is unknown or contradicts itself stops the start, by its name.
"""

from __future__ import annotations

import ipaddress
import json
import math
import os
import re
import sys
import tomllib
from dataclasses import dataclass, field, fields, is_dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from cyclopts.config import Dict, Env

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from cyclopts import App, ArgumentCollection

DepthName = Literal["STATIC", "PLY2", "PLY3", "PLY4", "TRUNCATED_ROLLOUT"]
DEPTHS: tuple[str, ...] = get_args(DepthName)
"""Depths, the deepest last."""
PREFIX = "BGBOTD_"
"""What the names of environment variables begin with."""
DEFAULT = "default"
"""The source of a value that nobody has set."""

LARGEST_REQUEST = 1 << 20
"""Bytes of a request; the largest sensible one, a Bulk message, is far below."""

_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://([a-z0-9._-]+|\[[0-9a-f:]+\])(:[0-9]{1,5})?\Z")
_COLLECTOR = re.compile(r"https?://[^/\s]+/?\Z")
_CPU_QUOTA = Path("/sys/fs/cgroup/cpu.max")
_HIGHEST_PORT = 65535


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
    """Give half the cores: a worker keeps one busy, and its engine processes the other."""
    return max(1, usable_cores() // 2) if sys.platform == "linux" else 1


@dataclass(frozen=True, slots=True)
class Connections:
    """What one connection may do."""

    most_age_seconds: float = 900
    """After this time a connection is asked to open anew, so that new workers and replicas get their share."""
    age_grace_seconds: float = 300
    """How long calls on a connection that is too old may still take."""
    keepalive_seconds: float = 120
    """After this silence the daemon asks whether the other end is still there."""
    keepalive_timeout_seconds: float = 20
    """How long the other end may take to answer that."""
    least_ping_interval_seconds: float = 30
    """A client that pings more often than this, without calls, is sent away."""
    most_streams: int = 256
    """Calls at a time on one connection; the client's library holds back the rest. So many HARD plays take 40 ms."""
    most_header_bytes: int = 16384
    """Size of a call's metadata."""


@dataclass(frozen=True, slots=True)
class EngineLimits:
    """What evaluations may take, for each worker process."""

    processes: int | None = None
    """Engine processes, each 45 MB at first and 120 MB after deep searches. Unset: the cores shared among the
    workers, at least 2, so that a rollout never holds up a quick answer."""
    most_waiting: int = 256
    """Requests that may wait for an engine process; the next one is refused."""
    cached_evaluations: int = 50_000
    """Evaluations remembered, about 0.5 kB each."""
    cached_rankings: int = 5_000
    """Rankings remembered, about 6 kB each."""
    cache_folder: Path | None = None
    """Where the bear-off table is kept. Unset: the user's cache folder."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What is let in at a time, for each worker process, and for how long."""

    most_engine_calls: int = 1024
    """Calls in flight that may need the engine."""
    most_rollouts: int = 16
    """Rollouts in flight."""
    most_bulk_streams: int = 64
    """Bulk streams in flight."""
    deadline_seconds: float = 60
    """How long a call may take that has no deadline of its own."""
    stream_deadline_seconds: float = 3600
    """How long a rollout or Bulk stream may take that has no deadline of its own."""
    most_trials: int = 1_000_008
    """Trials that a rollout may be asked for; 0 for no rollouts."""
    deepest_depth: DepthName = "TRUNCATED_ROLLOUT"
    """Deepest depth that may be asked for, by itself or by a level."""
    most_bulk_in_flight: int = 4000
    """Requests that may be without an answer on one Bulk stream, which is read no further with 3000."""


@dataclass(frozen=True, slots=True)
class CallLog:
    """Which calls get a line in the log at level info, and what is in it. Failed and slow calls always get one."""

    sample_ratio: float = 0.0
    """Share of all other calls that get one, 0 to 1."""
    slow_seconds: float = 1.0
    """Calls that take longer are slow, unless they are rollouts or Bulk streams."""
    requests: bool = False
    """Whether lines say what was asked, positions included."""


@dataclass(frozen=True, slots=True)
class Tracing:
    """Traces of calls for OpenTelemetry: needs the extra bgbotd[tracing]. Its own variables (OTEL_*) count as well."""

    endpoint: str = ""
    """Address of a collector that takes OTLP over gRPC: http://HOST:PORT, or https:// with TLS. Empty: as
    OTEL_EXPORTER_OTLP_ENDPOINT says, and without that there are no traces."""
    sample_ratio: float | None = None
    """Share of the calls that are traced where the caller does not say, 0 to 1. Unset: as OTEL_TRACES_SAMPLER says,
    and without that all."""


@dataclass(frozen=True, slots=True)
class Tls:
    """Certificates, as PEM files, which are read again when they change."""

    certificate: Path | None = None
    """The server's certificate, followed by those between it and its authority."""
    key: Path | None = None
    """The certificate's private key, without a password."""
    client_ca: Path | None = None
    """Authorities whose certificates clients need. Unset: clients need none."""


@dataclass(frozen=True, slots=True)
class Web:
    """JSON over plain HTTP, gRPC-Web and the pages, by an Envoy of the daemon's own: needs the extra bgbotd[web]."""

    enabled: bool = False
    """Whether there is any of that; `--web` is short for it."""
    listen: str = "127.0.0.1:8080"
    """HOST:PORT to listen on; port 0 takes a free one and logs it."""
    origins: tuple[str, ...] = ()
    """Origins whose pages may call, such as https://example.org; * is all. Unset: only the pages served here."""
    certificate: Path | None = None
    """The certificate for it, as tls.certificate is for the daemon, and read again as that is."""
    key: Path | None = None
    """The certificate's private key, without a password."""
    most_connections: int = 10_000
    """Connections at a time; who comes later is turned away."""
    trusted_hops: int = 0
    """Proxies in front of it whose x-forwarded-for is believed, for the log."""


@dataclass(frozen=True, slots=True)
class Dice:
    """Sealed dice for game servers."""

    secrets: Path | None = None
    """File of the secrets that dice are derived from, which only its owner may use. Unset: no dice are served."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """Rollouts and deep background work on other machines, by Dask distributed: needs the extra bgbotd[cluster]."""

    scheduler: str = ""
    """The Dask scheduler: tls://HOST:PORT, or tcp:// without encryption. Empty: all work is done here."""
    ca: Path | None = None
    """The cluster's own authority, which all certificates there need: whoever has one can run code on every member."""
    certificate: Path | None = None
    """The certificate shown to the others."""
    key: Path | None = None
    """The certificate's private key, without a password."""
    worker_listen: str = ""
    """HOST:PORT at which the scheduler reaches a cluster worker. Empty: a free port of the address that leads there."""


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
        if problems := list(self._problems()):
            raise WrongSettings(problems)

    def resolved(self) -> Settings:
        """Give the settings with what depends on others said."""
        if self.engine.processes is not None:
            return self
        return replace(self, engine=replace(self.engine, processes=max(2, usable_cores() // self.workers)))

    def _problems(self) -> Iterator[str]:
        """Say what is wrong."""
        addresses = {"listen": self.listen, "metrics-listen": self.metrics_listen, "health-listen": self.health_listen}
        addresses["web.listen"] = self.web.listen
        for key, address in addresses.items():
            if (address or key in {"listen", "web.listen"}) and parted(address) is None:
                yield f"{key}: {address!r} is no address: HOST:PORT is needed, such as 127.0.0.1:50051 or [::1]:50051"
        if self.tracing.endpoint and not _COLLECTOR.match(self.tracing.endpoint):
            yield f"tracing.endpoint: {self.tracing.endpoint!r} is no http://HOST:PORT or https://HOST:PORT"
        if self.workers > 1 and sys.platform != "linux":
            yield f"workers: {self.workers} processes can share a port on Linux only"
        yield from self._contradictions()
        for key, value in leaves(self):
            least = _LEAST.get(key, 0)
            if isinstance(value, (int, float)) and not least <= value < math.inf:
                yield f"{key}: {value} is not allowed; at least {least}"
            elif isinstance(value, (int, float)) and value > _MOST.get(key, math.inf):
                yield f"{key}: {value} is not allowed; at most {_MOST[key]}"

    def _contradictions(self) -> Iterator[str]:
        """Say what does not go together."""
        encrypted = self.tls.certificate is not None
        if encrypted != (self.tls.key is not None):
            yield "tls.certificate and tls.key: each needs the other"
        if self.tls.client_ca is not None and not encrypted:
            yield "tls.client-ca: needs tls.certificate and tls.key"
        if self.insecure and encrypted and (self.web.certificate or not self.web.enabled):
            yield "insecure: contradicts tls.certificate"
        yield from self._web_contradictions()
        yield from _cluster_problems(self.cluster, insecure=self.insecure)
        if self.dice.secrets is not None and self.tokens is None:
            yield "dice.secrets: needs tokens, for only callers with the dice role may roll"
        address = parted(self.listen)
        if address and not (encrypted or self.insecure or _is_loopback(address[0])):
            yield (
                f"listen: {self.listen} can be reached from other machines; that needs tls.certificate and tls.key,"
                " or insecure to do without"
            )

    def _web_contradictions(self) -> Iterator[str]:
        """Say what does not go together with the web."""
        encrypted = self.web.certificate is not None
        if encrypted != (self.web.key is not None):
            yield "web.certificate and web.key: each needs the other"
        for origin in self.web.origins:
            if origin != "*" and not _ORIGIN.match(origin):
                yield f"web.origins: {origin!r} is none; allowed: * and SCHEME://HOST[:PORT] in small letters"
        address = parted(self.web.listen)
        if self.web.enabled and address and not (encrypted or self.insecure or _is_loopback(address[0])):
            yield (
                f"web.listen: {self.web.listen} can be reached from other machines; that needs web.certificate and"
                " web.key, or insecure to do without"
            )
        if self.web.enabled and self.tls.client_ca is not None and self.tokens is None:
            yield "web.enabled: lets in who has no certificate of tls.client-ca; that needs tokens"


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
_MOST: dict[str, float] = {
    "log.sample-ratio": 1,
    "tracing.sample-ratio": 1,
    "web.most-connections": 1_000_000,
    "web.trusted-hops": 100,
}
"""The most that numbers may be; any number for all others."""


def _cluster_problems(cluster: Cluster, *, insecure: bool) -> Iterator[str]:
    """Say what cannot be of a cluster."""
    files = [cluster.ca, cluster.certificate, cluster.key]
    if cluster.worker_listen and parted(cluster.worker_listen) is None:
        yield f"cluster.worker-listen: {cluster.worker_listen!r} is no address: HOST:PORT is needed"
    if not cluster.scheduler:
        if any(files):
            yield "cluster.ca, cluster.certificate and cluster.key: need cluster.scheduler"
        return
    protocol, _, place = cluster.scheduler.partition("://")
    address = parted(place)
    if protocol not in {"tls", "tcp"} or address is None:
        yield f"cluster.scheduler: {cluster.scheduler!r} is none: tls://HOST:PORT or tcp://HOST:PORT is needed"
    elif protocol == "tls" and not all(files):
        yield "cluster.scheduler: tls:// needs cluster.ca, cluster.certificate and cluster.key"
    elif protocol == "tcp" and any(files):
        yield "cluster.scheduler: tcp:// contradicts cluster.ca, cluster.certificate and cluster.key"
    elif protocol == "tcp" and not (insecure or _is_loopback(address[0])):
        yield (
            f"cluster.scheduler: {cluster.scheduler} is reached over the network; that needs tls://, or insecure to do"
            " without"
        )
    if find_spec("distributed") is None:
        yield "cluster.scheduler: needs the extra: pip install 'bgbotd[cluster]'"


def parted(address: str) -> tuple[str, int] | None:
    """Part HOST:PORT, the host without brackets; None if it is no address."""
    host, colon, port = address.rpartition(":")
    if not colon or not host or not port.isascii() or not port.isdecimal() or int(port) > _HIGHEST_PORT:
        return None
    return host.removeprefix("[").removesuffix("]"), int(port)


def _is_loopback(host: str) -> bool:
    """Tell whether only this machine reaches a host."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def leaves(settings: object, prefix: str = "") -> Iterator[tuple[str, object]]:
    """Give every key, such as `engine.most-waiting`, with its value."""
    for each in fields(settings):  # type: ignore[arg-type] # a dataclass, as those within it are
        key, value = prefix + each.name.replace("_", "-"), getattr(settings, each.name)
        if is_dataclass(value):
            yield from leaves(value, f"{key}.")
        else:
            yield key, value


def as_toml(settings: Settings, sources: Mapping[str, str]) -> str:
    """Write the settings as a file for `--config`, each with where it comes from."""
    lines = []
    table = ""
    for key, value in sorted(leaves(settings), key=lambda leaf: "." in leaf[0]):
        within, _, name = key.rpartition(".")
        if within != table:
            table = within
            lines += ["", f"[{table}]"]
        name = name.replace("-", "_")
        source = sources.get(key, DEFAULT)
        lines.append(f"# {name} is not set" if value is None else f"{name} = {_toml_value(value)}  # {source}")
    return "\n".join(lines) + "\n"


def _toml_value(value: object) -> str:
    """Write one value; JSON's strings, numbers and truth values are TOML's as well."""
    return json.dumps(str(value) if isinstance(value, Path) else value, ensure_ascii=False)


class Sources:
    """Fills a command's settings from environment and file, and remembers where each value came from."""

    def __init__(self) -> None:
        """Begin with defaults only."""
        self.of_key: dict[str, str] = {}

    def __call__(self, app: App, commands: tuple[str, ...], arguments: ArgumentCollection) -> None:
        """Do what cyclopts asks of a configuration, after it has read the flags."""
        _refuse_unknown_variables(arguments)
        Env(PREFIX, command=False, source="environment")(app, commands, arguments)
        for argument in arguments:
            if argument.name == "--config" and argument.tokens:
                path = argument.tokens[0].value
                Dict(_read(path), use_commands_as_keys=False, source=path)(app, commands, arguments)
        self.of_key = {
            argument.name.removeprefix("--"): {"cli": "flag"}.get(argument.tokens[0].source, argument.tokens[0].source)
            for argument in arguments
            if argument.tokens
        }


def _read(path: str) -> dict[str, Any]:
    """Read a file of settings."""
    try:
        return tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise WrongSettings([f"config: {path} cannot be read: {error}"]) from None


def _refuse_unknown_variables(arguments: ArgumentCollection) -> None:
    """Raise WrongSettings for variables that look like settings and are none."""
    known = {
        PREFIX + argument.name.removeprefix("--").upper().replace("-", "_").replace(".", "_") for argument in arguments
    }
    unknown = sorted(name for name in os.environ if name.startswith(PREFIX) and name not in known)
    if unknown:
        raise WrongSettings([f"{name}: no such setting" for name in unknown])
