"""A daemon whose callers need tokens."""

from __future__ import annotations

from contextlib import contextmanager
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import grpc

from tests.service.running import running

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path


def write_tokens(file: Path, tokens: Mapping[str, str]) -> Path:
    """Write a file of tokens, each of which is its caller's name, with what else its entry says."""
    file.write_text(
        "\n".join(
            f'[[token]]\nname = "{name}"\nsha256 = "{sha256(name.encode()).hexdigest()}"\n{more}'
            for name, more in tokens.items()
        )
    )
    return file


@contextmanager
def guarded(folder: Path, tokens: Mapping[str, str], *arguments: str) -> Iterator[grpc.Channel]:
    """Run a daemon and open a channel to it."""
    file = write_tokens(folder / "tokens.toml", tokens)
    with running("--tokens", str(file), *arguments) as daemon, grpc.insecure_channel(daemon.address) as channel:
        yield channel


def called_by(token: str) -> dict[str, Any]:
    """Give what a call with a token carries."""
    return {"timeout": 30, "metadata": (("authorization", f"Bearer {token}"),) if token else ()}
