"""How long work has waited and run."""

from __future__ import annotations

import pytest

from bgbotd.evaluation import work_times
from bgbotd.evaluation.pool import EnginePool
from bgbotd.evaluation.work_times import MOST_STRETCHES, WorkTimes, times_of_work
from tests.evaluation.test_pool import _open_engine


class Clock:
    """Time that passes when it is told to."""

    seconds = 0

    def perf_counter_ns(self) -> int:
        """Give the time."""
        return self.seconds * 10**9


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Let time stand still."""
    clock = Clock()
    monkeypatch.setattr(work_times, "time", clock)
    return clock


def test_work_that_runs_side_by_side_counts_for_each_worker(clock: Clock) -> None:
    """The caller waits only while nothing runs for it."""
    times = WorkTimes()
    first, second = times.queued(), times.queued()
    clock.seconds = 1
    times.began(first)
    clock.seconds = 3
    times.began(second)
    clock.seconds = 6
    times.ended(first)
    times.ended(second)
    clock.seconds = 10
    assert (1.0, 2.0 + 2 * 3.0) == times.seconds()
    assert [(0, 1, 6), (0, 3, 6)] == [
        tuple(moment // 10**9 for moment in (each.queued, each.began or 0, each.ended or 0))
        for each in times.stretches()
    ]


def test_what_still_runs_counts_up_to_now(clock: Clock) -> None:
    """Who gives up early is told what was done for it so far."""
    times = WorkTimes()
    times.began(times.queued())
    clock.seconds = 2
    assert (0.0, 2.0) == times.seconds()


def test_of_many_pieces_only_the_first_are_remembered_one_by_one() -> None:
    """A rollout of an hour takes no more room than a short one."""
    times = WorkTimes()
    for _ in range(MOST_STRETCHES + 1):
        times.ended(times.queued())
    assert (MOST_STRETCHES + 1, MOST_STRETCHES) == (times.pieces, len(times.stretches()))


def test_the_pool_tells_the_times_of_its_context_what_it_does() -> None:
    """Whoever asks for work need not hand anything on."""
    times = WorkTimes()
    pool = EnginePool(1, 1, _open_engine)
    times_of_work.set(times)
    assert "done" == pool.submit(lambda _engine, _token: "done").result(timeout=10)
    pool.close()
    [stretch] = times.stretches()
    assert None not in (stretch.began, stretch.ended)
