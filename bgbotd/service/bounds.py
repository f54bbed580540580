"""How much one request may ask for: trials of a rollout and depth, by the settings and by the caller's token."""

from __future__ import annotations

from contextvars import ContextVar
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from bgbot.v1 import bot_service_pb2, bulk_service_pb2, evaluation_service_pb2, rules_service_pb2

from bgbotd.bots.cube_choices import depth_of
from bgbotd.evaluation import Depth, RolloutSettings
from bgbotd.evaluation.engine import MOST_TRIALS
from bgbotd.service import enums
from bgbotd.service.errors import CallFailed, InvalidRequest, ServiceReason, violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from google.protobuf.message import Message

    from bgbotd.config import Limits
    from bgbotd.rules import Violation
    from bgbotd.service.tokens import Caller, Token

    Asked = tuple[str, str, Depth]
    """A field's path, what it says, and the depth that this takes."""

calling: ContextVar[Caller | None] = ContextVar("calling", default=None)
"""Whose call is being served; None where nobody needs a token."""

RETRY_AFTER = timedelta(seconds=1)
_SERVICES = {
    kind.name: service.name
    for file in (rules_service_pb2, bot_service_pb2, evaluation_service_pb2)
    for service in file.DESCRIPTOR.services_by_name.values()
    for method in service.methods
    for kind in bulk_service_pb2.BulkItem.DESCRIPTOR.oneofs_by_name["request"].fields
    if kind.message_type is method.input_type
}
"""For each kind of request on Bulk streams the service it belongs to."""
_DEEPEST = max(Depth)
_DEFAULT_TRIALS = RolloutSettings().trials


class Bounds:
    """What the settings allow one request, and what its caller's token does."""

    def __init__(self, limits: Limits) -> None:
        """Hold the settings."""
        self._limits = limits
        self.deepest = Depth[limits.deepest_depth]
        self.bind = self.deepest < _DEEPEST or limits.most_trials < MOST_TRIALS
        """Whether the settings hold off anything at all."""

    def check(self, request: Message) -> None:
        """See that neither the settings nor the token of the call that is being served hold a request off.

        Raises:
            InvalidRequest: OUT_OF_RANGE by the settings, TOKEN_LIMIT_EXCEEDED by the token.

        """
        wrong = list(_beyond(request, self._limits, "here", ServiceReason.OUT_OF_RANGE)) if self.bind else []
        caller = calling.get()
        if not wrong and caller is not None:
            wrong = list(_beyond(request, caller.token, "with this token", ServiceReason.TOKEN_LIMIT_EXCEEDED))
        if wrong:
            raise InvalidRequest(wrong)


def _beyond(request: Message, bounds: Limits | Token, where: str, reason: ServiceReason) -> Iterator[Violation]:
    """Say what a request asks for beyond some bounds."""
    if bounds.deepest_depth is not None:
        deepest = Depth[bounds.deepest_depth]
        for path, said, depth in _depths(request):
            if depth > deepest:
                yield violation(path, said, f"at most {enums.DEPTHS.name(deepest)} {where}", reason)
    if bounds.most_trials is not None and request.DESCRIPTOR.name == "RolloutRequest":
        trials = request.settings.trials or _DEFAULT_TRIALS  # type: ignore[attr-defined] # a RolloutRequest
        if trials > bounds.most_trials:
            yield violation("settings.trials", f"{trials}", f"at most {bounds.most_trials} {where}", reason)


def _depths(request: Message) -> Iterator[Asked]:
    """Give each depth a request asks for; one that is none is the handler's to refuse."""
    fields = request.DESCRIPTOR.fields_by_name
    if "level" in fields and (level := enums.LEVELS.from_wire(request.level)) is not None:  # type: ignore[attr-defined] # it has one
        depth = depth_of(level)
        yield "level", f"{enums.LEVELS.name(level)}, which looks as deep as {enums.DEPTHS.name(depth)}", depth
    holders: dict[str, Any] = {"depth": request, "settings.depth": getattr(request, "settings", None)}
    for path, holder in holders.items():
        if holder is not None and "depth" in holder.DESCRIPTOR.fields_by_name:
            found = enums.DEPTHS.from_wire(holder.depth)
            if found is not None:
                yield path, enums.DEPTHS.name(found), found


class Gate:
    """Lets the requests of one Bulk stream in, as many at a time as the settings and its caller's token allow."""

    def __init__(self, most: int) -> None:
        """Let in `most` at a time."""
        self._most = most
        self._caller = calling.get()
        self._in_flight = 0

    def begin(self, kind: str) -> None:
        """Count a request that begins.

        Raises:
            CallFailed: ENGINE_BUSY, RATE_LIMITED, or PERMISSION_DENIED where the token does not allow its service.

        """
        if self._caller:
            self._caller.need(_SERVICES[kind])
        if self._in_flight >= self._most:
            message = f"{self._most} requests of this stream have no answer yet, which is as many as it may have."
            raise CallFailed(ServiceReason.ENGINE_BUSY, message, retry_after=RETRY_AFTER)
        if self._caller:
            self._caller.begin_item()
        self._in_flight += 1

    def end(self) -> None:
        """Count a request that is answered."""
        self._in_flight -= 1
        if self._caller:
            self._caller.end_items()

    def close(self) -> None:
        """Count that nothing of the stream is wanted any more."""
        if self._caller:
            self._caller.end_items(self._in_flight)
            self._caller = None
