"""What the daemon tells of its files, its log and its process."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from structlog.testing import capture_logs

from bgbotd.config import Tls
from bgbotd.service.bulk import BulkHandlers
from bgbotd.service.tls import Certificates
from bgbotd.service.upkeep_metrics import UpkeepCollector
from tests.service.certificates import Authority
from tests.service.test_tls import replace
from tests.service.test_tokens import entry, written

if TYPE_CHECKING:
    from pathlib import Path

DAY = 86400


def told(collector: UpkeepCollector) -> dict[str, float]:
    """Give each sample by its name and the values of its labels."""
    return {
        " ".join([sample.name, *sample.labels.values()]): sample.value
        for family in collector.collect()
        for sample in family.samples
    }


def test_a_certificates_end_is_told_and_whether_it_is_in_force(tmp_path: Path) -> None:
    """A wrong file is seen at the next handshake and told of once; until it is right again the older one holds."""
    authority = Authority(tmp_path / "authority")
    pair, other = authority.sign("server"), authority.sign("other")
    certificates = Certificates(Tls(pair.certificate, pair.key))
    collector = UpkeepCollector(certificates, None, BulkHandlers([]))
    right = pair.key.read_bytes()
    assert (
        pytest.approx(time.time() + 2 * DAY, abs=DAY / 24)
        == told(collector)["bgbotd_certificate_expiry_timestamp_seconds"]
    )
    assert 1 == told(collector)["bgbotd_file_in_force certificates"]
    replace(pair.key, other.key.read_bytes())
    with capture_logs() as lines:
        assert [None] * 3 == [certificates.changed() for _ in range(3)]
    assert ["certificates not reloaded"] == [line["event"] for line in lines]
    assert 0 == told(collector)["bgbotd_file_in_force certificates"]
    assert "bgbotd_certificate_expiry_timestamp_seconds" not in told(collector)
    replace(pair.key, right)
    assert certificates.changed()
    assert 1 == told(collector)["bgbotd_file_in_force certificates"]


def test_what_there_is_not_has_no_value(tmp_path: Path) -> None:
    """An alert on a certificate that a daemon does not have would be no help."""
    collector = UpkeepCollector(None, written(tmp_path, entry("a")), BulkHandlers([]))
    assert {"bgbotd_bulk_items_held": 0, "bgbotd_log_lines_lost_total": 0, "bgbotd_file_in_force tokens": 1} == told(
        collector
    )


def test_the_process_tells_of_itself(metrics_text: str) -> None:
    """Each worker by itself."""
    for worker in (0, 1):
        assert f'process_resident_memory_bytes{{worker="{worker}"}}' in metrics_text
        assert f'process_open_fds{{worker="{worker}"}}' in metrics_text
