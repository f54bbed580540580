"""Several daemons behind one name, and clients that find those that serve."""

from __future__ import annotations

import re
import signal
import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from socketserver import BaseRequestHandler, ThreadingTCPServer
from threading import Event, Semaphore, Thread
from typing import TYPE_CHECKING

import grpc
import pytest
from bgbot import Client, position_source, v1

from tests.service.running import Running, running
from tests.service.test_workers import scrape

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

REQUEST = v1.CountPipsRequest(position=position_source())
MOST_CALLS = 20_000
"""So many that a connection which will ever be there is there before the last of them."""


def replica(opened: ExitStack, *arguments: str) -> Running:
    """Run a daemon that tells its metrics."""
    return opened.enter_context(running("--workers", "1", "--metrics-listen", "127.0.0.1:0", *arguments))


def both(first: Running, second: Running) -> str:
    """Give the name of two daemons, as a resolver would part it."""
    return f"ipv4:{first.address},{second.address}"


def client_of_ours(address: str, opened: ExitStack) -> v1.EvaluationServiceStub:
    """Give what the Python client calls with."""
    return opened.enter_context(Client(address)).evaluation


def client_by_the_page(address: str, opened: ExitStack) -> v1.EvaluationServiceStub:
    """Give what calls with the service config that the page on scaling has for other languages."""
    page = (Path(__file__).parents[2] / "docs" / "scaling.md").read_text()
    config = page.partition("```json\n")[2].partition("```")[0]
    assert "round_robin" in config
    channel = grpc.insecure_channel(address, [("grpc.service_config", config)])
    return v1.EvaluationServiceStub(opened.enter_context(channel))


def calls_of(daemon: Running) -> int:
    """Count the calls that a daemon has answered."""
    found = re.findall(r"^bgbotd_calls_total{.*} (.+)$", scrape(daemon.serving["metrics"]), re.MULTILINE)
    return int(sum(map(float, found)))


def call_until_served_by(evaluation: v1.EvaluationServiceStub, daemon: Running) -> None:
    """Call until a daemon has answered one of the calls."""
    for _ in range(MOST_CALLS):
        evaluation.CountPips(REQUEST, timeout=20)
        if calls_of(daemon):
            return


def test_one_clients_calls_go_to_each_replica_in_turn() -> None:
    """Calls are balanced, not connections."""
    with ExitStack() as opened:
        first, second = replica(opened), replica(opened)
        evaluation = client_of_ours(both(first, second), opened)
        call_until_served_by(evaluation, first)
        call_until_served_by(evaluation, second)
        before = calls_of(first), calls_of(second)
        for _ in range(100):
            evaluation.CountPips(REQUEST)
        assert (50, 50) == (calls_of(first) - before[0], calls_of(second) - before[1])


@pytest.mark.parametrize("client", [client_of_ours, client_by_the_page])
def test_no_call_fails_while_a_replica_stops(
    client: Callable[[str, ExitStack], v1.EvaluationServiceStub],
) -> None:
    """What the one that stops refuses is sent to the other by the client's own policy."""
    with ExitStack() as opened:
        leaving, staying = replica(opened), replica(opened)
        evaluation = client(both(leaving, staying), opened)
        call_until_served_by(evaluation, leaving)
        call_until_served_by(evaluation, staying)
        enough, answered = Event(), Semaphore(0)

        def call_on() -> int:
            pips = 167
            while pips == 167 and not enough.is_set():
                pips = evaluation.CountPips(REQUEST, timeout=20).player_pips
                answered.release()
            return pips

        callers = opened.enter_context(ThreadPoolExecutor(8))
        calling = [callers.submit(call_on) for _ in range(8)]
        opened.callback(enough.set)
        for _ in range(200):
            assert answered.acquire(timeout=20)
        leaving.process.send_signal(signal.SIGTERM)
        assert "stopped" == leaving.rest_of_log()[-1]["event"]
        for _ in range(200):
            assert answered.acquire(timeout=20)
        enough.set()
        assert [167] * 8 == [each.result() for each in calling]


class Balancer(ThreadingTCPServer):
    """Gives each connection to the daemon that is behind it at that moment, as one that knows no calls does."""

    daemon_threads = True

    def __init__(self, behind: Running) -> None:
        """Begin with one daemon."""
        super().__init__(("127.0.0.1", 0), _Forwarding)
        self.behind = behind


class _Forwarding(BaseRequestHandler):
    """One connection."""

    server: Balancer

    def handle(self) -> None:
        """Pass the bytes on, both ways."""
        host, _, port = self.server.behind.address.rpartition(":")
        with socket.create_connection((host, int(port))) as back:
            answering = Thread(target=_pass_on, args=(back, self.request))
            answering.start()
            _pass_on(self.request, back)
            answering.join()


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    """Pass bytes on to the end."""
    with suppress(OSError):  # either end may be gone
        while received := source.recv(65536):
            target.sendall(received)
        target.shutdown(socket.SHUT_WR)


@contextmanager
def balancing(behind: Running) -> Iterator[Balancer]:
    """Run a balancer."""
    with Balancer(behind) as balancer:
        Thread(target=balancer.serve_forever, daemon=True).start()
        yield balancer
        balancer.shutdown()


def test_an_old_client_reaches_a_new_replica() -> None:
    """Connections of full age are opened anew, so that the newcomer gets its share; no call fails."""
    with ExitStack() as opened:
        old, new = replica(opened, "--connections.most-age-seconds", "1"), replica(opened)
        balancer = opened.enter_context(balancing(old))
        evaluation = client_of_ours(f"127.0.0.1:{balancer.server_address[1]}", opened)
        evaluation.CountPips(REQUEST)
        assert 1 == calls_of(old)
        balancer.behind = new
        call_until_served_by(evaluation, new)
        assert 1 == calls_of(new)
