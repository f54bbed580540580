"""The pages show the figures that were measured, and no others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from benchmarks import results
from benchmarks.results import Figure, Part

if TYPE_CHECKING:
    from pathlib import Path

HARD = Figure("HARD, p50", 410.2, "µs", "echo", 380.5, 1.078, "<= 1.35")
SLOW = Figure("HARD, throughput", 7458, "a second", "echo", 12096, 0.617, ">= 0.7")
WIRE = Part("make bench ARGS=wire", [HARD, SLOW], "a machine", "1.0", "2026-11-30")


@pytest.mark.parametrize("page", results.PAGES, ids=lambda page: page.name)
def test_a_page_shows_what_was_measured(page: Path) -> None:
    """The tables are what the written figures come to."""
    text = page.read_text(encoding="utf-8")
    assert "<!-- figures: " in text
    assert results.rendered(text, results.read()) == text


def test_every_goal_is_shown_with_what_was_reached() -> None:
    """One that is missed says so."""
    assert (
        "| what | measured | beside it | ratio | goal |\n"
        "|---|---:|---:|---:|---:|\n"
        "| HARD, p50 | 410 µs | echo: 380 | 1.08 | ≤ 1.35 |\n"
        "| HARD, throughput | 7,458 a second | echo: 12,096 | 0.62 | **missed: ≥ 0.7** |\n"
    ) == results.table("wire/*", {"wire": WIRE})


@pytest.mark.parametrize(
    ("figure", "met"),
    [
        (HARD, True),
        (SLOW, False),
        (Figure("health answers", 1, goal=">= 1"), True),
        (Figure("health answers", 0.99, goal=">= 1"), False),
        (Figure("start", 0.8, "s", goal="<= 1"), True),
        (Figure("memory", 120, "MB"), True),
    ],
)
def test_a_goal_is_for_the_ratio_or_else_for_the_value(figure: Figure, met: bool) -> None:
    """What has no goal is as it should be."""
    assert met == figure.is_met


def test_figures_are_read_as_they_were_written(tmp_path: Path) -> None:
    """A part measured again takes the place of the older one, and leaves the others alone."""
    file = tmp_path / "results.json"
    results.write({"wire": WIRE, "kernel": WIRE}, file)
    again = Part("make bench ARGS=wire", [SLOW], "another machine", "2.0", "2027-01-01")
    results.write({"wire": again}, file)
    assert {"kernel": WIRE, "wire": again} == results.read(file)


def test_a_page_may_not_want_what_was_never_measured() -> None:
    """A name that has changed is found when the page is written."""
    with pytest.raises(LookupError, match="no figure is called wire/EASY"):
        results.rendered("<!-- figures: wire/EASY -->\n<!-- end of figures -->", {"wire": WIRE})


def test_a_table_holds_the_figures_it_names_in_that_order() -> None:
    """Patterns have semicolons between them."""
    rows = results.table("wire/*throughput; wire/*p50", {"wire": WIRE}).splitlines()[2:]
    assert ["HARD, throughput", "HARD, p50"] == [row.split(" | ")[0].removeprefix("| ") for row in rows]
