"""Standard health checking, which ends its watches when the server stops."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from bgbotd.config import WrongSettings, parted

if TYPE_CHECKING:
    from bgbotd.config import Settings

    Context = grpc.aio.ServicerContext[health_pb2.HealthCheckRequest, health_pb2.HealthCheckResponse]

LIVENESS = "liveness"
"""Serving as long as the process lives: draining must not make an orchestrator restart it."""

_ASK_SECONDS = 2.0
"""A daemon that takes longer to say that it serves is not well: it looks at nothing to say so."""

_SERVING = health_pb2.HealthCheckResponse.SERVING
_NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING
_SERVICE_UNKNOWN = health_pb2.HealthCheckResponse.SERVICE_UNKNOWN


class Health(health_pb2_grpc.HealthServicer):
    """Health of the whole server (the empty name), of each service, and liveness.

    The library's own servicer would keep watches open for ever, and so hold up the stop.
    """

    def __init__(self, services: tuple[str, ...]) -> None:
        """Start with everything not serving but liveness."""
        self._statuses = {LIVENESS: _SERVING, **dict.fromkeys(("", *services), _NOT_SERVING)}
        self._changed = asyncio.Event()
        self._draining = False
        self._ending = False

    def start(self) -> None:
        """Say that everything is served."""
        self._set(_SERVING)

    def web(self, *, up: bool) -> None:
        """Say whether the web edge is up: without it the whole server is not what it should be, but each service is."""
        if not self._draining:
            self._set(_SERVING if up else _NOT_SERVING, {""})

    def drain(self) -> None:
        """Say that nothing is served any more. The watches stay: whoever's has ended would begin another at once."""
        self._draining = True
        self._set(_NOT_SERVING)

    def end_watches(self) -> None:
        """End every watch, now that the server stops and would wait for them."""
        self._ending = True
        self._set(_NOT_SERVING)

    async def Check(  # noqa: N802 - the contract's name
        self, request: health_pb2.HealthCheckRequest, context: Context
    ) -> health_pb2.HealthCheckResponse:
        """Give the state of a service."""
        status = self._statuses.get(request.service)
        if status is None:
            await context.abort(grpc.StatusCode.NOT_FOUND, f"No service {request.service!r} is known here.")
        return health_pb2.HealthCheckResponse(status=status)

    async def Watch(self, request: health_pb2.HealthCheckRequest, context: Context) -> None:  # noqa: N802 - the contract's name
        """Send the state of a service and every change, until the caller leaves or the server stops."""
        sent = None
        while True:
            # Looked at before anything is written: what changes meanwhile must not be passed over.
            changed, ending = self._changed, self._ending
            status = self._statuses.get(request.service, _SERVICE_UNKNOWN)
            if status != sent:
                await context.write(health_pb2.HealthCheckResponse(status=status))
                sent = status
            if ending:
                return
            await changed.wait()

    def _set(self, status: int, services: set[str] | None = None) -> None:
        """Set everything but liveness, and wake the watches, each of which waits for the next change."""
        self._statuses.update(dict.fromkeys(services or self._statuses.keys() - {LIVENESS}, status))
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()


def ask(settings: Settings, *, liveness: bool) -> tuple[str, bool]:
    """Ask the daemon on this machine that has these settings; give what it says, and whether that is SERVING.

    Raises:
        WrongSettings: if its only address needs a certificate.

    """
    if settings.tls.certificate and not settings.health_listen:
        raise WrongSettings(["health-listen: needed beside tls.certificate, for a probe has no certificate"])
    host, port = parted(settings.health_listen or settings.listen) or ("", 0)
    # What listens on every address of the machine is asked on its own.
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - not bound
    with grpc.insecure_channel(f"[{host}]:{port}" if ":" in host else f"{host}:{port}") as channel:
        check: grpc.UnaryUnaryMultiCallable[health_pb2.HealthCheckRequest, health_pb2.HealthCheckResponse] = (
            channel.unary_unary(
                "/grpc.health.v1.Health/Check",
                health_pb2.HealthCheckRequest.SerializeToString,
                health_pb2.HealthCheckResponse.FromString,
            )
        )
        try:
            answer = check(health_pb2.HealthCheckRequest(service=LIVENESS if liveness else ""), timeout=_ASK_SECONDS)
        except grpc.RpcError as error:
            return f"{error.code().name}: {error.details()}", False
    return str(health_pb2.HealthCheckResponse.ServingStatus.Name(answer.status)), answer.status == _SERVING
