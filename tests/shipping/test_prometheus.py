"""A real Prometheus scrapes a real daemon, and every alert fires when it should and not before."""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import urllib.parse
import urllib.request
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tests.deploy.settings import ROOT
from tests.deploy.test_monitoring import EXPRESSIONS, RULES
from tests.service.exercised import exercised

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ALERTS = ROOT / "deploy/prometheus/alerts.yml"
HOST = 'job="bgbotd",instance="host"'
CALLS = f'bgbotd_calls_total{{{HOST},method="/m",code="%s"}}'
REFUSALS = f'bgbotd_refusals_total{{{HOST},method="/m",reason="%s"}}'
WEB_ANSWERS = f'bgbotd_web_answers_total{{{HOST},status="2xx"}}'
SLOW = f'bgbotd_call_seconds_bucket{{{HOST},method="/m",level="HARD",le="%s"}}'

CASES: dict[str, tuple[dict[str, str], dict[str, str]]] = {
    "BgbotdDown": ({f"up{{{HOST}}}": "0x60"}, {f"up{{{HOST}}}": "1x60"}),
    "BgbotdWorkerDown": (
        {f'bgbotd_worker_up{{{HOST},worker="1"}}': "0x60"},
        {f'bgbotd_worker_up{{{HOST},worker="1"}}': "1x60"},
    ),
    "BgbotdWorkerDies": (
        {f'bgbotd_worker_restarts_total{{{HOST},worker="1"}}': "0+1x60"},
        {f'bgbotd_worker_restarts_total{{{HOST},worker="1"}}': "0x30 1x30"},
    ),
    "BgbotdEngineAbsent": ({f"bgbotd_engine_up{{{HOST}}}": "0x60"}, {f"bgbotd_engine_up{{{HOST}}}": "1x60"}),
    "BgbotdInternalErrors": ({CALLS % "INTERNAL": "0x55 1x5"}, {CALLS % "INTERNAL": "1x60"}),
    "BgbotdBulkInternalErrors": (
        {f'bgbotd_bulk_items_total{{{HOST},kind="evaluate",code="INTERNAL"}}': "0x55 1x5"},
        {f'bgbotd_bulk_items_total{{{HOST},kind="evaluate",code="INVALID_ARGUMENT"}}': "0+9x60"},
    ),
    "BgbotdFull": (
        {REFUSALS % "ENGINE_BUSY": "0+3x60", CALLS % "OK": "0+100x60"},
        {REFUSALS % "ENGINE_BUSY": "0+1x60", CALLS % "OK": "0+100x60"},
    ),
    "BgbotdTokenLimited": (
        {REFUSALS % "RATE_LIMITED": "0+3x60", CALLS % "OK": "0+100x60"},
        {REFUSALS % "RATE_LIMITED": "0+1x60", CALLS % "OK": "0+100x60"},
    ),
    "BgbotdStrangers": ({REFUSALS % "UNAUTHENTICATED": "0+90x60"}, {REFUSALS % "UNAUTHENTICATED": "0+30x60"}),
    "BgbotdDeadlines": (
        {CALLS % "DEADLINE_EXCEEDED": "0+3x60", CALLS % "OK": "0+100x60"},
        {CALLS % "DEADLINE_EXCEEDED": "0+1x60", CALLS % "OK": "0+100x60"},
    ),
    "BgbotdEngineQueue": (
        {f"bgbotd_engine_waiting{{{HOST}}}": "100x60"},
        {f"bgbotd_engine_waiting{{{HOST}}}": "0x57 100x3"},
    ),
    "BgbotdSlow": (
        {SLOW % "0.1": "0+90x60", SLOW % "0.2": "0+100x60", SLOW % "+Inf": "0+100x60"},
        {SLOW % "0.1": "0+100x60", SLOW % "0.2": "0+100x60", SLOW % "+Inf": "0+100x60"},
    ),
    "BgbotdCertificateEnds": (
        {f"bgbotd_certificate_expiry_timestamp_seconds{{{HOST}}}": "604800x90"},
        {f"bgbotd_certificate_expiry_timestamp_seconds{{{HOST}}}": "2592000x90"},
    ),
    "BgbotdFileNotInForce": (
        {f'bgbotd_file_in_force{{{HOST},file="tokens"}}': "0x60"},
        {f'bgbotd_file_in_force{{{HOST},file="tokens"}}': "1x60"},
    ),
    "BgbotdFewDescriptors": (
        {f"process_open_fds{{{HOST}}}": "900x60", f"process_max_fds{{{HOST}}}": "1024x60"},
        {f"process_open_fds{{{HOST}}}": "700x60", f"process_max_fds{{{HOST}}}": "1024x60"},
    ),
    "BgbotdLogLost": (
        {f"bgbotd_log_lines_lost_total{{{HOST}}}": "0x50 7x10"},
        {f"bgbotd_log_lines_lost_total{{{HOST}}}": "7x60"},
    ),
    "BgbotdClusterDown": ({f"bgbotd_cluster_up{{{HOST}}}": "0x60"}, {f"bgbotd_cluster_up{{{HOST}}}": "1x60"}),
    "BgbotdWebLimited": (
        {f"bgbotd_web_refusals_total{{{HOST}}}": "0+3x60", WEB_ANSWERS: "0+100x60"},
        {f"bgbotd_web_refusals_total{{{HOST}}}": "0+1x60", WEB_ANSWERS: "0+100x60"},
    ),
    "BgbotdWebDown": ({f"bgbotd_web_up{{{HOST}}}": "0x60"}, {f"bgbotd_web_up{{{HOST}}}": "1x60"}),
}
"""For each alert a minute's values, as promtool writes them, by which it fires, and others by which it does not."""
EVALUATED_AT = {"BgbotdCertificateEnds": "80m"}
"""When, where an hour is too early."""


