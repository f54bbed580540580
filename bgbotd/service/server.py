"""The life of the daemon: bind, serve, drain."""

from __future__ import annotations

import asyncio
import os
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NoReturn, Protocol

import grpc
import structlog
from bgbot.v1 import bot_service_pb2, bulk_service_pb2, dice_service_pb2, evaluation_service_pb2, rules_service_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from bgbotd.config import LARGEST_REQUEST
from bgbotd.evaluation import EvaluatorSettings
from bgbotd.logging import catch_strays
from bgbotd.service.access_log import AccessLog
from bgbotd.service.admission import Admission
from bgbotd.service.bots_handlers import BotHandlers
from bgbotd.service.bulk import BulkHandlers
from bgbotd.service.calls import ServedMethods, UnservedMethods, quick_methods, served_methods
from bgbotd.service.cluster import cluster_settings
from bgbotd.service.dice_handlers import DiceHandlers, DiceSecrets
from bgbotd.service.engine_access import EngineAccess
from bgbotd.service.evaluation_handlers import EvaluationHandlers
from bgbotd.service.health import Health
from bgbotd.service.json_requests import in_json
from bgbotd.service.metrics import REGISTRY, serve_metrics
from bgbotd.service.notify import notify, say_that_it_lives
from bgbotd.service.ports import CannotListen
from bgbotd.service.rules_handlers import RulesHandlers
from bgbotd.service.signals import on_stop
from bgbotd.service.stamps import server_version
from bgbotd.service.tls import Certificates
from bgbotd.service.tokens import Tokens
from bgbotd.service.tracing import open_traces
from bgbotd.service.upkeep_metrics import UpkeepCollector
from bgbotd.web import JSON_SUFFIX, Edge, WebCollector

if TYPE_CHECKING:
    from pathlib import Path

    from bgbotd.config import Connections, Settings
    from bgbotd.service.traces import Traces

log = structlog.get_logger("bgbotd")

LARGEST_RECEIVED = 4 * LARGEST_REQUEST
"""Bytes of a message from which on gRPC itself ends the call; below, the refusal says what is allowed."""
_MOST_PENDING = 5000
"""Calls of one worker that gRPC holds until they are looked at: less than a second's work. Health is among them."""
LISTENER = "-event_engine_listener"
"""Has the thread that waits for calls read them too: by default gRPC hands each to a thread of another kind, which
takes a tenth more of the processor and half as long again to answer one call; docs/performance.md has the figures."""

_SERVICES = {
    descriptor.full_name: descriptor
    for file in (rules_service_pb2, bot_service_pb2, evaluation_service_pb2, bulk_service_pb2, dice_service_pb2)
    for descriptor in file.DESCRIPTOR.services_by_name.values()
}
"""The contract's services by name."""


class _Handlers(Protocol):
    """Methods of one service of the contract."""

    @property
    def service(self) -> str:
        """Its full name."""
        ...


@dataclass(frozen=True, slots=True)
class Daemon:
    """A started server."""

    server: grpc.aio.Server
    probes: grpc.aio.Server
    """Answers what is asked at the address for health alone, if there is one."""
    health: Health
    engine: EngineAccess
    bulk: BulkHandlers
    admission: Admission
    address: str
    """What it listens on, with the port that was bound."""
    metrics: str
    """Where Prometheus may read, empty for nowhere."""
    health_address: str
    """Where there is health alone, empty for nowhere."""
    traces: Traces | None
    watching: asyncio.Task[NoReturn] | None
    """Looks after the file of tokens, if there is one."""

    async def run(self, stopping: asyncio.Event, settings: Settings, web: Edge | None = None) -> None:
        """Load the engine, serve until told to stop, then drain, the web first."""
        catch_strays()
        if settings.insecure:
            log.warning("insecure", reason="calls and tokens can be read on their way: there is no TLS")
        self.engine.load()
        await stopping.wait()
        notify("STOPPING=1")
        log.info("draining", grace_seconds=settings.grace_seconds)
        if web is not None:
            self.health.drain()
            await web.drain()
        await self.drain(settings.grace_seconds)
        if web is not None:
            await web.end()
        log.info("stopped")

    async def drain(self, grace_seconds: float) -> None:
        """Accept nothing new, answer what was accepted within the grace, then end."""
        self.health.drain()
        self.bulk.drain()
        await self.admission.drain()
        stopping = asyncio.create_task(self.server.stop(grace_seconds))
        self.health.end_watches()  # not before it stops, and not while it waits for them
        await stopping
        await self.engine.close()
        await self.probes.stop(None)
        if self.watching is not None:
            self.watching.cancel()
        if self.traces is not None:
            await asyncio.to_thread(self.traces.close)


