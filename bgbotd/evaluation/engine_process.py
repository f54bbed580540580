"""The engine in a process of its own, so that its work can be ended at any moment.

bgsage cannot be interrupted: its deeper searches run for seconds to their end, a rollout in one
thread never looks at its own cancel flag, and every cube decision holds Python's global lock for
20 ms while it reads its networks anew. So all but static evaluations are made by child processes.
Parent and child speak pickled pairs over the child's standard input and output. The child ends
when its input does, that is, with its parent.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Any

from bgbotd.evaluation.engine import EngineFailed, EvaluationError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bgbotd.evaluation.cancellation import CancelToken
    from bgbotd.evaluation.engine import Depth, Engine, Evaluation, RankedPlay, RolloutChunk, RolloutSettings
    from bgbotd.rules.match import MatchState
    from bgbotd.rules.position import Position

_NICENESS = 5
"""Deep work leaves the processor to people waiting for static answers."""


class EngineProcess:
    """A child process with an engine of its own; used by one thread at a time.

    The child begins to load its engine at once, in about 0.2 s; a first call waits for that.
    """

    def __init__(self) -> None:
        """Start the child."""
        self._child = _start_child()

    def evaluate(self, position: Position, match: MatchState, depth: Depth, token: CancelToken) -> Evaluation:
        """Do as `Engine.evaluate` does.

        Raises:
            EvaluationCancelled: if `token` is cancelled; the work is ended at once.
            EngineFailed: if the child dies.

        """
        evaluation: Evaluation = self._call(token, "evaluate", position, match, depth)
        return evaluation

    def rank_plays(
        self, results: Sequence[bytes], match: MatchState, depth: Depth, include: int | None, token: CancelToken
    ) -> list[RankedPlay]:
        """Do as `Engine.rank_plays` does; raise as `evaluate` does."""
        plays: list[RankedPlay] = self._call(token, "rank_plays", results, match, depth, include)
        return plays

    def rollout_chunk(
        self, position: Position, match: MatchState, settings: RolloutSettings, index: int, token: CancelToken
    ) -> RolloutChunk:
        """Do as `Engine.rollout_chunk` does; raise as `evaluate` does."""
        chunk: RolloutChunk = self._call(token, "rollout_chunk", position, match, settings, index)
        return chunk

    def close(self) -> None:
        """End the child."""
        self._child.kill()
        self._child.wait()
        for pipe in (self._child.stdin, self._child.stdout):
            if pipe:
                with suppress(OSError):
                    pipe.close()

    def _call(self, token: CancelToken, method: str, *arguments: object) -> Any:  # noqa: ANN401 - as the method says
        """Have the child call a method of its engine."""
        token.check()
        child = self._child
        with token.listening(child.kill):
            try:
                _send(child.stdin, (method, arguments))
                done, answer = _receive(child.stdout)
            except (OSError, EOFError, pickle.UnpicklingError) as error:
                self.close()
                self._child = _start_child()
                token.check()
                msg = f"the engine's process ended with {child.returncode} during {method}"
                raise EngineFailed(msg) from error
        if not done:
            raise answer
        return answer


def serve(engine: Engine, requests: IO[bytes], answers: IO[bytes]) -> None:
    """Call the engine for each request, until there are no more."""
    while True:
        try:
            method, arguments = _receive(requests)
        except EOFError:
            return
        try:
            answer = (True, getattr(engine, method)(*arguments))
        except EvaluationError as error:
            answer = (False, error)
        _send(answers, answer)


def _start_child() -> subprocess.Popen[bytes]:
    """Start a Python that runs `main`, with the same modules at hand."""
    return subprocess.Popen(  # noqa: S603 - this very Python and module
        [sys.executable, "-c", f"from {__name__} import main; main()"],
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


def main() -> None:
    """Serve an engine over standard input and output."""
    from bgbotd.evaluation.sage import SageEngine  # noqa: PLC0415 - the parent has no need of it

    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what the engine may print must not get among the answers
    serve(SageEngine(), sys.stdin.buffer, answers)
