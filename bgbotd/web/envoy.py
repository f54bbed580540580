"""Envoy's configuration, made from the settings: what is routed where, and the limits at the edge."""

from __future__ import annotations

import base64
import ipaddress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bgbotd.config import LARGEST_REQUEST, parted
from bgbotd.web.methods import JSON_SUFFIX, methods, transcoded
from bgbotd.web.pages import pages

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from bgbotd.config import Settings
    from bgbotd.web.methods import Method
    from bgbotd.web.pages import Page

    Part = dict[str, Any]

HEALTH_PATH = "/healthz"
CLUSTER = "bgbotd"
PEER_HEADER = "x-bgbotd-peer"
"""Header that tells the daemon who has called the edge."""
STATISTICS = "web"
"""What names of Envoy's counters begin with, after http."""

_TYPES = "type.googleapis.com/envoy.extensions."
_ASKED = ("application/grpc", "application/json")
"""Kinds of requests: gRPC and gRPC-Web, and JSON. A page of another origin cannot send either unasked."""
_LEEWAY_SECONDS = 10.0
"""The daemon ends what takes too long, and says so; the edge only what outlasts even that."""
_HEADERS_SECONDS = 10.0
_IDLE_SECONDS = 300.0
_KEPT_BYTES = 1 << 16
_WAITED_FOR = 1 << 20
"""So many that the daemon's own admission refuses first, which says why."""
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


@dataclass(frozen=True, slots=True)
class Place:
    """Where an Envoy runs that the daemon starts itself."""

    addresses: Sequence[str]
    """Internet addresses to listen on."""
    port: int
    sockets: Sequence[Path]
    """Unix sockets of the daemon's processes, which nobody else can reach."""
    admin: Path
    """Unix socket for Envoy's own administration."""
    secrets: Path
    """File that tells Envoy of its certificate."""
    watched: Path
    """Folder in which a file is moved when the certificate's files have changed."""


def bootstrap(settings: Settings, place: Place | None = None) -> Part:
    """Give the configuration, as Envoy reads it from JSON; without a place, for an Envoy of somebody else."""
    host, port = parted(settings.web.listen) or ("", 0)
    addresses, port = (place.addresses, place.port) if place else ((host,), port)
    listening = [_socket(address, port) for address in addresses]
    listener: Part = {
        "name": STATISTICS,
        "address": listening[0],
        "additional_addresses": [{"address": address} for address in listening[1:]],
        "per_connection_buffer_limit_bytes": LARGEST_REQUEST,
        "filter_chains": [
            {
                "transport_socket_connect_timeout": _seconds(_HEADERS_SECONDS),
                "filters": [{"name": "http", "typed_config": _connections(settings)}],
                **({"transport_socket": _tls(settings, place)} if settings.web.certificate else {}),
            }
        ],
    }
    most = {"max_active_downstream_connections": settings.web.most_connections}
    configuration: Part = {
        "static_resources": {"listeners": [listener], "clusters": [_cluster(settings, place)]},
        "overload_manager": {
            "resource_monitors": [
                {
                    "name": "envoy.resource_monitors.global_downstream_max_connections",
                    "typed_config": _typed(
                        "resource_monitors.downstream_connections.v3.DownstreamConnectionsConfig", **most
                    ),
                }
            ]
        },
    }
    if place:
        configuration["admin"] = {"address": {"pipe": {"path": str(place.admin), "mode": 0o600}}}
    return configuration


def secrets(settings: Settings, watched: Path) -> Part:
    """Give the file that tells Envoy of its certificate, which it reads again when something moves in a folder."""
    return {
        "resources": [_typed("transport_sockets.tls.v3.Secret", name="web", tls_certificate=_pair(settings, watched))]
    }


