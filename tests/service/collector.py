"""A collector of traces, as OpenTelemetry's protocol for gRPC has it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from queue import SimpleQueue
from typing import TYPE_CHECKING

import grpc
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2, trace_service_pb2_grpc

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from opentelemetry.proto.common.v1.common_pb2 import KeyValue
    from opentelemetry.proto.trace.v1.trace_pb2 import Span


@dataclass(frozen=True, slots=True)
class Seen:
    """A span that has come, with what its process says of itself."""

    span: Span
    resource: dict[str, object]

    @property
    def attributes(self) -> dict[str, object]:
        """Give what the span says."""
        return _read(self.span.attributes)


class Collector(trace_service_pb2_grpc.TraceServiceServicer):
    """Keeps what it is sent."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.address = ""
        self._come: SimpleQueue[Seen] = SimpleQueue()
        self._spans: list[Seen] = []

    def Export(  # noqa: N802 - the contract's name
        self, request: trace_service_pb2.ExportTraceServiceRequest, context: grpc.ServicerContext
    ) -> trace_service_pb2.ExportTraceServiceResponse:
        """Take spans."""
        del context
        for of_resource in request.resource_spans:
            for of_scope in of_resource.scope_spans:
                for span in of_scope.spans:
                    self._come.put(Seen(span, _read(of_resource.resource.attributes)))
        return trace_service_pb2.ExportTraceServiceResponse()

    def spans(self) -> list[Seen]:
        """Give all that have come so far."""
        while not self._come.empty():
            self._spans.append(self._come.get())
        return self._spans

    def await_span(self, name: str) -> Seen:
        """Wait for a span that has not been given yet."""
        while (seen := self._come.get(timeout=30)).span.name != name:
            self._spans.append(seen)
        self._spans.append(seen)
        return seen

    def below(self, parent: Seen) -> list[Seen]:
        """Give the children of a span that have come so far, in the order they began."""
        below = [seen for seen in self.spans() if seen.span.parent_span_id == parent.span.span_id]
        return sorted(below, key=lambda seen: seen.span.start_time_unix_nano)


@contextmanager
def collecting(credentials: grpc.ServerCredentials | None = None) -> Iterator[Collector]:
    """Run a collector on a free port, with TLS where it has credentials."""
    collector = Collector()
    server = grpc.server(ThreadPoolExecutor(2))
    trace_service_pb2_grpc.add_TraceServiceServicer_to_server(collector, server)  # type: ignore[no-untyped-call] # generated
    if credentials is None:
        collector.address = f"http://127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    else:
        collector.address = f"https://localhost:{server.add_secure_port('127.0.0.1:0', credentials)}"
    server.start()
    try:
        yield collector
    finally:
        server.stop(None).wait()


def _read(attributes: Iterable[KeyValue]) -> dict[str, object]:
    """Read attributes."""
    return {each.key: getattr(each.value, each.value.WhichOneof("value") or "string_value") for each in attributes}
