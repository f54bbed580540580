"""What the image sets, as its Dockerfile says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.deploy.settings import ROOT
from tests.shipping.dockerfile import stages

if TYPE_CHECKING:
    from tests.shipping.dockerfile import Stage


@pytest.fixture(scope="session")
def last_stage() -> Stage:
    """Give the stage that becomes the image."""
    return stages(ROOT / "Dockerfile")[-1]


@pytest.fixture(scope="session")
def image_environment(last_stage: Stage) -> dict[str, str]:
    """Give the settings that the image makes."""
    [environment] = [instruction.pairs for instruction in last_stage.instructions if instruction.name == "ENV"]
    return {name: value for name, value in environment.items() if name.startswith("BGBOTD_")}


@pytest.fixture(scope="session")
def image_user(last_stage: Stage) -> str:
    """Give who the image runs as."""
    [user] = [instruction.value for instruction in last_stage.instructions if instruction.name == "USER"]
    return user
