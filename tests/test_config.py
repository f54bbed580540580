"""Settings come from flags, environment, file and defaults, in this order."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import bgbotd.config
from bgbotd.config import Cluster, Settings, Tls, WrongSettings, leaves, usable_cores

BGBOTD = Path(sys.executable).with_name("bgbotd")


def config(*flags: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run `bgbotd config`."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("BGBOTD_")}
    return subprocess.run(
        [BGBOTD, "config", *flags],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
        env={**environment, **variables},
    )


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Write a file with one setting of each kind."""
    path = tmp_path / "bgbotd.toml"
    path.write_text("grace_seconds = 5\nworkers = 3\nreflection = false\n[engine]\nprocesses = 4\nmost_waiting = 9\n")
    return path


def test_a_flag_wins_over_environment_file_and_default(file: Path) -> None:
    """Each value says where it comes from."""
    variables = {"BGBOTD_GRACE_SECONDS": "6", "BGBOTD_ENGINE_MOST_WAITING": "8", "BGBOTD_CONFIG": str(file)}
    lines = config("--grace-seconds", "7", **variables).stdout.splitlines()
    assert {
        "grace_seconds = 7.0  # flag",
        "most_waiting = 8  # environment",
        f"workers = 3  # {file}",
        f"reflection = false  # {file}",
        f"processes = 4  # {file}",
        'log_level = "info"  # default',
    } <= set(lines)


def test_what_is_printed_is_a_file_that_says_the_same(file: Path, tmp_path: Path) -> None:
    """An operator may begin with what is in force."""
    printed = config("--config", str(file)).stdout
    (tmp_path / "again.toml").write_text(printed)
    again = config("--config", str(tmp_path / "again.toml")).stdout
    assert tomllib.loads(printed) == tomllib.loads(again)
    assert 9 == tomllib.loads(again)["engine"]["most_waiting"]


def test_every_key_is_printed() -> None:
    """Nothing is in force unseen."""
    printed = config().stdout
    for key, _ in leaves(Settings()):
        assert key.rpartition(".")[2].replace("-", "_") in printed


