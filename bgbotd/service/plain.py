"""Plain requests answered from bytes to bytes by the kernel, without an object for each of their parts.

Plain is a request whose position is spelt out and right, and that asks for nothing but what the kernel can write
by itself. Every other request goes the ordinary way, which would give the same answers, but for the time taken.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from bgbot.v1 import bot_service_pb2 as pb
from google.protobuf.message import DecodeError

from bgbotd import kernel
from bgbotd.bots import Level
from bgbotd.service import enums, parse, render
from bgbotd.service.errors import InvalidRequest
from bgbotd.service.stamps import server_version, source_stamp

if TYPE_CHECKING:
    from collections.abc import Callable

    PlainHandler = Callable[[bytes], tuple[bytes, str] | None]
    """Gives the answer and the level asked for; None for a request that has to go the ordinary way."""

H = TypeVar("H")

_LONGEST_REST = 64
"""Bytes beside position and dice: a level with a match and a seed."""


def plainly(handler: PlainHandler) -> Callable[[H], H]:
    """Have `handler` asked before the ordinary handler that this decorates."""

    def marked(ordinary: H) -> H:
        ordinary.plainly = handler  # type: ignore[attr-defined]
        return ordinary

    return marked


def plain_handler(ordinary: object) -> PlainHandler | None:
    """Give what is asked before an ordinary handler, if there is anything."""
    return getattr(ordinary, "plainly", None)


class _Way(NamedTuple):
    """How a play is chosen, and what stands beside it in the answer."""

    hard: bool
    level: str
    match: bytes
    stamp: bytes


def count_pips(payload: bytes) -> tuple[bytes, str] | None:
    """Answer `CountPips`."""
    request = kernel.read_request(payload)
    return None if request is None or request.rest else (request.count_pips(), "")


def list_legal_plays(payload: bytes) -> tuple[bytes, str] | None:
    """Answer `ListLegalPlays`."""
    request = kernel.read_request(payload)
    answer = None if request is None or request.rest else request.list_legal_plays()
    return None if answer is None else (answer, "")


def choose_play(payload: bytes) -> tuple[bytes, str] | None:
    """Answer `ChoosePlay` by Medium or Hard."""
    request = kernel.read_request(payload)
    if request is None or len(rest := request.rest) > _LONGEST_REST or (way := _way(rest)) is None:
        return None
    answer = request.choose_play(way.hard, way.match, way.stamp)
    return None if answer is None else (answer, way.level)


@lru_cache(maxsize=1024)  # callers hardly ever say anything new beside position and dice
def _way(rest: bytes) -> _Way | None:
    """Read what a request says beside position and dice; None where the kernel cannot do it or it is wrong."""
    try:
        request = pb.ChoosePlayRequest.FromString(rest)
        match = parse.read_match(request)
    except (DecodeError, InvalidRequest):
        return None
    level = enums.LEVELS.from_wire(request.level)
    if level not in (Level.MEDIUM, Level.HARD) or request.candidates:
        return None
    stamp = source_stamp("bgbotd", server_version(), level, None).SerializeToString()
    return _Way(level is Level.HARD, level.name, render.match(match).SerializeToString(), stamp)
