"""Hold evaluations asked for by many threads at once against those asked for one at a time.

Run it from the top of the repository: ``python -m tests.verify_evaluation``. Questions of every
kind, about every kind of play, are answered by an evaluator with one worker first. Then 32 threads
ask them in random order, again and again, and now and then cancel one. Every answer must be equal
to the first, and the memory of all processes must not grow.

The exit status is 1 when an answer differs or the memory grows by more than a tenth once warm.
"""

from __future__ import annotations

import argparse
import os
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any

from rich.console import Console

from bgbotd.evaluation import Depth, EvaluationCancelled, Evaluator, EvaluatorSettings, RolloutSettings
from bgbotd.rules import CrawfordState, Cube, CubeOwner, Dice, MatchState, Position
from tests.oracle.thrown import throw_position
from tests.resident_memory import resident_megabytes

if TYPE_CHECKING:
    from concurrent.futures import Future

_CONSOLE = Console(highlight=False, soft_wrap=True)
_STATES = (
    MatchState(),
    MatchState(jacoby=True, beavers=True),
    MatchState(cube=Cube(2, CubeOwner.PLAYER)),
    MatchState(jacoby=True, cube=Cube(4, CubeOwner.OPPONENT)),
    MatchState(7, 3, 5),
    MatchState(25, 0, 11, cube=Cube(2, CubeOwner.OPPONENT)),
    MatchState(5, 4, 2, CrawfordState.CRAWFORD_GAME),
    MatchState(5, 2, 4, CrawfordState.POST_CRAWFORD, cube=Cube(2, CubeOwner.PLAYER)),
)
_DEPTHS = (Depth.STATIC, Depth.STATIC, Depth.PLY2, Depth.PLY2, Depth.PLY3)
_SHORT = RolloutSettings(trials=36, truncate_after_plies=2, seed=9)


@dataclass(frozen=True, slots=True)
class Question:
    """Something to ask an evaluator."""

    kind: str
    position: Position
    dice: Dice
    match: MatchState
    depth: Depth

    def ask(self, evaluator: Evaluator) -> Future[Any]:
        """Ask it."""
        if self.kind == "rollout":
            return evaluator.rollout(self.position, self.match, _SHORT)
        if self.kind == "rank plays":
            return evaluator.rank_plays(self.position, self.dice, self.match, self.depth)
        return evaluator.evaluate(self.position, self.match, self.depth)


class _Asking:
    """What the threads share: questions with their answers, and what has come of them."""

    def __init__(self, evaluator: Evaluator, answers: list[tuple[Question, Any]], seconds: float) -> None:
        self._evaluator = evaluator
        self._answers = answers
        self._lock = threading.Lock()
        self.end = time.monotonic() + seconds
        self.counts: Counter[str] = Counter()
        self.different: list[Question] = []

    def ask_until_the_end(self, seed: int) -> None:
        """Ask in random order; cancel one question in twenty."""
        random = Random(seed)
        while time.monotonic() < self.end:
            question, answer = random.choice(self._answers)
            future = question.ask(self._evaluator)
            if random.randrange(20) == 0:
                future.cancel()
            try:
                same = future.result() == answer
            except EvaluationCancelled:
                self._count("cancelled")
                continue
            self._count(f"{question.kind} {question.depth.name}")
            if not same:
                self.different.append(question)

    def _count(self, what: str) -> None:
        with self._lock:
            self.counts[what] += 1


def main() -> None:
    """Ask, compare, and print what has come of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=300, help="how long (default: %(default)s)")
    parser.add_argument("--threads", type=int, default=32, help="how many ask at once (default: %(default)s)")
    parser.add_argument("--questions", type=int, default=200, help="different questions (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the questions (default: %(default)s)")
    arguments = parser.parse_args()
    questions = _questions(arguments.questions, Random(arguments.seed))
    alone = Evaluator(EvaluatorSettings(workers=1, cached_evaluations=0, cached_rankings=0))
    answers = [(question, question.ask(alone).result()) for question in questions]
    alone.close()
    _CONSOLE.print(f"{len(answers)} questions answered one at a time")
    # A small cache, so that answers come from it and from the engine alike.
    evaluator = Evaluator(EvaluatorSettings(cached_evaluations=20, cached_rankings=20, most_waiting=arguments.threads))
    asking = _Asking(evaluator, answers, arguments.seconds)
    threads = [threading.Thread(target=asking.ask_until_the_end, args=(seed,)) for seed in range(arguments.threads)]
    for thread in threads:
        thread.start()
    memory = _watch(threads, arguments.seconds)
    state = evaluator.state()
    evaluator.close()
    for what, count in sorted(asking.counts.items()):
        _CONSOLE.print(f"{count:>9,}  {what}")
    _CONSOLE.print(f"{len(asking.different):>9,}  different from the first answer")
    _CONSOLE.print(f"cache hits {state.evaluations.hits:,} and {state.rankings.hits:,}; pool {state.pool}")
    _CONSOLE.print("resident memory of all processes, MB:", " ".join(f"{megabytes:.0f}" for megabytes in memory))
    for question in asking.different[:3]:
        _CONSOLE.print(question)
    warm = memory[len(memory) // 2 :]
    sys.exit(bool(asking.different) or max(warm) > 1.1 * warm[0])


def _questions(count: int, random: Random) -> list[Question]:
    """Make questions of every kind."""
    questions = []
    for number in range(count):
        position = Position.unpacked(throw_position(random).packed())
        dice = Dice(random.randint(1, 6), random.randint(1, 6))
        kind = ("evaluate", "evaluate", "rank plays", "rank plays", "rollout")[number % 5]
        depth = random.choice(_DEPTHS[:4] if kind == "rank plays" else _DEPTHS)
        if kind == "rollout":
            depth = Depth.STATIC
        questions.append(Question(kind, position, dice, random.choice(_STATES), depth))
    return questions


def _watch(threads: list[threading.Thread], seconds: float) -> list[float]:
    """Read the memory twenty times while the threads ask."""
    memory = []
    for thread in threads:
        while thread.is_alive():
            thread.join(timeout=seconds / 20)
            memory.append(resident_megabytes(os.getpid()))
    return memory or [0.0]


if __name__ == "__main__":
    main()
