"""A port is shared by the workers of one supervisor, and by nobody else."""

from __future__ import annotations

import socket
from contextlib import ExitStack

import pytest

from bgbotd.service.ports import CannotListen, take_port


def bound(port: int, *options: int) -> socket.socket:
    """Listen on a port as another program does."""
    listening = socket.socket()
    for option in options:
        listening.setsockopt(socket.SOL_SOCKET, option, 1)
    try:
        listening.bind(("127.0.0.1", port))
        listening.listen()
    except OSError:
        listening.close()
        raise
    return listening


def test_workers_may_share_a_port_that_is_held() -> None:
    """Whoever asks to share, and runs as the same user, listens."""
    with ExitStack() as taken:
        port = take_port("127.0.0.1", 0, taken)
        for _ in range(2):
            taken.enter_context(bound(port, socket.SO_REUSEADDR, socket.SO_REUSEPORT))


@pytest.mark.parametrize("options", [(), (socket.SO_REUSEADDR,)])
def test_a_program_that_does_not_ask_to_share_fails(options: tuple[int, ...]) -> None:
    """The port is held even while no worker listens."""
    with ExitStack() as taken:
        port = take_port("127.0.0.1", 0, taken)
        with pytest.raises(OSError, match="in use"):
            bound(port, *options)


@pytest.mark.parametrize("options", [(), (socket.SO_REUSEADDR,), (socket.SO_REUSEADDR, socket.SO_REUSEPORT)])
def test_a_port_in_use_cannot_be_taken(options: tuple[int, ...]) -> None:
    """Not even from a program that would share it."""
    with bound(0, *options) as other, ExitStack() as taken, pytest.raises(CannotListen, match="in use"):
        take_port("127.0.0.1", other.getsockname()[1], taken)


def test_a_port_that_is_held_cannot_be_taken_again() -> None:
    """Two supervisors never share, even before their workers listen."""
    with ExitStack() as taken:
        port = take_port("127.0.0.1", 0, taken)
        with pytest.raises(CannotListen):
            take_port("127.0.0.1", port, taken)
    with ExitStack() as taken:
        assert port == take_port("127.0.0.1", port, taken)


def test_a_host_of_another_machine_is_refused() -> None:
    """192.0.2.0/24 belongs to nobody (RFC 5737)."""
    with ExitStack() as taken, pytest.raises(CannotListen, match="not this machine's"):
        take_port("192.0.2.1", 0, taken)
