"""A channel to the daemon and stubs of the services that ask the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import grpc
import pytest
from bgbot import v1

if TYPE_CHECKING:
    from collections.abc import Iterator


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
