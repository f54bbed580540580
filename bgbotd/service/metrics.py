"""What the daemon tells Prometheus: calls, and what the engine is doing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Histogram, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

from bgbotd.service.stamps import server_version

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from prometheus_client.core import Metric

    from bgbotd.evaluation import EvaluatorState

_BUCKETS = (0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 60.0)
"""Seconds: from a legal-plays call to a long rollout."""

REGISTRY = CollectorRegistry()
_calls = Counter("bgbotd_calls", "Finished calls.", ["method", "code"], registry=REGISTRY)
_seconds = Histogram("bgbotd_call_seconds", "Time of finished calls.", ["method"], registry=REGISTRY, buckets=_BUCKETS)


def observe_call(method: str, code: str, seconds: float) -> None:
    """Count a finished call."""
    _calls.labels(method, code).inc()
    _seconds.labels(method).observe(seconds)


class EngineCollector(Collector):
    """Reads the engine's pool and caches when it is scraped."""

    def __init__(self, state: Callable[[], EvaluatorState | None]) -> None:
        """Read by `state`, which gives None while there is no engine."""
        self._state = state

    def collect(self) -> Iterator[Metric]:
        """Give the state at this moment."""
        build = GaugeMetricFamily("bgbotd_build_info", "1; the labels say what runs.", labels=["version"])
        build.add_metric([server_version()], 1)
        yield build
        state = self._state()
        yield GaugeMetricFamily("bgbotd_engine_up", "Whether the engine is loaded.", value=state is not None)
        if state is None:
            return
        pool = GaugeMetricFamily(
            "bgbotd_engine_workers", "Workers: all, busy, and busy with what nobody wants any more.", labels=["state"]
        )
        for name, count in (
            ("all", state.pool.workers),
            ("busy", state.pool.busy),
            ("abandoned", state.pool.abandoned),
        ):
            pool.add_metric([name], count)
        yield pool
        yield GaugeMetricFamily("bgbotd_engine_waiting", "Requests that wait for a worker.", value=state.pool.waiting)
        entries = GaugeMetricFamily("bgbotd_cache_entries", "Values remembered.", labels=["cache"])
        lookups = CounterMetricFamily("bgbotd_cache_lookups", "Look-ups of values.", labels=["cache", "result"])
        for name, cache in (("evaluations", state.evaluations), ("rankings", state.rankings)):
            entries.add_metric([name], cache.size)
            lookups.add_metric([name, "hit"], cache.hits)
            lookups.add_metric([name, "miss"], cache.misses)
        yield entries
        yield lookups


def serve_metrics(host: str, port: int, state: Callable[[], EvaluatorState | None]) -> int:
    """Serve the metrics over HTTP, at /metrics, and give the port that was bound.

    Raises:
        OSError: if the address cannot be bound.

    """
    REGISTRY.register(EngineCollector(state))
    server, _ = start_http_server(port, host, registry=REGISTRY)
    return int(server.server_port)
