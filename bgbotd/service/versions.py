"""The versions of all that decides answers."""

from __future__ import annotations

import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version

_PACKAGES = ("bgbotd", "bgbot", "bgsage", "grpcio", "protobuf", "distributed")
"""The daemon with its kernel, the contract, the engine, and what carries the messages and a cluster's work."""


@cache
def versions() -> dict[str, str]:
    """Give each version; empty for what is not installed, which the engine and the cluster's library can be."""
    return {**{package: _version(package) for package in _PACKAGES}, "python": platform.python_version()}


def _version(package: str) -> str:
    """Give the version of one package."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
