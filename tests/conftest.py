"""What all tests share: one daemon on a free port."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from tests.service.exercised import exercised

if TYPE_CHECKING:
    from collections.abc import Iterator

# What takes long in a shared continuous integration is no defect: timings live in the benchmarks.
settings.register_profile("ci", derandomize=True, deadline=None, print_blob=True)


@pytest.fixture(scope="session")
def daemon() -> Iterator[str]:
    """Run a daemon as its users do, and give its address."""
    bgbotd = Path(sys.executable).with_name("bgbotd")
    with subprocess.Popen([bgbotd, "serve", "--listen", "127.0.0.1:0"], stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        serving = json.loads(process.stderr.readline())
        # Nobody may stop reading: a full pipe would hold the daemon up.
        threading.Thread(target=process.stderr.read, daemon=True).start()
        yield serving["listen"]
        process.terminate()
        assert 0 == process.wait(timeout=60)


@pytest.fixture(scope="session")
def metrics_text(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Give what Prometheus is told by a daemon that has done one of everything."""
    with (
        exercised(tmp_path_factory.mktemp("exercised")) as address,
        urllib.request.urlopen(f"http://{address}/metrics", timeout=30) as answer,
    ):
        return str(answer.read().decode())
