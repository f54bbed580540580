"""Certificates for tests, made by OpenSSL's own program."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Pair:
    """A certificate and its key."""

    certificate: Path
    key: Path


class Authority:
    """An authority that signs certificates."""

    def __init__(self, folder: Path) -> None:
        """Make it up within an empty folder."""
        folder.mkdir()
        self._folder = folder
        self.certificate = folder / "authority.pem"
        self._key = folder / "authority-key.pem"
        _make(self.certificate, self._key, "/CN=authority", "basicConstraints=critical,CA:TRUE")

    def sign(self, name: str) -> Pair:
        """Make a certificate for localhost."""
        pair = Pair(self._folder / f"{name}.pem", self._folder / f"{name}-key.pem")
        signed_by = ["-CA", str(self.certificate), "-CAkey", str(self._key)]
        _make(pair.certificate, pair.key, f"/CN={name}", "subjectAltName=DNS:localhost", *signed_by)
        return pair


def _make(certificate: Path, key: Path, subject: str, extension: str, *more: str) -> None:
    """Have a key and a certificate made."""
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-noenc"),
            *("-keyout", str(key), "-out", str(certificate), "-days", "2", "-subj", subject, "-addext", extension),
            *more,
        ],
        check=True,
        capture_output=True,
    )
