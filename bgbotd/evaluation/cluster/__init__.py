"""Rollouts and background analysis on other machines, by Dask distributed.

Daemons and cluster workers meet at a Dask scheduler::

    daemon (pool.py)  --+                      +--  cluster worker (worker.py): engine processes
                        +--  dask scheduler  --+
    daemon (pool.py)  --+                      +--  cluster worker (worker.py): engine processes

What is sent is the very work that a thread of the local pool would do with its engine process. A rollout's
chunk depends on its seed and number alone, so it is the same wherever and however often it is played.
Only workers of the daemon's own build (build.py) get any.

This file needs no more than Python; all others need the extra `cluster`.
"""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class ClusterSettings:
    """Where the scheduler is, and what this end shows it."""

    scheduler: str
    """`tls://HOST:PORT`, or `tcp://HOST:PORT` without encryption."""
    ca: Path | None = None
    """Authority of every certificate of the cluster, for TLS."""
    certificate: Path | None = None
    """This end's certificate, for TLS."""
    key: Path | None = None
    """Its private key, without a password."""

    def check(self) -> None:
        """Read the files.

        Raises:
            OSError: if one cannot be read or used.
            ValueError: if the key has a password.

        """
        if self.certificate is not None:
            context = ssl.create_default_context(cafile=self.ca)
            context.load_cert_chain(self.certificate, self.key, password=_no_password)


@dataclass(frozen=True, slots=True)
class ClusterState:
    """What the cluster is doing for this process at a moment."""

    available: bool
    """Whether the scheduler is reached and has a worker of this build."""
    workers: int
    """Workers of this build."""
    refused: int
    """Workers of another build, which get no work from here."""
    engines: int
    """Engine processes of the workers of this build."""
    outstanding: int
    """Pieces of work that are queued or under way there."""
    done: int
    """Pieces of work that were done there."""
    redone: int
    """Times that work was lost with a worker or the scheduler, and done again."""


def _no_password() -> str:
    """Refuse keys with a password: OpenSSL would ask for it on the terminal."""
    raise ValueError("the key has a password; only keys without one can be read")
