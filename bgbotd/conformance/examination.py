"""Goes through the cases and says what came of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bgbotd.conformance.comparison import differences, without_times
from bgbotd.conformance.peer import Refused

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from bgbotd.conformance.cases import Case
    from bgbotd.conformance.peer import Peer


_NO_ANSWER = frozenset({"DEADLINE_EXCEEDED", "UNAVAILABLE"})
_SAID_WITHOUT = {
    "engine": {"ENGINE_UNAVAILABLE"},
    "dice": {"UNIMPLEMENTED"},
    "dice_role": {"UNIMPLEMENTED", "DICE_ROLE_REQUIRED"},
}
"""By what an implementation says that it goes without something, or that the caller has to."""
_UNANSWERED_AT_MOST = 3
"""An implementation that hangs would take a minute for each of some 1020 cases."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What came of a case."""

    case: Case
    problems: list[str]
    """How the answer differs from what it has to be; empty if it conforms."""
    left_out: bool = False
    """The implementation said that it goes without what the case needs, which the contract allows."""


def examine(peer: Peer, cases: Iterable[Case]) -> Iterator[Finding]:
    """Ask the peer each case and compare.

    Raises:
        TimeoutError: when several cases in a row have not been answered; then nobody is there any more.

    """
    unanswered = 0
    for case in cases:
        first = peer.ask(case)
        unanswered = unanswered + 1 if isinstance(first, Refused) and first.code in _NO_ANSWER else 0
        if unanswered == _UNANSWERED_AT_MOST:
            raise TimeoutError(f"{unanswered} cases in a row were not answered, the last is {case.area}: {case.name}")
        answers = [first, *(peer.ask(case) for _ in range(0 if unanswered else case.times - 1))]
        if isinstance(first, Refused) and _goes_without(case.needs, first):
            yield Finding(case, [], left_out=True)
        else:
            problems = [*_problems(case, first)]
            if any(without_times(answer) != without_times(first) for answer in answers[1:]):
                problems.append(f"the same request got different answers in {case.times} times")
            yield Finding(case, problems)


def _goes_without(needs: str, refused: Refused) -> bool:
    said = {refused.reason, refused.code}
    return not said.isdisjoint(_SAID_WITHOUT.get(needs, ()))


def _problems(case: Case, answer: object) -> Iterator[str]:
    if case.refusal is not None:
        if isinstance(answer, Refused):
            yield from differences(case.refusal, answer.as_json(), "refusal")
        else:
            yield f"answered, and should be refused with {case.refusal['code']}"
    elif isinstance(answer, Refused):
        yield f"refused with {answer.code} {answer.reason} {answer.fields or ''}".rstrip()
    else:
        yield from differences(case.answer, answer)
