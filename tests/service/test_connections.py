"""What one connection may do."""

from __future__ import annotations

from typing import cast

import grpc
import pytest
from bgbot import position_source, v1

from tests.service.running import running
from tests.service.test_workers import watch_liveness


def count_pips(channel: grpc.Channel, padding: int) -> int:
    """Make a call whose metadata has at least so many bytes."""
    request = v1.CountPipsRequest(position=position_source())
    metadata = (("padding", "x" * padding),)
    return v1.EvaluationServiceStub(channel).CountPips(request, timeout=20, metadata=metadata).player_pips


def test_metadata_beyond_the_limit_is_refused_and_the_connection_goes_on() -> None:
    """The next call on it is answered."""
    with running("--connections.most-header-bytes", "2000") as daemon, grpc.insecure_channel(daemon.address) as channel:
        with pytest.raises(grpc.RpcError) as raised:
            count_pips(channel, 2000)
        assert grpc.StatusCode.RESOURCE_EXHAUSTED == cast("grpc.Call", raised.value).code()
        assert 167 == count_pips(channel, 1000)


def test_a_connection_of_full_age_is_ended_and_the_next_one_serves() -> None:
    """What is still open on it after the grace ends as UNAVAILABLE."""
    ages = ("--connections.most-age-seconds", "1", "--connections.age-grace-seconds", "0.1")
    with running(*ages) as daemon, grpc.insecure_channel(daemon.address) as channel:
        watch = watch_liveness(channel)
        with pytest.raises(grpc.RpcError):
            list(watch)
        assert grpc.StatusCode.UNAVAILABLE == watch.code()
        assert next(watch_liveness(channel)).status
