"""What is told of every finished call: its metrics, its line in the log, the end of its trace."""

from __future__ import annotations

import logging
import re
import secrets
import time
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from itertools import count
from random import random
from typing import TYPE_CHECKING

import structlog
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from google.rpc.error_details_pb2 import ErrorInfo

from bgbotd.config import CallLog
from bgbotd.evaluation.work_times import times_of_work
from bgbotd.logging import current_request, current_trace
from bgbotd.service.metrics import observe_call, observe_refusal, observe_work
from bgbotd.service.peers import peer_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import grpc
    from google.rpc.status_pb2 import Status
    from grpc.aio import Metadata

    from bgbotd.evaluation.work_times import WorkTimes
    from bgbotd.service.traces import Traces

    Context = grpc.aio.ServicerContext[Message, bytes]

REQUEST_ID = "x-request-id"
"""Metadata key of the request id, taken from the caller where it is a plain word.

It is sent back to whoever has said one, with every failure, and with whatever is logged.
"""
TRACE_PARENT = "traceparent"
"""Metadata key of the trace a call belongs to, as the W3C's Trace Context writes it: VERSION-TRACE-SPAN-FLAGS."""

_ids = map((secrets.token_hex(8) + "{:016x}").format, count())
"""Request ids made here, of which no other process has any; drawing each one would cost four times as much."""
_PLAIN_ID = re.compile(r"[\w.:-]{1,64}\Z", re.ASCII)

_DEFECTS = frozenset({"INTERNAL", "UNKNOWN", "DATA_LOSS"})

log = structlog.get_logger("bgbotd.calls")


@dataclass(slots=True)
class Items:
    """Requests on a Bulk stream that have had their result."""

    answered: int = 0
    failed: int = 0


items_of_call: ContextVar[Items | None] = ContextVar("items_of_call", default=None)
"""What has become of the requests on the Bulk stream that is being served; None for other calls."""


def request_id_of(metadata: Metadata | Sequence[tuple[str, str | bytes]] | None) -> tuple[str, bool]:
    """Take the caller's request id where it is a plain word, else make one; tell whether the caller has said any."""
    for key, value in metadata or ():
        if key == REQUEST_ID:
            plain = isinstance(value, str) and _PLAIN_ID.match(value)
            return str(value) if plain else next(_ids), True
    return next(_ids), False


def says_request_id(metadata: Metadata | Sequence[tuple[str, str | bytes]] | None) -> bool:
    """Tell whether the caller has said a request id, right or wrong."""
    return REQUEST_ID in dict(metadata or ())


class AccessLog:
    """Tells of calls when they have finished.

    Failed and slow calls always get a line at level info or above; of the others as many as the settings say do,
    and the rest get theirs at level debug. What was asked is in it only if the settings say so.
    """

    def __init__(self, settings: CallLog | None = None, traces: Traces | None = None) -> None:
        """Hold which calls get a line, and their traces where they are kept."""
        self._settings = settings or CallLog()
        self._traces = traces

    @property
    def tells_requests(self) -> bool:
        """Tell whether lines say what was asked."""
        return self._settings.requests

    def finished(  # noqa: PLR0913 - all that is told
        self,
        method: str,
        code: str,
        started: float,
        context: Context,
        level: str = "",
        *,
        request: object = None,
        status: Status | None = None,
        lasting: bool = False,
    ) -> None:
        """Tell of a call.

        Args:
            method: its path, such as `/bgbot.v1.BotService/ChoosePlay`.
            code: the name of its status.
            started: what `time.perf_counter` gave at its start.
            context: the call's.
            level: the level or depth asked for, empty if none.
            request: what was asked, where it is one message.
            status: what a failed call was told.
            lasting: whether it may take any time, so that it is never slow.

        """
        elapsed = time.perf_counter() - started
        observe_call(method, code, level, elapsed)
        times = times_of_work.get()
        if times is not None and times.pieces:
            observe_work(method, level, *times.seconds())
        reason = reason_of(status) if status else ""
        if reason:
            observe_refusal(method, reason)
        if self._traces is not None:
            self._traces.finish(code, level, reason, times)
        urgency = self._urgency(code, lasting=lasting, elapsed=elapsed)
        if not _is_logged(urgency):  # before anything is put together for nobody
            return
        if not current_request.get():
            current_request.set(next(_ids))
        context.set_trailing_metadata(((REQUEST_ID, current_request.get()),))  # for the caller to find the line by
        told: dict[str, object] = {"method": method, "code": code}
        if reason:
            told["reason"] = reason
        if level:
            told["asked"] = level
        told["milliseconds"] = round(1000 * elapsed, 3)
        told |= _work_told(times)
        told["peer"] = peer_of(context)
        if not current_trace.get() and (trace := _callers_trace(context)):
            told["trace_id"] = trace
        if self._settings.requests and isinstance(request, Message):
            told["request"] = MessageToDict(request, preserving_proto_field_name=True)
        log.log(urgency, "call", **told)

    def _urgency(self, code: str, *, lasting: bool, elapsed: float) -> int:
        """Say how urgent the line of a call is."""
        if code in _DEFECTS:
            return logging.ERROR
        if elapsed > self._settings.slow_seconds and not lasting:
            return logging.WARNING
        ratio = self._settings.sample_ratio
        return logging.INFO if code != "OK" or (ratio and random() < ratio) else logging.DEBUG  # noqa: S311 - no secret


def _work_told(times: WorkTimes | None) -> dict[str, object]:
    """Say what a call took of the engine, and what has become of the requests on a Bulk stream."""
    told: dict[str, object] = {}
    if times is not None and times.pieces:
        waited, worked = times.seconds()
        told |= {"queue_milliseconds": round(1000 * waited, 3), "engine_milliseconds": round(1000 * worked, 3)}
    if (items := items_of_call.get()) is not None:
        told |= {"items_answered": items.answered, "items_failed": items.failed}
    return told


@cache
def _is_logged(urgency: int) -> bool:
    """Tell whether lines of an urgency are written, as it is settled when the first is due."""
    return bool(log.is_enabled_for(urgency))


def reason_of(status: Status) -> str:
    """Read the reason of a failure, empty if it says none."""
    info = ErrorInfo()
    return str(info.reason) if any(detail.Unpack(info) for detail in status.details) else ""


def _callers_trace(context: Context) -> str:
    """Read the id of the trace that the caller says the call belongs to, empty for none."""
    for key, value in context.invocation_metadata() or ():
        if key == TRACE_PARENT and isinstance(value, str):
            trace = value.split("-")[1:2]
            return trace[0] if trace and _is_trace_id(trace[0]) else ""
    return ""


def _is_trace_id(text: str) -> bool:
    """Tell whether a text is 32 hexadecimal digits, which must not all be zero."""
    return len(text) == 32 and set(text) <= set("0123456789abcdef") and text.strip("0") != ""  # noqa: PLR2004 - the standard's