def _connections(settings: Settings) -> Part:
    """Say what is done with what comes in by a connection."""
    limits = settings.connections
    return _typed(
        "filters.network.http_connection_manager.v3.HttpConnectionManager",
        stat_prefix=STATISTICS,
        server_name="bgbotd",
        use_remote_address=True,
        xff_num_trusted_hops=settings.web.trusted_hops,
        preserve_external_request_id=True,
        always_set_request_id_in_response=True,
        normalize_path=True,
        path_with_escaped_slashes_action="REJECT_REQUEST",
        common_http_protocol_options={
            "idle_timeout": _seconds(_IDLE_SECONDS),
            "max_connection_duration": _seconds(limits.most_age_seconds),
            "headers_with_underscores_action": "REJECT_REQUEST",
        },
        http2_protocol_options={
            "max_concurrent_streams": limits.most_streams,
            "initial_stream_window_size": _KEPT_BYTES,
            "initial_connection_window_size": LARGEST_REQUEST,
        },
        max_request_headers_kb=max(1, limits.most_header_bytes // 1024),
        request_headers_timeout=_seconds(_HEADERS_SECONDS),
        stream_idle_timeout=_seconds(settings.limits.deadline_seconds + _LEEWAY_SECONDS),
        local_reply_config={"mappers": [_refusal(status, *said) for status, said in _REFUSALS.items()]},
        route_config={
            "max_direct_response_body_size_bytes": max(page.file.stat().st_size for page in pages()),
            "virtual_hosts": [
                {
                    "name": "all",
                    "domains": ["*"],
                    "routes": [*_calls(settings), *(route for page in pages() for route in _page(page)), _nothing()],
                    "request_headers_to_add": _set({PEER_HEADER: "%DOWNSTREAM_REMOTE_ADDRESS%"}),
                    "response_headers_to_remove": ["grpc-accept-encoding"],
                    "typed_per_filter_config": _foreign_pages(settings.web.origins),
                }
            ],
        },
        http_filters=list(_filters()),
    )


def _filters() -> Iterator[Part]:
    """Give what every request and answer passes through, in the order of requests."""
    at_health = {"name": ":path", "string_match": {"exact": HEALTH_PATH}}
    yield _filter(
        "envoy.filters.http.health_check",
        "filters.http.health_check.v3.HealthCheck",
        pass_through_mode=False,
        headers=[at_health],
        cluster_min_healthy_percentages={CLUSTER: {"value": 1}},
    )
    yield _filter("envoy.filters.http.cors", "filters.http.cors.v3.Cors")
    for name, kind in (("br", "brotli"), ("gzip", "gzip")):
        library = f"compression.{kind}.compressor.v3.{kind.capitalize()}"
        yield _filter(
            f"compressor.{name}",
            "filters.http.compressor.v3.Compressor",
            response_direction_config={"common_config": {"min_content_length": 1024}},
            compressor_library={"name": kind, "typed_config": _typed(library)},
            choose_first=kind == "brotli",
        )
    yield _filter("envoy.filters.http.grpc_web", "filters.http.grpc_web.v3.GrpcWeb")
    yield _filter(
        "envoy.filters.http.grpc_json_transcoder",
        "filters.http.grpc_json_transcoder.v3.GrpcJsonTranscoder",
        proto_descriptor_bin=base64.b64encode(transcoded()).decode(),
        services=sorted({method.service + JSON_SUFFIX for method in methods() if method.path}),
        match_incoming_request_route=True,
        convert_grpc_status=True,
        print_options={"always_print_primitive_fields": True, "stream_newline_delimited": True},
        request_validation_options={"reject_unknown_method": False, "reject_unknown_query_parameters": True},
        max_request_body_size=LARGEST_REQUEST,
    )
    yield _filter("envoy.filters.http.router", "filters.http.router.v3.Router", suppress_envoy_headers=True)


def _calls(settings: Settings) -> Iterator[Part]:
    """Give the routes to the daemon: each method under gRPC's name of it, and under that of its JSON form."""
    for method in methods():
        grpc_path = f"/{method.service}/{method.name}"
        yield _call(settings, method, grpc_path, "POST", "application/grpc")
        yield _refuse(grpc_path, 415, "gRPC and gRPC-Web are spoken here: content-type application/grpc-web+proto.")
        if method.path:
            yield _call(settings, method, method.path, method.verb, "application/json")
            if method.verb == "POST":
                wrong = "JSON is read here: POST it with content-type application/json."
                yield _refuse(method.path, 415, wrong)
            else:
                yield _refuse(method.path, 405, f"{method.verb} is the only method here.")


def _call(settings: Settings, method: Method, path: str, verb: str, content_type: str) -> Part:
    """Give one route to the daemon."""
    limits = settings.limits
    seconds = limits.stream_deadline_seconds if method.streams else limits.deadline_seconds
    headers: list[Part] = [{"name": ":method", "string_match": {"exact": verb}}]
    if verb == "POST":
        headers.append({"name": "content-type", "string_match": {"prefix": content_type}})
    return {
        "match": {"path": path, "headers": headers},
        "route": {
            "cluster": CLUSTER,
            "timeout": "0s",  # what follows bounds requests that never end as well
            "max_stream_duration": {"max_stream_duration": _seconds(seconds + _LEEWAY_SECONDS)},
            "idle_timeout": _seconds(seconds + _LEEWAY_SECONDS),
            # Only what no process of the daemon has begun.
            "retry_policy": {"retry_on": "connect-failure,refused-stream", "num_retries": 2},
        },
        **({"typed_per_filter_config": _uncompressed()} if method.streams else {}),
    }


def _uncompressed() -> Part:
    """Leave progress as it comes."""
    off = _typed("filters.http.compressor.v3.CompressorPerRoute", disabled=True)
    return {"compressor.br": off, "compressor.gzip": off}


def _page(page: Page) -> Iterator[Part]:
    """Give the routes to a file: for who has it already, and for who has not."""
    kept = "public, max-age=31536000, immutable" if page.lasting else "no-cache"
    headers = {"cache-control": kept, "etag": page.etag, **_SECURITY}
    reads = {"name": ":method", "string_match": {"safe_regex": {"regex": "GET|HEAD"}}}
    known = {"name": "if-none-match", "string_match": {"contains": page.etag.removeprefix("W/")}}
    yield {
        "match": {"path": page.path, "headers": [reads, known]},
        "direct_response": {"status": 304},
        "response_headers_to_add": _set(headers),
    }
    yield {
        "match": {"path": page.path, "headers": [reads]},
        "direct_response": {"status": 200, "body": {"filename": str(page.file)}},
        "response_headers_to_add": _set({"content-type": page.content_type, **headers}),
    }
    yield _refuse(page.path, 405, "GET is the only method here.")


def _refuse(path: str, status: int, text: str) -> Part:
    """Give a route that only says what is wrong."""
    return {"match": {"path": path}, "direct_response": {"status": status, "body": {"inline_string": text}}}


def _nothing() -> Part:
    """Give the route for all else."""
    text = "There is nothing here; /openapi.json describes what there is."
    return {"match": {"prefix": "/"}, "direct_response": {"status": 404, "body": {"inline_string": text}}}


def _refusal(status: int, code: int, reason: str) -> Part:
    """Say what the edge refuses as the daemon does, but to those who read gRPC's own form."""
    is_status = {"comparison": {"op": "EQ", "value": {"default_value": status, "runtime_key": f"web.refusal.{status}"}}}
    reads_grpc = {"name": "content-type", "string_match": {"prefix": "application/grpc"}}
    reads_json = {**reads_grpc, "invert_match": True, "treat_missing_header_as_empty": True}
    # The transcoder has made gRPC of what it then refuses.
    transcoded = {"name": "x-envoy-original-path", "present_match": True}
    either = [{"header_filter": {"header": header}} for header in (reads_json, transcoded)]
    detail = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason, "domain": "bgbot"}
    return {
        "filter": {"and_filter": {"filters": [{"status_code_filter": is_status}, {"or_filter": {"filters": either}}]}},
        "body_format_override": {
            "json_format": {"code": code, "message": "%LOCAL_REPLY_BODY%", "details": [detail]},
        },
    }


