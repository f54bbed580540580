"""Who is let in, to how much at a time, and for how long."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import timedelta
from hashlib import sha256
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, cast

import grpc
import pytest
from bgbot import position_source, v1
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from tests.service.guarded import called_by, write_tokens
from tests.service.refusals import refusal_of
from tests.service.running import running
from tests.service.test_workers import watch_liveness

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

LONG = v1.RolloutRequest(
    position=position_source(), settings=v1.RolloutSettings(trials=1_000_000, truncate_after_plies=1)
)
"""Minutes of work that tells of its progress at once."""


@contextmanager
def connected(*arguments: str) -> Iterator[grpc.Channel]:
    """Run a daemon and open a channel to it."""
    with running(*arguments) as daemon, grpc.insecure_channel(daemon.address) as channel:
        yield channel


def refused(call: Callable[[], Any]) -> tuple[grpc.StatusCode, str, timedelta]:
    """Make a call that must be refused, and give its code, its reason, and when to come again."""
    refusal = refusal_of(call)
    return refusal.code, refusal.reason, refusal.retry_after


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[grpc.Channel]:
    """Run a daemon whose callers need tokens."""
    file = tmp_path_factory.mktemp("tokens") / "tokens.toml"
    entries = [
        ("player", ""),
        ("analyst", 'services = ["EvaluationService"]'),
        ("slow", "calls_per_second = 0.001"),
    ]
    file.write_text(
        "\n".join(
            f'[[token]]\nname = "{name}"\nsha256 = "{sha256(name.encode()).hexdigest()}"\n{more}'
            for name, more in entries
        )
    )
    with connected("--tokens", str(file)) as channel:
        yield channel


def list_bots(channel: grpc.Channel, token: str) -> v1.ListBotsResponse:
    """Make a call with a token."""
    metadata = (("authorization", f"Bearer {token}"),) if token else ()
    return v1.BotServiceStub(channel).ListBots(v1.ListBotsRequest(), metadata=metadata, timeout=20)


def test_only_a_token_that_allows_the_service_gets_in(guarded: grpc.Channel) -> None:
    """Each refusal says which it is."""
    assert list_bots(guarded, "player").bots
    assert (grpc.StatusCode.UNAUTHENTICATED, "UNAUTHENTICATED") == refused(lambda: list_bots(guarded, ""))[:2]
    assert (grpc.StatusCode.UNAUTHENTICATED, "UNAUTHENTICATED") == refused(lambda: list_bots(guarded, "nobody"))[:2]
    assert (grpc.StatusCode.PERMISSION_DENIED, "PERMISSION_DENIED") == refused(lambda: list_bots(guarded, "analyst"))[
        :2
    ]


def test_a_stream_needs_a_token_as_well(guarded: grpc.Channel) -> None:
    """Nothing is rolled out for a stranger."""
    rollout = v1.EvaluationServiceStub(guarded).Rollout
    assert (grpc.StatusCode.UNAUTHENTICATED, "UNAUTHENTICATED") == refused(lambda: list(rollout(LONG, timeout=20)))[:2]


def test_a_tokens_rate_is_held(guarded: grpc.Channel) -> None:
    """The refusal says when to come again."""
    assert list_bots(guarded, "slow").bots
    code, reason, again = refused(lambda: list_bots(guarded, "slow"))
    assert (grpc.StatusCode.RESOURCE_EXHAUSTED, "RATE_LIMITED") == (code, reason)
    assert timedelta(seconds=900) < again <= timedelta(seconds=1000)


def roll_out(channel: grpc.Channel, token: str) -> Any:  # noqa: ANN401 - a call that is a stream
    """Begin a rollout that lasts."""
    return v1.EvaluationServiceStub(channel).Rollout(LONG, **called_by(token))


def ask_in_bulk(channel: grpc.Channel, token: str) -> Any:  # noqa: ANN401 - a call that is a stream
    """Begin a Bulk stream, ask once, and keep it open."""
    item = v1.BulkItem(id=1, count_pips=v1.CountPipsRequest(position=position_source()))
    asked: SimpleQueue[v1.BulkRequest | None] = SimpleQueue()
    asked.put(v1.BulkRequest(items=[item]))
    stream = v1.BulkServiceStub(channel).Process(iter(asked.get, None), **called_by(token))
    stream.add_callback(lambda: asked.put(None))
    return stream


@pytest.mark.parametrize("begin", [roll_out, ask_in_bulk])
@pytest.mark.parametrize(
    ("left", "expected"),
    [
        ({}, (grpc.StatusCode.UNAUTHENTICATED, "UNAUTHENTICATED")),
        ({"player": 'services = ["RulesService"]'}, (grpc.StatusCode.PERMISSION_DENIED, "PERMISSION_DENIED")),
    ],
    ids=["revoked", "without the service"],
)
def test_a_stream_ends_when_its_token_does_not_allow_it_any_more(
    tmp_path: Path,
    begin: Callable[[grpc.Channel, str], Any],
    left: dict[str, str],
    expected: tuple[grpc.StatusCode, str],
) -> None:
    """With the reason a new call would hear; a stream whose token is only changed goes on."""
    file = write_tokens(tmp_path / "tokens.toml", {"player": "", "other": ""})
    with connected("--tokens", str(file)) as channel:
        ends, stays = begin(channel, "player"), begin(channel, "other")
        assert next(ends)
        assert next(stays)
        write_tokens(file, {**left, "other": "calls_at_once = 5"})
        assert expected == refused(lambda: list(ends))[:2]
        assert stays.is_active()
        stays.cancel()


def test_health_and_reflection_need_no_token(guarded: grpc.Channel) -> None:
    """Who looks after the daemon, or only looks, is let in."""
    assert next(watch_liveness(guarded)).status
    assert "bgbot.v1.BotService" in reflected(guarded)


def reflected(channel: grpc.Channel) -> set[str]:
    """List the services that reflection tells of."""
    request = reflection_pb2.ServerReflectionRequest(list_services="")
    answer = next(reflection_pb2_grpc.ServerReflectionStub(channel).ServerReflectionInfo(iter([request]), timeout=20))  # type: ignore[operator] # not in the stubs
    return {service.name for service in answer.list_services_response.service}


def test_reflection_can_be_switched_off() -> None:
    """The other services do not miss it."""
    with connected("--no-reflection") as channel:
        with pytest.raises(grpc.RpcError) as raised:
            reflected(channel)
        assert grpc.StatusCode.UNIMPLEMENTED == cast("grpc.Call", raised.value).code()
        assert list_bots(channel, "").bots


def test_what_finds_no_room_is_refused_and_health_is_not() -> None:
    """One rollout at a time; when it has ended the next is let in."""
    with running("--limits.most-rollouts", "1") as daemon, grpc.insecure_channel(daemon.address) as channel:
        rollout = v1.EvaluationServiceStub(channel).Rollout
        first = rollout(LONG, timeout=50)
        next(first)
        code, reason, again = refused(lambda: list(rollout(LONG, timeout=20)))
        assert (grpc.StatusCode.RESOURCE_EXHAUSTED, "ENGINE_BUSY") == (code, reason)
        assert timedelta(0) < again
        assert next(watch_liveness(channel)).status
        assert "RESOURCE_EXHAUSTED" == daemon.await_event("call")["code"]
        first.cancel()
        assert "CANCELLED" == daemon.await_event("call")["code"]
        assert next(rollout(LONG, timeout=20)).trials_done


def test_a_call_without_a_deadline_gets_the_servers() -> None:
    """Nothing is worked at for ever."""
    with connected("--limits.deadline-seconds", "0.01", "--limits.stream-deadline-seconds", "0.01") as channel:
        stub = v1.EvaluationServiceStub(channel)
        deep = v1.EvaluateRequest(position=position_source(), depth=v1.DEPTH_PLY4)
        expected = (grpc.StatusCode.DEADLINE_EXCEEDED, "DEADLINE_EXCEEDED")
        assert expected == refused(lambda: stub.Evaluate(deep))[:2]
        assert expected == refused(lambda: list(stub.Rollout(LONG)))[:2]
        shallow = v1.EvaluateRequest(position=position_source(), depth=v1.DEPTH_PLY2)
        assert v1.DEPTH_PLY2 == stub.Evaluate(shallow, timeout=20).stamp.depth
