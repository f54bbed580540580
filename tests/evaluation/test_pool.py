"""Work shared out to workers, with two kinds of patience and a way out."""

from __future__ import annotations

import threading
import time
from concurrent.futures import Future, wait
from typing import TYPE_CHECKING, Protocol, cast

import pytest

from bgbotd.evaluation import pool as pool_module
from bgbotd.evaluation.engine import EngineBusy, EngineFailed, EvaluationCancelled, ScoreOutOfTable
from bgbotd.evaluation.pool import EnginePool, Job, Patience, PoolState, Priority

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bgbotd.evaluation.cancellation import CancelToken
    from bgbotd.evaluation.engine_process import EngineProcess


class OpenPool(Protocol):
    """Opens a pool."""

    def __call__(self, workers: int, most_waiting: int, patience: Patience | None = None) -> EnginePool:
        """Open it."""
        ...


class _NoEngine:
    """An engine that is never asked anything."""

    def close(self) -> None:
        """Have nothing to end."""


class _Gate:
    """Work that tells when it has begun and goes on when it is let."""

    def __init__(self, answer: str = "done") -> None:
        self.begun = threading.Event()
        self.opened = threading.Event()
        self._answer = answer

    def __call__(self, engine: EngineProcess, token: CancelToken) -> str:
        del engine, token
        self.begun.set()
        self.opened.wait()
        return self._answer


class _Clock:
    """Time that passes when it is told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now

    perf_counter = staticmethod(time.perf_counter)


def _open_engine() -> EngineProcess:
    return cast("EngineProcess", _NoEngine())


@pytest.fixture
def open_pool() -> Iterator[OpenPool]:
    """Give a way to open pools, all closed in the end."""
    pools = []

    def open_one(workers: int, most_waiting: int, patience: Patience | None = None) -> EnginePool:
        pools.append(EnginePool(workers, most_waiting, _open_engine, patience))
        return pools[-1]

    yield open_one
    for pool in pools:
        pool.close()


def _began(gate: _Gate) -> bool:
    return gate.begun.wait(timeout=10)


def test_a_worker_answers(open_pool: OpenPool) -> None:
    """The future holds what the work has returned."""
    assert open_pool(1, 1).submit(lambda _engine, _token: "answer").result() == "answer"


def test_what_the_work_raises_reaches_the_caller(open_pool: OpenPool) -> None:
    """Errors of the evaluation as they are, any other as a failure of the engine; the worker goes on."""
    pool = open_pool(1, 1)

    def refuse(_engine: EngineProcess, _token: CancelToken) -> None:
        raise ScoreOutOfTable

    def break_down(_engine: EngineProcess, _token: CancelToken) -> None:
        raise ZeroDivisionError

    with pytest.raises(ScoreOutOfTable):
        pool.submit(refuse).result()
    with pytest.raises(EngineFailed, match="ZeroDivisionError"):
        pool.submit(break_down).result()
    assert pool.submit(lambda _engine, _token: 1).result() == 1


def test_one_request_too_many_is_refused(open_pool: OpenPool) -> None:
    """One at work, one waiting, and the next is turned away; parts of what was admitted are not."""
    pool, gate = open_pool(1, 1), _Gate()
    jobs = [pool.submit(gate)]
    assert _began(gate)
    jobs.append(pool.submit(gate))
    with pytest.raises(EngineBusy):
        pool.submit(gate)
    jobs.append(pool.submit(gate, admitted=True))
    assert PoolState(workers=1, busy=1, abandoned=0, waiting=2) == pool.state()
    gate.opened.set()
    assert ["done"] * 3 == [job.result() for job in jobs]


def test_people_waiting_go_before_background_work(open_pool: OpenPool) -> None:
    """Whatever came first."""
    pool, gate = open_pool(1, 9), _Gate()
    order: list[str] = []
    pool.submit(gate)
    assert _began(gate)

    def note(priority: Priority) -> Future[None]:
        return pool.submit(lambda _engine, _token: order.append(priority.name), priority)

    jobs = [note(priority) for priority in reversed(Priority)]
    gate.opened.set()
    wait(jobs)
    assert ["INTERACTIVE", "STREAMED", "DEEP", "BACKGROUND"] == order


def test_other_work_has_its_turn_whoever_waits(open_pool: OpenPool) -> None:
    """What has waited longest begins after a person's request, and never twice before the next one."""
    pool, gate = open_pool(1, 9, Patience(turn_seconds=0)), _Gate()
    order: list[str] = []
    pool.submit(gate)
    assert _began(gate)

    def note(name: str, priority: Priority) -> Future[None]:
        return pool.submit(lambda _engine, _token: order.append(name), priority)

    jobs = [note(f"person {number}", Priority.INTERACTIVE) for number in range(3)]
    jobs += [note("job", Priority.BACKGROUND), note("rollout", Priority.DEEP)]
    gate.opened.set()
    wait(jobs)
    assert ["job", "person 0", "rollout", "person 1", "person 2"] == order


