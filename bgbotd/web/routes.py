"""What is answered where: calls to the daemon, files, and refusals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bgbotd.web.hosts import ANY, WRONG_HOST, hosts
from bgbotd.web.metadata import GRPC, JSON, READS_GRPC, header_refusals, refused_headers
from bgbotd.web.methods import methods
from bgbotd.web.pages import OPENAPI, pages
from bgbotd.web.parts import Part, base64_of, lasting, set_headers, typed
from bgbotd.web.rate import STATUS, uncounted
from bgbotd.web.rate import refusals as rate_refusals

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bgbotd.config import Settings
    from bgbotd.web.methods import Method
    from bgbotd.web.pages import Page

CLUSTER = "bgbotd"
"""Envoy's name for the daemon."""
PEER_HEADER = "x-bgbotd-peer"
"""Header that tells the daemon who has called the edge."""
LEEWAY_SECONDS = 10.0
"""The daemon ends what takes too long, and says so; the edge only what outlasts even that."""

_SECURITY = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self';"
        " connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none';"
        " frame-ancestors 'none'"
    ),
    "cross-origin-opener-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}
_READABLE = "grpc-status,grpc-message,grpc-status-details-bin,x-request-id"
"""Headers of an answer that pages of another origin may read."""
_SENDABLE = "authorization,content-type,grpc-timeout,x-grpc-web,x-request-id,x-user-agent"
"""Headers that they may send."""
_REFUSALS = {
    400: (3, "MESSAGE_MALFORMED"),
    403: (7, "PERMISSION_DENIED"),
    404: (12, "METHOD_NOT_SERVED"),
    405: (12, "METHOD_NOT_SERVED"),
    408: (4, "DEADLINE_EXCEEDED"),
    413: (3, "MESSAGE_TOO_LARGE"),
    415: (3, "MESSAGE_MALFORMED"),
    431: (8, "MESSAGE_TOO_LARGE"),
    503: (14, "SERVER_DRAINING"),
    504: (4, "DEADLINE_EXCEEDED"),
}
"""What the edge itself refuses, by HTTP's status: gRPC's code, and the reason of bgbot.v1."""


_RETRIES: Part = {
    "retry_on": "connect-failure,refused-stream,reset-before-request",
    "num_retries": 3,
    "retry_host_predicate": [
        {
            "name": "envoy.retry_host_predicates.previous_hosts",
            "typed_config": typed("retry.host.previous_hosts.v3.PreviousHostsPredicate"),
        }
    ],
    "host_selection_retry_max_attempts": 3,
}
"""Only what no process of the daemon has begun, and then by another one."""


def virtual_hosts(settings: Settings, *, inline: bool) -> Iterator[Part]:
    """Give all routes, files with their content where `inline`, and what holds for each of them."""
    most, known = settings.web.most_calls_a_second, hosts(settings)
    yield {
        "name": "all",
        "domains": known,
        "routes": [
            *map(_preflight, _matchers(settings.web.origins)),
            *refused_headers(),
            *_calls(settings),
            *(uncounted(most, route) for route in (_health(), *_pages(inline=inline), _nothing())),
        ],
        "request_headers_to_add": set_headers({PEER_HEADER: "%DOWNSTREAM_REMOTE_ADDRESS%", "te": "trailers"}),
        "response_headers_to_remove": ["grpc-accept-encoding"],
        "typed_per_filter_config": _foreign_pages(settings.web.origins),
    }
    if ANY not in known:
        refused = {"status": 403, "body": {"inline_string": WRONG_HOST}}
        route = uncounted(most, {"match": {"prefix": "/"}, "direct_response": refused})
        yield {"name": "strangers", "domains": [ANY], "routes": [route]}


def refusals(settings: Settings) -> list[Part]:
    """Say what the edge itself refuses as the daemon would."""
    own = [_refusal(status, *said) for status, said in _REFUSALS.items()]
    return [*header_refusals(), *own, *rate_refusals(settings.web.most_calls_a_second, _in_json(STATUS), _is(STATUS))]


def _calls(settings: Settings) -> Iterator[Part]:
    """Give the routes to the daemon: each method under gRPC's name of it, and under that of its JSON form."""
    for method in methods():
        grpc_path = f"/{method.service}/{method.name}"
        yield _call(settings, method, grpc_path, "POST", GRPC)
        yield _refuse_others(grpc_path, "POST")
        yield _refuse(grpc_path, 415, "gRPC and gRPC-Web are spoken here: content-type application/grpc-web+proto.")
        if method.path:
            yield _call(settings, method, method.path, method.verb, JSON)
            yield _refuse_others(method.path, method.verb)
            if method.verb == "POST":
                yield _refuse(method.path, 415, "JSON is read here: content-type application/json.")


def _call(settings: Settings, method: Method, path: str, verb: str, content_type: Part) -> Part:
    """Give one route to the daemon."""
    limits = settings.limits
    seconds = limits.stream_deadline_seconds if method.streams else limits.deadline_seconds
    headers: list[Part] = [{"name": ":method", "string_match": {"exact": verb}}]
    if verb == "POST":
        headers.append({"name": "content-type", "string_match": content_type})
    return {
        "match": {"path": path, "headers": headers},
        "route": {
            "cluster": CLUSTER,
            "timeout": "0s",  # what follows bounds requests that never end as well
            "max_stream_duration": {"max_stream_duration": lasting(seconds + LEEWAY_SECONDS)},
            "idle_timeout": lasting(seconds + LEEWAY_SECONDS),
            "retry_policy": _RETRIES,
        },
        **({"typed_per_filter_config": _uncompressed()} if method.streams else {}),
    }