async def start(settings: Settings, *, shared_port: bool = False, web_socket: Path | None = None) -> Daemon:
    """Bind the address and serve; `shared_port` is for workers of a supervisor that holds it.

    `web_socket` is where the web edge calls: whoever may use it needs neither TLS nor a certificate.

    Raises:
        CannotListen: if the address is taken or no address.
        WrongSettings: if files that the settings name cannot be used, or an extra is missing.

    """
    # gRPC reads this when its first object is made.
    os.environ.setdefault("GRPC_EXPERIMENTS", LISTENER)
    traces = open_traces(settings.tracing)
    tokens = Tokens(settings.tokens) if settings.tokens else None
    admission = Admission(settings.limits, tokens)
    certificates = Certificates(settings.tls) if settings.tls.certificate else None
    engine = EngineAccess(_evaluator_settings(settings.resolved()))
    unary = (RulesHandlers(), BotHandlers(engine, admission.bounds.deepest), EvaluationHandlers(engine))
    bulk = BulkHandlers(unary, traces, admission.bounds_of_requests, settings.limits.most_bulk_in_flight)
    services: list[_Handlers] = [*unary, bulk]
    if settings.dice.secrets:
        services.append(DiceHandlers(DiceSecrets(settings.dice.secrets)))
    server = grpc.aio.server(options=options(settings.connections, shared_port=shared_port))
    access_log = AccessLog(settings.log, traces)
    names, served = [], ServedMethods()
    for handlers in services:
        names.append(handlers.service)
        methods = served_methods(_SERVICES[handlers.service], handlers, admission, access_log, traces)
        quick = {}
        if traces is None and not access_log.tells_requests:
            quick = quick_methods(_SERVICES[handlers.service], handlers, admission, access_log, methods)
        served.add(handlers.service, methods, quick)
        served.add(handlers.service + JSON_SUFFIX, in_json(methods))
    server.add_generic_rpc_handlers((served,))
    health = Health(tuple(names))
    health_pb2_grpc.add_HealthServicer_to_server(health, server)
    if settings.reflection:
        health_name = health_pb2.DESCRIPTOR.services_by_name["Health"].full_name
        reflection.enable_server_reflection((*names, health_name, reflection.SERVICE_NAME), server)
    server.add_generic_rpc_handlers((UnservedMethods(access_log),))
    address = _bind(server, settings.listen, certificates)
    if web_socket:
        _bind_socket(server, web_socket)
    probes = grpc.aio.server(options=options(settings.connections, shared_port=shared_port))
    health_pb2_grpc.add_HealthServicer_to_server(health, probes)
    health_address = _bind(probes, settings.health_listen, None) if settings.health_listen else ""
    # Whatever cannot be bound must be known before: a server that has started does not go without a word.
    metrics = _serve_metrics(settings.metrics_listen, engine, admission) if settings.metrics_listen else ""
    await server.start()
    await probes.start()
    health.start()
    health.web(up=web_socket is None)
    REGISTRY.register(UpkeepCollector(certificates, tokens, bulk))
    watching = asyncio.create_task(tokens.watch()) if tokens else None
    return Daemon(server, probes, health, engine, bulk, admission, address, metrics, health_address, traces, watching)


async def serve(settings: Settings) -> None:
    """Serve until asked to stop, then drain.

    Raises:
        CannotListen: if an address is taken or no address.

    """
    stopping = asyncio.Event()
    on_stop(stopping.set)
    with ExitStack() as held:
        web = Edge(replace(settings, workers=1), held) if settings.web.enabled else None
        daemon = await start(settings, web_socket=web.sockets[0] if web else None)
        if web:
            REGISTRY.register(WebCollector(web))
            try:
                await web.start(daemon.health.web)
            except CannotListen:
                await daemon.drain(grace_seconds=0)
                raise
        log.info(
            "serving",
            listen=daemon.address,
            version=server_version(),
            metrics=daemon.metrics,
            health=daemon.health_address,
            web=web.address if web else "",
        )
        notify("READY=1")
        living = asyncio.create_task(say_that_it_lives())
        await daemon.run(stopping, settings, web)
        living.cancel()


