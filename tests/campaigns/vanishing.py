"""A client that asks much and reads little until killed: `python -m tests.campaigns.vanishing ADDRESS FOLDER`."""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import grpc
from bgbot import v1

from tests.campaigns.target import BEARER
from tests.service.questions import BEFORE_ROLL, ROLLED

if TYPE_CHECKING:
    from collections.abc import Iterator

POSITION, ROLL = v1.PositionSource(xgid=BEFORE_ROLL), v1.PositionSource(xgid=ROLLED)
ROLLOUT = v1.RolloutRequest(position=POSITION, settings=v1.RolloutSettings(trials=100_000, seed=1))
"""Takes long."""


def bulk_requests(messages: int, items: int) -> Iterator[v1.BulkRequest]:
    """Make messages of a Bulk stream, each with so many HARD decisions."""
    choice = v1.ChoosePlayRequest(position=ROLL, level=v1.LEVEL_HARD)
    for number in range(messages):
        yield v1.BulkRequest(items=[v1.BulkItem(id=number * items + each, choose_play=choice) for each in range(items)])


def credentials(folder: Path, name: str) -> grpc.ChannelCredentials:
    """Trust the authority of a folder, and show a certificate that it has signed."""
    key, certificate = folder / f"{name}-key.pem", folder / f"{name}.pem"
    authority = (folder / "authority.pem").read_bytes()
    return grpc.ssl_channel_credentials(authority, key.read_bytes(), certificate.read_bytes())


def main() -> None:
    """Ask, say so, and wait to be killed."""
    address, folder = sys.argv[1], Path(sys.argv[2])
    channel = grpc.secure_channel(address, credentials(folder, "client"))
    deep = v1.ChoosePlayRequest(position=ROLL, level=v1.LEVEL_GRANDMASTER)
    pending = [v1.BotServiceStub(channel).ChoosePlay.future(deep, metadata=BEARER) for _ in range(4)]
    rollout = v1.EvaluationServiceStub(channel).Rollout(ROLLOUT, metadata=BEARER)
    next(rollout)
    bulk = v1.BulkServiceStub(channel).Process(bulk_requests(10, 500), metadata=BEARER)
    next(bulk)
    sys.stdout.write(f"{len(pending)} calls and two streams\n")
    sys.stdout.flush()
    threading.Event().wait()


if __name__ == "__main__":
    main()
