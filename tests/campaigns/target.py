"""A daemon that campaigns are run against: it serves everything, and what it logs and holds is watched."""

from __future__ import annotations

import hashlib
import json
import subprocess
import threading
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import grpc
from bgbot import v1
from grpc_health.v1 import health_pb2

from tests.processes import open_files, open_sockets, resident_megabytes
from tests.service.questions import ROLLED
from tests.service.running import BGBOTD

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TOKEN = "campaign"
"""What its callers say they are."""
BEARER = (("authorization", f"Bearer {TOKEN}"),)
HARD_PLAY = "24/16*"
"""What HARD plays of `ROLLED`."""
_URGENT = {"error", "critical"}


@dataclass(slots=True)
class Target:
    """A daemon that serves."""

    process: subprocess.Popen[str]
    address: str
    events: Counter[str] = field(default_factory=Counter)
    """How often each event was logged."""
    urgent: list[dict[str, Any]] = field(default_factory=list)
    """Lines that say something is wrong."""
    ready: threading.Event = field(default_factory=threading.Event)
    """Set when the engine is loaded."""

    def megabytes(self) -> float:
        """Give the resident memory of it and its children."""
        return resident_megabytes(self.process.pid)

    def files(self) -> int:
        """Count its open files and sockets, and those of its children."""
        return open_files(self.process.pid)

    def sockets(self) -> int:
        """Count its sockets, and those of its children."""
        return open_sockets(self.process.pid)

    def read_log(self) -> None:
        """Read the log to its end."""
        assert self.process.stderr is not None
        for text in self.process.stderr:
            try:
                line = json.loads(text)
            except ValueError:  # the last words of a library
                line = {"event": text.strip(), "level": "critical"}
            self.events[line["event"]] += 1
            if line["event"] == "engine ready":
                self.ready.set()
            if line["level"] in _URGENT:
                self.urgent.append(line)


@contextmanager
def target(folder: Path, *settings: str) -> Iterator[Target]:
    """Run a daemon that serves dice too, to callers with the token; stop it at the end."""
    tokens, secrets = folder / "tokens.toml", folder / "secrets.toml"
    services = ["RulesService", "BotService", "EvaluationService", "BulkService", "DiceService"]
    digest = hashlib.sha256(TOKEN.encode()).hexdigest()
    tokens.write_text(f'[[token]]\nname = "campaign"\nsha256 = "{digest}"\nservices = {json.dumps(services)}\n')
    secrets.write_text(f'current = "a"\n[secrets]\na = "{"ab" * 32}"\n')
    secrets.chmod(0o600)
    files = ["--tokens", str(tokens), "--dice.secrets", str(secrets)]
    command = [BGBOTD, "serve", "--listen", "127.0.0.1:0", "--workers", "1", *files, *settings]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, errors="replace") as process:
        assert process.stderr is not None
        running = Target(process, json.loads(process.stderr.readline())["listen"])
        reader = threading.Thread(target=running.read_log, daemon=True)
        reader.start()
        running.ready.wait(timeout=60)
        try:
            yield running
        finally:
            process.terminate()
            process.wait(timeout=60)
            reader.join(timeout=10)


def wrongs(channel: grpc.Channel) -> list[str]:
    """Say what is wrong with the answers to two calls that are always answered; nothing if all is well."""
    found = []
    check: grpc.UnaryUnaryMultiCallable[health_pb2.HealthCheckRequest, health_pb2.HealthCheckResponse] = (
        channel.unary_unary(
            "/grpc.health.v1.Health/Check",
            health_pb2.HealthCheckRequest.SerializeToString,
            health_pb2.HealthCheckResponse.FromString,
        )
    )
    try:
        if check(health_pb2.HealthCheckRequest(), timeout=10).status != health_pb2.HealthCheckResponse.SERVING:
            found.append("health does not say SERVING")
        request = v1.ChoosePlayRequest(position=v1.PositionSource(xgid=ROLLED), level=v1.LEVEL_HARD)
        notation = v1.BotServiceStub(channel).ChoosePlay(request, timeout=10, metadata=BEARER).play.notation
        if notation != HARD_PLAY:
            found.append(f"HARD plays {notation}")
    except grpc.RpcError as error:
        found.append(f"a call that is always answered was not: {error}")
    return found
