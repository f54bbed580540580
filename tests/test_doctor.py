"""What keeps a daemon from serving is found before it starts."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

from bgbotd import doctor
from bgbotd.config import Dice, Settings, Tls, Web
from bgbotd.evaluation import EngineUnavailable
from tests.service.certificates import Authority
from tests.service.running import BGBOTD

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def found(settings: Settings) -> dict[str, doctor.Finding]:
    """Examine, and give each finding by its subject."""
    return {finding.subject: finding for finding in doctor.examine(settings.resolved())}


def test_a_machine_that_can_run_it_is_told_so() -> None:
    """The program ends well and says a line for each check."""
    command = [BGBOTD, "doctor", "--listen", "127.0.0.1:0", "--metrics-listen", "127.0.0.1:0"]
    healthy = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True)
    assert ["processor", "clock", "kernel", "engine", "bear-off", "port", "metrics", "certificate"] == [
        line.split()[1] for line in healthy.stdout.splitlines()
    ]


def test_the_web_edge_is_looked_at_where_there_is_one(tmp_path: Path) -> None:
    """Its program, its port and its certificate."""
    address = "127.0.0.1:0"
    well = found(Settings(listen=address, web=Web(enabled=True, listen=address)))
    assert all(well[subject].good for subject in ("web", "envoy", "web's"))
    nothing = tmp_path / "nothing"
    ill = found(Settings(listen=address, web=Web(enabled=True, listen=address, certificate=nothing, key=nothing)))
    assert not ill["web's"].good


def test_a_taken_port_is_bad(daemon: str) -> None:
    """The program says which, and fails."""
    command = [BGBOTD, "doctor", "--listen", daemon]
    ill = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert 1 == ill.returncode
    [bad] = [line for line in ill.stdout.splitlines() if line.startswith("BAD")]
    assert "port" in bad
    assert daemon in bad


def test_a_certificate_that_ends_soon_is_bad(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of the tests are valid for two days."""
    pair = Authority(tmp_path / "authority").sign("server")
    settings = Settings(listen="127.0.0.1:0", tls=Tls(pair.certificate, pair.key))
    assert not found(settings)["certificate"].good
    monkeypatch.setattr(doctor, "_SOON_SECONDS", 3600)
    assert found(settings)["certificate"].good


def test_files_that_cannot_be_used_are_bad(tmp_path: Path) -> None:
    """Certificate, tokens and secrets are looked at as the start would."""
    nothing = tmp_path / "nothing"
    settings = Settings(listen="127.0.0.1:0", tls=Tls(nothing, nothing), tokens=nothing, dice=Dice(secrets=nothing))
    bad = {subject for subject, finding in found(settings).items() if not finding.good}
    assert {"certificate", "tokens", "dice"} == bad


def test_a_machine_without_the_engine_is_told_what_is_served(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rules and three levels need no engine."""

    def fail() -> None:
        raise EngineUnavailable("no AVX2")

    monkeypatch.setattr(doctor, "SageEngine", fail)
    engine = found(Settings(listen="127.0.0.1:0"))["engine"]
    assert (False, True) == (engine.good, engine.text.startswith("no AVX2; still served: rules"))


def test_versions_of_all_that_decides_answers_are_told() -> None:
    """The daemon, its contract, the engine, and what carries the messages."""
    told = subprocess.run([BGBOTD, "version"], capture_output=True, text=True, timeout=30, check=True).stdout
    assert ["bgbotd", "bgbot", "bgsage", "grpcio", "protobuf", "distributed", "python"] == [
        line.split()[0] for line in told.splitlines()
    ]
