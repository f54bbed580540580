"""The engine in a process that can be ended."""

from __future__ import annotations

import io
import os
import pickle
import subprocess
import threading
from typing import TYPE_CHECKING, cast

import pytest

from bgbotd.evaluation.cancellation import CancelToken
from bgbotd.evaluation.engine import (
    Depth,
    EngineFailed,
    EvaluationCancelled,
    RolloutSettings,
    ScoreOutOfTable,
)
from bgbotd.evaluation.engine_process import EngineProcess, serve
from bgbotd.rules.match import MatchState
from bgbotd.rules.position import STARTING_POSITION
from tests.evaluation.states import MONEY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bgbotd.evaluation.sage import SageEngine


@pytest.fixture(scope="module")
def process() -> Iterator[EngineProcess]:
    """Give one child process."""
    process = EngineProcess()
    yield process
    process.close()


def _child(process: EngineProcess) -> subprocess.Popen[bytes]:
    child = process._child  # noqa: SLF001 - what happens to it is what is tested
    assert child
    return child


class _Scheduled:
    """An engine that says by which policy its threads are scheduled."""

    def evaluate(self) -> int:
        return os.sched_getscheduler(0)

    rollout_chunk = evaluate


def _evaluate_until_cancelled(process: EngineProcess, token: CancelToken) -> None:
    while True:
        process.evaluate(STARTING_POSITION, MONEY, Depth.PLY2, token)


def test_the_child_answers_as_the_engine_here_does(process: EngineProcess, engine: SageEngine) -> None:
    """Evaluations, rankings and chunks alike."""
    token = CancelToken()
    results = [STARTING_POSITION.packed()]
    settings = RolloutSettings(truncate_after_plies=3, seed=5)
    assert engine.evaluate(STARTING_POSITION, MONEY, Depth.PLY2) == process.evaluate(
        STARTING_POSITION, MONEY, Depth.PLY2, token
    )
    assert engine.rank_plays(results, MONEY, Depth.PLY2) == process.rank_plays(results, MONEY, Depth.PLY2, None, token)
    assert engine.rollout_chunk(STARTING_POSITION, MONEY, settings, 1) == process.rollout_chunk(
        STARTING_POSITION, MONEY, settings, 1, token
    )


def test_what_the_engine_refuses_is_refused_here(process: EngineProcess) -> None:
    """The error comes back as it was raised."""
    with pytest.raises(ScoreOutOfTable, match="27 and 27 points away"):
        process.evaluate(STARTING_POSITION, MatchState(27), Depth.PLY2, CancelToken())


def test_a_cancelled_rollout_ends_and_the_next_call_is_answered(process: EngineProcess) -> None:
    """These 36 games would go on for minutes."""
    token = CancelToken()
    threading.Timer(0.05, token.cancel).start()
    with pytest.raises(EvaluationCancelled):
        process.rollout_chunk(STARTING_POSITION, MONEY, RolloutSettings(depth=Depth.PLY3), 0, token)
    assert process.evaluate(STARTING_POSITION, MONEY, Depth.PLY2, CancelToken()).cube.double_pass == 1


def test_nothing_is_begun_for_who_has_cancelled_already(process: EngineProcess) -> None:
    """The child is not even asked."""
    token = CancelToken()
    token.cancel()
    with pytest.raises(EvaluationCancelled):
        process.evaluate(STARTING_POSITION, MONEY, Depth.PLY2, token)


def test_a_child_that_dies_is_replaced(process: EngineProcess) -> None:
    """The request it worked on fails, the next does not."""
    _child(process).kill()  # as the operating system would, out of memory
    with pytest.raises(EngineFailed):
        process.evaluate(STARTING_POSITION, MONEY, Depth.PLY2, CancelToken())
    assert process.evaluate(STARTING_POSITION, MONEY, Depth.PLY2, CancelToken()).cube.double_pass == 1


def test_work_that_is_soon_over_is_left_to_its_end(process: EngineProcess) -> None:
    """Its caller is told that it was cancelled, and the child lives on."""
    token = CancelToken()
    child = _child(process)
    threading.Timer(0.001, token.cancel).start()
    with pytest.raises(EvaluationCancelled):
        _evaluate_until_cancelled(process, token)
    assert _child(process) is child
    assert process.evaluate(STARTING_POSITION, MONEY, Depth.PLY2, CancelToken()).cube.double_pass == 1


def test_a_child_ends_with_its_parent_whatever_it_is_doing() -> None:
    """The parent's end of the pipe goes away while a rollout of minutes is under way."""
    process = EngineProcess()
    process.evaluate(STARTING_POSITION, MONEY, Depth.PLY2, CancelToken())
    child = _child(process)
    assert child.stdin
    arguments = (STARTING_POSITION, MONEY, RolloutSettings(depth=Depth.PLY3), 0)
    child.stdin.write(pickle.dumps(("rollout_chunk", arguments)))
    child.stdin.close()
    assert child.wait(timeout=30) == 0
    process.close()


def test_a_child_that_cannot_be_started_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """As when there is no room for one more process."""

    def refuse(*_arguments: object, **_options: object) -> None:
        raise BlockingIOError

    monkeypatch.setattr(subprocess, "Popen", refuse)
    process = EngineProcess()
    with pytest.raises(BlockingIOError):
        process.evaluate(STARTING_POSITION, MONEY, Depth.PLY2, CancelToken())
    monkeypatch.undo()
    assert process.evaluate(STARTING_POSITION, MONEY, Depth.PLY2, CancelToken()).cube.double_pass == 1
    process.close()


def test_requests_are_served_one_after_the_other(engine: SageEngine) -> None:
    """One answer, one refusal."""
    answers = io.BytesIO()
    serve(
        engine, [("evaluate", (STARTING_POSITION, match, Depth.STATIC)) for match in (MONEY, MatchState(27))], answers
    )
    answers.seek(0)
    assert (True, engine.evaluate(STARTING_POSITION, MONEY, Depth.STATIC)) == pickle.load(answers)  # noqa: S301
    answered, error = pickle.load(answers)  # noqa: S301
    assert not answered
    assert isinstance(error, ScoreOutOfTable)


def test_rollouts_stand_back_for_all_else() -> None:
    """They have the policy by which everybody else goes first; the process's other work has the usual one."""
    answers = io.BytesIO()
    serve(cast("SageEngine", _Scheduled()), [("evaluate", ()), ("rollout_chunk", ()), ("evaluate", ())], answers)
    answers.seek(0)
    usual = os.sched_getscheduler(0)
    assert [usual, os.SCHED_IDLE, usual] == [pickle.load(answers)[1] for _ in range(3)]  # noqa: S301
