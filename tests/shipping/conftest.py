"""These tests need root and Debian's tools, so they run only where they are asked for by name."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.shipping.dockerfile import Stage, stages
from tests.shipping.image import Image, build

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]


def pytest_ignore_collect(config: pytest.Config) -> bool | None:
    """Leave them out of a run of everything."""
    return None if any("shipping" in argument for argument in map(str, config.invocation_params.args)) else True


@pytest.fixture(scope="session")
def dockerfile() -> list[Stage]:
    """Read the Dockerfile's stages."""
    return stages(ROOT / "Dockerfile")


@pytest.fixture(scope="session")
def image(dockerfile: list[Stage], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Image]:
    """Build the image: take every step of the Dockerfile."""
    assert 0 == os.geteuid(), "make test-shipping needs root: it makes roots of its own and changes into them"
    missing = [tool for tool in ("debootstrap", "ip", "nsenter", "unshare") if shutil.which(tool) is None]
    assert not missing, (
        f"make test-shipping needs {', '.join(missing)}: apt-get install debootstrap iproute2 util-linux"
    )
    folder = tmp_path_factory.mktemp("image")
    yield build(dockerfile, ROOT, folder)
    shutil.rmtree(folder)
