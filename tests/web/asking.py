"""Asks the web edge as browsers and programs do that know HTTP only."""

from __future__ import annotations

import json
import struct
from http.client import HTTPConnection, HTTPSConnection
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import ssl
    from collections.abc import Mapping

    from google.protobuf.message import Message

START = {"gnubgId": "4HPwATDgc/ABMA"}
"""The start of a game."""
IN_TRAILERS = 0x80
"""Flag of a gRPC-Web frame that holds trailers."""


class Answer(NamedTuple):
    """What has come back."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:  # noqa: ANN401 - as it is
        """The body as JSON."""
        return json.loads(self.body)

    @property
    def reason(self) -> str:
        """The reason of a failure."""
        [told] = [detail for detail in self.json["details"] if detail["@type"].endswith("ErrorInfo")]
        return str(told["reason"])


def connect(address: str, context: ssl.SSLContext | None = None) -> HTTPConnection:
    """Open a connection, with TLS where there is a context."""
    if context is None:
        return HTTPConnection(address, timeout=30)
    return HTTPSConnection(f"localhost:{address.rpartition(':')[2]}", timeout=30, context=context)


def ask(
    address: str,
    path: str,
    body: object = None,
    headers: Mapping[str, str] | None = None,
    *,
    method: str = "",
    context: ssl.SSLContext | None = None,
) -> Answer:
    """Ask once; a body that is no bytes is sent as JSON."""
    kind = {} if body is None else {"content-type": "application/json"}
    connection = connect(address, context)
    try:
        payload = body if isinstance(body, bytes) or body is None else json.dumps(body)
        connection.request(method or ("GET" if body is None else "POST"), path, payload, {**kind, **(headers or {})})
        answer = connection.getresponse()
        return Answer(answer.status, {key.lower(): value for key, value in answer.getheaders()}, answer.read())
    finally:
        connection.close()


def framed(message: Message) -> bytes:
    """Put a message into a frame."""
    payload = message.SerializeToString()
    return struct.pack(">BI", 0, len(payload)) + payload


def frames(body: bytes) -> list[tuple[int, bytes]]:
    """Take frames apart, each with its flags."""
    found = []
    while body:
        flags, length = struct.unpack(">BI", body[:5])
        found.append((flags, body[5 : 5 + length]))
        body = body[5 + length :]
    return found
