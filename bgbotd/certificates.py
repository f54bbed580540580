"""Files of certificates: whether they can be used, and whether they have changed."""

from __future__ import annotations

import ssl
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def check(certificate: Path, key: Path) -> ssl.SSLContext:
    """Have OpenSSL say whether a certificate and its key fit, and give what it has read.

    Raises:
        OSError: if a file cannot be read, or is no certificate or key of the other.
        ValueError: if the key has a password.

    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key, password=_no_password)
    return context


def state(file: Path) -> tuple[int, ...] | None:
    """Give what changes with a file's content or rights, or when a link points elsewhere; None for no file."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _no_password() -> str:
    """Refuse keys with a password: OpenSSL would ask for it on the terminal."""
    raise ValueError("the key has a password; only keys without one can be read")


def expiry(certificate: Path, key: Path) -> float:
    """Read when a certificate ends, in seconds since 1970.

    It shakes hands with itself in memory, for Python reads only certificates that it trusts.

    Raises:
        OSError: if certificate and key cannot be used.

    """
    server, client = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    server.load_cert_chain(certificate, key)
    client.check_hostname = False
    client.load_verify_locations(certificate)
    client.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    ends = client.wrap_bio(to_client, to_server), server.wrap_bio(to_server, to_client, server_side=True)
    for end in ends * 2:
        with suppress(ssl.SSLWantReadError):
            end.do_handshake()
    read = ends[0].getpeercert() or {}
    return ssl.cert_time_to_seconds(str(read["notAfter"]))
