"""Each client over TLS and with a token, as daemons that others can reach want it."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

import pytest

from tests.service.certificates import Authority
from tests.service.running import running

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.clients.languages.toolchains import Client


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    """Make up an authority."""
    return Authority(tmp_path_factory.mktemp("tls") / "ours")


@pytest.fixture(scope="session")
def guarded(authority: Authority, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Run a daemon with a certificate for localhost that lets in who has the token."""
    pair = authority.sign("daemon")
    tokens = tmp_path_factory.mktemp("tokens") / "tokens.toml"
    tokens.write_text(f'[[token]]\nname = "a player"\nsha256 = "{sha256(b"a-token").hexdigest()}"\n')
    tokens.chmod(0o600)
    options = ("--tls.certificate", str(pair.certificate), "--tls.key", str(pair.key), "--tokens", str(tokens))
    with running(*options) as daemon:
        yield f"localhost:{daemon.address.rpartition(':')[2]}"


def test_who_trusts_the_authority_and_has_the_token_is_answered(
    client: Client, guarded: str, authority: Authority
) -> None:
    """Pips come back, with the position that was counted."""
    probe = client.run("probe", guarded, "pips", "", "", "a-token", str(authority.certificate))
    assert "pips 167 167" == probe.stdout.splitlines()[0]


def test_who_has_no_token_is_refused(client: Client, guarded: str, authority: Authority) -> None:
    """As UNAUTHENTICATED, with the reason."""
    probe = client.run("probe", guarded, "pips", "", "", "", str(authority.certificate))
    assert ["code 16", "reason UNAUTHENTICATED"] == probe.stdout.splitlines()[1:3]


def test_a_daemon_of_another_authority_is_not_talked_to(
    client: Client, guarded: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The token never leaves then: the call fails before any daemon has given it an id."""
    other = Authority(tmp_path_factory.mktemp("tls") / "theirs")
    probe = client.run("probe", guarded, "pips", "", "", "a-token", str(other.certificate))
    # UNAVAILABLE, but INTERNAL from Connect for Node.
    assert {"code 14", "code 13"} & set(probe.stdout.splitlines())
    assert "request " in probe.stdout.splitlines()
