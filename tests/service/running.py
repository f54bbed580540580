"""Runs the program as its users do, and reads its log."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.processes import family

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

BGBOTD = str(Path(sys.executable).with_name("bgbotd"))


class Running:
    """A daemon that has said that it serves."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        """Read the first line of its log."""
        assert process.stderr is not None
        self.process = process
        self._lines = process.stderr
        self.serving = json.loads(self._lines.readline())
        assert "serving" == self.serving["event"]
        self.address: str = self.serving["listen"]

    def await_event(self, name: str) -> dict[str, Any]:
        """Read the log up to an event."""
        return next(line for line in map(json.loads, self._lines) if line["event"] == name)

    def rest_of_log(self) -> list[dict[str, Any]]:
        """Read the log to its end, which comes when no process holds it any more."""
        return [json.loads(line) for line in self._lines]


@contextmanager
def running(
    *arguments: str,
    listen: str = "127.0.0.1:0",
    program: Sequence[str] = (BGBOTD,),
    environment: Mapping[str, str] | None = None,
) -> Iterator[Running]:
    """Run a daemon on a free port; it is terminated at the end unless it has ended before."""
    command = [*program, "serve", "--listen", listen, *arguments]
    variables = {**os.environ, **(environment or {})}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=variables) as process:
        try:
            yield Running(process)
        finally:
            process.terminate()
            if process.stderr and not process.stderr.closed:
                process.stderr.read()


@contextmanager
def engines_stopped(daemon: Running) -> Iterator[None]:
    """Keep a daemon's engine processes from doing anything, so that what they were asked is still under way."""
    engines = [each for each in family(daemon.process.pid) if b"engine_process" in _command(each)]
    assert engines
    for each in engines:
        os.kill(each, signal.SIGSTOP)
    try:
        yield
    finally:
        for each in engines:
            with suppress(ProcessLookupError):
                os.kill(each, signal.SIGCONT)


def _command(process: int) -> bytes:
    """Give the words that a process was started with."""
    return Path(f"/proc/{process}/cmdline").read_bytes()
