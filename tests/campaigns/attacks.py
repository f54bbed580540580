"""What somebody may send who does not want an answer. Each attack opens connections of its own, and is bounded."""

from __future__ import annotations

import gzip
import socket
import struct
import time
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING

from bgbot import v1

from tests.campaigns.frames import (
    LARGEST_FRAME,
    PREFACE,
    Flag,
    Kind,
    block,
    call,
    field,
    frame,
    hello,
    message,
    setting,
)
from tests.campaigns.target import TOKEN
from tests.service.arbitrary_messages import mutated
from tests.service.questions import ROLLED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from random import Random

    Address = tuple[str, int]
    Attack = Callable[[Address, Random], None]

PATH = "/bgbot.v1.BotService/ChoosePlay"
QUESTION = v1.ChoosePlayRequest(position=v1.PositionSource(xgid=ROLLED), level=v1.LEVEL_HARD).SerializeToString()
BEARER = field("authorization", f"Bearer {TOKEN}")
_SECONDS = 3.0
"""How long an end that reads nothing may be waited for."""
_REPEATS = 20
_HELD_SECONDS, _HELD = 5.0, 200
_INITIAL_WINDOW, _MAX_FRAME, _TABLE = 4, 5, 1


@contextmanager
def connection(address: Address) -> Iterator[socket.socket]:
    """Open a connection, which the other end may break.

    Raises:
        ConnectionRefusedError: if nobody listens any more.

    """
    with socket.create_connection(address, timeout=_SECONDS) as opened, suppress(OSError):
        yield opened


def send(address: Address, *parts: bytes, seconds: float = 0.2) -> None:
    """Send, read what comes within a moment, and close."""
    with connection(address) as opened:
        for part in parts:
            opened.sendall(part)
        opened.settimeout(seconds)
        while opened.recv(65536):
            pass


def noise(address: Address, random: Random) -> None:
    """Send no HTTP/2 at all."""
    for _ in range(_REPEATS):
        send(address, random.randbytes(random.randrange(1, 65536)))


def noise_after_hello(address: Address, random: Random) -> None:
    """Begin well."""
    for _ in range(_REPEATS):
        begun = random.choice([PREFACE, hello(), hello() + call(1, PATH, message(QUESTION), BEARER)])
        send(address, begun, random.randbytes(random.randrange(1, 65536)))


def other_protocols(address: Address, random: Random) -> None:
    """Speak HTTP/1.1, ask for an upgrade, say hello as TLS does, leave at once."""
    upgrade = b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n"
    for words in (b"", b"Host: localhost\r\n", upgrade, b"Content-Length: 99999999\r\n" + b"x: y\r\n" * 10_000):
        send(address, b"POST / HTTP/1.1\r\n" + words + b"\r\n")
    send(address, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + random.randbytes(512))
    for _ in range(_REPEATS):
        with connection(address) as opened:
            # Closed with what is unread thrown away, so that the other end hears of a reset.
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            opened.sendall(hello()[: random.randrange(40)])


def arbitrary_frames(address: Address, random: Random) -> None:
    """Send frames of any kind, on any stream, some of which lie about their length."""
    for _ in range(_REPEATS):
        frames = []
        for _ in range(random.randrange(1, 60)):
            payload = random.randbytes(random.choice([0, 1, 4, 5, 8, 9, 100, LARGEST_FRAME]))
            lie = random.choice([None, None, None, 0, 2**24 - 1, random.randrange(100)])
            stream = random.choice([0, 1, 2, 3, 5, 2**31 - 1, 2**31 + 1])
            frames.append(frame(random.choice([*Kind, 10, 255]), random.randrange(256), stream, payload, lie))
        send(address, hello(), *frames)


def damaged_calls(address: Address, random: Random) -> None:
    """Change some bytes of a call that would be answered."""
    for _ in range(5 * _REPEATS):
        send(address, mutated(hello() + call(1, PATH, message(QUESTION), BEARER), random), seconds=0.05)


