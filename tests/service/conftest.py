"""Channels to the daemon and stubs of the services that ask the engine; and a server whose Bulk streams wait."""

from __future__ import annotations

from typing import TYPE_CHECKING

import grpc
import pytest
from bgbot import v1
from bgbot.v1 import bulk_service_pb2

from bgbotd.service.calls import served_methods
from tests.service.bulk_streams import Counting, Slow

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from bgbot.v1.bulk_service_pb2_grpc import BulkServiceAsyncStub


@pytest.fixture(scope="session")
def channel(daemon: str) -> Iterator[grpc.Channel]:
    """Give a channel to the daemon."""
    with grpc.insecure_channel(daemon) as channel:
        yield channel


@pytest.fixture(scope="session")
def evaluation(channel: grpc.Channel) -> v1.EvaluationServiceStub:
    """Give the evaluation service's stub."""
    return v1.EvaluationServiceStub(channel)


@pytest.fixture(scope="session")
def bots(channel: grpc.Channel) -> v1.BotServiceStub:
    """Give the bots' stub."""
    return v1.BotServiceStub(channel)


@pytest.fixture
def slow() -> Slow:
    """Give the handlers of `slow_bulk`."""
    return Slow()


@pytest.fixture
def slow_bulk(slow: Slow) -> Counting:
    """Give what serves `slow_stub`."""
    return Counting([slow])


@pytest.fixture
async def slow_address(slow_bulk: Counting) -> AsyncIterator[str]:
    """Serve `slow_bulk`."""
    descriptor = bulk_service_pb2.DESCRIPTOR.services_by_name["BulkService"]
    methods = served_methods(descriptor, slow_bulk)
    serving = grpc.aio.server()
    serving.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(descriptor.full_name, methods),))
    port = serving.add_insecure_port("127.0.0.1:0")
    await serving.start()
    yield f"127.0.0.1:{port}"
    await serving.stop(0)


@pytest.fixture
async def slow_stub(slow_address: str) -> AsyncIterator[BulkServiceAsyncStub]:
    """Give a stub of `slow_bulk`."""
    async with grpc.aio.insecure_channel(slow_address) as channel:
        yield v1.BulkServiceStub(channel)


@pytest.fixture
async def aio_channel(daemon: str) -> AsyncIterator[grpc.aio.Channel]:
    """Give a channel to the daemon."""
    async with grpc.aio.insecure_channel(daemon) as channel:
        yield channel


@pytest.fixture
def bulk_stub(aio_channel: grpc.aio.Channel) -> BulkServiceAsyncStub:
    """Give a stub of the daemon."""
    return v1.BulkServiceStub(aio_channel)