def options(connections: Connections, *, shared_port: bool) -> tuple[tuple[str, int], ...]:
    """Say to gRPC what one connection may do."""
    return (
        # By default a second daemon would share the port silently.
        ("grpc.so_reuseport", int(shared_port)),
        ("grpc.max_connection_age_ms", round(1000 * connections.most_age_seconds)),
        ("grpc.max_connection_age_grace_ms", round(1000 * connections.age_grace_seconds)),
        ("grpc.keepalive_time_ms", round(1000 * connections.keepalive_seconds)),
        ("grpc.keepalive_timeout_ms", round(1000 * connections.keepalive_timeout_seconds)),
        # Without this gRPC waits a minute for the answer to any ping of its own, whatever is said above.
        ("grpc.http2.ping_timeout_ms", round(1000 * connections.keepalive_timeout_seconds)),
        # By default a connection without calls would never be asked, and one that has vanished would stay.
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.max_receive_message_length", LARGEST_RECEIVED),
        ("grpc.http2.min_ping_interval_without_data_ms", round(1000 * connections.least_ping_interval_seconds)),
        ("grpc.max_concurrent_streams", connections.most_streams),
        # Or gRPC would count calls that have ended a moment ago, and refuse as UNAVAILABLE what it has allowed.
        ("grpc.http.overload_protection", 0),
        # Beyond these gRPC would say CANCELLED, and by default, from 1000 on, with a growing probability. A call
        # that waits to be looked at takes about 10 kB.
        ("grpc.server.max_pending_requests", _MOST_PENDING),
        ("grpc.server.max_pending_requests_hard_limit", _MOST_PENDING),
        ("grpc.max_metadata_size", connections.most_header_bytes),
        # Above it gRPC would not always refuse, but with a growing probability.
        ("grpc.absolute_max_metadata_size", connections.most_header_bytes),
    )


def _evaluator_settings(settings: Settings) -> EvaluatorSettings:
    """Say to the evaluator what it may take."""
    limits = settings.engine
    found = EvaluatorSettings(
        most_waiting=limits.most_waiting,
        most_wait_seconds=limits.most_wait_seconds,
        cached_evaluations=limits.cached_evaluations,
        cached_rankings=limits.cached_rankings,
        cache_folder=limits.cache_folder,
        cluster=cluster_settings(settings.cluster),
    )
    return found if limits.processes is None else replace(found, workers=limits.processes)


def _serve_metrics(listen: str, engine: EngineAccess, admission: Admission) -> str:
    """Serve the metrics and say what was bound."""
    host, _, port = listen.rpartition(":")
    try:
        return f"{host}:{serve_metrics(host.strip('[]'), int(port), engine.state, admission.rooms.values())}"
    except OSError as error:
        message = f"cannot serve metrics on {listen}: {error}"
        raise CannotListen(message) from None


def _bind_socket(server: grpc.aio.Server, web_socket: Path) -> None:
    """Bind where the web edge calls."""
    try:
        server.add_insecure_port(f"unix:{web_socket}")
    except RuntimeError:
        # A path of a socket has at most 107 bytes on Linux (unix(7)), of which TMPDIR may be too many.
        raise CannotListen(f"cannot listen on {web_socket}: set TMPDIR to a folder with a shorter path") from None


def _bind(server: grpc.aio.Server, listen: str, certificates: Certificates | None) -> str:
    """Bind and say what was bound."""
    try:
        bound = (
            server.add_secure_port(listen, certificates.credentials())
            if certificates
            else server.add_insecure_port(listen)
        )
    except RuntimeError:
        bound = 0
    if not bound:
        message = f"cannot listen on {listen}: the port is taken by another program, or the host is not this machine's"
        raise CannotListen(message)
    return f"{listen.rpartition(':')[0]}:{bound}"
