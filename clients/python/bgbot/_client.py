"""Channels to a daemon, and the stubs on them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Self

import grpc
from grpc import aio

from bgbot._bulk import BulkAnswer, ask_all
from bgbot._interceptors import CallDefaults, Interceptor, async_interceptors
from bgbot.v1 import (
    BULK_PRIORITY_BACKGROUND,
    BotServiceStub,
    BulkServiceStub,
    DiceServiceStub,
    EvaluationServiceStub,
    RulesServiceStub,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, AsyncIterator, Iterable
    from types import TracebackType

    from google.protobuf.message import Message

    from bgbot.v1 import BulkPriority

DEFAULT_ADDRESS = "127.0.0.1:50051"
DEFAULT_TIMEOUT = 30.0
DEFAULT_PATIENCE = 30.0

_SERVICE_CONFIG = {
    # A name that has several addresses, such as a headless service's, means as many replicas.
    "loadBalancingConfig": [{"round_robin": {}}],
    "methodConfig": [
        # Every method but the two streams may be sent twice without harm. UNAVAILABLE says that the
        # daemon was not reached or is draining, so that another try reaches its successor; CANCELLED
        # is what gRPC itself says of a call that came in the moment the daemon stopped.
        {
            "name": [
                {"service": f"bgbot.v1.{service}"}
                for service in ("RulesService", "BotService", "EvaluationService", "DiceService")
            ],
            "retryPolicy": {
                "maxAttempts": 4,
                "initialBackoff": "0.1s",
                "maxBackoff": "1s",
                "backoffMultiplier": 2,
                "retryableStatusCodes": ["UNAVAILABLE", "CANCELLED"],
            },
        },
        {"name": [{"service": "bgbot.v1.EvaluationService", "method": "Rollout"}]},
    ],
}
_CHANNEL_OPTIONS = [
    ("grpc.service_config", json.dumps(_SERVICE_CONFIG)),
    # The daemon closes connections that ping more often than every 30 seconds.
    ("grpc.keepalive_time_ms", 60_000),
    ("grpc.keepalive_timeout_ms", 20_000),
]


class Client:
    """A connection to a daemon; each attribute is the generated stub of a service.

    It may be shared by threads. Close it, or use it as a context manager.
    """

    def __init__(
        self,
        address: str = DEFAULT_ADDRESS,
        *,
        credentials: grpc.ChannelCredentials | None = None,
        token: str | None = None,
        timeout: float = DEFAULT_TIMEOUT,
    ) -> None:
        """Open a channel; it connects with the first call.

        Args:
            address: `HOST:PORT`, or any other name gRPC resolves. Calls go in turn to all the addresses
                it has.
            credentials: for TLS, from `grpc.ssl_channel_credentials`. Without them the connection
                is plain.
            token: sent with every call as `authorization: Bearer`. On a plain connection anyone on
                the way can read it.
            timeout: seconds a unary call may take when the call says nothing else. Streams take as
                long as they need.

        """
        channel = (
            grpc.insecure_channel(address, _CHANNEL_OPTIONS)
            if credentials is None
            else grpc.secure_channel(address, credentials, _CHANNEL_OPTIONS)
        )
        self._channel = channel
        intercepted = grpc.intercept_channel(channel, Interceptor(CallDefaults(timeout, token)))
        self.rules = RulesServiceStub(intercepted)
        self.bots = BotServiceStub(intercepted)
        self.evaluation = EvaluationServiceStub(intercepted)
        self.bulk = BulkServiceStub(intercepted)
        self.dice = DiceServiceStub(intercepted)

    def close(self) -> None:
        """Close the channel; calls in flight are cancelled."""
        self._channel.close()

    def __enter__(self) -> Self:
        """Give the client itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Close the channel."""
        self.close()


class AsyncClient:
    """The same as `Client` for asyncio; it belongs to the event loop it is made in."""

    def __init__(
        self,
        address: str = DEFAULT_ADDRESS,
        *,
        credentials: grpc.ChannelCredentials | None = None,
        token: str | None = None,
        timeout: float = DEFAULT_TIMEOUT,
    ) -> None:
        """Open a channel; the arguments are those of `Client`."""
        interceptors = async_interceptors(CallDefaults(timeout, token))
        channel = (
            aio.insecure_channel(address, _CHANNEL_OPTIONS, interceptors=interceptors)
            if credentials is None
            else aio.secure_channel(address, credentials, _CHANNEL_OPTIONS, interceptors=interceptors)
        )
        self._channel = channel
        self.rules = RulesServiceStub(channel)
        self.bots = BotServiceStub(channel)
        self.evaluation = EvaluationServiceStub(channel)
        self.bulk = BulkServiceStub(channel)
        self.dice = DiceServiceStub(channel)

    def ask_all(
        self,
        requests: Iterable[Message] | AsyncIterable[Message],
        *,
        priority: BulkPriority.ValueType = BULK_PRIORITY_BACKGROUND,
        most_under_way: int = 1024,
        patience: float = DEFAULT_PATIENCE,
    ) -> AsyncIterator[BulkAnswer]:
        """Ask any unary requests on one stream of Bulk, and give the answers as they finish.

        What a draining or lost daemon has not answered is asked again, so that every request gets exactly
        one answer. Leaving the loop cancels what is under way.

        Args:
            requests: any requests that `BulkItem` knows, mixed as you like; taken as there is room.
            priority: whether a person waits for them.
            most_under_way: how many may be without an answer at a time.
            patience: for how many seconds a daemon that is away or draining is tried again before it is given up,
                counted anew after every answer; in pauses of 0.1 s, each twice the last, up to 1 s. Zero: not at all.

        Raises:
            BgbotError: if the stream fails, or the daemon stays away for longer than `patience`.
            TypeError: for a request that `BulkItem` does not know.

        """
        return ask_all(self.bulk, requests, priority, most_under_way, patience)

    async def close(self) -> None:
        """Close the channel; calls in flight are cancelled."""
        await self._channel.close()

    async def __aenter__(self) -> Self:
        """Give the client itself."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Close the channel."""
        await self.close()
