"""A daemon with its web edge."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from tests.service.running import running

if TYPE_CHECKING:
    from collections.abc import Iterator

ALLOWED = "https://board.example"
"""An origin whose pages may call."""


@pytest.fixture(scope="session")
def web() -> Iterator[str]:
    """Give the address of the edge of a daemon with two workers."""
    arguments = ("--workers", "2", "--web", "--web.listen", "127.0.0.1:0", "--web.origins", ALLOWED)
    with running(*arguments) as daemon:
        # Nobody may stop reading: a full pipe would hold the daemon up.
        threading.Thread(target=daemon.rest_of_log, daemon=True).start()
        yield daemon.serving["web"]
        daemon.process.terminate()
        assert 0 == daemon.process.wait(timeout=60)
