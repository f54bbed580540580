"""A typed stub for health checking, whose package ships none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse

if TYPE_CHECKING:
    import grpc

_SERVICE = "/grpc.health.v1.Health"


class HealthStub:
    """Calls the standard health service over an asyncio channel."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        """Bind both methods to a channel."""
        self.check: grpc.aio.UnaryUnaryMultiCallable[HealthCheckRequest, HealthCheckResponse] = channel.unary_unary(
            f"{_SERVICE}/Check", HealthCheckRequest.SerializeToString, HealthCheckResponse.FromString
        )
        self.watch: grpc.aio.UnaryStreamMultiCallable[HealthCheckRequest, HealthCheckResponse] = channel.unary_stream(
            f"{_SERVICE}/Watch", HealthCheckRequest.SerializeToString, HealthCheckResponse.FromString
        )
