"""The command line: `bgbotd serve` and `bgbotd version`."""

from __future__ import annotations

import asyncio
import sys
from typing import Annotated, Literal

import cyclopts

from bgbotd import logging

app = cyclopts.App(name="bgbotd", help="A backgammon bot daemon: rules, bots and evaluation over gRPC.")


@app.command
def serve(
    *,
    listen: Annotated[str, cyclopts.Parameter(env_var="BGBOTD_LISTEN")] = "127.0.0.1:50051",
    grace_seconds: Annotated[float, cyclopts.Parameter(env_var="BGBOTD_GRACE_SECONDS")] = 30.0,
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"], cyclopts.Parameter(env_var="BGBOTD_LOG_LEVEL")
    ] = "info",
    metrics_listen: Annotated[str, cyclopts.Parameter(env_var="BGBOTD_METRICS_LISTEN")] = "",
) -> int:
    """Serve until SIGTERM or SIGINT.

    Args:
        listen: HOST:PORT to listen on; port 0 takes a free one and logs it.
        grace_seconds: how long calls in flight may take to finish once asked to stop.
        log_level: the least urgent lines that are logged.
        metrics_listen: HOST:PORT for Prometheus to scrape at /metrics; empty serves none.

    """
    from bgbotd.service import server  # noqa: PLC0415 - gRPC takes long to load, and other commands do without

    logging.configure(log_level)
    try:
        asyncio.run(server.serve(listen, grace_seconds, metrics_listen))
    except server.CannotListen as error:
        sys.stderr.write(f"bgbotd: {error}\n")
        return 1
    return 0


@app.command
def version() -> None:
    """Print the version."""
    from bgbotd.service.stamps import server_version  # noqa: PLC0415 - see serve

    sys.stdout.write(f"bgbotd {server_version()}\n")


def main() -> None:
    """Run the command line."""
    sys.exit(app())
