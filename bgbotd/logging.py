"""Structured logs on standard error: one JSON object a line, or colours on a terminal."""

from __future__ import annotations

import atexit
import io
import json
import logging
import os
import sys
import threading
from contextlib import suppress
from contextvars import ContextVar
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, TextIO, cast

import structlog

if TYPE_CHECKING:
    from structlog.typing import EventDict, FilteringBoundLogger, WrappedLogger

current_request: ContextVar[str] = ContextVar("current_request", default="")
"""Id of the request that is being served, which every line says that is logged meanwhile; empty outside of one."""

current_trace: ContextVar[str] = ContextVar("current_trace", default="")
"""Id of the trace that what is being served belongs to, which every line says as well; empty for none."""
current_caller: ContextVar[str] = ContextVar("current_caller", default="")
"""Name of the token that what is being served was asked with, which every line says as well; empty for none."""

_ALWAYS_SAID = {"request_id": current_request, "trace_id": current_trace, "caller": current_caller}


_ABOUT_CALLERS = "grpc._cython.cygrpc"
"""gRPC's errors of callers who leave while they are answered, or name methods in no known letters; it takes them
for the server's, whose own never get there."""


class Writer:
    """Writes lines in a thread of its own, so that nobody waits for a log that is not read.

    While nobody reads, a bounded number of lines is kept; how many were lost is said afterwards.
    """

    def __init__(self, file: TextIO, most_waiting: int = 10_000) -> None:
        """Begin to write to `file`."""
        self._file = file
        self._most_waiting = most_waiting
        self._waiting: SimpleQueue[str | None] = SimpleQueue()
        self._lost = 0
        self.lost_in_all = 0
        """Lines that have found no room so far."""
        self._thread = threading.Thread(target=self._write_all, name="log", daemon=True)
        self._thread.start()

    def write(self, text: str) -> None:
        """Have a line written."""
        if self._waiting.qsize() < self._most_waiting:
            self._waiting.put(text)
        else:
            self._lost += 1
            self.lost_in_all += 1

    def flush(self) -> None:
        """Do nothing: lines are written as soon as they can be."""

    def close(self, seconds: float = 2.0) -> None:
        """Wait a while for the last line."""
        self._waiting.put(None)
        self._thread.join(seconds)

    def _write_all(self) -> None:
        """Write whatever comes."""
        while (text := self._waiting.get()) is not None:
            self._write(text)
            if self._lost:
                lost, self._lost = self._lost, 0
                self._write(json.dumps({"event": "log lines lost", "count": lost, "level": "warning"}) + "\n")

    def _write(self, text: str) -> None:
        """Write one line; there is nobody to tell that it cannot be."""
        with suppress(Exception):
            self._file.write(text)
            self._file.flush()


_writers: list[Writer] = []


def lines_lost() -> int:
    """Count the lines of this process that have found no room."""
    return sum(writer.lost_in_all for writer in _writers)


def configure(level: str, **always: object) -> None:
    """Write log lines of at least `level` (debug, info, warning or error), `always` in each, to standard error."""
    # gRPC's core writes there by itself, waits for whoever reads, and quotes what callers send, line ends and all.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    render: structlog.typing.Processor = (
        structlog.dev.ConsoleRenderer() if sys.stderr.isatty() else structlog.processors.JSONRenderer()
    )

    def say_always(_logger: object, _method: str, event: structlog.typing.EventDict) -> structlog.typing.EventDict:
        return {**event, **always}

    processors: list[structlog.typing.Processor] = [
        *([say_always] if always else []),
        _add_what_is_served,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    if not sys.stderr.isatty():
        processors.append(structlog.processors.dict_tracebacks)
    writer = Writer(sys.stderr)
    _writers.append(writer)
    atexit.register(writer.close)
    structlog.configure(
        processors=[*processors, render],
        wrapper_class=_undisturbed(logging.getLevelNamesMapping()[level.upper()]),
        logger_factory=structlog.WriteLoggerFactory(file=cast("TextIO", writer)),
        cache_logger_on_first_use=True,
    )
    logging.basicConfig(handlers=[_Libraries()], level=logging.WARNING, force=True)


class _Strays(io.TextIOBase):
    """Makes lines of what is written to standard error past the log, as gRPC writes some tracebacks."""

    def __init__(self) -> None:
        """Begin with nothing written."""
        self._begun = ""

    def writable(self) -> bool:
        """Say that it can be written to."""
        return True

    def write(self, text: str) -> int:
        """Log every line that is complete."""
        *lines, self._begun = (self._begun + text).split("\n")
        for line in filter(None, lines):
            structlog.get_logger("stderr").info(line, library="stderr")
        return len(text)


def catch_strays() -> None:
    """Let nothing into the log from here on that is no line of it, unless a person reads it on a terminal."""
    if not sys.stderr.isatty():
        sys.stderr = cast("TextIO", _Strays())


class _Libraries(logging.Handler):
    """Writes what libraries log by Python's own means as lines like all others."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write one line."""
        told: dict[str, object] = {"library": record.name}
        level = record.levelno
        if record.name == _ABOUT_CALLERS:
            level = logging.INFO
        elif record.exc_info:
            told["exc_info"] = record.exc_info
        structlog.get_logger(record.name).log(level, record.getMessage(), **told)


def _add_what_is_served(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Say which request a line belongs to, to which trace, and who has asked."""
    for name, current in _ALWAYS_SAID.items():
        if said := current.get():
            event[name] = said
    return event


def _undisturbed(level: int) -> type[FilteringBoundLogger]:
    """Give loggers that never fail: a full disk, a closed pipe or an error without a text is no reason to stop."""
    ordinary: Any = structlog.make_filtering_bound_logger(level)

    class Undisturbed(ordinary):  # type: ignore[misc] # made by structlog while running
        """Says what it can."""

        def _proxy_to_logger(self, method_name: str, event: str | None = None, **fields: Any) -> None:  # noqa: ANN401
            try:
                super()._proxy_to_logger(method_name, event, **fields)
            except Exception:  # noqa: BLE001 - whatever it is, the caller goes on
                with suppress(Exception):
                    error = fields.pop("exc_info", None)
                    super()._proxy_to_logger(method_name, event, **fields, unprintable=type(error).__name__)

    return Undisturbed
