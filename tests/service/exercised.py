"""A daemon that has done one of everything, so that each of its metrics has a value."""

from __future__ import annotations

import re
from contextlib import contextmanager
from hashlib import sha256
from typing import TYPE_CHECKING

import grpc
import pytest
from bgbot import position_source, v1

from tests.service.certificates import Authority
from tests.service.running import running

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

METADATA = (("authorization", "Bearer player"),)
FAILING_ITEM = v1.BulkItem(id=3, priority=v1.BULK_PRIORITY_BACKGROUND, count_pips=v1.CountPipsRequest())


@contextmanager
def exercised(folder: Path, *arguments: str) -> Iterator[str]:
    """Run a daemon with two workers, a certificate, tokens and a web edge, and give where its metrics are."""
    authority = Authority(folder / "authority")
    pair = authority.sign("server")
    tokens = folder / "tokens.toml"
    tokens.write_text(f'[[token]]\nname = "player"\nsha256 = "{sha256(b"player").hexdigest()}"\n')
    flags = [
        "--web",
        "--web.listen",
        "127.0.0.1:0",
        "--tls.certificate",
        pair.certificate,
        "--tls.key",
        pair.key,
        "--tokens",
        tokens,
    ]
    with running("--workers", "2", "--metrics-listen", "127.0.0.1:0", *map(str, flags), *arguments) as daemon:
        for _ in range(2):
            daemon.await_event("engine ready")
        credentials = grpc.ssl_channel_credentials(authority.certificate.read_bytes())
        with grpc.secure_channel(f"localhost:{daemon.address.rpartition(':')[2]}", credentials) as channel:
            ask_for_everything(channel)
        yield daemon.serving["metrics"]


def ask_for_everything(channel: grpc.Channel) -> None:
    """Ask for each kind of work once, and for something that is refused."""
    source = position_source()
    deep = v1.EvaluateRequest(position=source, depth=v1.DEPTH_PLY2)
    hard = v1.ChoosePlayRequest(position=source, dice=v1.Dice(die1=3, die2=1), level=v1.LEVEL_HARD)
    evaluation, bots = v1.EvaluationServiceStub(channel), v1.BotServiceStub(channel)
    for _ in range(2):
        evaluation.Evaluate(deep, timeout=20, metadata=METADATA)
    bots.ChoosePlay(hard, timeout=20, metadata=METADATA)
    settings = v1.RolloutSettings(trials=36, truncate_after_plies=1)
    assert list(
        evaluation.Rollout(v1.RolloutRequest(position=source, settings=settings), timeout=30, metadata=METADATA)
    )
    items = [v1.BulkItem(id=1, priority=v1.BULK_PRIORITY_BACKGROUND, choose_play=hard), FAILING_ITEM]
    process = v1.BulkServiceStub(channel).Process
    assert list(process(iter([v1.BulkRequest(items=items)]), timeout=20, metadata=METADATA))
    with pytest.raises(grpc.RpcError):
        evaluation.Evaluate(v1.EvaluateRequest(), timeout=20, metadata=METADATA)


def labels_of_metrics(text: str) -> dict[str, set[str]]:
    """Give for each series that is there, or that there can be, the names of its labels."""
    found: dict[str, set[str]] = {name: set() for name in re.findall(r"^# TYPE (\S+)", text, re.MULTILINE)}
    for name, labels in re.findall(r"^([a-z_]+)(?:\{(.*?)\})? ", text, re.MULTILINE):
        found.setdefault(name, set()).update(re.findall(r'(\w+)="', labels))
    return found
