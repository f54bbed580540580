"""What the README shows is what the program says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.strength.written import Written

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
PROGRAMS = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", README, re.DOTALL)
COMMANDS = re.findall(r"^\.venv/bin/python (-m bgbot .*)$", README, re.MULTILINE)


def test_the_table_of_levels_is_what_was_measured() -> None:
    """README and ListBots speak from one file."""
    [shown] = re.findall(r"<!-- strength: .*? -->\n(.*?)\n<!-- strength ends -->", README, re.DOTALL)
    assert Written.read().tables().strip() == shown.strip()


def test_every_link_within_the_project_leads_somewhere() -> None:
    """Files that are named exist."""
    links = [link for link in re.findall(r"\]\(([^)]+)\)", README) if "://" not in link]
    assert [] == [link for link in links if not (Path(__file__).parents[1] / link.partition("#")[0]).exists()]
    assert len(links) > 5


@pytest.mark.parametrize(("program", "output"), PROGRAMS)
def test_a_program_prints_what_the_readme_says(daemon: str, program: str, output: str) -> None:
    """With nothing changed but the daemon's address."""
    program = program.replace("127.0.0.1:50051", daemon)
    completed = subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.PIPE, text=True)
    assert output == completed.stdout


def test_there_are_programs_and_commands_to_run() -> None:
    """What is parsed out of the README is there."""
    assert 1 == len(PROGRAMS)
    assert 3 == len(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_is_answered(daemon: str, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every command of the README succeeds and says something."""
    monkeypatch.setenv("BGBOT_ADDRESS", daemon)
    words = [sys.executable, *(word.strip('"') for word in command.split(" "))]
    assert subprocess.run(words, check=True, stdout=subprocess.PIPE).stdout
