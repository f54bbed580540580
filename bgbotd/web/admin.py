"""Asking an Envoy by its unix socket."""

from __future__ import annotations

import socket
from http.client import HTTPConnection, HTTPException
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_SECONDS = 2.0


class _Connection(HTTPConnection):
    """A connection to a unix socket."""

    def __init__(self, path: Path) -> None:
        """Hold the socket's path."""
        super().__init__("envoy", timeout=_SECONDS)
        self._path = path

    def connect(self) -> None:
        """Connect."""
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(_SECONDS)
        self.sock.connect(str(self._path))


def ask(path: Path, what: str, method: str = "GET") -> tuple[int, str]:
    """Give status and text of an answer.

    Raises:
        OSError: if nobody answers in time.

    """
    connection = _Connection(path)
    try:
        connection.request(method, what)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    except HTTPException as error:
        raise OSError(str(error)) from None
    finally:
        connection.close()
