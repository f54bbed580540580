"""Addresses as settings hold them."""

from __future__ import annotations

import ipaddress

_HIGHEST_PORT = 65535


def parted(address: str) -> tuple[str, int] | None:
    """Part HOST:PORT, the host without brackets; None if it is no address."""
    host, colon, port = address.rpartition(":")
    if not colon or not host or not port.isascii() or not port.isdecimal() or int(port) > _HIGHEST_PORT:
        return None
    return host.removeprefix("[").removesuffix("]"), int(port)


def is_loopback(host: str) -> bool:
    """Tell whether only this machine reaches a host."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