def _foreign_pages(origins: Sequence[str]) -> Part:
    """Say which pages of other origins may call."""
    if not origins:
        return {}
    allowed = [{"safe_regex": {"regex": ".*"}} if origin == "*" else {"exact": origin} for origin in origins]
    policy = _typed(
        "filters.http.cors.v3.CorsPolicy",
        allow_origin_string_match=allowed,
        allow_methods="GET,POST",
        allow_headers=_SENDABLE,
        expose_headers=_READABLE,
        max_age="7200",
        allow_private_network_access=True,
    )
    return {"envoy.filters.http.cors": policy}


def _cluster(settings: Settings, place: Place | None) -> Part:
    """Say where the daemon is: each of its processes, asked by itself how it is."""
    if place:
        endpoints = [{"pipe": {"path": str(socket)}} for socket in place.sockets]
    else:
        endpoints = [_socket(*(parted(settings.listen) or ("", 0)))]
    http2: Part = {"explicit_http_config": {"http2_protocol_options": {}}}
    thresholds = dict.fromkeys(("max_connections", "max_pending_requests", "max_requests"), _WAITED_FOR)
    return {
        "name": CLUSTER,
        "type": "STATIC" if place or _is_address(parted(settings.listen)) else "STRICT_DNS",
        "lb_policy": "LEAST_REQUEST",
        "connect_timeout": "2s",
        "load_assignment": {
            "cluster_name": CLUSTER,
            "endpoints": [{"lb_endpoints": [{"endpoint": {"address": address}} for address in endpoints]}],
        },
        "typed_extension_protocol_options": {
            "envoy.extensions.upstreams.http.v3.HttpProtocolOptions": _typed(
                "upstreams.http.v3.HttpProtocolOptions", **http2
            )
        },
        # Without it a daemon that is ill would be asked all the same.
        "common_lb_config": {"healthy_panic_threshold": {"value": 0}},
        "circuit_breakers": {"thresholds": [thresholds]},
        "health_checks": [
            {
                "timeout": "1s",
                "interval": "1s",
                "no_traffic_interval": "1s",
                "unhealthy_threshold": 1,
                "healthy_threshold": 1,
                # Not the whole daemon's, which depends on the edge.
                "grpc_health_check": {"service_name": "bgbot.v1.RulesService"},
            }
        ],
        **({"transport_socket": _upstream_tls(settings)} if settings.tls.certificate and not place else {}),
    }


