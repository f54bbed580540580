"""Runs a cluster as its operators do: Dask's scheduler and our workers, each a program of its own."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from bgbotd.evaluation import ClusterSettings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.service.certificates import Authority

BGBOTD = Path(sys.executable).with_name("bgbotd")
DASK = Path(sys.executable).with_name("dask")


class Log:
    """Reads a program's lines, which nobody may stop doing, and gives events by name."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        """Begin to read."""
        self.process = process
        self._lines: SimpleQueue[str] = SimpleQueue()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def await_event(self, name: str) -> dict[str, Any]:
        """Wait for a line of ours."""
        while True:
            text = self._lines.get(timeout=40)
            assert text.startswith("{"), f"no line of ours: {text}"
            line: dict[str, Any] = json.loads(text)
            if line["event"] == name:
                return line

    def await_text(self, text: str) -> str:
        """Wait for a line with a text in it."""
        while text not in (line := self._lines.get(timeout=40)):
            pass
        return line

    def stop(self) -> None:
        """Keep the program from doing anything, as a machine does that hangs."""
        self.process.send_signal(signal.SIGSTOP)

    def kill(self) -> None:
        """End the program without a word, as a machine does that fails."""
        self.process.kill()
        self.process.wait()
        self._thread.join()

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self._lines.put(line)


@contextmanager
def _program(*command: object) -> Iterator[Log]:
    with subprocess.Popen([str(word) for word in command], stderr=subprocess.PIPE, text=True) as process:
        log = Log(process)
        try:
            yield log
        finally:
            log.kill()


def certified(scheduler: str, authority: Authority, name: str) -> ClusterSettings:
    """Give the settings of one end of a cluster with TLS."""
    pair = authority.sign(name)
    return ClusterSettings(scheduler, authority.certificate, pair.certificate, pair.key)


@contextmanager
def scheduling(authority: Authority | None = None, port: int = 0) -> Iterator[str]:
    """Run a scheduler on a free port of the loopback, or on `port`, and give its address."""
    protocol, words = "tcp", list[object]()
    if authority is not None:
        pair = authority.sign("scheduler")
        protocol = "tls"
        words = ["--tls-ca-file", authority.certificate, "--tls-cert", pair.certificate, "--tls-key", pair.key]
    place = f"{protocol}://127.0.0.1:{port}"
    with _program(DASK, "scheduler", "--host", place, "--dashboard-address", "127.0.0.1:0", *words) as log:
        yield log.await_text("Scheduler at:").split()[-1]


@contextmanager
def working(settings: ClusterSettings, program: Sequence[str] = (str(BGBOTD),)) -> Iterator[Log]:
    """Run a worker with one engine process, once it has joined."""
    with _program(*program, "cluster-worker", "--log-level", "debug", "--engine.processes", 1, *flags(settings)) as log:
        log.await_event("working")
        yield log


def flags(settings: ClusterSettings) -> list[str]:
    """Give settings as flags."""
    words = ["--cluster.scheduler", settings.scheduler]
    for name in ("ca", "certificate", "key"):
        if file := getattr(settings, name):
            words += [f"--cluster.{name}", str(file)]
    return words
