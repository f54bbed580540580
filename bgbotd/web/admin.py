"""Asking an Envoy by its unix socket."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_SECONDS = 2.0


async def ask(socket: Path, path: str, method: str = "GET") -> tuple[int, str]:
    """Give status and text of an answer.

    Raises:
        OSError: if nobody answers in time.

    """
    async with asyncio.timeout(_SECONDS):
        reader, writer = await asyncio.open_unix_connection(socket)
        try:
            # HTTP/1.0 has no chunks to put together.
            writer.write(
                f"{method} {path} HTTP/1.1\r\nhost: envoy\r\nconnection: close\r\ncontent-length: 0\r\n\r\n".encode()
            )
            head, _, body = (await reader.read()).partition(b"\r\n\r\n")
        finally:
            writer.close()
    status = re.match(rb"HTTP/1\.[01] (\d{3})", head)
    return int(status[1]) if status else 0, body.decode(errors="replace")