def test_a_turn_leaves_one_worker_to_people_waiting(open_pool: OpenPool) -> None:
    """Where a deep request has one of two workers, no other has a turn at the second."""
    pool, deep, second = open_pool(2, 9, Patience(turn_seconds=0)), _Gate(), _Gate()
    jobs = [pool.submit(deep, Priority.DEEP)]
    assert _began(deep)
    jobs.append(pool.submit(second, Priority.DEEP))
    assert ["quick"] * 3 == [pool.submit(lambda _engine, _token: "quick").result() for _ in range(3)]
    assert not second.begun.is_set()
    deep.opened.set()
    second.opened.set()
    assert ["done", "done"] == [job.result() for job in jobs]


def test_a_queue_that_does_not_end_is_kept_short(open_pool: OpenPool) -> None:
    """People are refused what would make them wait; what has a flow control of its own is not."""
    pool, gate = open_pool(1, 9, Patience(burst_seconds=0, most_wait_seconds=0)), _Gate()
    jobs = [pool.submit(gate)]
    assert _began(gate)
    jobs.append(pool.submit(gate))
    with pytest.raises(EngineBusy, match="more come than can be done"):
        pool.submit(gate)
    jobs += [pool.submit(gate, priority) for priority in Priority if priority is not Priority.INTERACTIVE]
    gate.opened.set()
    assert ["done"] * 5 == [job.result() for job in jobs]
    assert pool.submit(lambda _engine, _token: "next").result() == "next"


def test_a_queue_that_happens_to_be_empty_is_no_burst_soon_after_a_refusal(
    open_pool: OpenPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under a load that does not end the queue is kept short all the same, until nothing was refused for a while."""
    clock = _Clock()
    monkeypatch.setattr(pool_module, "time", clock)
    pool = open_pool(1, 9, Patience(burst_seconds=1, calm_seconds=5, most_wait_seconds=0))

    def fill(count: int, seconds_before_the_last: float = 0) -> None:
        gate = _Gate()
        jobs = [pool.submit(gate)]
        assert _began(gate)
        try:
            jobs += [pool.submit(gate) for _ in range(count - 2)]
            clock.now += seconds_before_the_last
            jobs.append(pool.submit(gate))
        finally:
            gate.opened.set()
            wait(jobs)

    with pytest.raises(EngineBusy):
        fill(4, seconds_before_the_last=1)
    with pytest.raises(EngineBusy):
        fill(4)
    fill(3)  # three such works are the most that anybody waits for
    clock.now += 5
    fill(9)


def test_a_burst_waits_its_turn(open_pool: OpenPool) -> None:
    """However long that takes, where there was no queue before."""
    pool, gate = open_pool(1, 9, Patience(burst_seconds=60, most_wait_seconds=0)), _Gate()
    jobs = [pool.submit(gate) for _ in range(9)]
    gate.opened.set()
    assert ["done"] * 9 == [job.result() for job in jobs]


def test_deep_work_leaves_one_worker_to_people_waiting(open_pool: OpenPool) -> None:
    """Of two workers the second is not for a second deep request."""
    pool, first, second = open_pool(2, 9), _Gate(), _Gate()
    jobs = [pool.submit(first, Priority.DEEP), pool.submit(second, Priority.BACKGROUND)]
    assert _began(first)
    assert pool.submit(lambda _engine, _token: "quick").result() == "quick"
    assert not second.begun.is_set()
    first.opened.set()
    second.opened.set()
    assert ["done", "done"] == [job.result() for job in jobs]


def test_cancelling_releases_the_caller_while_the_worker_is_still_busy(
    open_pool: OpenPool,
) -> None:
    """The worker counts as abandoned until its work is over, and what it finds is dropped."""
    pool, gate = open_pool(1, 1), _Gate()
    job = pool.submit(gate)
    assert _began(gate)
    assert job.cancel()
    with pytest.raises(EvaluationCancelled):
        job.result(timeout=0)
    assert PoolState(workers=1, busy=1, abandoned=1, waiting=0) == pool.state()
    gate.opened.set()
    pool.submit(lambda _engine, _token: None).result()
    assert pool.state().abandoned == 0


def test_work_cancelled_while_it_waits_is_never_begun(open_pool: OpenPool) -> None:
    """And makes room at once."""
    pool, gate, unwanted = open_pool(1, 1), _Gate(), _Gate()
    pool.submit(gate)
    assert _began(gate)
    job = pool.submit(unwanted)
    job.cancel()
    assert pool.state().waiting == 0
    last = pool.submit(lambda _engine, _token: "last")
    gate.opened.set()
    assert last.result() == "last"
    assert not unwanted.begun.is_set()


def test_a_finished_job_cannot_be_cancelled(open_pool: OpenPool) -> None:
    """Its answer stands."""
    job: Job[int] = open_pool(1, 1).submit(lambda _engine, _token: 1)
    assert job.result() == 1
    assert not job.cancel()
    assert job.result() == 1


def test_a_closed_pool_cancels_all_work_and_takes_nothing_more() -> None:
    """Nobody waits forever."""
    pool, gate = EnginePool(1, 2, _open_engine), _Gate()
    running = pool.submit(gate)
    assert _began(gate)
    waiting = pool.submit(gate)
    closing = threading.Thread(target=pool.close)
    closing.start()
    for job in (running, waiting):
        with pytest.raises(EvaluationCancelled):
            job.result()
    gate.opened.set()
    closing.join()
    with pytest.raises(EngineBusy, match="closed"):
        pool.submit(gate)
