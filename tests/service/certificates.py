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

    def sign_expired(self, name: str) -> Pair:
        """Make a certificate that has ended long ago, which only OpenSSL's own authority is willing to do."""
        pair, request = self.sign(name), self._folder / f"{name}.csr"
        _openssl("req", "-new", "-key", str(pair.key), "-subj", f"/CN={name}", "-out", str(request))
        (self._folder / "index.txt").touch()
        configuration = self._folder / "authority.cnf"
        configuration.write_text(_AUTHORITY.format(folder=self._folder))
        dates = ("-startdate", "20200101000000Z", "-enddate", "20200102000000Z")
        files = ("-config", str(configuration), "-in", str(request), "-out", str(pair.certificate))
        signed_by = ("-cert", str(self.certificate), "-keyfile", str(self._key))
        _openssl("ca", "-batch", "-notext", "-rand_serial", *dates, *files, *signed_by)
        return pair


_AUTHORITY = """
[ca]
default_ca = here
[here]
database = {folder}/index.txt
new_certs_dir = {folder}
serial = {folder}/serial
default_md = sha256
policy = any
[any]
commonName = supplied
"""


def _openssl(*arguments: str) -> None:
    """Run OpenSSL's program."""
    subprocess.run(["openssl", *arguments], check=True, capture_output=True)  # noqa: S607 - wherever it is installed


def _make(certificate: Path, key: Path, subject: str, extension: str, *more: str) -> None:
    """Have a key and a certificate made."""
    _openssl(
        *("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-noenc"),
        *("-keyout", str(key), "-out", str(certificate), "-days", "2", "-subj", subject, "-addext", extension),
        *more,
    )
