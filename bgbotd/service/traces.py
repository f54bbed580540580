"""Traces of calls, as OpenTelemetry keeps them: a span for each call, below it one for each wait and each work.

The spans are made here and not by OpenTelemetry's instrumentation of gRPC: that would take answers written to
the context for none, costs every call 70 us, and knows neither levels nor reasons. Names of attributes are those of
its semantic conventions; what those do not know begins with `bgbot.`.
"""

from __future__ import annotations

import os
import threading
import time
import uuid
from typing import TYPE_CHECKING, Any

import structlog
from google.rpc.code_pb2 import Code
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.sampling import ParentBased, TraceIdRatioBased
from opentelemetry.trace import SpanKind, Status, StatusCode, format_trace_id
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from bgbotd.logging import current_request, current_trace
from bgbotd.service.peers import peer_of
from bgbotd.service.versions import versions

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    import grpc
    from google.protobuf.message import Message
    from opentelemetry.trace import Span

    from bgbotd.config import Tracing
    from bgbotd.evaluation.work_times import WorkTimes

    Context = grpc.aio.ServicerContext[Message, bytes]
    Behaviour = Callable[[Any, Context], Awaitable[Any]]

log = structlog.get_logger("bgbotd.traces")

FLUSH_SECONDS = 3.0
"""How long the stop waits for the last spans to be taken: a collector that is gone must not hold it up."""
EXPORT_SECONDS = 5.0
"""How long a batch of spans may take, with what is tried again."""
MOST_ITEM_SPANS = 1000
"""Requests of one Bulk stream that get a span: a trace with all of a stream's millions opens nowhere."""

