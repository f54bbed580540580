"""Taking a port that worker processes will share, and nobody else."""

from __future__ import annotations

import errno
import socket
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from contextlib import ExitStack

_NOT_HERE = {errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT}


class CannotListen(Exception):
    """An address that cannot be bound."""


def take_port(host: str, port: int, taken: ExitStack) -> int:
    """Hold a port, 0 for a free one, until `taken` is closed, and give its number.

    The sockets that hold it are bound and never listen: connections go to the workers' own. Linux lets
    sockets of one user share a port if all of them ask to, so a second daemon's workers could join
    silently; a socket that does not ask is therefore bound first, which only an untaken port allows.

    Raises:
        CannotListen: if the port is taken, or the host is not this machine's.

    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError as error:
        raise CannotListen(f"cannot listen on {host}:{port}: {error.strerror}") from None
    held = 0
    for family, _, _, _, address in found:
        try:
            port = _take(taken, family, (address[0], port, *address[2:]))
            held += 1
        except OSError as error:  # localhost may have addresses of two kinds, of which one is not set up
            if error.errno not in _NOT_HERE:
                raise CannotListen(f"cannot listen on {host}:{port}: {error.strerror}") from None
    if not held:
        raise CannotListen(f"cannot listen on {host}:{port}: the host is not this machine's")
    return port


def _take(taken: ExitStack, family: int, address: tuple[str | int, ...]) -> int:
    """Hold a port of one address and give its number."""
    if address[1]:
        with socket.socket(family, socket.SOCK_STREAM) as alone:
            alone.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            alone.bind(address)
            alone.listen(1)
    shared = taken.enter_context(socket.socket(family, socket.SOCK_STREAM))
    shared.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    shared.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    shared.bind(address)
    # Needed to bind where old connections linger; from here on it would only let others in.
    shared.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 0)
    return int(shared.getsockname()[1])
