"""The written figures of `make bench`: one schema for all parts, and the tables that pages show of them.

`benchmarks/results.json` holds the parts by name, each as one run has measured it. A page says in a
comment which figures belong in its table, by part and name: `<!-- figures: wire/CountPips* -->`; the
table follows it, up to `<!-- end of figures -->`.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import platform
import re
import subprocess
from dataclasses import asdict, dataclass, field
from fnmatch import fnmatchcase
from importlib.metadata import version
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]
PUBLISHED = REPOSITORY / "benchmarks" / "results.json"
PAGES = (REPOSITORY / "docs" / "performance.md", REPOSITORY / "README.md")
_TABLE = re.compile(r"(<!-- figures: (?P<wanted>[^>]*?) -->\n).*?(<!-- end of figures -->)", re.DOTALL)
_HEADINGS = "| what | measured | beside it | ratio | goal |\n|---|---:|---:|---:|---:|\n"


class CannotMeasure(Exception):
    """A part needs what this machine does not have; the text says what."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One thing that was measured, beside what it is to be compared with in the same run."""

    name: str
    """What was measured, without the part; the same in every run."""
    value: float
    """Median of the rounds."""
    unit: str = ""
    """Of the value and its reference: µs, ms, a second, MB; empty for a share."""
    reference: str = ""
    """What it stands beside, such as `echo` or `bgsage`; empty for nothing."""
    reference_value: float | None = None
    """What was measured of the reference, in the same unit."""
    ratio: float | None = None
    """Median over the rounds of the value as a multiple of the reference's."""
    goal: str = ""
    """`<= 1.15` or `>= 0.85`: what the ratio, or the value where there is none, should be; empty for no goal."""

    @property
    def is_met(self) -> bool:
        """Tell whether the goal is reached, as what has none always is."""
        sign, _, bound = self.goal.partition(" ")
        if not sign:
            return True
        reached = self.value if self.ratio is None else self.ratio
        return reached <= float(bound) if sign == "<=" else reached >= float(bound)


def machine() -> str:
    """Describe this machine."""
    processor = platform.processor() or platform.machine()
    listed = Path("/proc/cpuinfo")
    if listed.exists() and (found := re.search(r"model name\s*: (.*)", listed.read_text())):
        processor = found[1]
    return f"{os.cpu_count()} cores of {processor}, {platform.system()}, Python {platform.python_version()}"


def measured_version() -> str:
    """Give the daemon's version, with the commit where there is one."""
    try:
        command = ["git", "describe", "--always", "--dirty"]
        commit = subprocess.check_output(command, cwd=REPOSITORY, text=True, stderr=subprocess.DEVNULL)
    except (OSError, subprocess.CalledProcessError):
        return version("bgbotd")
    return f"{version('bgbotd')} ({commit.strip()})"


@dataclass(frozen=True, slots=True)
class Part:
    """What one run of one benchmark has measured."""

    measured_by: str
    """The command that measures it again."""
    figures: list[Figure]
    machine: str = field(default_factory=machine)
    """Processor, cores, system and interpreter."""
    version: str = field(default_factory=measured_version)
    """The daemon's version and commit."""
    date: str = field(default_factory=lambda: f"{dt.datetime.now(dt.UTC):%Y-%m-%d}")
    """ISO 8601."""


Results = dict[str, Part]
"""Parts by name."""


def read(file: Path = PUBLISHED) -> Results:
    """Read written figures; a file that is not there has none."""
    parts = json.loads(file.read_text()) if file.exists() else {}
    return {
        name: Part(**{**part, "figures": [Figure(**figure) for figure in part["figures"]]})
        for name, part in parts.items()
    }


def write(measured: Results, file: Path = PUBLISHED) -> None:
    """Write parts into a file, in place of older ones of the same name."""
    parts = dict(sorted((read(file) | measured).items()))
    file.parent.mkdir(parents=True, exist_ok=True)
    written = {name: asdict(part) for name, part in parts.items()}
    file.write_text(json.dumps(written, indent=1, ensure_ascii=False) + "\n")


def rendered(page: str, results: Results) -> str:
    """Give a page with its tables as the results say.

    Raises:
        LookupError: if a page wants a figure that was never measured.

    """
    return _TABLE.sub(lambda found: f"{found[1]}{table(found['wanted'], results)}{found[3]}", page)


def table(wanted: str, results: Results) -> str:
    """Give figures as Markdown; `wanted` are patterns of `part/name`, with semicolons between them.

    Raises:
        LookupError: if a pattern fits no figure.

    """
    named = {f"{name}/{figure.name}": figure for name, part in results.items() for figure in part.figures}
    rows: dict[str, Figure] = {}
    for pattern in wanted.split("; "):
        found = {name: figure for name, figure in named.items() if fnmatchcase(name, pattern)}
        if not found:
            message = f"no figure is called {pattern}"
            raise LookupError(message)
        rows |= found
    return _HEADINGS + "".join(map(_row, rows.values()))


def _row(figure: Figure) -> str:
    """Write one figure as a row."""
    beside = figure.reference
    if figure.reference_value is not None:
        beside += f": {_number(figure.reference_value)}"
    ratio = "" if figure.ratio is None else _number(figure.ratio)
    goal = figure.goal.replace("<=", "≤").replace(">=", "≥")
    if not figure.is_met:
        goal = f"**missed: {goal}**"
    return f"| {figure.name} | {_number(figure.value)} {figure.unit} | {beside} | {ratio} | {goal} |\n"


def _number(value: float) -> str:
    """Write a number with about three digits that count."""
    size = abs(value)
    digits = 0 if size >= 100 or value == int(value) else 1 if size >= 10 else 2 if size >= 0.1 else 4  # noqa: PLR2004
    return f"{value:,.{digits}f}"
