"""How many calls the edge lets in, and how it refuses the others: as the daemon does, for a tenth of what that costs.

Envoy counts for all its callers together. Only calls count: neither pages nor questions of health.
"""

from __future__ import annotations

from datetime import timedelta
from math import ceil
from typing import TYPE_CHECKING

from google.protobuf.json_format import MessageToDict

from bgbotd.service.errors import CallFailed, ServiceReason, status_of
from bgbotd.web.parts import Part, named, told_in_grpc

if TYPE_CHECKING:
    from collections.abc import Iterator

    from google.rpc.status_pb2 import Status

STATUS = 429
"""What HTTP calls it."""
COUNTED = "http_local_rate_limit.rate_limited"
"""Envoy's counter of calls that were refused, after the statistics' own name."""

_FILTER = "envoy.filters.http.local_ratelimit"
_RETRY_AFTER = timedelta(seconds=1)
_FILLS_A_SECOND = 20
"""Envoy takes no more."""
_BURST_SECONDS, _LEAST_BURST = 0.1, 10
"""What may come at once is a tenth of a second's, so that the daemon has worked it off as soon; a page that opens may
call as often as this at once even where hardly any calls are let in."""
_ALWAYS = {"default_value": {"numerator": 100, "denominator": "HUNDRED"}}


def limiter(most: int, statistics: str) -> Iterator[Part]:
    """Give the filter that lets in so many calls a second; none for 0."""
    if not most:
        return
    tokens = ceil(most / _FILLS_A_SECOND)
    yield named(
        _FILTER,
        "filters.http.local_ratelimit.v3.LocalRateLimit",
        stat_prefix=statistics,
        token_bucket={
            "max_tokens": max(_LEAST_BURST, int(most * _BURST_SECONDS)),
            "tokens_per_fill": tokens,
            "fill_interval": f"{tokens / most:.9f}s",
        },
        filter_enabled=_ALWAYS,
        filter_enforced=_ALWAYS,
    )


def uncounted(most: int, route: Part) -> Part:
    """Give a route whose requests do not count."""
    off = {"@type": "type.googleapis.com/envoy.config.route.v3.FilterConfig", "disabled": True}
    return {**route, "typed_per_filter_config": {_FILTER: off}} if most else route


def refusals(most: int, reads_json: Part, is_refused: Part) -> Iterator[Part]:
    """Say what who comes beyond it is told: in JSON who reads that, else in gRPC's own form; nothing for 0."""
    if not most:
        return
    status = _status(most)
    yield {"filter": reads_json, "body_format_override": {"json_format": MessageToDict(status)}}
    yield {"filter": is_refused, **told_in_grpc(status)}


def _status(most: int) -> Status:
    """Say it as the daemon says what else is too much."""
    calls = "1 call" if most == 1 else f"{most:,} calls"
    message = f"All callers of this address together may begin {calls} a second."
    return status_of(CallFailed(ServiceReason.RATE_LIMITED, message, retry_after=_RETRY_AFTER))