def _upstream_tls(settings: Settings) -> Part:
    """Speak TLS to the daemon, and to nobody with another certificate."""
    trusted = {"validation_context": {"trusted_ca": {"filename": str(settings.tls.certificate)}}}
    return {
        "name": "tls",
        "typed_config": _typed("transport_sockets.tls.v3.UpstreamTlsContext", common_tls_context=trusted),
    }


def _tls(settings: Settings, place: Place | None) -> Part:
    """Speak TLS to callers."""
    if place:
        source = {
            "tls_certificate_sds_secret_configs": [
                {"name": "web", "sds_config": {"path_config_source": {"path": str(place.secrets)}}}
            ]
        }
    else:
        source = {"tls_certificates": [_pair(settings, None)]}
    return {
        "name": "tls",
        "typed_config": _typed(
            "transport_sockets.tls.v3.DownstreamTlsContext",
            common_tls_context={
                "alpn_protocols": ["h2", "http/1.1"],
                "tls_params": {"tls_minimum_protocol_version": "TLSv1_2"},
                **source,
            },
        ),
    }


def _pair(settings: Settings, watched: Path | None) -> Part:
    """Name the certificate's files."""
    return {
        "certificate_chain": {"filename": str(settings.web.certificate)},
        "private_key": {"filename": str(settings.web.key)},
        **({"watched_directory": {"path": str(watched)}} if watched else {}),
    }


def _socket(host: str, port: int) -> Part:
    """Give an address."""
    every = {"ipv4_compat": True} if host == "::" else {}
    return {"socket_address": {"address": host, "port_value": port, **every}}


def _is_address(address: tuple[str, int] | None) -> bool:
    """Tell a number from a name that has to be looked up."""
    try:
        return bool(ipaddress.ip_address(address[0] if address else ""))
    except ValueError:
        return False


def _filter(name: str, kind: str, **fields: object) -> Part:
    """Give a filter with its configuration."""
    return {"name": name, "typed_config": _typed(kind, **fields)}


def _typed(kind: str, **fields: object) -> Part:
    """Give a message that says what it is."""
    return {"@type": _TYPES + kind, **fields}


def _set(headers: dict[str, str]) -> list[Part]:
    """Give headers that replace those of the same name."""
    return [
        {"header": {"key": key, "value": value}, "append_action": "OVERWRITE_IF_EXISTS_OR_ADD"}
        for key, value in headers.items()
    ]


def _seconds(seconds: float) -> str:
    """Write a duration."""
    return f"{seconds:.3f}s"
