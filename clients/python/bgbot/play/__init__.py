"""A board in the terminal: `python -m bgbot play`. Needs the extra `bgbot[play]`."""

from __future__ import annotations

import asyncio
import secrets
import sys
from typing import TYPE_CHECKING, Any

from bgbot._client import AsyncClient
from bgbot._sealed_dice import SEED_BYTES
from bgbot.play._app import PlayApp
from bgbot.play._table import Table

if TYPE_CHECKING:
    from bgbot import v1


def play(
    address: str,
    connection: dict[str, Any],
    level: v1.Level.ValueType,
    match: v1.MatchState,
    seed: bytes | None = None,
) -> None:
    """Play a match in the terminal until the person leaves, and say then how it stands and what the dice followed from.

    Args:
        address: `HOST:PORT` of the daemon.
        connection: what else `AsyncClient` takes.
        level: the bot's.
        match: length, score and agreements to begin with, seen by the person.
        seed: 32 bytes that all dice follow from; made up when none is given.

    Raises:
        BgbotError: if the daemon cannot be reached, or refuses the match.

    """

    async def run() -> None:
        async with AsyncClient(address, **connection) as client:
            table = Table(client, level, match, seed or secrets.token_bytes(SEED_BYTES))
            await table.begin()
            await PlayApp(table).run_async()
        sys.stdout.write("".join(f"{line}\n" for line in table.farewell()))

    asyncio.run(run())


__all__ = ["play"]