_FAULTS = frozenset({"UNKNOWN", "DEADLINE_EXCEEDED", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS"})
"""Codes that are the server's fault and not the caller's, by OpenTelemetry's conventions for gRPC."""
_PROPAGATOR = TraceContextTextMapPropagator()


class Traces:
    """The traces of this process: spans wait in memory and go to the collector from a thread of their own."""

    def __init__(self, settings: Tracing) -> None:
        """Begin to trace; what the settings leave out is as OpenTelemetry's own variables say."""
        ratio = settings.sample_ratio
        self._provider = TracerProvider(
            sampler=None if ratio is None else ParentBased(TraceIdRatioBased(ratio)),
            resource=Resource.create(_resource()),
            shutdown_on_exit=False,
        )
        exporter = OTLPSpanExporter(endpoint=settings.endpoint or None, timeout=EXPORT_SECONDS)
        self._provider.add_span_processor(BatchSpanProcessor(exporter))
        self._tracer = self._provider.get_tracer("bgbotd", versions()["bgbotd"])

    def traced(self, method: str, behaviour: Behaviour) -> Behaviour:
        """Give what serves a method with a span around each call, within the caller's trace if there is one."""
        service, _, name = method.removeprefix("/").rpartition("/")
        fixed = {"rpc.system": "grpc", "rpc.service": service, "rpc.method": name}
        span_name = method.removeprefix("/")

        async def call(asked: object, context: Context) -> object:
            parent = _PROPAGATOR.extract(_texts(context))
            with self._tracer.start_as_current_span(
                span_name,
                parent,
                SpanKind.SERVER,
                {**fixed, "network.peer.address": peer_of(context)},
                record_exception=False,
                set_status_on_exception=False,
            ) as span:
                current_trace.set(format_trace_id(span.get_span_context().trace_id))
                return await behaviour(asked, context)

        return call

    def finish(self, code: str, level: str, reason: str, times: WorkTimes | None) -> None:
        """Say in the span of the call that is being served how it ended."""
        self._tell(trace.get_current_span(), code, level, reason, times)

    def items(self) -> ItemSpans | None:
        """Give the spans of the requests of the Bulk stream that is being served; None if it is not sampled."""
        return ItemSpans(self) if trace.get_current_span().is_recording() else None

    def begin_item(self, kind: str, number: int) -> Span:
        """Begin the span of a request of the Bulk stream that is being served."""
        return self._tracer.start_span(f"item {kind}", attributes={"bgbot.bulk.kind": kind, "bgbot.bulk.id": number})

    def end_item(self, span: Span, code: str, level: str, reason: str, times: WorkTimes | None) -> None:
        """End the span of a request."""
        self._tell(span, code, level, reason, times)
        span.end()

    def close(self) -> None:
        """Hand over the spans that wait, as far as they are taken within `FLUSH_SECONDS`."""
        closing = threading.Thread(target=self._provider.shutdown, name="last-spans", daemon=True)
        closing.start()
        closing.join(FLUSH_SECONDS)
        if closing.is_alive():
            log.warning("traces lost", reason=f"the collector has not taken the last ones within {FLUSH_SECONDS:g} s")

    def _tell(self, span: Span, code: str, level: str, reason: str, times: WorkTimes | None) -> None:
        """Say how something ended, and what it took of the engine."""
        if not span.is_recording():
            return
        told: dict[str, str | int | float] = {
            "rpc.grpc.status_code": Code.Value(code),
            "rpc.response.status_code": code,
            "bgbot.request_id": current_request.get(),
            "bgbot.level": level,
            "bgbot.reason": reason,
        }
        if times is not None and times.pieces:
            waited, worked = times.seconds()
            told |= {
                "bgbot.queue_seconds": waited,
                "bgbot.engine_seconds": worked,
                "bgbot.engine_pieces": times.pieces,
            }
            self._add_stretches(span, times)
        span.set_attributes({key: value for key, value in told.items() if value != ""})
        if code in _FAULTS:
            span.set_status(Status(StatusCode.ERROR, reason))

    def _add_stretches(self, span: Span, times: WorkTimes) -> None:
        """Add a span for each wait and each work, which are told of on a clock of their own."""
        now, offset = time.perf_counter_ns(), time.time_ns() - time.perf_counter_ns()
        parent = trace.set_span_in_context(span)
        for stretch in times.stretches():
            parts = [("queue", stretch.queued, stretch.began or now)]
            if stretch.began is not None:
                parts.append(("engine", stretch.began, stretch.ended or now))
            for name, begin, end in parts:
                self._tracer.start_span(name, parent, start_time=begin + offset).end(end + offset)


class ItemSpans:
    """Spans of the requests of one Bulk stream, below the stream's own; the first ones only."""

    def __init__(self, traces: Traces) -> None:
        """Begin without any."""
        self._traces = traces
        self._open: dict[int, Span] = {}
        self._begun = 0

    def begin(self, kind: str, number: int) -> None:
        """Begin one."""
        if self._begun < MOST_ITEM_SPANS:
            self._begun += 1
            self._open[number] = self._traces.begin_item(kind, number)

    def end(self, number: int, code: str, level: str = "", reason: str = "", times: WorkTimes | None = None) -> None:
        """End one; of what has none nothing is told."""
        if span := self._open.pop(number, None):
            self._traces.end_item(span, code, level, reason, times)

    def close(self) -> None:
        """End those that nobody wants an answer to any more."""
        for number in list(self._open):
            self.end(number, "CANCELLED")


def _texts(context: Context) -> Mapping[str, str]:
    """Read the metadata that are texts."""
    return {key: value for key, value in context.invocation_metadata() or () if isinstance(value, str)}


def _resource() -> dict[str, str | int]:
    """Say what this process is; its name may be given by OpenTelemetry's own variables."""
    named = "OTEL_SERVICE_NAME" in os.environ or "service.name=" in os.environ.get("OTEL_RESOURCE_ATTRIBUTES", "")
    return {
        **({} if named else {"service.name": "bgbotd"}),
        "service.version": versions()["bgbotd"],
        "service.instance.id": str(uuid.uuid4()),
        "process.pid": os.getpid(),
    }
