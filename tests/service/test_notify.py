"""The service manager knows when the daemon serves and when it stops."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import pytest

from tests.service.running import running

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("workers", ["1", "2"])
def test_systemd_hears_that_it_lives_where_it_wants_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workers: str
) -> None:
    """Again and again, once it serves, so that one that hangs can be told."""
    monkeypatch.setenv("NOTIFY_SOCKET", f"{tmp_path}/notify")
    monkeypatch.setenv("WATCHDOG_USEC", "100000")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.settimeout(20)
        listening.bind(f"{tmp_path}/notify")
        with running("--workers", workers):
            assert [b"READY=1", b"WATCHDOG=1", b"WATCHDOG=1"] == [listening.recv(100) for _ in range(3)]


@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize("abstract", [False, True])
def test_systemd_is_told_once_of_each_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workers: str, abstract: bool
) -> None:
    """However many processes there are, one of them speaks."""
    name = f"{tmp_path}/notify"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.settimeout(20)
        listening.bind(f"\0{name}" if abstract else name)
        monkeypatch.setenv("NOTIFY_SOCKET", f"@{name}" if abstract else name)
        with running("--workers", workers):
            assert b"READY=1" == listening.recv(100)
        assert b"STOPPING=1" == listening.recv(100)
        listening.settimeout(0)
        with pytest.raises(BlockingIOError):
            listening.recv(100)
