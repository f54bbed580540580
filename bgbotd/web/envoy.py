"""Envoy's configuration, made from the settings: where it listens, what passes through it, and the limits."""

from __future__ import annotations

import ipaddress
import socket
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bgbotd.config import LARGEST_REQUEST, parted
from bgbotd.web.metadata import without_unasked
from bgbotd.web.methods import JSON_SUFFIX, methods, transcoded
from bgbotd.web.pages import pages
from bgbotd.web.parts import base64_of, lasting, named, typed
from bgbotd.web.rate import limiter
from bgbotd.web.routes import CLUSTER, LEEWAY_SECONDS, refusals, virtual_hosts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from bgbotd.config import Settings
    from bgbotd.web.parts import Part

HEALTH_PATH = "/healthz"
STATISTICS = "web"
"""What names of Envoy's counters begin with, after http."""

_HEADERS_SECONDS = 10.0
_IDLE_SECONDS = 300.0
_KEPT_BYTES = 1 << 16
_WAITED_FOR = 1 << 20
"""So many that the daemon's own admission refuses first, which says why."""


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
    addresses, port = (place.addresses, place.port) if place else (addresses_of(host), port)
    listening = [_socket(address, port) for address in addresses]
    listener: Part = {
        "name": STATISTICS,
        "address": listening[0],
        "additional_addresses": [{"address": address} for address in listening[1:]],
        "per_connection_buffer_limit_bytes": LARGEST_REQUEST,
        "filter_chains": [
            {
                "transport_socket_connect_timeout": lasting(_HEADERS_SECONDS),
                "filters": [{"name": "http", "typed_config": _connections(settings, place)}],
                **({"transport_socket": _tls(settings, place)} if settings.web.certificate else {}),
            }
        ],
    }
    most = {"max_active_downstream_connections": settings.web.most_connections}
    configuration: Part = {
        "node": {"id": CLUSTER, "cluster": CLUSTER},  # asked for where a certificate is read from a file
        "static_resources": {"listeners": [listener], "clusters": [_cluster(settings, place)]},
        "overload_manager": {
            "resource_monitors": [
                {
                    "name": "envoy.resource_monitors.global_downstream_max_connections",
                    "typed_config": typed(
                        "resource_monitors.downstream_connections.v3.DownstreamConnectionsConfig", **most
                    ),
                }
            ]
        },
    }
    if place:
        configuration["admin"] = {"address": {"pipe": {"path": str(place.admin), "mode": 0o600}}}
    return configuration


def addresses_of(host: str) -> list[str]:
    """Give the internet addresses of a host that can be bound here, for Envoy starts with no other; or the host."""
    found = []
    with suppress(OSError):
        for family, _, _, _, address in socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE):
            with suppress(OSError), socket.socket(family, socket.SOCK_STREAM) as tried:
                tried.bind(address)
                found.append(str(address[0]))
    return found or [host]


def secrets(settings: Settings, watched: Path) -> Part:
    """Give the file that tells Envoy of its certificate, which it reads again when something moves in a folder."""
    return {
        "resources": [typed("transport_sockets.tls.v3.Secret", name="web", tls_certificate=_pair(settings, watched))]
    }


def _connections(settings: Settings, place: Place | None) -> Part:
    """Say what is done with what comes in by a connection."""
    limits = settings.connections
    return typed(
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
            "idle_timeout": lasting(_IDLE_SECONDS),
            "max_connection_duration": lasting(limits.most_age_seconds),
            "headers_with_underscores_action": "REJECT_REQUEST",
        },
        http2_protocol_options={
            "max_concurrent_streams": limits.most_streams,
            "initial_stream_window_size": _KEPT_BYTES,
            "initial_connection_window_size": LARGEST_REQUEST,
        },
        max_request_headers_kb=max(1, limits.most_header_bytes // 1024),
        request_headers_timeout=lasting(_HEADERS_SECONDS),
        stream_idle_timeout=lasting(settings.limits.deadline_seconds + LEEWAY_SECONDS),
        local_reply_config={"mappers": refusals(settings)},
        route_config={
            "max_direct_response_body_size_bytes": max(page.file.stat().st_size for page in pages()),
            "ignore_port_in_host_matching": True,
            "virtual_hosts": list(virtual_hosts(settings, inline=place is None)),
        },
        http_filters=list(_filters(settings)),
    )


def _filters(settings: Settings) -> Iterator[Part]:
    """Give what every request and answer passes through, in the order of requests."""
    at_health = {"name": ":path", "string_match": {"exact": HEALTH_PATH}}
    yield named(
        "envoy.filters.http.health_check",
        "filters.http.health_check.v3.HealthCheck",
        pass_through_mode=False,
        headers=[at_health],
        cluster_min_healthy_percentages={CLUSTER: {"value": 1}},
    )
    yield named("envoy.filters.http.cors", "filters.http.cors.v3.Cors")
    yield without_unasked()
    for name, kind in (("br", "brotli"), ("gzip", "gzip")):
        library = f"compression.{kind}.compressor.v3.{kind.capitalize()}"
        yield named(
            f"compressor.{name}",
            "filters.http.compressor.v3.Compressor",
            response_direction_config={"common_config": {"min_content_length": 1024}},
            compressor_library={"name": kind, "typed_config": typed(library)},
            choose_first=kind == "brotli",
        )
    yield named("envoy.filters.http.grpc_web", "filters.http.grpc_web.v3.GrpcWeb")
    # After it, so that pages are refused in their own form, and before what would read a request.
    yield from limiter(settings.web.most_calls_a_second, f"http.{STATISTICS}")
    yield named(
        "envoy.filters.http.grpc_json_transcoder",
        "filters.http.grpc_json_transcoder.v3.GrpcJsonTranscoder",
        proto_descriptor_bin=base64_of(transcoded()),
        services=sorted({method.service + JSON_SUFFIX for method in methods() if method.path}),
        match_incoming_request_route=True,
        convert_grpc_status=True,
        print_options={"always_print_primitive_fields": True, "stream_newline_delimited": True},
        request_validation_options={"reject_unknown_method": False, "reject_unknown_query_parameters": True},
        max_request_body_size=LARGEST_REQUEST,
    )
    yield named("envoy.filters.http.router", "filters.http.router.v3.Router", suppress_envoy_headers=True)


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
            "envoy.extensions.upstreams.http.v3.HttpProtocolOptions": typed(
                "upstreams.http.v3.HttpProtocolOptions", **http2
            )
        },
        # Without it a daemon that is ill would be asked all the same.
        "common_lb_config": {"healthy_panic_threshold": {"value": 0}},
        "circuit_breakers": {"thresholds": [thresholds]},
        "health_checks": [
            {
                # A daemon that says that it drains is left at once; one that is only slow is not.
                "timeout": "5s",
                "interval": "1s",
                "no_traffic_interval": "1s",
                "unhealthy_threshold": 3,
                "healthy_threshold": 1,
                # Not the whole daemon's, which depends on the edge.
                "grpc_health_check": {"service_name": "bgbot.v1.RulesService"},
            }
        ],
        **({"transport_socket": _upstream_tls(settings)} if settings.tls.certificate and not place else {}),
    }


def _upstream_tls(settings: Settings) -> Part:
    """Speak TLS to the daemon, and to nobody with another certificate."""
    trusted = {
        "alpn_protocols": ["h2"],  # without it gRPC hangs up
        "validation_context": {"trusted_ca": {"filename": str(settings.tls.certificate)}},
    }
    return {
        "name": "tls",
        "typed_config": typed("transport_sockets.tls.v3.UpstreamTlsContext", common_tls_context=trusted),
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
        "typed_config": typed(
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