def _health() -> Part:
    """Give the route for gRPC's own question how the daemon is, which may wait for news as long as both are there."""
    asks = {"name": "content-type", "string_match": {"prefix": "application/grpc"}}
    return {
        "match": {"prefix": "/grpc.health.v1.Health/", "headers": [asks]},
        "route": {"cluster": CLUSTER, "timeout": "0s", "idle_timeout": "0s", "retry_policy": _RETRIES},
    }


def _uncompressed() -> Part:
    """Leave progress as it comes."""
    off = typed("filters.http.compressor.v3.CompressorPerRoute", disabled=True)
    return {"compressor.br": off, "compressor.gzip": off}


def _pages(*, inline: bool) -> Iterator[Part]:
    """Give the routes to the files, which an Envoy elsewhere cannot read."""
    for page in pages():
        content = page.file.read_bytes()
        yield from _page(page, {"inline_bytes": base64_of(content)} if inline else {"filename": str(page.file)})


def _page(page: Page, body: Part) -> Iterator[Part]:
    """Give the routes to a file: for who has it already, and for who has not."""
    kept = "public, max-age=31536000, immutable" if page.lasting else "no-cache"
    headers = {"cache-control": kept, "etag": page.etag, **_SECURITY}
    if page.file == OPENAPI:
        headers["access-control-allow-origin"] = "*"  # for whatever shows such documents
    reads = {"name": ":method", "string_match": {"safe_regex": {"regex": "GET|HEAD"}}}
    known = {"name": "if-none-match", "string_match": {"contains": page.etag.removeprefix("W/")}}
    yield {
        "match": {"path": page.path, "headers": [reads, known]},
        "direct_response": {"status": 304},
        "response_headers_to_add": set_headers(headers),
    }
    yield {
        "match": {"path": page.path, "headers": [reads]},
        "direct_response": {"status": 200, "body": body},
        "response_headers_to_add": set_headers({"content-type": page.content_type, **headers}),
    }
    yield _refuse_others(page.path, "GET", "HEAD")


def _refuse(path: str, status: int, text: str) -> Part:
    """Give a route that only says what is wrong."""
    return {"match": {"path": path}, "direct_response": {"status": status, "body": {"inline_string": text}}}


def _refuse_others(path: str, *verbs: str) -> Part:
    """Give a route that says by which methods to ask."""
    allowed = " or ".join(verbs)
    other = {"name": ":method", "string_match": {"safe_regex": {"regex": "|".join(verbs)}}, "invert_match": True}
    return {
        "match": {"path": path, "headers": [other]},
        "direct_response": {"status": 405, "body": {"inline_string": f"{allowed} is asked for here."}},
        "response_headers_to_add": set_headers({"allow": ", ".join(verbs)}),
    }


def _nothing() -> Part:
    """Give the route for all else."""
    text = "There is nothing here; /openapi.json describes what there is."
    return {"match": {"prefix": "/"}, "direct_response": {"status": 404, "body": {"inline_string": text}}}


def _refusal(status: int, code: int, reason: str) -> Part:
    """Say what the edge refuses as the daemon does, but to those who read gRPC's own form."""
    detail = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason, "domain": "bgbot"}
    return {
        "filter": _in_json(status),
        "body_format_override": {
            "json_format": {"code": code, "message": "%LOCAL_REPLY_BODY%", "details": [detail]},
        },
    }


def _is(status: int) -> Part:
    """Tell answers by their status."""
    expected = {"default_value": status, "runtime_key": f"web.refusal.{status}"}
    return {"status_code_filter": {"comparison": {"op": "EQ", "value": expected}}}


def _in_json(status: int) -> Part:
    """Tell answers by their status, where they are read by others than those who read gRPC's own form."""
    reads_grpc = {"name": "content-type", "string_match": READS_GRPC}
    reads_json = {**reads_grpc, "invert_match": True, "treat_missing_header_as_empty": True}
    # The transcoder has made gRPC of what it then refuses.
    transcoded = {"name": "x-envoy-original-path", "present_match": True}
    either = [{"header_filter": {"header": header}} for header in (reads_json, transcoded)]
    return {"and_filter": {"filters": [_is(status), {"or_filter": {"filters": either}}]}}


def _matchers(origins: Sequence[str]) -> list[Part]:
    """Say how origins are recognised."""
    return [{"safe_regex": {"regex": ".*"}} if origin == "*" else {"exact": origin} for origin in origins]


def _preflight(origin: Part) -> Part:
    """Give the route of what a browser asks before a page of an origin may call: to what answers it, and no further."""
    headers = [
        {"name": ":method", "string_match": {"exact": "OPTIONS"}},
        {"name": "access-control-request-method", "present_match": True},
        {"name": "origin", "string_match": origin},
    ]
    return {"match": {"prefix": "/", "headers": headers}, "route": {"cluster": CLUSTER}}


def _foreign_pages(origins: Sequence[str]) -> Part:
    """Say which pages of other origins may call."""
    if not origins:
        return {}
    policy = typed(
        "filters.http.cors.v3.CorsPolicy",
        allow_origin_string_match=_matchers(origins),
        allow_methods="GET,POST",
        allow_headers=_SENDABLE,
        expose_headers=_READABLE,
        max_age="7200",
        allow_private_network_access=True,
    )
    return {"envoy.filters.http.cors": policy}
