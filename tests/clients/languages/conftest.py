"""These tests need compilers and Debian's gRPC, so they run only where they are asked for by name."""

from __future__ import annotations

import pytest

from tests.clients.languages.toolchains import BUILDERS, Client


def pytest_ignore_collect(config: pytest.Config) -> bool | None:
    """Leave them out of a run of everything."""
    return None if any("languages" in argument for argument in map(str, config.invocation_params.args)) else True


@pytest.fixture(scope="session", params=BUILDERS)
def client(request: pytest.FixtureRequest, daemon: str) -> Client:
    """Build a client whose shortest example asks the running daemon."""
    return BUILDERS[request.param](daemon)
