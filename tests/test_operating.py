"""The operator's page, the alerts and the unit say what is."""

from __future__ import annotations

import re
import subprocess
from configparser import RawConfigParser
from pathlib import Path

import pytest
from google.rpc.code_pb2 import Code

from bgbotd.config import Settings, leaves
from bgbotd.service.errors import CODES, ServiceReason
from tests.service.running import BGBOTD

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs/operating.md").read_text(encoding="utf-8")
ALERTS = (ROOT / "deploy/prometheus/alerts.yml").read_text(encoding="utf-8")
COMMANDS = [
    line.partition("#")[0].split()[1:]
    for block in re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)
    for line in block.splitlines()
]
METRIC = r"`((?:bgbotd|process)_[a-z_]+)`"


def section(title: str) -> str:
    """Give what stands below a heading of the page."""
    [text] = re.findall(rf"^## {title}\n(.*?)(?=^## |\Z)", PAGE, re.DOTALL | re.MULTILINE)
    return str(text)


def test_every_metric_is_explained_and_no_other(metrics_text: str) -> None:
    """The page names what there is."""
    told = set(re.findall(r"^# TYPE (\S+)", metrics_text, re.MULTILINE))
    explained = set(re.findall(METRIC, section("Metrics")))
    assert told == explained


def test_every_reason_of_the_service_is_explained_with_its_code() -> None:
    """Those of the rules are the caller's, and say themselves what to do."""
    rows = re.findall(r"^\| ([A-Z_, ]+) \| ([A-Z_]+) \|", section("Reasons of failures, and what to do"), re.MULTILINE)
    explained = {reason: code for reasons, code in rows for reason in reasons.split(", ")}
    assert {str(reason): Code.Name(CODES.get(reason, Code.INVALID_ARGUMENT)) for reason in ServiceReason} == explained


def test_every_alert_has_its_line_on_the_page() -> None:
    """Whoever is called finds what to do."""
    told = re.findall(r"^\| (Bgbotd\w+) \|", PAGE, re.MULTILINE)
    assert re.findall(r"alert: (\w+)", ALERTS) == told


def test_settings_the_page_names_exist() -> None:
    """In the file's spelling, with their table."""
    known = {key.replace("-", "_") for key, _ in leaves(Settings())}
    tables = {key.partition(".")[0] for key in known if "." in key}
    named = {name for name in re.findall(r"`(\w+\.\w+)`", PAGE) if name.partition(".")[0] in tables}
    assert named <= known
    assert len(named) > 10


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_command_of_the_page_can_be_given(command: list[str]) -> None:
    """It ends and says something."""
    free = ["--listen", "127.0.0.1:0"] if command[0] in {"doctor", "config"} else []
    done = subprocess.run([BGBOTD, *command, *free], capture_output=True, text=True, timeout=30, check=True)
    assert done.stdout


def test_every_link_of_the_page_leads_somewhere() -> None:
    """Files that are named exist."""
    links = re.findall(r"\]\(([^)]+)\)", PAGE)
    assert [] == [link for link in links if not (ROOT / "docs" / link).exists()]


def test_the_unit_waits_until_it_serves_and_longer_than_its_grace() -> None:
    """Systemd is told, and does not kill what still drains: hung workers and a hung Envoy take 20 s more."""
    unit = RawConfigParser(strict=False)
    unit.optionxform = str  # type: ignore[method-assign,assignment] # systemd's keys have capitals
    unit.read(ROOT / "deploy/systemd/bgbotd.service")
    service = unit["Service"]
    assert ("notify", "mixed") == (service["Type"], service["KillMode"])
    assert float(service["TimeoutStopSec"]) > Settings().grace_seconds + 20
    assert service["ExecStart"].split()[1:3] == ["serve", "--config"]
