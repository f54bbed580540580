"""Who is let in, to how much at a time, and for how long: before a call does anything."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, nullcontext
from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING

from bgbotd.logging import current_caller
from bgbotd.service.bounds import Bounds, calling
from bgbotd.service.errors import CallFailed, ServiceReason

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from contextlib import AbstractContextManager

    import grpc
    from google.protobuf.descriptor import MethodDescriptor
    from google.protobuf.message import Message

    from bgbotd.config import Limits
    from bgbotd.service.tokens import Caller, Tokens

    Context = grpc.aio.ServicerContext[Message, bytes]

_RETRY_AFTER = timedelta(seconds=1)
_IN = nullcontext()
_MOMENT_SECONDS, _LAST_MOMENTS, _MOST_MOMENTS = 0.05, 5, 20
"""A call is handed over in about a millisecond, a thousand that wait for that in a quarter of a second; a client that
never pauses must not keep the server from stopping."""


class Kind(StrEnum):
    """Kinds of work, each with room of its own, so that none keeps another out."""

    QUICK = "quick"
    """Answered at once, in microseconds: there is never a second one in flight."""
    ENGINE = "engine"
    """Whatever may need the engine."""
    ROLLOUT = "rollout"
    BULK = "bulk"


_QUICK_METHODS = {"CountPips", "ListBots"}
_OPEN_METHODS = {"VerifyDice"}
"""Methods that need no token: anyone may check dice."""


class Room:
    """Counts the calls of one kind that are in flight."""

    def __init__(self, kind: Kind, most: int) -> None:
        """Begin empty."""
        self.kind = kind
        self.most = most
        self.in_flight = 0

    def begin(self) -> None:
        """Count a call that begins.

        Raises:
            CallFailed: ENGINE_BUSY.

        """
        if self.in_flight >= self.most:
            message = f"{self.most} calls of this kind ({self.kind}) are in flight, which is as many as are let in."
            raise CallFailed(ServiceReason.ENGINE_BUSY, message, retry_after=_RETRY_AFTER)
        self.in_flight += 1

    def end(self) -> None:
        """Count a call that has ended."""
        self.in_flight -= 1

    def __enter__(self) -> None:
        """Count a call that begins."""
        self.begin()

    def __exit__(self, *_error: object) -> None:
        """Count a call that has ended."""
        self.end()


class Admission:
    """Lets calls in."""

    def __init__(self, limits: Limits, tokens: Tokens | None) -> None:
        """Hold the limits; without tokens everybody may call everything but the dice."""
        self._limits = limits
        self._tokens = tokens
        self.begun = 0
        """Calls that have come so far."""
        self.draining = False
        self.bounds = Bounds(limits)
        self.rooms = {
            Kind.ENGINE: Room(Kind.ENGINE, limits.most_engine_calls),
            Kind.ROLLOUT: Room(Kind.ROLLOUT, limits.most_rollouts),
            Kind.BULK: Room(Kind.BULK, limits.most_bulk_streams),
        }

    def door(self, method: MethodDescriptor) -> Door:
        """Give the door that calls of a method come in by."""
        streams = method.client_streaming or method.server_streaming
        seconds = self._limits.stream_deadline_seconds if streams else self._limits.deadline_seconds
        tokens = None if method.name in _OPEN_METHODS else self._tokens
        return Door(self, method.containing_service.name, self.rooms.get(_kind(method)), tokens, seconds)

    @property
    def bounds_of_requests(self) -> Bounds | None:
        """What requests are held to; None where neither settings nor tokens hold anything off."""
        return self.bounds if self.bounds.bind or self._tokens else None

    async def drain(self) -> None:
        """Let in what is on its way, then refuse what comes, and wait until nothing has come for a moment.

        Neither lasts for ever. Calls that gRPC has received and not yet handed over would end as CANCELLED
        when the server stops; so they are served, or told UNAVAILABLE, which clients try again elsewhere.
        """
        await self._quiet(_LAST_MOMENTS)
        self.draining = True
        await self._quiet(_MOST_MOMENTS)

    async def _quiet(self, most_moments: int) -> None:
        """Wait until nothing has come for a moment, but not for ever."""
        for _ in range(most_moments):
            before = self.begun
            await asyncio.sleep(_MOMENT_SECONDS)
            if self.begun == before:
                return


class Door:
    """Where calls of one method come in."""

    def __init__(
        self, admission: Admission, service: str, room: Room | None, tokens: Tokens | None, seconds: float
    ) -> None:
        """Hold what the method needs."""
        self._admission = admission
        self._service = service
        self._room = room
        self._tokens = tokens
        self._seconds = seconds
        self.bounds = admission.bounds_of_requests
        """What requests are held to, None where nothing is held off."""

    def stands_open(self) -> bool:
        """Let a call in that is over at once, where everybody is let in; False where it must be admitted."""
        self._admission.begun += 1
        full = self._room is not None and self._room.in_flight >= self._room.most
        return self._tokens is None and not full and not self._admission.draining

    def admit(self, context: Context) -> AbstractContextManager[None]:
        """Let a call in while the result is entered.

        Raises:
            CallFailed: SERVER_DRAINING, UNAUTHENTICATED, PERMISSION_DENIED, DICE_ROLE_REQUIRED, RATE_LIMITED or
                ENGINE_BUSY.

        """
        self._admission.begun += 1
        if self._admission.draining:
            raise CallFailed(ServiceReason.SERVER_DRAINING, "The server is stopping; send the request to another one.")
        if self._tokens is None:
            return self._room or _IN
        caller = self._tokens.caller(_authorization(context), self._service)
        calling.set(caller)
        current_caller.set(caller.token.name)
        return _Counted([caller, self._room] if self._room else [caller])

    @asynccontextmanager
    async def while_allowed(self) -> AsyncIterator[None]:
        """End a stream that has been let in as soon as its token does not allow it any more.

        Raises:
            CallFailed: UNAUTHENTICATED or PERMISSION_DENIED.

        """
        caller = calling.get()
        if caller is None:
            yield
            return
        refused: list[CallFailed] = []

        def look_again() -> None:
            try:
                caller.need(self._service)
            except CallFailed as failed:
                if not refused:
                    timer.reschedule(0)
                refused.append(failed)

        try:
            async with asyncio.timeout(None) as timer:
                with caller.heard(look_again):
                    yield
        except TimeoutError:
            if not timer.expired():
                raise
            raise refused[0] from None

    def seconds_left(self, context: Context) -> float | None:
        """Give how long a call that has no deadline of its own may take; None for one that has."""
        return self._seconds if context.time_remaining() is None else None


class _Counted:
    """Counts a call in whatever is limited, while it is entered."""

    def __init__(self, counted: list[Caller | Room]) -> None:
        """Count nothing yet."""
        self._counted = counted

    def __enter__(self) -> None:
        """Count it everywhere, or nowhere."""
        begun: list[Caller | Room] = []
        try:
            for each in self._counted:
                each.begin()
                begun.append(each)
        except CallFailed:
            for each in begun:
                each.end()
            raise

    def __exit__(self, *_error: object) -> None:
        """Count that it has ended."""
        for each in self._counted:
            each.end()


def _kind(method: MethodDescriptor) -> Kind:
    """Say what kind of work a method is."""
    if method.client_streaming:
        return Kind.BULK
    if method.server_streaming:
        return Kind.ROLLOUT
    if method.containing_service.name in {"RulesService", "DiceService"} or method.name in _QUICK_METHODS:
        return Kind.QUICK
    return Kind.ENGINE


def _authorization(context: Context) -> str:
    """Give what the caller says of itself."""
    for key, value in context.invocation_metadata() or ():
        if key == "authorization" and isinstance(value, str):
            return value
    return ""
