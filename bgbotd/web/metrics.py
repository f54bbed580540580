"""What Prometheus is told of the web edge."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

from bgbotd.web.rate import COUNTED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from prometheus_client.core import Metric

    from bgbotd.web.edge import Edge


class WebCollector(Collector):
    """Asks the edge when it is scraped."""

    def __init__(self, edge: Edge) -> None:
        """Ask this one."""
        self._edge = edge

    def describe(self) -> list[Metric]:
        """Name nothing beforehand: who registers this must not ask the edge."""
        return []

    def collect(self) -> Iterator[Metric]:
        """Give whether it runs, and what it has counted since it was started."""
        yield GaugeMetricFamily("bgbotd_web_up", "Whether the web edge runs.", value=self._edge.up)
        yield CounterMetricFamily("bgbotd_web_restarts", "Times it was started again.", value=self._edge.restarts)
        counted = ""
        with suppress(OSError):  # it is just being started again
            counted = self._edge.statistics(rf"downstream_(rq_\dxx|cx_active)|{COUNTED}")
        answers = CounterMetricFamily("bgbotd_web_answers", "Answers of the web edge.", labels=["status"])
        for status, count in re.findall(r"downstream_rq_(\dxx): (\d+)", counted):
            answers.add_metric([status], int(count))
        yield answers
        refused = _count(COUNTED, counted)
        yield CounterMetricFamily("bgbotd_web_refusals", "Calls beyond those that the web edge lets in.", value=refused)
        connections = _count("downstream_cx_active", counted)
        yield GaugeMetricFamily("bgbotd_web_connections", "Connections to the web edge.", value=connections)


def _count(name: str, counted: str) -> int:
    """Find one of Envoy's counters; what has no lines was not counted."""
    found = re.search(rf"{re.escape(name)}: (\d+)", counted)
    return int(found[1]) if found else 0