def wrong_settings(address: Address, random: Random) -> None:
    """Say settings and windows that cannot be, and change one's mind a thousand times."""
    settings = [setting(number, value) for number in range(9) for value in (0, 1, 2**14 - 1, 2**24, 2**31, 2**32 - 1)]
    for each in settings:
        send(address, hello(each), call(1, PATH, message(QUESTION), BEARER), seconds=0.02)
    windows = [
        frame(Kind.WINDOW_UPDATE, stream=stream, payload=struct.pack(">I", 2**31 - 1)) for stream in (0, 0, 1, 1)
    ]
    send(address, hello(), call(1, PATH, message(QUESTION), BEARER), *windows)
    send(address, hello(), *(frame(Kind.SETTINGS, payload=random.choice(settings[:12])) for _ in range(1000)))


def floods_without_calls(address: Address, _random: Random) -> None:
    """Ask for acknowledgements that are never read, and send what costs the sender nothing."""
    for flood in (
        frame(Kind.PING, payload=bytes(8)),
        frame(Kind.SETTINGS),
        frame(Kind.PRIORITY, stream=1, payload=bytes(5)),
        frame(Kind.RST_STREAM, stream=1, payload=bytes(4)),
        frame(Kind.WINDOW_UPDATE, payload=struct.pack(">I", 1)),
        frame(255, payload=bytes(64)),
    ):
        with connection(address) as opened:
            opened.sendall(hello())
            for _ in range(50):
                opened.sendall(flood * 1000)


def empty_messages(address: Address, _random: Random) -> None:
    """Send a hundred thousand frames of nothing within one call."""
    begin = frame(Kind.HEADERS, Flag.END_HEADERS, 1, block(PATH, BEARER))
    send(address, hello(), begin, *[frame(Kind.DATA, stream=1) * 1000] * 100)


def streams_without_end(address: Address, _random: Random) -> None:
    """Begin more calls than are let in, and finish none."""
    for path in (PATH, "/bgbot.v1.BulkService/Process"):
        begun = [frame(Kind.HEADERS, Flag.END_HEADERS, 2 * number + 1, block(path, BEARER)) for number in range(3000)]
        send(address, hello(), *begun, seconds=1)


def rapid_reset(address: Address, _random: Random) -> None:
    """Begin calls and take each back at once (CVE-2023-44487)."""
    for path in (PATH, "/bgbot.v1.EvaluationService/Rollout", "/bgbot.v1.BulkService/Process"):
        with connection(address) as opened:
            opened.sendall(hello())
            for number in range(5000):
                stream = 2 * number + 1
                reset = frame(Kind.RST_STREAM, stream=stream, payload=struct.pack(">I", 8))
                opened.sendall(call(stream, path, message(QUESTION), BEARER) + reset)


def headers_without_end(address: Address, random: Random) -> None:
    """Go on with headers for ever (CVE-2024-27316)."""
    part = frame(Kind.CONTINUATION, stream=1, payload=field("x-" + "y" * 20, random.randbytes(16000).hex()[:16000]))
    with connection(address) as opened:
        opened.sendall(hello() + frame(Kind.HEADERS, Flag.NONE, 1, block(PATH)))
        for _ in range(5000):
            opened.sendall(part)


def large_headers(address: Address, _random: Random) -> None:
    """Send more metadata than is let in, at once and by references to what was said once (an HPACK bomb)."""
    for size in (8_000, 17_000, 60_000):
        large = block(PATH, field("x-large", "y" * size))
        parts = [large[at : at + LARGEST_FRAME] for at in range(0, len(large), LARGEST_FRAME)]
        begin = frame(Kind.HEADERS, Flag.END_HEADERS if len(parts) == 1 else Flag.NONE, 1, parts[0])
        rest = [frame(Kind.CONTINUATION, Flag.NONE, 1, part) for part in parts[1:-1]]
        last = [frame(Kind.CONTINUATION, Flag.END_HEADERS, 1, part) for part in parts[1:][-1:]]
        send(address, hello(), begin, *rest, *last)
    # Index 62 is the newest entry of the table; each further byte stands for four thousand.
    first = frame(Kind.HEADERS, Flag.END_HEADERS, 1, block(PATH, field("x-large", "y" * 4000, indexed=True)))
    bomb = frame(Kind.HEADERS, Flag.END_HEADERS, 3, b"\xbe" * 16_000)
    send(address, hello(setting(_TABLE, 4096)), first, bomb)


