"""The command line."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import secrets
import sys
from pathlib import Path
from typing import Annotated

import cyclopts

from bgbotd import logging
from bgbotd.config import Settings, Sources, WrongSettings, as_toml
from bgbotd.service.ports import CannotListen
from bgbotd.service.tracing import refuse_without_extra
from bgbotd.service.versions import versions

app = cyclopts.App(name="bgbotd", help="A backgammon bot daemon: rules, bots and evaluation over gRPC.")
sources = Sources()

_Settings = Annotated[Settings | None, cyclopts.Parameter(name="*")]
_Liveness = Annotated[bool, cyclopts.Parameter(help="Ask whether it lives, which it says while it drains, too.")]
_Envoy = Annotated[bool, cyclopts.Parameter(help="Print instead what an Envoy of your own needs, as JSON.")]
_File = Annotated[Path | None, cyclopts.Parameter(help="TOML file with settings.")]


@app.command(config=sources)
def serve(*, settings: _Settings = None, config: _File = None) -> int:  # noqa: ARG001 - read by sources
    """Serve until SIGTERM or SIGINT."""
    settings = (settings or Settings()).resolved()
    refuse_without_extra(settings.tracing)
    logging.configure(settings.log_level)
    if settings.workers > 1:
        from bgbotd.service.workers import supervise as run  # noqa: PLC0415 - the supervisor never loads gRPC
    else:
        from bgbotd.service.server import serve as run  # noqa: PLC0415 - gRPC takes long to load
    try:
        asyncio.run(run(settings))
    except CannotListen as error:
        sys.stderr.write(f"bgbotd: {error}\n")
        return 1
    return 0


@app.command(name="cluster-worker", config=sources)
def cluster_worker(*, settings: _Settings = None, config: _File = None) -> int:  # noqa: ARG001 - read by sources
    """Do rollouts and deep analysis for the daemons of a cluster, until SIGTERM or SIGINT.

    Of the settings those of the cluster count, engine.processes (unset: as many as cores) and log-level.
    """
    settings = settings or Settings()
    logging.configure(settings.log_level)
    from bgbotd.evaluation import EngineFailed  # noqa: PLC0415 - loads the kernel
    from bgbotd.service.cluster import work_for_cluster  # noqa: PLC0415 - loads the kernel

    try:
        work_for_cluster(settings)
    except EngineFailed as error:
        sys.stderr.write(f"bgbotd: the engine cannot be loaded ({error}); bgbotd doctor says why\n")
        return 1
    return 0


@app.command(name="config", config=sources)
def show_config(*, settings: _Settings = None, config: _File = None, envoy: _Envoy = False) -> None:  # noqa: ARG001 - read by sources
    """Print the settings in force and where each comes from, as a file for --config."""
    settings = (settings or Settings()).resolved()
    if envoy:
        from bgbotd.web import bootstrap  # noqa: PLC0415 - protobuf takes long to load

        sys.stdout.write(json.dumps(bootstrap(settings), indent=2) + "\n")
    else:
        sys.stdout.write(as_toml(settings, sources.of_key))


@app.command
def token(name: str) -> None:
    """Make up a token, and print it with the entry for the file of tokens, which holds only its hash.

    Args:
        name: who will call with it, for the log.

    """
    secret = secrets.token_urlsafe(32)
    entry = {"name": name, "sha256": hashlib.sha256(secret.encode()).hexdigest()}
    lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in entry.items()]
    sys.stdout.write("\n".join([f"# {secret}", "[[token]]", *lines, ""]))


@app.command(config=sources)
def doctor(*, settings: _Settings = None, config: _File = None) -> int:  # noqa: ARG001 - read by sources
    """Say whether this machine can run the daemon with these settings; exit with 1 if something is bad."""
    from bgbotd.doctor import examine  # noqa: PLC0415 - loads the engine

    findings = []
    for finding in examine((settings or Settings()).resolved()):
        sys.stdout.write(f"{finding}\n")
        findings.append(finding)
    return 0 if all(finding.good for finding in findings) else 1


@app.command(config=sources)
def health(*, settings: _Settings = None, config: _File = None, liveness: _Liveness = False) -> int:  # noqa: ARG001 - read by sources
    """Ask the daemon that runs with these settings whether it serves; exit with 1 if not."""
    from bgbotd.service.health import ask  # noqa: PLC0415 - gRPC takes long to load

    answer, good = ask(settings or Settings(), liveness=liveness)
    sys.stdout.write(f"{answer}\n")
    return 0 if good else 1


@app.command
def version() -> None:
    """Print the versions of all that decides answers."""
    sys.stdout.writelines(f"{name} {number or 'not installed'}\n" for name, number in versions().items())


def main() -> None:
    """Run the command line."""
    _open_standard_streams()
    # The name of a table of settings, which has no value of its own.
    words = [{"--web": "--web.enabled"}.get(word, word) for word in sys.argv[1:]]
    try:
        sys.exit(app(words))
    except WrongSettings as wrong:
        sys.stderr.writelines(f"bgbotd: {problem}\n" for problem in wrong.problems)
        sys.exit(2)  # as for flags that cannot be read


def _open_standard_streams() -> None:
    """Have something at the numbers of standard input, output and error, where whoever has started this closed them.

    Else the next file or connection would get the number, and what is printed with it.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            # It takes the lowest number that is free.
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # noqa: FBT003
    sys.stdin = sys.stdin or open(0, closefd=False)  # noqa: SIM115 - open as long as the process lives
    sys.stdout = sys.stdout or open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = sys.stderr or open(2, "w", closefd=False)  # noqa: SIM115
