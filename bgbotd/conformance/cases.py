"""The cases: requests, and what their answers have to be."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

FOLDER = Path(__file__).parent / "cases"

Json = dict[str, Any]
"""A message in protobuf's own JSON mapping."""


@dataclass(frozen=True, slots=True)
class Case:
    """One call, and what has to come back: an `answer` or a `refusal`."""

    area: str
    """Name of the file, such as `legal_plays`."""
    name: str
    call: str
    """`package.Service/Method`."""
    requests: list[Json]
    """One request, or all of a stream's."""
    because: str = ""
    """The rule or the origin of the answer."""
    answer: Json | None = None
    """What the answer has to hold, `comparison.differences` says how; of a stream of answers the last one, of
    Bulk's all `results`, sorted by id."""
    refusal: Json | None = None
    """`code`, and as far as they matter `reason` and `fields` (the reason at each field's path)."""
    before: list[Json] = field(default_factory=list)
    """Calls to make first, each with its `call` and `request`. In a request after them `{"$answer": [n, name]}`
    stands for a field of the answer to the one at `n`, from 0."""
    times: int = 1
    """How often to ask; all answers have to be the same but for the time they took."""
    needs: str = ""
    """What an implementation may go without, if it says so: `engine` with ENGINE_UNAVAILABLE, `dice` with
    UNIMPLEMENTED for the whole of DiceService; `dice_role` too with DICE_ROLE_REQUIRED to who has no such token."""


def read_cases(folder: Path = FOLDER, areas: Iterable[str] = ()) -> Iterator[Case]:
    """Read the cases of some areas, or of all: one JSON object a line, a file for each area.

    Raises:
        ValueError: for a folder without cases, for an area that has no file, or for a line that is no case.

    """
    known = {path.stem: path for path in sorted(folder.glob("*.jsonl"))}
    if not known:
        raise ValueError(f"no cases in {folder}")
    for area in dict.fromkeys(areas or known):
        if area not in known:
            raise ValueError(f"no area {area!r}; there are {', '.join(known)}")
        for number, line in enumerate(known[area].read_text(encoding="utf-8").splitlines(), start=1):
            try:
                yield _case(area, json.loads(line))
            except (TypeError, ValueError, KeyError) as wrong:
                raise ValueError(f"{known[area].name}, line {number}: {wrong!r}") from wrong


def _case(area: str, read: Json) -> Case:
    request = read.pop("request", None)
    requests = [request] if request is not None else read.pop("requests")
    case = Case(area=area, requests=requests, **read)
    if (case.answer is None) == (case.refusal is None):
        raise ValueError("a case has either an answer or a refusal")
    return case