def false_lengths(address: Address, _random: Random) -> None:
    """Say that a message is longer, or shorter, than it is."""
    for length in (len(QUESTION) + 1, len(QUESTION) - 1, 0, 2**31, 2**32 - 1):
        send(address, hello(), call(1, PATH, message(QUESTION, length=length), BEARER))
    for cut in range(1, 6):
        send(address, hello(), call(1, PATH, message(QUESTION)[:cut], BEARER))


def odd_calls(address: Address, _random: Random) -> None:
    """Make calls that are none of gRPC's."""
    body = frame(Kind.DATA, Flag.END_STREAM, 1, message(QUESTION))
    blocks = [
        block(PATH, content_type="text/html"),
        block(PATH, content_type="application/grpc+json"),
        block(PATH, method="GET"),
        block("", BEARER),
        block("/" * 5000),
        block("/nothing/\x00\xff"),
        block(PATH, BEARER, field("grpc-timeout", "99999999999999H")),
        block(PATH, BEARER, field("grpc-timeout", "-1S")),
        block(PATH, BEARER, field("grpc-encoding", "unknown")),
        block(PATH, BEARER, field("binary-bin", "no base64 ***")),
        block(PATH, BEARER, field("x-request-id", b"\x00\xff\n")),
        block(PATH, field("authorization", "Bearer " + "x" * 8000)),
        field("te", "trailers"),
        b"",
        b"\x80" * 100,
        b"\xff" * 100,
    ]
    for each in blocks:
        send(address, hello(), frame(Kind.HEADERS, Flag.END_HEADERS, 1, each), body, seconds=0.05)


def compressed_bombs(address: Address, _random: Random) -> None:
    """Send a message that is small until it is unpacked."""
    for megabytes in (2, 64, 1024):
        bomb = gzip.compress(bytes(megabytes << 20), 9)
        body = message(bomb, compressed=True)
        send(address, hello(), call(1, PATH, body, BEARER, field("grpc-encoding", "gzip")), seconds=_SECONDS)


def unread_answers(address: Address, _random: Random) -> None:
    """Ask much, and leave no window for the answers."""
    with connection(address) as opened:
        opened.sendall(hello(setting(_INITIAL_WINDOW, 0) + setting(_MAX_FRAME, 16384)))
        for number in range(900):
            opened.sendall(call(2 * number + 1, PATH, message(QUESTION), BEARER))
        time.sleep(_SECONDS)


def slow_connections(address: Address, random: Random) -> None:
    """Hold connections open with nothing, half a hello, or half a call on them, and go on a byte at a time."""
    whole = hello() + call(1, PATH, message(QUESTION), BEARER)
    with ExitStack() as held:
        opened = [held.enter_context(connection(address)) for _ in range(_HELD)]
        sent = [random.randrange(len(whole)) for _ in opened]
        for each, size in zip(opened, sent, strict=True):
            each.sendall(whole[:size])
        until = time.monotonic() + _HELD_SECONDS
        while time.monotonic() < until:
            for number, each in enumerate(opened):
                with suppress(OSError):
                    each.sendall(whole[sent[number] : sent[number] + 1])
                sent[number] += 1
            time.sleep(0.1)


ATTACKS: tuple[Attack, ...] = (
    noise,
    noise_after_hello,
    other_protocols,
    arbitrary_frames,
    damaged_calls,
    wrong_settings,
    floods_without_calls,
    empty_messages,
    streams_without_end,
    rapid_reset,
    headers_without_end,
    large_headers,
    false_lengths,
    odd_calls,
    compressed_bombs,
    unread_answers,
    slow_connections,
)
