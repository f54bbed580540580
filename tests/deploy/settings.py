"""What the program itself makes of the settings that files of deploy/ give it."""

from __future__ import annotations

import os
import subprocess
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.service.running import BGBOTD

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ROOT = Path(__file__).parents[2]


def in_force(arguments: Sequence[str], environment: Mapping[str, str]) -> dict[str, Any]:
    """Give the settings with which `bgbotd serve` would run with these arguments and variables of its own."""
    assert "serve" == arguments[0]
    clean = {name: value for name, value in os.environ.items() if not name.startswith("BGBOTD_")}
    printed = subprocess.run(
        [BGBOTD, "config", *arguments[1:]],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
        env={**clean, **environment},
    )
    assert 0 == printed.returncode, printed.stderr
    return tomllib.loads(printed.stdout)


def port(address: str) -> int:
    """Give the port of HOST:PORT."""
    return int(address.rpartition(":")[2])