@pytest.mark.parametrize(
    ("flags", "text", "variables", "named"),
    [
        ([], "", {"BGBOTD_LISTENS": "127.0.0.1:1"}, "BGBOTD_LISTENS"),
        ([], "", {"BGBOTD_WORKERS": "many"}, "BGBOTD_WORKERS"),
        ([], "listens = '127.0.0.1:1'", {}, "[listens]"),
        ([], "[engine]\nworkers = 2", {}, "[engine][workers]"),
        ([], "workers = 'many'", {}, "[workers]"),
        ([], "workers = ", {}, "wrong.toml cannot be read"),
        (["--listens", "127.0.0.1:1"], "", {}, "--listens"),
        (["--workers", "0"], "", {}, "workers: "),
        (["--workers", "99999999999"], "", {}, "workers: "),
        ([], "workers = 1.5", {}, "workers: 1.5 is no whole number"),
        (["--engine.processes", "2.5"], "", {}, "engine.processes: 2.5 is no whole number"),
        ([], "[[web]]\nlisten = '127.0.0.1:1'", {}, "web: [web] is needed, once"),
        (["--metrics-listen", "127.0.0.1:50051"], "", {}, "metrics-listen: 127.0.0.1:50051 is the address of listen"),
        (["--web", "--health-listen", "127.0.0.1:8080"], "", {}, "web.listen: 127.0.0.1:8080 is the address of health"),
        (["--connections.most-age-seconds", "1e8"], "", {}, "connections.most-age-seconds: "),
        (["--connections.most-streams", "99999999999"], "", {}, "connections.most-streams: "),
        (["--limits.deadline-seconds", "1e308"], "", {}, "limits.deadline-seconds: "),
        (["--grace-seconds", "nan"], "", {}, "grace-seconds: "),
        (["--limits.deepest-depth", "PLY5"], "", {}, "--limits.deepest-depth"),
        (["--limits.most-trials", "-1"], "", {}, "limits.most-trials: "),
        (["--limits.most-bulk-in-flight", "0"], "", {}, "limits.most-bulk-in-flight: "),
        (["--log.sample-ratio", "1.1"], "", {}, "log.sample-ratio: "),
        (["--tracing.sample-ratio", "-1"], "", {}, "tracing.sample-ratio: "),
        (["--tracing.endpoint", "127.0.0.1:4317"], "", {}, "tracing.endpoint: "),
        (["--listen", "localhost"], "", {}, "listen: "),
        (["--metrics-listen", "localhost:65536"], "", {}, "metrics-listen: "),
        (["--listen", "0.0.0.0:1"], "", {}, "listen: "),
        (["--listen", "[::]:1"], "", {}, "listen: "),
        (["--tls.key", "key.pem"], "", {}, "tls.certificate and tls.key: "),
        (["--tls.client-ca", "ca.pem"], "", {}, "tls.client-ca: "),
        (["--web.listen", "localhost"], "", {}, "web.listen: "),
        (["--web", "--web.listen", "0.0.0.0:1"], "", {}, "web.listen: "),
        (["--web.most-connections", "1000001"], "", {}, "web.most-connections: "),
        (["--web.most-calls-a-second", "-1"], "", {}, "web.most-calls-a-second: -1 is not allowed; at least 0"),
        (["--web.most-calls-a-second", "1000001"], "", {}, "web.most-calls-a-second: "),
        (["--web.most-calls-a-second", "0.5"], "", {}, "web.most-calls-a-second: 0.5 is no whole number"),
        (["--web.key", "key.pem"], "", {}, "web.certificate and web.key: "),
        (["--web.origins", "board.example"], "", {}, "web.origins: "),
        (["--web.origins", "https://Board.example/"], "", {}, "web.origins: "),
        (
            ["--web", "--tls.client-ca", "ca.pem", "--tls.certificate", "server.pem", "--tls.key", "key.pem"],
            *("", {}, "web.enabled: "),
        ),
        (["--insecure", "--tls.key", "key.pem", "--tls.certificate", "server.pem"], "", {}, "insecure: "),
        (["--config", "/nowhere.toml"], "", {}, "config: "),
        (["--cluster.scheduler", "127.0.0.1:8786"], "", {}, "cluster.scheduler: "),
        (["--cluster.scheduler", "tls://127.0.0.1:8786"], "", {}, "cluster.scheduler: tls:// needs"),
        (["--cluster.scheduler", "tcp://10.0.0.1:8786"], "", {}, "cluster.scheduler: "),
        (
            ["--cluster.scheduler", "tcp://[::1]:1", "--cluster.ca", "ca.pem"],
            "",
            {},
            "cluster.scheduler: tcp:// contra",
        ),
        (["--cluster.key", "key.pem"], "", {}, "cluster.ca, cluster.certificate and cluster.key: need"),
        (["--cluster.worker-listen", "8787"], "", {}, "cluster.worker-listen: "),
    ],
)
def test_what_cannot_be_stops_the_start_by_name(
    tmp_path: Path, flags: list[str], text: str, variables: dict[str, str], named: str
) -> None:
    """Whoever misspells a setting must not believe that it holds."""
    file = tmp_path / "wrong.toml"
    file.write_text(text)
    stopped = config(*(flags if "--config" in flags else ["--config", str(file), *flags]), **variables)
    assert (2, "") == (stopped.returncode, stopped.stdout)
    assert named in stopped.stderr
    assert "Traceback" not in stopped.stderr


@pytest.mark.parametrize("listen", ["127.0.0.1:1", "127.8.8.8:1", "[::1]:1", "localhost:1"])
def test_the_loopback_needs_no_tls(listen: str) -> None:
    """What only this machine reaches is served as it is."""
    assert listen == Settings(listen=listen).listen


def test_what_others_reach_needs_tls_or_to_be_called_insecure(tmp_path: Path) -> None:
    """Nobody opens a port to the world unawares."""
    assert Settings(listen="0.0.0.0:1", insecure=True).insecure
    tls = Tls(tmp_path / "server.pem", tmp_path / "key.pem")
    assert tls == Settings(listen="0.0.0.0:1", tls=tls).tls


def test_a_cluster_without_its_extra_stops_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the setting's name, with what to install; with the extra the loopback needs no more."""
    cluster = Cluster(scheduler="tcp://localhost:8786")
    assert cluster == Settings(cluster=cluster).cluster
    monkeypatch.setattr(bgbotd.config.contradictions, "find_spec", lambda _: None)
    with pytest.raises(WrongSettings, match=r"cluster.scheduler: .*bgbotd\[cluster\]"):
        Settings(cluster=cluster)


def test_every_problem_is_named_at_once() -> None:
    """One start tells all that is wrong."""
    with pytest.raises(WrongSettings) as raised:
        Settings(listen="nowhere", workers=0)
    assert ["listen", "workers"] == [problem.partition(":")[0] for problem in raised.value.problems]


def test_engine_processes_share_the_cores_among_the_workers() -> None:
    """More workers do not mean as many more engine processes, but each has one that nothing deep holds."""
    assert max(2, usable_cores()) == Settings(workers=1).resolved().engine.processes
    assert 2 == Settings(workers=usable_cores()).resolved().engine.processes
