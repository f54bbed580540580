"""Reads what a refused call says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import grpc
import pytest
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, RetryInfo
from grpc_status import rpc_status

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import timedelta


@dataclass(frozen=True, slots=True)
class Refusal:
    """A refused call."""

    code: grpc.StatusCode
    reason: str
    fields: dict[str, str]
    """Reason of each field that is wrong, by path."""
    text: str
    retry_after: timedelta
    """When to come again; zero where that would not help."""


def refusal(call: Callable[..., Any], request: object) -> Refusal:
    """Make a call of a request that must be refused, and read its status and details."""
    return refusal_of(lambda: call(request, timeout=10))


def refusal_of(call: Callable[[], Any]) -> Refusal:
    """Make a call that must be refused, and read its status and details."""
    with pytest.raises(grpc.RpcError) as raised:
        call()
    error = cast("grpc.Call", raised.value)
    status = rpc_status.from_call(error)
    assert status is not None
    info, bad_request, retry = ErrorInfo(), BadRequest(), RetryInfo()
    for detail in status.details:
        detail.Unpack(info)
        detail.Unpack(bad_request)
        detail.Unpack(retry)
    assert "bgbot" == info.domain
    fields = {each.field: each.reason for each in bad_request.field_violations}
    descriptions = " ".join(each.description for each in bad_request.field_violations)
    text = f"{status.message} {descriptions}"
    return Refusal(error.code(), info.reason, fields, text, retry.retry_delay.ToTimedelta())
