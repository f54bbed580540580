"""Whether this machine can run the daemon with its settings, found out before anybody calls."""

from __future__ import annotations

import asyncio
import re
import subprocess
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bgbotd import kernel
from bgbotd.config import Tls, WrongSettings, parted, usable_cores
from bgbotd.evaluation import EngineUnavailable, EvaluationError
from bgbotd.evaluation.bearoff import BearoffTable
from bgbotd.evaluation.cancellation import CancelToken
from bgbotd.evaluation.engine_process import EngineProcess
from bgbotd.evaluation.sage import SageEngine
from bgbotd.rules import STARTING_POSITION
from bgbotd.service.cluster import cluster_settings
from bgbotd.service.dice_handlers import DiceSecrets
from bgbotd.service.ports import CannotListen, take_port
from bgbotd.service.tls import Certificates
from bgbotd.service.tokens import Tokens
from bgbotd.web import envoy_program

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bgbotd.config import Cluster, Settings
    from bgbotd.evaluation import ClusterSettings

_PLAYS_OF_31 = 16
"""Different results of 3-1 at the start of a game."""
_PACKED = 52
_WORKER_MEGABYTES, _ENGINE_MEGABYTES = 100, 180
"""Resident memory, measured: a worker with its engine loaded, and an engine process after deep searches."""
_PROGRAM_SECONDS = 10.0
_SOON_SECONDS = 14 * 24 * 3600


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check has found."""

    subject: str
    text: str
    good: bool = True
    """Whether the daemon can do all that it is asked to."""

    def __str__(self) -> str:
        """Write it as a line."""
        return f"{'ok ' if self.good else 'BAD'}  {self.subject:<12}  {self.text}"


def examine(settings: Settings) -> Iterator[Finding]:
    """Look at everything that could keep the daemon from serving with these settings, resolved."""
    processes = settings.engine.processes or 0
    megabytes = settings.workers * (_WORKER_MEGABYTES + processes * _ENGINE_MEGABYTES)
    yield Finding(
        "processor",
        f"cores: {usable_cores()}, workers: {settings.workers}, engine processes each: {processes},"
        f" {megabytes} MB at most",
    )
    yield _clock()
    yield _kernel()
    yield _engine()
    table = BearoffTable.open(settings.engine.cache_folder)
    yield Finding("bear-off", table.why_not_kept or "the table is kept", good=table.why_not_kept is None)
    addresses = {"port": settings.listen, "metrics": settings.metrics_listen, "health": settings.health_listen}
    addresses["web"] = settings.web.listen if settings.web.enabled else ""
    for subject, address in addresses.items():
        if address:
            yield _port(subject, address)
    if settings.cluster.scheduler:
        yield _cluster(settings.cluster)
    yield _certificate("certificate", settings.tls)
    if settings.web.enabled:
        yield _envoy()
        yield _certificate("web's", Tls(settings.web.certificate, settings.web.key))
    if settings.tokens:
        yield _readable("tokens", Tokens, settings.tokens)
    if settings.dice.secrets:
        yield _readable("dice", DiceSecrets, settings.dice.secrets)


def _clock() -> Finding:
    """See whether the clock runs behind the day this program was installed: certificates would not be valid yet."""
    installed = Path(__file__).stat().st_mtime
    now = time.time()
    text = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(now))
    return Finding(
        "clock", text if now >= installed else f"{text} is before this program was installed", now >= installed
    )


def _kernel() -> Finding:
    """See whether the kernel finds the plays of an opening roll."""
    count = len(kernel.legal_plays(STARTING_POSITION.packed(), 3, 1)[2]) // _PACKED
    return Finding("kernel", f"{count} plays of 3-1 at the start", good=count == _PLAYS_OF_31)


def _engine() -> Finding:
    """See whether the engine loads and evaluates."""
    try:
        engine = SageEngine()
    except EngineUnavailable as error:
        return Finding("engine", f"{error}; still served: rules, pips, EASY, MEDIUM and HARD plays", good=False)
    began = time.perf_counter()
    win = engine.probabilities([STARTING_POSITION])[0].win
    milliseconds = 1000 * (time.perf_counter() - began)
    return Finding(
        "engine", f"{engine.name} {engine.version}: the start wins {win:.1%}, found in {milliseconds:.2f} ms"
    )


def _cluster(cluster: Cluster) -> Finding:
    """See whether the cluster can be reached and has workers of this build."""
    from bgbotd.evaluation.cluster.build import Build  # noqa: PLC0415 - needs the extra
    from bgbotd.evaluation.cluster.connection import cause, connected, members  # noqa: PLC0415 - needs the extra

    async def look(settings: ClusterSettings, build: Build) -> Finding:
        async with connected(settings) as client:
            found = await members(client, build)
        engines = sum(found.fitting.values())
        text = f"workers: {len(found.fitting)}, with {engines} engine processes; refused: {len(found.refused)}"
        if reason := found.missing:
            text = f"{reason}; this is {build}"
        return Finding("cluster", f"{cluster.scheduler}: {text}", good=not reason and not found.refused)

    engine = EngineProcess()
    try:
        settings = cluster_settings(cluster)
        assert settings is not None  # noqa: S101 - for the type checker: there is a scheduler
        return asyncio.run(look(settings, Build.of(engine, CancelToken())))
    except (WrongSettings, EvaluationError) as error:
        return Finding("cluster", str(error), good=False)
    except OSError as error:
        return Finding("cluster", f"{cluster.scheduler} cannot be reached: {cause(error)}", good=False)
    finally:
        engine.close()


def _port(subject: str, address: str) -> Finding:
    """See whether an address can be bound."""
    host, port = parted(address) or ("", 0)
    try:
        with ExitStack() as taken:
            take_port(host, port, taken)
    except CannotListen as error:
        return Finding(subject, str(error), good=False)
    return Finding(subject, f"{address} is free")


def _certificate(subject: str, tls: Tls) -> Finding:
    """See whether certificate and key can be used, and how long."""
    if not tls.certificate:
        return Finding(subject, "none: no TLS")
    try:
        ends = Certificates(tls).expiry()
    except WrongSettings as error:
        return Finding(subject, str(error), good=False)
    if ends is None:
        return Finding(subject, f"{tls.certificate} says nothing of when it ends", good=False)
    day = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(ends))
    return Finding(subject, f"{tls.certificate} is valid until {day}", good=ends - time.time() > _SOON_SECONDS)


def _envoy() -> Finding:
    """See whether the program that the web edge is can be run."""
    try:
        command = [str(envoy_program()), "--version"]
        said = subprocess.check_output(command, text=True, timeout=_PROGRAM_SECONDS)  # noqa: S603 - of the extra
    except (WrongSettings, OSError, subprocess.SubprocessError) as error:
        return Finding("envoy", str(error), good=False)
    version = re.search(r"/(\d+\.\d+\.\d+)/", said)
    return Finding("envoy", version[1] if version else said.strip())


def _readable(subject: str, read: type[Tokens | DiceSecrets], file: Path) -> Finding:
    """See whether a file can be used."""
    try:
        read(file)
    except WrongSettings as error:
        return Finding(subject, str(error), good=False)
    return Finding(subject, f"{file} can be used")
