"""The tables of the settings: what each key means, and its default."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path  # noqa: TC003 - cyclopts reads the annotations
from typing import Literal, get_args

DepthName = Literal["STATIC", "PLY2", "PLY3", "PLY4", "TRUNCATED_ROLLOUT"]
DEPTHS: tuple[str, ...] = get_args(DepthName)
"""Depths, the deepest last."""
LARGEST_REQUEST = 1 << 20
"""Bytes of a request; the largest sensible one, a Bulk message, is far below."""


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
    """Engine processes, each 45 MB at first and 180 MB after deep searches and rollouts. Unset: the cores shared among
    the workers, at least 2, so that a rollout never holds up a quick answer."""
    most_waiting: int = 256
    """Requests that may wait for an engine process; the next one is refused."""
    most_wait_seconds: float = 0.05
    """Where requests have waited for half a second without a pause, those are refused that would wait longer, and
    longer than three of them take. More lets more callers wait at a time, for longer."""
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
    most_calls_a_second: int = 0
    """Calls that all callers together may begin in a second, a tenth of them at once, or ten; 0 for any number. A
    rollout or Bulk stream is one call; health and pages are none."""
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
