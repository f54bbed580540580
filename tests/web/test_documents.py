"""The page about browsers and plain HTTP says what is."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from bgbotd.config import Settings, leaves
from tests.web.asking import ask

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/web.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^\$ curl (.*)\n(?!\{)", PAGE, re.MULTILINE)
SHOWN = re.findall(r"^\$ curl (.*)\n(\{.*) \.\.\.$", PAGE, re.MULTILINE)


def run(web: str, command: str) -> tuple[int, str]:
    """Do what curl would do, and give status and text."""
    words = shlex.split(command)
    body = words[words.index("--json") + 1].encode() if "--json" in words else None
    answer = ask(web, "/" + words[-1].split("/", 3)[3], body)
    return answer.status, answer.body.decode()


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_is_answered(web: str, command: str) -> None:
    """Every call of the page succeeds."""
    assert 200 == run(web, command)[0]


@pytest.mark.parametrize(("command", "shown"), SHOWN)
def test_a_failure_reads_as_shown(web: str, command: str, shown: str) -> None:
    """As far as the page shows it."""
    status, text = run(web, command)
    assert (400, shown) == (status, text[: len(shown)])


def test_there_are_commands_to_run() -> None:
    """What is parsed out of the page is there."""
    assert (4, 1) == (len(COMMANDS), len(SHOWN))


def test_settings_and_files_the_page_names_exist() -> None:
    """In the file's spelling, with their table."""
    known = {key.replace("-", "_") for key, _ in leaves(Settings())}
    named = set(re.findall(r"`((?:web|tls|connections)\.\w+)`", PAGE))
    assert named <= known
    assert len(named) > 5
    links = [link for link in re.findall(r"\]\(([^)]+)\)", PAGE) if "://" not in link]
    assert [] == [link for link in links if not (ROOT / "docs" / link.partition("#")[0]).exists()]
