"""Pieces that Envoy's configuration is made of."""

from __future__ import annotations

import base64
from typing import Any

Part = dict[str, Any]
"""A message of Envoy's API, as JSON."""

_TYPES = "type.googleapis.com/envoy.extensions."


def typed(kind: str, **fields: object) -> Part:
    """Give a message that says what it is."""
    return {"@type": _TYPES + kind, **fields}


def set_headers(headers: dict[str, str]) -> list[Part]:
    """Give headers that replace those of the same name."""
    return [
        {"header": {"key": key, "value": value}, "append_action": "OVERWRITE_IF_EXISTS_OR_ADD"}
        for key, value in headers.items()
    ]


def base64_of(content: bytes) -> str:
    """Write bytes."""
    return base64.b64encode(content).decode()


def lasting(seconds: float) -> str:
    """Write a duration."""
    return f"{seconds:.3f}s"


def named(name: str, kind: str, **fields: object) -> Part:
    """Give a filter with its configuration."""
    return {"name": name, "typed_config": typed(kind, **fields)}
