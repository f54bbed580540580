"""Certificates, read anew when their files change."""

from __future__ import annotations

from typing import TYPE_CHECKING

import grpc
import structlog

from bgbotd.certificates import check, expiry, state
from bgbotd.config import WrongSettings

if TYPE_CHECKING:
    from pathlib import Path

    from bgbotd.config import Tls

log = structlog.get_logger("bgbotd.tls")


class Certificates:
    """Files of one server certificate, its key, and the authority of its clients where they need one.

    Raises:
        WrongSettings: if a file cannot be read, or key and certificate do not belong together.

    """

    def __init__(self, tls: Tls) -> None:
        """Read the files."""
        self._tls = tls
        self._wrong = ""
        self._seen = self._states()
        try:
            self._first = self._read()
        except (OSError, ValueError) as error:
            raise WrongSettings([f"tls: {error}"]) from None

    @property
    def in_force(self) -> bool:
        """Whether the files, as they were last seen, can be used."""
        return not self._wrong

    def credentials(self) -> grpc.ServerCredentials:
        """Give credentials that look after the files at every handshake; open connections stay as they are."""
        return grpc.dynamic_ssl_server_credentials(
            self._first,
            self.changed,  # type: ignore[arg-type] # None says that nothing has changed, which the stubs do not know
            require_client_authentication=self._tls.client_ca is not None,
        )

    def changed(self) -> grpc.ServerCertificateConfiguration | None:
        """Read the files anew; give None if they are as they were, or cannot be used, so that the last ones stay."""
        states = self._states()
        if states == self._seen and self.in_force:
            return None
        self._seen = states
        try:
            changed = self._read()
        except (OSError, ValueError) as error:
            if str(error) != self._wrong:
                log.error("certificates not reloaded", reason=str(error))  # noqa: TRY400 - an operator's mistake
            self._wrong = str(error)
            return None
        self._wrong = ""
        log.info("certificates reloaded")
        return changed

    def expiry(self) -> float | None:
        """Give when the file's certificate ends, in seconds since 1970; None while it cannot be used."""
        try:
            return expiry(*_both(self._tls))
        except (OSError, ValueError):
            return None

    def _read(self) -> grpc.ServerCertificateConfiguration:
        """Read all files, and have OpenSSL say whether they fit, for gRPC would only fail every handshake."""
        certificate, key = _both(self._tls)
        context = check(certificate, key)
        authority = None
        if self._tls.client_ca is not None:
            context.load_verify_locations(self._tls.client_ca)
            authority = self._tls.client_ca.read_bytes()
        return grpc.ssl_server_certificate_configuration([(key.read_bytes(), certificate.read_bytes())], authority)

    def _states(self) -> list[tuple[int, ...] | None]:
        """Tell versions of the files apart."""
        return [state(file) for file in (*_both(self._tls), self._tls.client_ca) if file is not None]


def _both(tls: Tls) -> tuple[Path, Path]:
    """Give certificate and key, of which settings never have only one."""
    assert tls.certificate is not None  # noqa: S101 - for the type checker
    assert tls.key is not None  # noqa: S101 - for the type checker
    return tls.certificate, tls.key
