"""The compose file is what Docker takes, and fits the program that it runs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

from tests.deploy.settings import ROOT, in_force, port

FILE = ROOT / "docker-compose.yml"
COMPOSE = yaml.safe_load(FILE.read_text(encoding="utf-8"))
SERVICES = COMPOSE["services"]
DAEMON = SERVICES["bgbotd"]


def read(name: str) -> Any:  # noqa: ANN401 - whatever the file has
    """Read a file beside the compose file."""
    return yaml.safe_load((ROOT / "deploy/compose" / name).read_text(encoding="utf-8"))


def mounts() -> dict[str, Path]:
    """Give where each file of the repository is mounted."""
    volumes = [volume.split(":") for service in SERVICES.values() for volume in service.get("volumes", [])]
    return {parts[1]: ROOT / parts[0] for parts in volumes if parts[0].startswith(".")}


def test_it_is_of_its_schema() -> None:
    """As the Compose specification publishes it."""
    program = str(Path(sys.executable).with_name("check-jsonschema"))
    check = [program, "--builtin-schema", "vendor.compose-spec", str(FILE)]
    checked = subprocess.run(check, capture_output=True, text=True, timeout=30, check=False)
    assert 0 == checked.returncode, checked.stdout + checked.stderr


def test_only_this_machine_reaches_it() -> None:
    """Nothing is encrypted."""
    published = [each for service in SERVICES.values() for each in service["ports"]]
    assert 3 == len(published)
    assert all(re.fullmatch(r"127\.0\.0\.1:(\d+):\1", each) for each in published)


def test_the_daemon_listens_where_it_is_expected(image_environment: dict[str, str]) -> None:
    """Calls at the published port, metrics where Prometheus asks for them, health as the image has it."""
    settings = in_force(DAEMON["command"], image_environment)
    [published] = DAEMON["ports"]
    assert port(published) == port(settings["listen"])
    [job] = read("prometheus.yml")["scrape_configs"]
    assert [{"targets": [f"bgbotd:{port(settings['metrics_listen'])}"]}] == job["static_configs"]
    assert image_environment["BGBOTD_HEALTH_LISTEN"] == settings["health_listen"]
    assert int(DAEMON["stop_grace_period"].removesuffix("s")) > settings["grace_seconds"] + 10


def test_the_daemon_can_neither_write_nor_gain_anything() -> None:
    """As nobody, on a read-only root."""
    assert DAEMON["read_only"]
    for service in SERVICES.values():
        assert (["ALL"], ["no-new-privileges:true"]) == (service["cap_drop"], service["security_opt"])


def test_whatever_is_mounted_exists() -> None:
    """Docker would make an empty folder of what does not."""
    assert [] == [str(path) for path in mounts().values() if not path.exists()]


def test_prometheus_and_grafana_find_what_they_read() -> None:
    """Rules, the source of figures, and the dashboards."""
    [rules] = read("prometheus.yml")["rule_files"]
    assert mounts()[rules] == ROOT / "deploy/prometheus/alerts.yml"
    [source] = read("datasources.yml")["datasources"]
    [published] = SERVICES["prometheus"]["ports"]
    assert f"http://prometheus:{port(published)}" == source["url"]
    [provider] = read("dashboards.yml")["providers"]
    assert list(mounts()[provider["options"]["path"]].glob("*.json"))


def test_alerts_know_the_job_s_name() -> None:
    """They ask whether it is up."""
    [job] = read("prometheus.yml")["scrape_configs"]
    assert f'job="{job["job_name"]}"' in (ROOT / "deploy/prometheus/alerts.yml").read_text(encoding="utf-8")
