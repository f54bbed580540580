"""Pieces that Envoy's configuration is made of."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from google.rpc.status_pb2 import Status

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


def told_in_grpc(status: Status) -> Part:
    """Say what becomes of an answer of the edge itself for callers who read gRPC's own form.

    Envoy does so for gRPC by itself, but has its own idea of the codes, and for gRPC-Web not even that.
    """
    headers = {
        "content-type": "application/grpc",
        "grpc-status": str(status.code),
        "grpc-message": status.message,
        "grpc-status-details-bin": base64_of(status.SerializeToString(deterministic=True)).rstrip("="),
    }
    return {"status_code": 200, "body": {"inline_string": ""}, "headers_to_add": set_headers(headers)}