@pytest.fixture(scope="module", autouse=True)
def _tools() -> None:
    """Say what is missing."""
    missing = [tool for tool in ("prometheus", "promtool") if shutil.which(tool) is None]
    assert not missing, f"make test-shipping needs {', '.join(missing)}: apt-get install prometheus"


def promtool(*arguments: str, told: str = "") -> None:
    """Run it; it must be content."""
    done = subprocess.run(
        [str(shutil.which("promtool")), *arguments], input=told, capture_output=True, text=True, timeout=60, check=False
    )
    assert (0, "") == (done.returncode, done.stderr), done.stdout


@pytest.fixture(scope="module")
def metrics(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Run a daemon and give where its metrics are."""
    with exercised(tmp_path_factory.mktemp("exercised")) as address:
        yield address


def test_every_alert_has_a_case() -> None:
    """None is forgotten."""
    assert [rule["alert"] for rule in RULES] == list(CASES)


def test_alert_rules_are_as_prometheus_wants_them() -> None:
    """By its own tool."""
    promtool("check", "rules", str(ALERTS))


@pytest.mark.parametrize("alert", CASES)
def test_an_alert_fires_when_it_should_and_not_before(tmp_path: Path, alert: str) -> None:
    """By unit tests of Prometheus's own tool."""
    tests = []
    for fires, series in zip((True, False), CASES[alert], strict=True):
        at = EVALUATED_AT.get(alert, "60m")
        tests.append(
            {
                "name": f"{alert} {'fires' if fires else 'does not fire'}",
                "interval": "1m",
                "input_series": [{"series": name, "values": values} for name, values in series.items()],
                "promql_expr_test": [
                    {
                        "expr": f'count(ALERTS{{alertname="{alert}",alertstate="firing",severity=~"page|ticket"}})',
                        "eval_time": at,
                        "exp_samples": [{"labels": "{}", "value": 1}] if fires else [],
                    }
                ],
            }
        )
    file = tmp_path / "test.yml"
    file.write_text(yaml.safe_dump({"rule_files": [str(ALERTS)], "evaluation_interval": "1m", "tests": tests}))
    promtool("test", "rules", str(file))


def test_metrics_are_as_prometheus_wants_them(metrics: str) -> None:
    """Names, units and types by its conventions, as its own tool sees them."""
    with urllib.request.urlopen(f"http://{metrics}/metrics", timeout=30) as answer:
        promtool("check", "metrics", told=answer.read().decode())


class Prometheus:
    """A Prometheus that scrapes one daemon."""

    def __init__(self, address: str) -> None:
        """Ask it there."""
        self._address = address

    def ask(self, path: str, **fields: str) -> Any:  # noqa: ANN401 - as the path has it
        """Ask its interface."""
        url = f"http://{self._address}/api/v1/{path}?{urllib.parse.urlencode(fields)}"
        with urllib.request.urlopen(url, timeout=30) as answer:
            told = json.load(answer)
        assert "success" == told["status"]
        return told["data"]

    def scrapes(self) -> int:
        """Count how often it has scraped the daemon so far."""
        found = self.ask("query", query="count_over_time(up[1m])")["result"]
        return int(found[0]["value"][1]) if found else 0


@pytest.fixture(scope="module")
def prometheus(metrics: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prometheus]:
    """Run a Prometheus with the alert rules, which has scraped the daemon twice."""
    folder = tmp_path_factory.mktemp("prometheus")
    job = {"job_name": "bgbotd", "scrape_interval": "500ms", "static_configs": [{"targets": [metrics]}]}
    (folder / "prometheus.yml").write_text(
        yaml.safe_dump({"global": {}, "rule_files": [str(ALERTS)], "scrape_configs": [job]})
    )
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"127.0.0.1:{free.getsockname()[1]}"
    flags = {"config.file": "prometheus.yml", "storage.tsdb.path": "data", "web.listen-address": address}
    command = ["prometheus", *(f"--{name}={value}" for name, value in flags.items())]
    with subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        log = iter(process.stderr)
        assert any("Server is ready" in line for line in log)
        found = Prometheus(address)
        try:
            # Prometheus tells nobody that it has scraped; each question is an answer of its own.
            while found.scrapes() < 2:
                pass
            yield found
        finally:
            process.terminate()
            process.stderr.read()


def test_the_daemon_is_scraped(prometheus: Prometheus) -> None:
    """Without an error, and with each of its workers."""
    [target] = prometheus.ask("targets")["activeTargets"]
    assert ("up", "") == (target["health"], target["lastError"])
    found = prometheus.ask("query", query="count by (worker) (bgbotd_build_info)")["result"]
    assert {"0", "1"} == {each["metric"]["worker"] for each in found}


def test_no_alert_fires_for_a_daemon_that_is_well(prometheus: Prometheus) -> None:
    """The certificate is the test's own, and valid for two days only."""
    assert {"BgbotdCertificateEnds"} >= {each["labels"]["alertname"] for each in prometheus.ask("alerts")["alerts"]}


@pytest.mark.parametrize("place", EXPRESSIONS)
def test_what_dashboard_and_alerts_ask_can_be_asked(prometheus: Prometheus, place: str) -> None:
    """Prometheus understands each expression as Grafana sends it."""
    expression = EXPRESSIONS[place].replace("$__rate_interval", "1m")
    found = prometheus.ask("query", query=re.sub(r"\$\w+", ".*", expression))
    assert found["resultType"] in {"vector", "scalar"}


@pytest.mark.parametrize(
    "expression",
    [
        'sum(bgbotd_calls_total{method="/bgbot.v1.BotService/ChoosePlay",code="OK"})',
        'sum(bgbotd_call_seconds_count{method="/bgbot.v1.EvaluationService/Rollout",level="STATIC"})',
        'sum(bgbotd_engine_work_seconds_count{level="PLY2"})',
        'sum(bgbotd_refusals_total{reason="DEPTH_UNSPECIFIED"})',
        'sum(bgbotd_bulk_items_total{kind="choose_play",code="OK"})',
        'sum(bgbotd_cache_lookups_total{cache="evaluations",result="hit"})',
    ],
)
def test_what_was_done_is_found(prometheus: Prometheus, expression: str) -> None:
    """Each kind of work was asked for once; the second evaluation was remembered."""
    [found] = prometheus.ask("query", query=expression)["result"]
    assert "1" == found["value"][1]
