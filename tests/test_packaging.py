"""What the two distributions promise each other and everyone who installs them."""

from __future__ import annotations

from importlib.metadata import requires, version
from pathlib import Path

import pytest
from packaging.requirements import Requirement

REQUIREMENTS = Path(__file__).parents[1] / "requirements"


def test_daemon_and_client_go_together() -> None:
    """The daemon needs the client's messages of its own version."""
    assert version("bgbotd") == version("bgbot")
    assert f"bgbot=={version('bgbotd')}" in (requires("bgbotd") or [])


def test_client_needs_three_packages() -> None:
    """A client stays small: no server, no kernel, no engine; a board in the terminal is an extra."""
    required = map(Requirement, requires("bgbot") or [])
    names = {each.name for each in required if each.marker is None or each.marker.evaluate({"extra": ""})}
    assert {"grpcio", "protobuf", "googleapis-common-protos"} == names


@pytest.mark.parametrize("lock", sorted(path.name for path in REQUIREMENTS.glob("*.txt")))
def test_every_pinned_package_has_its_hashes(lock: str) -> None:
    """An install is the same everywhere, and nobody's package index is written down."""
    lines = (REQUIREMENTS / lock).read_text(encoding="utf-8").splitlines()
    pinned = [index for index, line in enumerate(lines) if line[:1].isalnum()]
    assert pinned
    assert all("==" in lines[index] and "--hash=sha256:" in lines[index + 1] for index in pinned)
    assert not [line for line in lines if "://" in line]
