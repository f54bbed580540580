"""A cluster of a scheduler and workers that are programs of their own gives the numbers of one machine."""

from __future__ import annotations

import asyncio
import sys
from contextlib import ExitStack, contextmanager
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

import pytest

from bgbotd.evaluation import (
    ClusterSettings,
    ClusterUnavailable,
    Depth,
    EvaluationCancelled,
    Evaluator,
    EvaluatorSettings,
    Priority,
    RolloutSettings,
)
from bgbotd.evaluation.cluster import pool
from bgbotd.evaluation.cluster.connection import connected
from bgbotd.rules import STARTING_POSITION, Dice
from tests.evaluation.clusters import certified, scheduling, working
from tests.evaluation.states import MONEY
from tests.service.certificates import Authority

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bgbotd.evaluation import RolloutProgress

SETTINGS = RolloutSettings(trials=8 * 36, truncate_after_plies=1, seed=7)
ENDLESS = RolloutSettings(trials=100 * 36, depth=Depth.PLY3, seed=7)
"""Its first chunk alone takes longer than any test."""


class Heard:
    """Hears what the pool logs."""

    def __init__(self) -> None:
        """Begin to hear."""
        self._events: SimpleQueue[tuple[str, dict[str, Any]]] = SimpleQueue()

    def info(self, event: str, **fields: Any) -> None:  # noqa: ANN401 - whatever is logged
        """Hear a line."""
        self._events.put((event, fields))

    warning = error = info

    def await_event(self, name: str, reason: str = "") -> dict[str, Any]:
        """Wait for an event, whose reason has some words in it."""
        while True:
            event, fields = self._events.get(timeout=40)
            if event == name and reason in fields.get("reason", ""):
                return fields


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> Heard:
    """Hear what the pool logs."""
    found = Heard()
    monkeypatch.setattr(pool, "log", found)
    return found


@pytest.fixture(scope="module")
def scheduler() -> Iterator[ClusterSettings]:
    """Run a scheduler for all tests that do not end it."""
    with scheduling() as address:
        yield ClusterSettings(address)


@pytest.fixture(scope="module")
def expected() -> RolloutProgress:
    """Give what one machine says."""
    with evaluating(None) as evaluator:
        return evaluator.rollout(STARTING_POSITION, MONEY, SETTINGS).result()


@contextmanager
def evaluating(cluster: ClusterSettings | None) -> Iterator[Evaluator]:
    """Evaluate, on a cluster if there is one."""
    evaluator = Evaluator(EvaluatorSettings(workers=2, cluster=cluster))
    try:
        yield evaluator
    finally:
        evaluator.close()


def count(evaluator: Evaluator) -> tuple[int, int, int]:
    """Give how much work is outstanding, was done and was done again."""
    state = evaluator.state().cluster
    assert state is not None
    return state.outstanding, state.done, state.redone


async def keys(settings: ClusterSettings) -> set[str]:
    """Give the work that the scheduler knows of."""
    async with connected(settings) as client:
        found: set[str] = await client.run_on_scheduler(lambda dask_scheduler: set(dask_scheduler.tasks))
        return found


def test_numbers_are_those_of_one_machine_whatever_the_number_of_workers(
    scheduler: ClusterSettings, expected: RolloutProgress, heard: Heard
) -> None:
    """To the last bit: with one worker and with two, of which the second joins while the cluster is in use."""
    with evaluating(scheduler) as evaluator, working(scheduler), ExitStack() as later:
        heard.await_event("cluster worker joined")
        told: list[RolloutProgress] = []
        assert expected == evaluator.rollout(STARTING_POSITION, MONEY, SETTINGS, told.append).result()
        assert [36 * chunk for chunk in range(1, 9)] == [progress.trials_done for progress in told]
        later.enter_context(working(scheduler))
        heard.await_event("cluster worker joined")
        assert expected == evaluator.rollout(STARTING_POSITION, MONEY, SETTINGS).result()
        assert (0, 16, 0) == count(evaluator)


def test_a_killed_worker_costs_only_its_chunks(
    scheduler: ClusterSettings, expected: RolloutProgress, heard: Heard
) -> None:
    """They are done again by the other, and the numbers are the same."""
    with evaluating(scheduler) as evaluator, working(scheduler) as survivor, working(scheduler) as victim:
        for _ in range(2):
            heard.await_event("cluster worker joined")
        victim.stop()  # so that what it is given is not done when it is killed
        rollout = evaluator.rollout(STARTING_POSITION, MONEY, SETTINGS)
        for _ in range(2):
            survivor.await_event("work begun")
        victim.kill()
        assert expected == rollout.result()
        heard.await_event("cluster worker left")
        outstanding, done, redone = count(evaluator)
        assert (0, 8) == (outstanding, done)
        assert 1 <= redone <= 2


