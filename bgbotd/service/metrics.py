"""What the daemon tells Prometheus: calls, and what the engine is doing."""

from __future__ import annotations

from bisect import bisect_left
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString

from bgbotd.service.versions import versions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from google.protobuf.descriptor import Descriptor, EnumDescriptor
    from google.protobuf.message import Message
    from prometheus_client.core import Metric

    from bgbotd.evaluation import ClusterState, EvaluatorState
    from bgbotd.evaluation.work_times import WorkTimes
    from bgbotd.service.admission import Room

_BUCKETS = (0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 60.0)
"""Seconds: from a legal-plays call to a long rollout."""

REGISTRY = CollectorRegistry()

BULK = "/bgbot.v1.BulkService/Process"
"""Method that what Bulk takes of the engine is counted under."""

Labels = tuple[str, str]
"""The values of two labels."""


class Times:
    """Counts times into buckets. The library's own histograms, with a lock at each step, cost four times as much.

    Only the event loop counts, and whoever scrapes may read in between.
    """

    def __init__(self) -> None:
        """Count nothing yet."""
        self._seconds: dict[Labels, float] = {}
        self._buckets: dict[Labels, list[int]] = {}

    def observe(self, labels: Labels, seconds: float) -> None:
        """Count one."""
        if labels not in self._buckets:
            self._buckets[labels] = [0] * (len(_BUCKETS) + 1)
        self._buckets[labels][bisect_left(_BUCKETS, seconds)] += 1
        self._seconds[labels] = self._seconds.get(labels, 0.0) + seconds

    def family(self, name: str, documentation: str) -> Metric:
        """Give the counts at this moment."""
        family = HistogramMetricFamily(name, documentation, labels=["method", "level"])
        bounds = [*map(floatToGoString, _BUCKETS), "+Inf"]
        for labels, seconds in self._seconds.copy().items():
            counts = accumulate(self._buckets[labels])
            family.add_metric(labels, [*zip(bounds, map(float, counts), strict=True)], seconds)
        return family


class CallCollector(Collector):
    """Counts calls, as `Times` counts times."""

    def __init__(self) -> None:
        """Count nothing yet."""
        self._calls: dict[Labels, int] = {}
        self._refusals: dict[Labels, int] = {}
        self._items: dict[Labels, int] = {}
        self._times, self._waits, self._works = Times(), Times(), Times()

    def observe(self, method: str, code: str, level: str, seconds: float) -> None:
        """Count a finished call; `level` is the level or depth asked for, empty if none."""
        coded = (method, code)
        self._calls[coded] = self._calls.get(coded, 0) + 1
        self._times.observe((method, level), seconds)

    def observe_work(self, method: str, level: str, waited: float, worked: float) -> None:
        """Count what a finished call has taken of the engine, in seconds."""
        self._waits.observe((method, level), waited)
        self._works.observe((method, level), worked)

    def observe_refusal(self, method: str, reason: str) -> None:
        """Count a call that has failed."""
        self._refusals[method, reason] = self._refusals.get((method, reason), 0) + 1

    def observe_item(self, kind: str, code: str, level: str, times: WorkTimes | None) -> None:
        """Count a request that Bulk has answered, and what it has taken of the engine."""
        self._items[kind, code] = self._items.get((kind, code), 0) + 1
        if times is not None and times.pieces:
            self.observe_work(BULK, level, *times.seconds())

    def collect(self) -> Iterator[Metric]:
        """Give the counts at this moment."""
        for name, documentation, labels, counts in (
            ("bgbotd_calls", "Finished calls.", ["method", "code"], self._calls),
            ("bgbotd_refusals", "Failed calls by the reason they were told.", ["method", "reason"], self._refusals),
            ("bgbotd_bulk_items", "Requests answered on Bulk streams.", ["kind", "code"], self._items),
        ):
            family = CounterMetricFamily(name, documentation, labels=labels)
            for values, count in counts.copy().items():
                family.add_metric(values, count)
            yield family
        yield self._times.family(
            "bgbotd_call_seconds", "Time of finished calls; the level is a bot's level or a depth."
        )
        yield self._waits.family(
            "bgbotd_engine_wait_seconds",
            "Time that finished calls waited for the engine while it did nothing for them.",
        )
        yield self._works.family(
            "bgbotd_engine_work_seconds", "Time that engine processes worked for finished calls, together."
        )


_calls = CallCollector()
REGISTRY.register(_calls)
observe_call, observe_work = _calls.observe, _calls.observe_work
observe_refusal, observe_item = _calls.observe_refusal, _calls.observe_item


