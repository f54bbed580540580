"""The folder that daemon and Envoy share goes with its daemon, however that ends."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

from bgbotd.web.folder import own_folder
from tests.service.running import running
from tests.web.test_edge import WEB

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_a_folder_goes_with_its_owner_and_none_that_is_held_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is of somebody else, or is no folder, stays as well."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (tmp_path / "bgbotd-edge-file").touch()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "bgbotd-edge-link").symlink_to(tmp_path / "elsewhere")
    before = set(tmp_path.iterdir())
    with own_folder() as first, own_folder() as second:
        assert before | {first, second} == set(tmp_path.iterdir())
        assert 0o700 == first.stat().st_mode & 0o777
    assert before == set(tmp_path.iterdir())


def test_a_daemon_takes_away_what_one_that_was_killed_has_left(tmp_path: Path) -> None:
    """And leaves alone what belongs to one that lives."""
    environment = {"TMPDIR": str(tmp_path)}
    with running(*WEB, environment=environment) as killed, running(*WEB, environment=environment) as lives:
        assert 2 == len(list(tmp_path.iterdir()))
        killed.process.kill()
        assert -signal.SIGKILL == killed.process.wait(timeout=30)
        killed.rest_of_log()
        assert 2 == len(list(tmp_path.iterdir()))
        with running(*WEB, environment=environment):
            assert 2 == len(list(tmp_path.iterdir()))
        lives.process.terminate()
        assert 0 == lives.process.wait(timeout=30)
    assert [] == list(tmp_path.iterdir())
