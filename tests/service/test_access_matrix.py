"""Who gets in, who does not, and what each refusal says; docs/operating.md has the same table."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import grpc
import pytest
from bgbot import position_source, v1
from google.rpc.error_details_pb2 import ErrorInfo
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from grpc_status import rpc_status

from bgbotd.config import Dice, Settings, Tls
from bgbotd.service import server
from tests.service.certificates import Authority, Pair
from tests.service.guarded import write_tokens
from tests.service.health_stub import HealthStub

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

PAGE = (Path(__file__).parents[2] / "docs/operating.md").read_text(encoding="utf-8")
TOKENS = {
    "player": "",
    "analyst": 'services = ["EvaluationService"]',
    "game server": 'services = ["DiceService"]',
    "spent": "calls_per_second = 0.001",
}
CONNECTION = "the connection: `UNAVAILABLE`"
"""What a caller hears from its own library, since no call has come through."""


@dataclass(frozen=True, slots=True)
class Case:
    """A row of the table."""

    daemon: str
    """What the daemon is started with."""
    caller: str
    """What the caller comes with."""
    asks: str
    """What it asks for."""
    answer: str
    """OK, or the code and the reason of the refusal."""

    def __str__(self) -> str:
        """Give the row as the page has it."""
        return f"| {self.daemon} | {self.caller} | {self.asks} | {self.answer} |"


CASES = [
    Case("nothing, on the loopback", "nothing", "a call", "OK"),
    Case("nothing, on the loopback", "nothing", "dice", "`UNIMPLEMENTED`, `METHOD_NOT_SERVED`"),
    Case("TLS", "TLS", "a call", "OK"),
    Case("TLS", "nothing", "a call", CONNECTION),
    Case("TLS", "TLS that trusts another authority", "a call", CONNECTION),
    Case("mTLS", "its authority's certificate", "a call", "OK"),
    Case("mTLS", "nothing", "a call", CONNECTION),
    Case("mTLS", "TLS", "a call", CONNECTION),
    Case("mTLS", "another authority's certificate", "a call", CONNECTION),
    Case("mTLS", "its authority's certificate, expired", "a call", CONNECTION),
    Case("mTLS", "TLS", "health", CONNECTION),
    Case("tokens", "a token", "a call", "OK"),
    Case("tokens", "nothing", "a call", "`UNAUTHENTICATED`, `UNAUTHENTICATED`"),
    Case("tokens", "a token nobody knows", "a call", "`UNAUTHENTICATED`, `UNAUTHENTICATED`"),
    Case("tokens", "a password (`Basic`)", "a call", "`UNAUTHENTICATED`, `UNAUTHENTICATED`"),
    Case("tokens", "a token without the service", "a call", "`PERMISSION_DENIED`, `PERMISSION_DENIED`"),
    Case("tokens", "a token whose rate is spent", "a call", "`RESOURCE_EXHAUSTED`, `RATE_LIMITED`"),
    Case("tokens", "a token", "dice", "`PERMISSION_DENIED`, `DICE_ROLE_REQUIRED`"),
    Case("tokens", "a token with the dice role", "dice", "OK"),
    Case("tokens", "a token with the dice role alone", "a call", "`PERMISSION_DENIED`, `PERMISSION_DENIED`"),
    Case("tokens", "nothing", "dice", "`UNAUTHENTICATED`, `UNAUTHENTICATED`"),
    Case("tokens", "nothing", "to verify dice", "OK"),
    Case("tokens", "nothing", "health", "OK"),
    Case("tokens", "nothing", "reflection", "OK"),
    Case("TLS and tokens", "TLS and a token", "a call", "OK"),
    Case("TLS and tokens", "TLS", "a call", "`UNAUTHENTICATED`, `UNAUTHENTICATED`"),
    Case("mTLS and tokens", "its authority's certificate and a token", "a call", "OK"),
    Case("mTLS and tokens", "its authority's certificate", "a call", "`UNAUTHENTICATED`, `UNAUTHENTICATED`"),
    Case("mTLS and tokens", "TLS and a token", "a call", CONNECTION),
]


@dataclass(frozen=True, slots=True)
class Files:
    """Everything that daemons and callers come with."""

    ours: Authority
    theirs: Authority
    server: Pair
    client: Pair
    expired: Pair
    stranger: Pair
    tokens: Path
    secrets: Path


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    """Make them."""
    folder = tmp_path_factory.mktemp("access")
    ours, theirs = Authority(folder / "ours"), Authority(folder / "theirs")
    secrets = folder / "secrets.toml"
    secrets.touch(mode=0o600)
    secrets.write_text(f'current = "2026-01"\n[secrets]\n2026-01 = "{"ab" * 32}"\n')
    return Files(
        ours,
        theirs,
        ours.sign("server"),
        ours.sign("client"),
        ours.sign_expired("expired"),
        theirs.sign("stranger"),
        write_tokens(folder / "tokens.toml", TOKENS),
        secrets,
    )


def settings(daemon: str, files: Files) -> Settings:
    """Start a daemon with this."""
    kinds = set(daemon.split(" and "))
    authority = files.ours.certificate if "mTLS" in kinds else None
    tls = Tls(files.server.certificate, files.server.key, authority) if kinds & {"TLS", "mTLS"} else Tls()
    tokens = files.tokens if "tokens" in kinds else None
    return Settings(listen="127.0.0.1:0", tls=tls, tokens=tokens, dice=Dice(files.secrets if tokens else None))


def channel(caller: str, port: str, files: Files) -> grpc.aio.Channel:
    """Open a connection of its own as this caller does."""
    address, options = f"localhost:{port}", [("grpc.use_local_subchannel_pool", 1)]
    client = {
        "its authority's certificate": files.client,
        "another authority's certificate": files.stranger,
        "its authority's certificate, expired": files.expired,
    }.get(caller.removesuffix(" and a token"))
    if client is None and not caller.startswith("TLS"):
        return grpc.aio.insecure_channel(address, options)
    trusted = files.theirs if "another authority" in caller and client is None else files.ours
    pair = (client.key.read_bytes(), client.certificate.read_bytes()) if client else (None, None)
    credentials = grpc.ssl_channel_credentials(trusted.certificate.read_bytes(), *pair)
    return grpc.aio.secure_channel(address, credentials, options)


def metadata(caller: str) -> tuple[tuple[str, str], ...]:
    """Give what this caller says of itself."""
    authorization = {
        "a token": "Bearer player",
        "a token nobody knows": "Bearer nobody",
        "a password (`Basic`)": "Basic cGxheWVy",
        "a token without the service": "Bearer analyst",
        "a token whose rate is spent": "Bearer spent",
        "a token with the dice role": "Bearer game server",
        "a token with the dice role alone": "Bearer game server",
    }.get(caller.rpartition(" and ")[2])
    return (("authorization", authorization),) if authorization else ()


def asking(asks: str, connection: grpc.aio.Channel) -> Callable[..., Awaitable[object]]:
    """Give what asks for this."""

    async def reflect(**carried: Any) -> object:  # noqa: ANN401 - as calls take it
        request = reflection_pb2.ServerReflectionRequest(list_services="")
        stub: Any = reflection_pb2_grpc.ServerReflectionStub(connection)  # type: ignore[arg-type] # as well of this kind
        call = stub.ServerReflectionInfo(iter([request]), **carried)
        return await anext(aiter(call))

    calls: dict[str, tuple[Callable[..., Any], object]] = {
        "a call": (v1.BotServiceStub(connection).ChoosePlay, HARD),
        "dice": (v1.DiceServiceStub(connection).CommitDice, v1.CommitDiceRequest(game_id="game")),
        "to verify dice": (
            v1.DiceServiceStub(connection).VerifyDice,
            v1.VerifyDiceRequest(secret_seed=b"s" * 32, commitment=b"c" * 32, rolls=[ROLL]),
        ),
        "health": (HealthStub(connection).check, health_pb2.HealthCheckRequest()),
    }
    if asks == "reflection":
        return reflect
    call, request = calls[asks]
    return lambda **carried: call(request, **carried)


ROLL = v1.RecordedRoll(roll_index=0, dice=v1.Dice(die1=5, die2=6), opening=True)
HARD = v1.ChoosePlayRequest(position=position_source(), dice=v1.Dice(die1=3, die2=1), level=v1.LEVEL_HARD)


async def outcome(call: Callable[..., Awaitable[object]], carried: tuple[tuple[str, str], ...]) -> str:
    """Make a call and say how it ended, as the page does."""
    try:
        await call(metadata=carried, timeout=20)
    except grpc.aio.AioRpcError as error:
        status = rpc_status.from_call(error)  # type: ignore[arg-type] # has what it reads
        info = ErrorInfo()
        if status is None or not any(detail.Unpack(info) for detail in status.details):
            return f"the connection: `{error.code().name}`"
        return f"`{error.code().name}`, `{info.reason}`"
    return "OK"


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.daemon}: {case.caller}: {case.asks}")
async def test_who_gets_in_and_what_a_refusal_says(files: Files, case: Case) -> None:
    """Each row of the table is true."""
    daemon = await server.start(settings(case.daemon, files))
    try:
        async with channel(case.caller, daemon.address.rpartition(":")[2], files) as connection:
            call = asking(case.asks, connection)
            if case.caller == "a token whose rate is spent":
                assert "OK" == await outcome(call, metadata(case.caller))
            assert case.answer == await outcome(call, metadata(case.caller))
    finally:
        await daemon.drain(grace_seconds=0)


def test_the_page_has_the_same_table() -> None:
    """Row for row."""
    [table] = re.findall(r"^\| the daemon has \|.*?\n\|[-|]+\n(.*?)\n\n", PAGE, re.DOTALL | re.MULTILINE)
    assert list(map(str, CASES)) == table.splitlines()
