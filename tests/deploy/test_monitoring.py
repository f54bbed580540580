"""Alerts and dashboard ask for what the daemon tells."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tests.deploy.settings import ROOT
from tests.promql import labels_of, metrics_of
from tests.service.exercised import labels_of_metrics

if TYPE_CHECKING:
    from collections.abc import Iterator

RULES: list[dict[str, Any]] = [
    rule
    for group in yaml.safe_load((ROOT / "deploy/prometheus/alerts.yml").read_text(encoding="utf-8"))["groups"]
    for rule in group["rules"]
]
DASHBOARD: dict[str, Any] = json.loads((ROOT / "deploy/grafana/bgbotd.json").read_text(encoding="utf-8"))
PANELS: list[dict[str, Any]] = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]
OF_PROMETHEUS = {"up"}
"""Series that Prometheus itself makes."""
LABELS_OF_PROMETHEUS = {"instance", "job"}
CLUSTER = "bgbotd_cluster_"
"""Begins series that have no values without a cluster, and so no labels."""


def asked() -> Iterator[tuple[str, str]]:
    """Give every expression, with where it stands."""
    for rule in RULES:
        yield rule["alert"], rule["expr"]
    for panel in PANELS:
        for target in panel["targets"]:
            yield f"{panel['title']} {target['refId']}", target["expr"]
    yield "annotation", DASHBOARD["annotations"]["list"][0]["expr"]


EXPRESSIONS = dict(asked())


@pytest.fixture(scope="module")
def told(metrics_text: str) -> dict[str, set[str]]:
    """Give the series of a daemon that has done one of everything, with their labels."""
    return labels_of_metrics(metrics_text)


@pytest.mark.parametrize("place", EXPRESSIONS)
def test_what_is_asked_for_is_told(told: dict[str, set[str]], place: str) -> None:
    """An alert on a name that nothing has never fires, and a panel on one stays empty."""
    names = metrics_of(EXPRESSIONS[place])
    assert names
    assert set() == names - told.keys() - OF_PROMETHEUS


@pytest.mark.parametrize("place", EXPRESSIONS)
def test_labels_that_are_looked_at_are_there(told: dict[str, set[str]], place: str) -> None:
    """A misspelt label matches nothing."""
    names = metrics_of(EXPRESSIONS[place])
    known = set().union(*(told[name] for name in names - OF_PROMETHEUS))
    wanted = labels_of(EXPRESSIONS[place]) - LABELS_OF_PROMETHEUS
    assert all(name.startswith(CLUSTER) for name in names) or set() == wanted - known


def test_the_dashboard_shows_every_metric_of_the_daemon(told: dict[str, set[str]]) -> None:
    """What is worth telling is worth seeing."""
    shown = {name for expression in EXPRESSIONS.values() for name in metrics_of(expression)}
    series = {name.removesuffix("_bucket").removesuffix("_sum").removesuffix("_count") for name in shown}
    families = {name.removesuffix("_bucket").removesuffix("_sum").removesuffix("_count") for name in told}
    hidden = {name for name in families - series if name.startswith("bgbotd_")}
    assert set() == hidden


def test_panels_have_rows_places_and_a_unit() -> None:
    """No panel lies on another, and each number says what it counts."""
    rows = [panel["title"] for panel in DASHBOARD["panels"] if panel["type"] == "row"]
    assert [
        "At a glance",
        "Traffic",
        "Latency by method and level",
        "Queue",
        "Engine",
        "Cache",
        "Workers",
        "Web edge",
        "Errors",
    ] == (rows)
    taken: set[tuple[int, int]] = set()
    for panel in DASHBOARD["panels"]:
        place = panel["gridPos"]
        cells = {
            (column, line)
            for column in range(place["x"], place["x"] + place["w"])
            for line in range(place["y"], place["y"] + place["h"])
        }
        assert not cells & taken
        assert max(column for column, _ in cells) < 24
        taken |= cells
    assert len(DASHBOARD["panels"]) == len({panel["id"] for panel in DASHBOARD["panels"]})
    assert all(panel["fieldConfig"]["defaults"].get("unit") for panel in PANELS if panel["type"] != "heatmap")


def test_every_alert_says_how_urgent_it_is_and_what_is_wrong() -> None:
    """Whoever routes alerts goes by their severity."""
    for rule in RULES:
        assert rule["labels"]["severity"] in {"page", "ticket"}
        assert rule["annotations"]["summary"]
