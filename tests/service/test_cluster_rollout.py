"""Rollouts and background analysis of a daemon that has a cluster, over TLS."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import grpc
import pytest
from bgbot import position_source, v1

from bgbotd import doctor
from bgbotd.config import Cluster, Settings
from bgbotd.evaluation import ClusterSettings
from bgbotd.evaluation.cluster import connection
from tests.evaluation.clusters import Log, certified, flags, scheduling, working
from tests.service.certificates import Authority
from tests.service.questions import BEFORE_ROLL
from tests.service.refusals import refusal_of
from tests.service.running import BGBOTD, Running, running
from tests.service.test_metrics import scrape
from tests.service.test_rollout import numbers, roll_out

if TYPE_CHECKING:
    from collections.abc import Iterator

SETTINGS = v1.RolloutSettings(trials=360, truncate_after_plies=2, cubeful=True, seed=5)
ENDLESS = v1.RolloutRequest(
    position=position_source(BEFORE_ROLL), settings=v1.RolloutSettings(trials=36, depth=v1.DEPTH_PLY3)
)
"""Its 36 games take longer than any test."""


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    """Give the authority of a cluster."""
    return Authority(tmp_path_factory.mktemp("cluster") / "authority")


@pytest.fixture(scope="module")
def cluster(authority: Authority) -> Iterator[ClusterSettings]:
    """Run a scheduler."""
    with scheduling(authority) as address:
        yield certified(address, authority, "member")


@pytest.fixture(scope="module")
def served(cluster: ClusterSettings) -> Iterator[Running]:
    """Run a daemon that has a cluster, which may have no worker."""
    with running("--metrics-listen", "127.0.0.1:0", "--engine.processes", "2", *flags(cluster)) as daemon:
        yield daemon


@pytest.fixture(scope="module")
def clustered(served: Running) -> Iterator[grpc.Channel]:
    """Give a channel to it."""
    with grpc.insecure_channel(served.address) as channel:
        yield channel


@pytest.fixture
def worker(cluster: ClusterSettings, served: Running) -> Iterator[Log]:
    """Run a worker that the daemon knows of."""
    with working(cluster) as found:
        served.await_event("cluster worker joined")
        yield found
    served.await_event("cluster unavailable")


@pytest.mark.usefixtures("worker")
def test_a_rollout_streams_the_numbers_of_one_machine(
    clustered: grpc.Channel, served: Running, evaluation: v1.EvaluationServiceStub
) -> None:
    """Callers see no difference; the metrics do."""
    before = scrape(served.serving["metrics"])
    states = roll_out(v1.EvaluationServiceStub(clustered), settings=SETTINGS)
    assert [False] * 9 + [True] == [state.finished for state in states]
    assert numbers(roll_out(evaluation, settings=SETTINGS)[-1]) == numbers(states[-1])
    after = scrape(served.serving["metrics"])
    done = "bgbotd_cluster_work_total done"
    assert (10, 1, 1) == (
        after[done] - before[done],
        after["bgbotd_cluster_up"],
        after["bgbotd_cluster_workers same"],
    )


def test_cancelling_the_call_ends_its_work(clustered: grpc.Channel, worker: Log) -> None:
    """Also what a worker has begun."""
    call = v1.EvaluationServiceStub(clustered).Rollout(ENDLESS)
    begun = worker.await_event("work begun")
    call.cancel()
    ended = worker.await_event("work ended")
    assert (begun["key"], True) == (ended["key"], ended["cancelled"])


def test_deep_background_requests_of_bulk_are_answered_by_workers(
    clustered: grpc.Channel, evaluation: v1.EvaluationServiceStub, worker: Log
) -> None:
    """With the numbers of one machine."""
    request = v1.EvaluateRequest(position=position_source(BEFORE_ROLL), depth=v1.DEPTH_PLY3)
    item = v1.BulkItem(id=1, priority=v1.BULK_PRIORITY_BACKGROUND, evaluate=request)
    [response] = v1.BulkServiceStub(clustered).Process(iter([v1.BulkRequest(items=[item])]), timeout=40)
    worker.await_event("work ended")
    [result] = response.results
    result.evaluate.stamp.ClearField("elapsed")
    expected = evaluation.Evaluate(request, timeout=40)
    expected.stamp.ClearField("elapsed")
    assert expected == result.evaluate


def test_without_workers_only_rollouts_and_background_work_are_refused(
    clustered: grpc.Channel, served: Running
) -> None:
    """They say why and when to come again, not which machines there are; all else is answered."""
    evaluation = v1.EvaluationServiceStub(clustered)
    refused = refusal_of(lambda: roll_out(evaluation, settings=SETTINGS))
    assert (grpc.StatusCode.UNAVAILABLE, "CLUSTER_UNAVAILABLE") == (refused.code, refused.reason)
    assert refused.retry_after
    assert "127.0.0.1" not in refused.text
    request = v1.EvaluateRequest(position=position_source(), depth=v1.DEPTH_PLY3)
    item = v1.BulkItem(id=1, priority=v1.BULK_PRIORITY_BACKGROUND, evaluate=request)
    [response] = v1.BulkServiceStub(clustered).Process(iter([v1.BulkRequest(items=[item])]), timeout=40)
    assert grpc.StatusCode.UNAVAILABLE.value[0] == response.results[0].error.code
    assert v1.DEPTH_PLY3 == evaluation.Evaluate(request, timeout=40).stamp.depth
    dice = v1.Dice(die1=3, die2=1)
    chosen = v1.BotServiceStub(clustered).ChoosePlay(
        v1.ChoosePlayRequest(position=position_source(), dice=dice, level=v1.LEVEL_HARD), timeout=20
    )
    assert "8/5 6/5" == chosen.play.notation
    healthy = subprocess.run([BGBOTD, "health", "--listen", served.address], timeout=20, check=False)
    assert 0 == healthy.returncode
    assert 0 == scrape(served.serving["metrics"])["bgbotd_cluster_up"]


def examined(cluster: ClusterSettings) -> doctor.Finding:
    """Ask the doctor about a cluster."""
    settings = Settings(
        listen="127.0.0.1:0", cluster=Cluster(cluster.scheduler, cluster.ca, cluster.certificate, cluster.key)
    )

    [finding] = [each for each in doctor.examine(settings.resolved()) if each.subject == "cluster"]
    return finding


@pytest.mark.usefixtures("worker")
def test_the_doctor_says_who_works(cluster: ClusterSettings) -> None:
    """With how many engine processes."""
    found = examined(cluster)
    assert (True, True) == (found.good, "workers: 1, with 1 engine processes" in found.text)


def test_nobody_who_works_is_bad(cluster: ClusterSettings) -> None:
    """The doctor says so, and what workers would have to be."""
    found = examined(cluster)
    assert (False, True) == (found.good, "no cluster worker is connected; this is bgbotd" in found.text)


def test_a_scheduler_that_cannot_be_reached_is_bad(monkeypatch: pytest.MonkeyPatch) -> None:
    """The doctor says why."""
    monkeypatch.setattr(connection, "CONNECT_SECONDS", 0.1)
    found = examined(ClusterSettings("tcp://127.0.0.1:1"))
    assert (False, True) == (found.good, "tcp://127.0.0.1:1 cannot be reached: " in found.text)


@pytest.mark.parametrize("command", ["serve", "cluster-worker"])
def test_certificates_that_cannot_be_used_stop_the_start(authority: Authority, command: str) -> None:
    """As do all settings that cannot be."""
    nothing = str(authority.certificate.with_name("nothing"))
    words = ["--cluster.ca", str(authority.certificate), "--cluster.certificate", nothing, "--cluster.key", nothing]
    stopped = subprocess.run(
        [BGBOTD, command, "--listen", "127.0.0.1:0", "--cluster.scheduler", "tls://127.0.0.1:1", *words],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert (2, True) == (stopped.returncode, "bgbotd: cluster: " in stopped.stderr)


def test_a_worker_without_a_cluster_stops_the_start() -> None:
    """By the setting's name."""
    command = [BGBOTD, "cluster-worker"]
    stopped = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert (2, True) == (stopped.returncode, "bgbotd: cluster.scheduler: " in stopped.stderr)
