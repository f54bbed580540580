"""HTTP/2 by hand, so that it can be wrong: frames (RFC 9113) and header blocks (RFC 7541) without any compression."""

from __future__ import annotations

import struct
from enum import IntEnum, IntFlag

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
LARGEST_FRAME = 16384
"""What every end takes unless it has said more."""


class Kind(IntEnum):
    """Kinds of frames."""

    DATA = 0
    HEADERS = 1
    PRIORITY = 2
    RST_STREAM = 3
    SETTINGS = 4
    PUSH_PROMISE = 5
    PING = 6
    GOAWAY = 7
    WINDOW_UPDATE = 8
    CONTINUATION = 9


class Flag(IntFlag):
    """What a frame says beside its content."""

    NONE = 0
    END_STREAM = 1
    END_HEADERS = 4


def frame(kind: int, flags: int = 0, stream: int = 0, payload: bytes = b"", length: int | None = None) -> bytes:
    """Make a frame, of which `length` may be a lie."""
    size = len(payload) if length is None else length
    return struct.pack(">I", size)[1:] + bytes([kind & 0xFF, flags & 0xFF]) + struct.pack(">I", stream) + payload


def hello(settings: bytes = b"") -> bytes:
    """Begin a connection."""
    return PREFACE + frame(Kind.SETTINGS, payload=settings)


def setting(number: int, value: int) -> bytes:
    """Make one setting."""
    return struct.pack(">HI", number, value)


def field(name: str, value: str | bytes, *, indexed: bool = False) -> bytes:
    """Make a header field; `indexed` has the other end remember it."""
    plain = value if isinstance(value, bytes) else value.encode()
    return (b"\x40" if indexed else b"\x00") + _sized(name.encode()) + _sized(plain)


def block(path: str | bytes, *more: bytes, content_type: str = "application/grpc", method: str = "POST") -> bytes:
    """Make the headers of a call."""
    fields: dict[str, str | bytes] = {
        ":method": method,
        ":scheme": "http",
        ":path": path,
        ":authority": "localhost",
        "te": "trailers",
    }
    said = [field(name, value) for name, value in {**fields, "content-type": content_type}.items()]
    return b"".join((*said, *more))


def message(payload: bytes, *, compressed: bool = False, length: int | None = None) -> bytes:
    """Make a message of a call, of which `length` may be a lie."""
    return struct.pack(">BI", compressed, len(payload) if length is None else length) + payload


def call(stream: int, path: str, body: bytes, *more: bytes) -> bytes:
    """Make a whole call."""
    begin = frame(Kind.HEADERS, Flag.END_HEADERS, stream, block(path, *more))
    parts = [body[at : at + LARGEST_FRAME] for at in range(0, len(body), LARGEST_FRAME)] or [b""]
    rest = [frame(Kind.DATA, Flag.NONE, stream, part) for part in parts[:-1]]
    return begin + b"".join(rest) + frame(Kind.DATA, Flag.END_STREAM, stream, parts[-1])


def _sized(text: bytes) -> bytes:
    """Put a text's length before it, as an integer of a seven-bit prefix."""
    size = len(text)
    if size < 127:
        return bytes([size]) + text
    rest, encoded = size - 127, bytearray([127])
    while rest >= 128:
        encoded.append(rest % 128 | 128)
        rest //= 128
    return bytes([*encoded, rest]) + text
