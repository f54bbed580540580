"""What the daemon tells Prometheus of itself: its process, its log, and the files it lives by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prometheus_client import ProcessCollector
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

from bgbotd.logging import lines_lost
from bgbotd.service.metrics import REGISTRY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from prometheus_client.core import Metric

    from bgbotd.service.bulk import BulkHandlers
    from bgbotd.service.tls import Certificates
    from bgbotd.service.tokens import Tokens

ProcessCollector(registry=REGISTRY)


class UpkeepCollector(Collector):
    """Looks after the files when it is scraped."""

    def __init__(self, certificates: Certificates | None, tokens: Tokens | None, bulk: BulkHandlers) -> None:
        """Look after what there is."""
        self._certificates = certificates
        self._tokens = tokens
        self._bulk = bulk

    def collect(self) -> Iterator[Metric]:
        """Give the state at this moment."""
        yield GaugeMetricFamily(
            "bgbotd_bulk_items_held", "Requests of Bulk streams without a written answer.", value=self._bulk.held
        )
        yield CounterMetricFamily("bgbotd_log_lines_lost", "Log lines that nobody has read in time.", lines_lost())
        in_force = GaugeMetricFamily(
            "bgbotd_file_in_force",
            "1 if a file is in force as it was last seen, 0 if it was wrong and an older one is.",
            labels=["file"],
        )
        for name, file in (("certificates", self._certificates), ("tokens", self._tokens)):
            if file is not None:
                in_force.add_metric([name], file.in_force)
        yield in_force
        expiry = GaugeMetricFamily(
            "bgbotd_certificate_expiry_timestamp_seconds", "When the certificate ends, in seconds since 1970."
        )
        if self._certificates is not None and (ends := self._certificates.expiry()) is not None:
            expiry.add_metric([], ends)
        yield expiry