def test_a_cancelled_rollout_leaves_nothing_behind(scheduler: ClusterSettings, heard: Heard) -> None:
    """What was queued is dropped, and what was under way is ended: the one engine is free for the next."""
    quick = RolloutSettings(trials=36, truncate_after_plies=1)
    with evaluating(scheduler) as evaluator, working(scheduler) as worker:
        heard.await_event("cluster worker joined")
        endless = evaluator.rollout(STARTING_POSITION, MONEY, ENDLESS)
        begun = worker.await_event("work begun")
        before = asyncio.run(keys(scheduler))
        assert begun["key"] in before
        endless.cancel()
        with pytest.raises(EvaluationCancelled):
            endless.result()
        ended = worker.await_event("work ended")
        assert (begun["key"], True) == (ended["key"], ended["cancelled"])
        assert evaluator.rollout(STARTING_POSITION, MONEY, quick).result().finished
        assert set() == before & asyncio.run(keys(scheduler))
        assert (0, 1, 0) == count(evaluator)


def test_deep_background_work_is_done_there_and_remembered(scheduler: ClusterSettings, heard: Heard) -> None:
    """With the answers of one machine; what somebody waits for stays here."""
    with evaluating(scheduler) as evaluator, evaluating(None) as local, working(scheduler):
        heard.await_event("cluster worker joined")
        background = evaluator.for_work(Priority.BACKGROUND)
        asked = (STARTING_POSITION, Dice(2, 1), MONEY, Depth.PLY3)
        ranked = background.rank_plays(*asked).result()
        assert local.rank_plays(*asked).result() == ranked
        assert ranked == evaluator.rank_plays(*asked).result()
        found = background.evaluate(STARTING_POSITION, MONEY, Depth.PLY3).result()
        assert local.evaluate(STARTING_POSITION, MONEY, Depth.PLY3).result() == found
        assert (0, 2, 0) == count(evaluator)
        evaluator.evaluate(STARTING_POSITION, MONEY, Depth.PLY4)
        background.evaluate(STARTING_POSITION, MONEY, Depth.PLY2).result()
        assert (0, 2, 0) == count(evaluator)


def test_workers_of_another_build_are_refused_loudly(scheduler: ClusterSettings, heard: Heard) -> None:
    """In both logs; they get no work, and a call that only they could do is told so."""
    other = "from bgbotd.evaluation.cluster import build; build.version = '0.0.{}'.format; "
    program = [sys.executable, "-c", other + "from bgbotd.cli import main; main()"]
    with evaluating(scheduler) as evaluator, working(scheduler, program) as worker:
        refused = heard.await_event("cluster worker refused")
        assert "bgbotd 0.0.bgbotd" in refused["its_build"]
        assert refused["build"] == worker.await_event("refused by a daemon")["its_build"]
        with pytest.raises(ClusterUnavailable, match="another build"):
            evaluator.rollout(STARTING_POSITION, MONEY, SETTINGS)
        state = evaluator.state().cluster
        assert state is not None
        assert (False, 0, 1) == (state.available, state.workers, state.refused)


def test_a_scheduler_that_comes_back_gets_the_work_again(expected: RolloutProgress, heard: Heard) -> None:
    """Nobody minds in which order the members start; a rollout that is under way goes on."""
    with ExitStack() as first, ExitStack() as second:
        address = first.enter_context(scheduling())
        settings = ClusterSettings(address)
        with evaluating(settings) as evaluator, working(settings) as worker:
            heard.await_event("cluster worker joined")

            def end(progress: RolloutProgress) -> None:
                if progress.trials_done == 2 * 36:
                    first.close()

            rollout = evaluator.rollout(STARTING_POSITION, MONEY, SETTINGS, end)
            heard.await_event("cluster unavailable", "lost")
            worker.await_event("scheduler lost")
            with pytest.raises(ClusterUnavailable):
                evaluator.rollout(STARTING_POSITION, MONEY, SETTINGS)
            second.enter_context(scheduling(port=int(address.rpartition(":")[2])))
            assert expected == rollout.result()
            assert count(evaluator)[2] >= 1


def test_work_whose_cluster_does_not_come_back_is_given_up(
    scheduler: ClusterSettings, heard: Heard, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a while, by which whoever restarts it has done so."""
    monkeypatch.setattr(pool, "PATIENCE_SECONDS", 0.2)
    with evaluating(scheduler) as evaluator, working(scheduler) as worker:
        heard.await_event("cluster worker joined")
        rollout = evaluator.rollout(STARTING_POSITION, MONEY, ENDLESS)
        worker.kill()
        with pytest.raises(ClusterUnavailable, match="no cluster worker"):
            rollout.result(timeout=40)
        assert 0 == count(evaluator)[0]


def test_only_who_has_a_certificate_of_the_cluster_gets_in(
    tmp_path: Path, expected: RolloutProgress, heard: Heard
) -> None:
    """All that the members say to each other is encrypted."""
    authority, stranger = Authority(tmp_path / "authority"), Authority(tmp_path / "stranger")
    with scheduling(authority) as address:
        settings = certified(address, authority, "daemon")
        with evaluating(settings) as evaluator, working(certified(address, authority, "worker")):
            heard.await_event("cluster worker joined")
            assert expected == evaluator.rollout(STARTING_POSITION, MONEY, SETTINGS).result()
        for wrong in (ClusterSettings(address.replace("tls", "tcp")), certified(address, stranger, "stranger")):
            with evaluating(wrong):
                heard.await_event("cluster unavailable", "cannot be reached")
