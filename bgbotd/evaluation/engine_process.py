"""The engine in a process of its own, so that its work can be ended at any moment.

bgsage cannot be interrupted: its deeper searches run for seconds to their end, a rollout in one
thread never looks at its own cancel flag, and every cube decision holds Python's global lock for
20 ms while it reads its networks anew. So all but static evaluations are made by child processes.
Parent and child speak pickled pairs over the child's standard input and output. The child ends
when its input does, that is, with its parent, whatever it is doing.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from queue import SimpleQueue
from typing import IO, TYPE_CHECKING, Any

from bgbotd.evaluation.engine import Depth, EngineFailed, EvaluationError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from bgbotd.evaluation.cancellation import CancelToken
    from bgbotd.evaluation.engine import Engine, Evaluation, RankedPlay, RolloutChunk, RolloutSettings
    from bgbotd.rules.match import MatchState
    from bgbotd.rules.position import Position


class EngineProcess:
    """A child process with an engine of its own; used by one thread at a time.

    The child begins to load its engine at once, in about 0.2 s; a first call waits for that.
    """

    def __init__(self) -> None:
        """Start the child; if that cannot be done now, each call tries again."""
        self._child: subprocess.Popen[bytes] | None = None
        with suppress(OSError):
            self._child = _start_child()

    def evaluate(self, position: Position, match: MatchState, depth: Depth, token: CancelToken) -> Evaluation:
        """Do as `Engine.evaluate` does.

        Raises:
            EvaluationCancelled: if `token` is cancelled. Work that could go on for more than about
                0.1 s is ended at once; less is left to end by itself, for a new child takes as long.
            EngineFailed: if the child dies.

        """
        lasting = depth >= Depth.PLY4
        evaluation: Evaluation = self._call(token, "evaluate", position, match, depth, lasting=lasting)
        return evaluation

    def rank_plays(
        self, results: Sequence[bytes], match: MatchState, depth: Depth, include: int | None, token: CancelToken
    ) -> list[RankedPlay]:
        """Do as `Engine.rank_plays` does; raise as `evaluate` does."""
        lasting = depth >= Depth.PLY3
        plays: list[RankedPlay] = self._call(token, "rank_plays", results, match, depth, include, lasting=lasting)
        return plays

    def rollout_chunk(
        self, position: Position, match: MatchState, settings: RolloutSettings, index: int, token: CancelToken
    ) -> RolloutChunk:
        """Do as `Engine.rollout_chunk` does; raise as `evaluate` does."""
        chunk: RolloutChunk = self._call(token, "rollout_chunk", position, match, settings, index)
        return chunk

    def close(self) -> None:
        """End the child."""
        child, self._child = self._child, None
        if child:
            child.kill()
            for pipe in (child.stdin, child.stdout):
                if pipe:
                    with suppress(OSError):
                        pipe.close()
            child.wait()

    def _call(self, token: CancelToken, method: str, *arguments: object, lasting: bool = True) -> Any:  # noqa: ANN401 - as the method says
        """Have the child call a method of its engine, and end the child if `lasting` work is cancelled."""
        token.check()
        child = self._child = self._child or _start_child()
        broken = None
        with token.listening(child.kill if lasting else _go_on):
            try:
                _send(child.stdin, (method, arguments))
                done, answer = _receive(child.stdout)
            except (OSError, EOFError, pickle.UnpicklingError) as error:
                broken = error
        if broken or (lasting and token.cancelled):
            self.close()
            with suppress(OSError):
                self._child = _start_child()
            token.check()
            msg = f"the engine's process ended with {child.returncode} during {method}"
            raise EngineFailed(msg) from broken
        token.check()
        if not done:
            raise answer
        return answer


def _go_on() -> None:
    """Leave work that is cancelled to its end."""


def serve(engine: Engine, requests: Iterable[tuple[str, tuple[object, ...]]], answers: IO[bytes]) -> None:
    """Call the engine for each request and write its answer; rollouts in a thread that stands back for all else."""
    with ThreadPoolExecutor(1, initializer=_stand_back) as rollouts:
        for method, arguments in requests:
            call = partial(getattr(engine, method), *arguments)
            try:
                answer = (True, rollouts.submit(call).result() if method == "rollout_chunk" else call())
            except EvaluationError as error:
                answer = (False, error)
            _send(answers, answer)


def _stand_back() -> None:
    """Have this thread take what of the processor nobody else wants.

    A rollout that has every core would hold up each call by the 3 ms for which Linux lets its turns last,
    however nice (nice(1)) it is. Nothing but this policy lets others begin at once (sched(7)).
    """
    if hasattr(os, "SCHED_IDLE"):  # on Linux
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


def _start_child() -> subprocess.Popen[bytes]:
    """Start a Python that runs `main`, with the same modules at hand."""
    return subprocess.Popen(  # noqa: S603 - this very Python and module
        [sys.executable, "-P", "-c", f"from {__name__} import main; main()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )


def _send(pipe: IO[bytes] | None, message: object) -> None:
    """Write one message."""
    if pipe is None:
        raise BrokenPipeError
    pickle.dump(message, pipe)
    pipe.flush()


def _receive(pipe: IO[bytes] | None) -> Any:  # noqa: ANN401 - whatever was sent
    """Read one message."""
    if pipe is None:
        raise BrokenPipeError
    return pickle.load(pipe)  # noqa: S301 - written by this module at the other end


def _requests_of_parent() -> Iterator[Any]:
    """Give the parent's requests; the moment the parent is gone, end this process."""
    requests: SimpleQueue[Any] = SimpleQueue()

    def read() -> None:
        with suppress(EOFError):
            while True:
                requests.put(_receive(sys.stdin.buffer))
        os._exit(0)

    threading.Thread(target=read, daemon=True).start()
    while True:
        yield requests.get()


def main() -> None:
    """Serve an engine over standard input and output."""
    from bgbotd.evaluation.sage import SageEngine  # noqa: PLC0415 - the parent has no need of it

    # Signals to the whole group, as a terminal and service managers send them, are for the parent.
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if number := getattr(signal, name, None):  # Windows has fewer
            signal.signal(number, signal.SIG_IGN)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what the engine may print must not get among the answers
    serve(SageEngine(), _requests_of_parent(), answers)
