"""Settings that do not go together."""

from __future__ import annotations

import re
from importlib.util import find_spec
from typing import TYPE_CHECKING

from bgbotd.config.addresses import is_loopback, parted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bgbotd.config.settings import Settings
    from bgbotd.config.tables import Cluster

_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://([a-z0-9._-]+|\[[0-9a-f:]+\])(:[0-9]{1,5})?\Z")


def contradictions(settings: Settings) -> Iterator[str]:
    """Say what does not go together."""
    encrypted = settings.tls.certificate is not None
    if encrypted != (settings.tls.key is not None):
        yield "tls.certificate and tls.key: each needs the other"
    if settings.tls.client_ca is not None and not encrypted:
        yield "tls.client-ca: needs tls.certificate and tls.key"
    if settings.insecure and encrypted and (settings.web.certificate or not settings.web.enabled):
        yield "insecure: contradicts tls.certificate"
    yield from _web_contradictions(settings)
    yield from _cluster_problems(settings.cluster, insecure=settings.insecure)
    if settings.dice.secrets is not None and settings.tokens is None:
        yield "dice.secrets: needs tokens, for only callers with the dice role may roll"
    yield from _same_addresses(settings)
    address = parted(settings.listen)
    if address and not (encrypted or settings.insecure or is_loopback(address[0])):
        yield (
            f"listen: {settings.listen} can be reached from other machines; that needs tls.certificate and tls.key,"
            " or insecure to do without"
        )


def _same_addresses(settings: Settings) -> Iterator[str]:
    """Say which addresses are named twice, but for port 0, which is another one each time."""
    named: dict[tuple[str, int], str] = {}
    for key, address in {
        "listen": settings.listen,
        "metrics-listen": settings.metrics_listen,
        "health-listen": settings.health_listen,
        "web.listen": settings.web.listen if settings.web.enabled else "",
    }.items():
        place = parted(address)
        if place and place[1] and (first := named.setdefault(place, key)) != key:
            yield f"{key}: {address} is the address of {first} as well"


def _web_contradictions(settings: Settings) -> Iterator[str]:
    """Say what does not go together with the web."""
    encrypted = settings.web.certificate is not None
    if encrypted != (settings.web.key is not None):
        yield "web.certificate and web.key: each needs the other"
    for origin in settings.web.origins:
        if origin != "*" and not _ORIGIN.match(origin):
            yield f"web.origins: {origin!r} is none; allowed: * and SCHEME://HOST[:PORT] in small letters"
    address = parted(settings.web.listen)
    if settings.web.enabled and address and not (encrypted or settings.insecure or is_loopback(address[0])):
        yield (
            f"web.listen: {settings.web.listen} can be reached from other machines; that needs web.certificate and"
            " web.key, or insecure to do without"
        )
    if settings.web.enabled and settings.tls.client_ca is not None and settings.tokens is None:
        yield "web.enabled: lets in who has no certificate of tls.client-ca; that needs tokens"


def _cluster_problems(cluster: Cluster, *, insecure: bool) -> Iterator[str]:
    """Say what cannot be of a cluster."""
    files = [cluster.ca, cluster.certificate, cluster.key]
    if cluster.worker_listen and parted(cluster.worker_listen) is None:
        yield f"cluster.worker-listen: {cluster.worker_listen!r} is no address: HOST:PORT is needed"
    if not cluster.scheduler:
        if any(files):
            yield "cluster.ca, cluster.certificate and cluster.key: need cluster.scheduler"
        return
    protocol, _, place = cluster.scheduler.partition("://")
    address = parted(place)
    if protocol not in {"tls", "tcp"} or address is None:
        yield f"cluster.scheduler: {cluster.scheduler!r} is none: tls://HOST:PORT or tcp://HOST:PORT is needed"
    elif protocol == "tls" and not all(files):
        yield "cluster.scheduler: tls:// needs cluster.ca, cluster.certificate and cluster.key"
    elif protocol == "tcp" and any(files):
        yield "cluster.scheduler: tcp:// contradicts cluster.ca, cluster.certificate and cluster.key"
    elif protocol == "tcp" and not (insecure or is_loopback(address[0])):
        yield (
            f"cluster.scheduler: {cluster.scheduler} is reached over the network; that needs tls://, or insecure to do"
            " without"
        )
    if find_spec("distributed") is None:
        yield "cluster.scheduler: needs the extra: pip install 'bgbotd[cluster]'"
