"""Dependencies point one way."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "bgbotd"
LAYERS = {
    "kernel": set[str](),
    "rules": {"kernel"},
    "evaluation": {"kernel", "rules"},
    "bots": {"kernel", "rules", "evaluation"},
}
"""For each layer below the service, those it may know."""


def imported(file: Path) -> set[str]:
    """List every module a file imports, wherever in the file."""
    modules = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            modules |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return modules


@pytest.mark.parametrize("layer", LAYERS)
def test_a_layer_knows_only_those_below(layer: str) -> None:
    """Nothing of ours is imported but the layers below."""
    known = {
        module.split(".")[1]
        for file in (PACKAGE / layer).rglob("*.py")
        for module in imported(file)
        if module.startswith("bgbotd.")
    }
    assert set() == known - LAYERS[layer] - {layer}


@pytest.mark.parametrize("layer", LAYERS)
def test_grpc_stays_in_the_service(layer: str) -> None:
    """No layer below the service knows of gRPC or of the contract's messages."""
    packages = {module.split(".")[0] for file in (PACKAGE / layer).rglob("*.py") for module in imported(file)}
    assert set() == packages & {"grpc", "google", "bgbot"}
