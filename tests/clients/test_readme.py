"""Runs what the client's README shows."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

README = (Path(__file__).parents[2] / "clients/python/README.md").read_text(encoding="utf-8")
PROGRAMS = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", README, re.DOTALL)
COMMANDS = re.findall(r"^python (-m bgbot .*)$", README, re.MULTILINE)


def test_readme_has_programs_and_commands() -> None:
    """Each Python block stands before what it prints, and so is run below."""
    assert README.count("```python") == len(PROGRAMS) > 0
    assert len(COMMANDS) > 0


@pytest.mark.parametrize(("program", "output"), PROGRAMS)
def test_program_prints_what_the_readme_says(daemon: str, program: str, output: str) -> None:
    """With nothing changed but the daemon's address."""
    program = program.replace("127.0.0.1:50051", daemon)
    completed = subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.PIPE, text=True)
    assert output == completed.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_command_is_answered(daemon: str, command: str) -> None:
    """Every command of the README succeeds and says something."""
    environment = os.environ | {"BGBOT_ADDRESS": daemon}
    words = [sys.executable, *shlex.split(command)]
    assert subprocess.run(words, env=environment, check=True, stdout=subprocess.PIPE).stdout