def level_reader(request: Descriptor) -> Callable[[Message], str]:
    """Give a function that reads the level or depth of requests of a type, such as HARD; empty for none."""
    for name in ("level", "depth"):
        field = request.fields_by_name.get(name)
        if field is not None and field.enum_type is not None:
            return partial(_read_level, name, _names(name, field.enum_type))
    settings = request.fields_by_name.get("settings")
    depth = settings and settings.message_type and settings.message_type.fields_by_name.get("depth")
    if depth and depth.enum_type:
        return partial(_read_depth_of_settings, {**_names("depth", depth.enum_type), 0: "STATIC"})
    return lambda _request: ""


def _names(field: str, levels: EnumDescriptor) -> dict[int, str]:
    """Give the short names of levels or depths."""
    return {value.number: value.name.removeprefix(f"{field.upper()}_") for value in levels.values}


def _read_level(field: str, names: Mapping[int, str], request: Message) -> str:
    """Read the level or depth; empty for a number that is none."""
    return names.get(getattr(request, field), "")


def _read_depth_of_settings(names: Mapping[int, str], request: Message) -> str:
    """Read the depth of a rollout, which has a default; empty for a number that is none."""
    return names.get(request.settings.depth, "")  # type: ignore[attr-defined] # it has been found to have them


class StateCollector(Collector):
    """Reads what is in flight, the engine's pool and its caches when it is scraped."""

    def __init__(self, state: Callable[[], EvaluatorState | None], rooms: Iterable[Room]) -> None:
        """Read the engine by `state`, which gives None while there is none, and the rooms that calls are let in to."""
        self._state = state
        self._rooms = tuple(rooms)

    def collect(self) -> Iterator[Metric]:
        """Give the state at this moment."""
        build = GaugeMetricFamily("bgbotd_build_info", "1; the labels say what runs.", labels=list(versions()))
        build.add_metric(list(versions().values()), 1)
        yield build
        in_flight = GaugeMetricFamily("bgbotd_in_flight", "Calls in flight.", labels=["kind"])
        most = GaugeMetricFamily("bgbotd_in_flight_most", "Calls in flight that are let in.", labels=["kind"])
        for room in self._rooms:
            in_flight.add_metric([room.kind], room.in_flight)
            most.add_metric([room.kind], room.most)
        yield in_flight
        yield most
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
        yield CounterMetricFamily(
            "bgbotd_engine_seconds", "Time that workers have worked, together.", value=state.pool.work_seconds
        )
        entries = GaugeMetricFamily("bgbotd_cache_entries", "Values remembered.", labels=["cache"])
        lookups = CounterMetricFamily("bgbotd_cache_lookups", "Look-ups of values.", labels=["cache", "result"])
        for name, cached in (("evaluations", state.evaluations), ("rankings", state.rankings)):
            entries.add_metric([name], cached.size)
            lookups.add_metric([name, "hit"], cached.hits)
            lookups.add_metric([name, "miss"], cached.misses)
        yield entries
        yield lookups
        yield from _cluster_families(state.cluster)


def _cluster_families(state: ClusterState | None) -> Iterator[Metric]:
    """Give the cluster's metrics, which have no value where there is no cluster."""
    up = GaugeMetricFamily("bgbotd_cluster_up", "Whether the cluster can be given work.", labels=[])
    workers = GaugeMetricFamily("bgbotd_cluster_workers", "Cluster workers by build.", labels=["build"])
    engines = GaugeMetricFamily("bgbotd_cluster_engines", "Engine processes of cluster workers.", labels=[])
    waiting = GaugeMetricFamily("bgbotd_cluster_outstanding", "Pieces of work queued or under way there.", labels=[])
    tasks = CounterMetricFamily("bgbotd_cluster_work", "Pieces of work done there, or again.", labels=["result"])
    if state is not None:
        up.add_metric([], state.available)
        workers.add_metric(["same"], state.workers)
        workers.add_metric(["other"], state.refused)
        engines.add_metric([], state.engines)
        waiting.add_metric([], state.outstanding)
        tasks.add_metric(["done"], state.done)
        tasks.add_metric(["redone"], state.redone)
    yield from (up, workers, engines, waiting, tasks)


def serve_metrics(host: str, port: int, state: Callable[[], EvaluatorState | None], rooms: Iterable[Room]) -> int:
    """Serve the metrics over HTTP, at /metrics, and give the port that was bound.

    Raises:
        OSError: if the address cannot be bound.

    """
    REGISTRY.register(StateCollector(state, rooms))
    server, _ = start_http_server(port, host, registry=REGISTRY)
    return int(server.server_port)
