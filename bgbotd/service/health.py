"""Standard health checking, which ends its watches when the server drains."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from grpc_health.v1 import health_pb2
from grpc_health.v1._async import HealthServicer

if TYPE_CHECKING:
    import grpc

LIVENESS = "liveness"
"""Serving as long as the process lives: draining must not make an orchestrator restart it."""

_SERVING = health_pb2.HealthCheckResponse.SERVING
_NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING


class Health(HealthServicer):
    """Health of the whole server (the empty name), of each service, and liveness."""

    def __init__(self, services: tuple[str, ...]) -> None:
        """Start with everything not serving but liveness."""
        super().__init__()
        self._services = ("", *services)
        self._draining = asyncio.Event()

    async def start(self) -> None:
        """Say that everything is served."""
        await self.set(LIVENESS, _SERVING)
        for service in self._services:
            await self.set(service, _SERVING)

    async def drain(self) -> None:
        """Say that nothing is served any more, and end every watch: an open one would hold up the stop."""
        for service in self._services:
            await self.set(service, _NOT_SERVING)
        self._draining.set()

    async def Watch(  # noqa: N802 - the contract's name
        self,
        request: health_pb2.HealthCheckRequest,
        context: grpc.aio.ServicerContext[health_pb2.HealthCheckRequest, health_pb2.HealthCheckResponse],
    ) -> None:
        """Send the state of a service and every change, until the caller leaves or the server drains."""
        watching = asyncio.ensure_future(super().Watch(request, context))
        draining = asyncio.ensure_future(self._draining.wait())
        try:
            await asyncio.wait({watching, draining}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            watching.cancel()
            draining.cancel()
        if self._draining.is_set() and request.service != LIVENESS:
            await context.write(health_pb2.HealthCheckResponse(status=_NOT_SERVING))
