"""The life of the daemon: bind, serve, drain."""

from __future__ import annotations

import asyncio
import signal
from dataclasses import dataclass

import grpc
import structlog
from bgbot.v1 import bot_service_pb2, evaluation_service_pb2, rules_service_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from bgbotd.evaluation import EvaluatorSettings
from bgbotd.service.bots_handlers import BotHandlers
from bgbotd.service.calls import UnservedMethods, served_methods
from bgbotd.service.engine_access import EngineAccess
from bgbotd.service.evaluation_handlers import EvaluationHandlers
from bgbotd.service.health import Health
from bgbotd.service.metrics import serve_metrics
from bgbotd.service.rules_handlers import RulesHandlers
from bgbotd.service.stamps import server_version

log = structlog.get_logger("bgbotd")

_FILES = (rules_service_pb2, bot_service_pb2, evaluation_service_pb2)

_OPTIONS = (
    # By default a second daemon would share the port silently.
    ("grpc.so_reuseport", 0),
    # SO_REUSEPORT and load balancers spread connections, not calls: let them move on now and then.
    ("grpc.max_connection_age_ms", 15 * 60 * 1000),
    ("grpc.max_connection_age_grace_ms", 5 * 60 * 1000),
    ("grpc.keepalive_time_ms", 2 * 60 * 1000),
    ("grpc.keepalive_timeout_ms", 20 * 1000),
    ("grpc.http2.min_ping_interval_without_data_ms", 30 * 1000),
)


class CannotListen(Exception):
    """The address cannot be bound."""


@dataclass(frozen=True, slots=True)
class Daemon:
    """A started server."""

    server: grpc.aio.Server
    health: Health
    engine: EngineAccess
    address: str
    """What it listens on, with the port that was bound."""

    async def drain(self, grace_seconds: float) -> None:
        """Accept nothing new, answer what was accepted within the grace, then end."""
        self.health.drain()
        await self.server.stop(grace_seconds)
        await self.engine.close()


async def start(listen: str, evaluation: EvaluatorSettings | None = None) -> Daemon:
    """Bind `listen` (HOST:PORT; port 0 takes a free one) and serve.

    Raises:
        CannotListen: if the address is taken or no address.

    """
    server = grpc.aio.server(options=_OPTIONS)
    engine = EngineAccess(evaluation or EvaluatorSettings())
    handlers = {each.service: each for each in (RulesHandlers(), BotHandlers(engine), EvaluationHandlers(engine))}
    names = []
    for file in _FILES:
        for descriptor in file.DESCRIPTOR.services_by_name.values():
            names.append(descriptor.full_name)
            methods = served_methods(descriptor, handlers[descriptor.full_name])
            server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(descriptor.full_name, methods),))
    health = Health(tuple(names))
    health_pb2_grpc.add_HealthServicer_to_server(health, server)
    health_name = health_pb2.DESCRIPTOR.services_by_name["Health"].full_name
    reflection.enable_server_reflection((*names, health_name, reflection.SERVICE_NAME), server)
    server.add_generic_rpc_handlers((UnservedMethods(),))
    address = _bind(server, listen)
    await server.start()
    health.start()
    return Daemon(server, health, engine, address)


async def serve(listen: str, grace_seconds: float, metrics_listen: str) -> None:
    """Serve until SIGTERM or SIGINT, then drain; `metrics_listen` is HOST:PORT for Prometheus, or empty.

    Raises:
        CannotListen: if an address is taken or no address.

    """
    stopping = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stopping.set)
    daemon = await start(listen)
    metrics = _serve_metrics(metrics_listen, daemon.engine) if metrics_listen else None
    log.info("serving", listen=daemon.address, version=server_version(), metrics=metrics)
    daemon.engine.load()
    await stopping.wait()
    log.info("draining", grace_seconds=grace_seconds)
    await daemon.drain(grace_seconds)
    log.info("stopped")


def _serve_metrics(listen: str, engine: EngineAccess) -> str:
    """Serve the metrics and say what was bound."""
    host, port = _parted(listen)
    try:
        return f"{host}:{serve_metrics(host.strip('[]'), port, engine.state)}"
    except (OSError, OverflowError) as error:
        message = f"cannot serve metrics on {listen}: {error}"
        raise CannotListen(message) from None


def _parted(listen: str) -> tuple[str, int]:
    """Part an address into host and port."""
    host, colon, port = listen.rpartition(":")
    if not colon or not host or not port.isdecimal():
        message = f"{listen!r} is no address: HOST:PORT is needed, such as 127.0.0.1:50051 or [::1]:50051"
        raise CannotListen(message)
    return host, int(port)


def _bind(server: grpc.aio.Server, listen: str) -> str:
    """Bind and say what was bound."""
    host, _ = _parted(listen)
    try:
        bound = server.add_insecure_port(listen)
    except RuntimeError:
        bound = 0
    if not bound:
        message = f"cannot listen on {listen}: the port is taken by another program, or the host is not this machine's"
        raise CannotListen(message)
    return f"{host}:{bound}"
