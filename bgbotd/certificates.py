"""Files of certificates: whether they can be used, and whether they have changed."""

from __future__ import annotations

import ssl
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


def state(file: Path) -> tuple[int, int, int] | None:
    """Give what changes with a file's content, links that point elsewhere too; None while there is no file."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def _no_password() -> str:
    """Refuse keys with a password: OpenSSL would ask for it on the terminal."""
    raise ValueError("the key has a password; only keys without one can be read")
