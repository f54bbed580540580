"""The cases are what the reference files, the oracle and the contract say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from bgbot import v1
from google.protobuf import message_factory
from google.protobuf.json_format import ParseDict

from bgbotd.conformance.cases import FOLDER, Case, read_cases
from bgbotd.conformance.peer import filled
from tests.conformance.make_cases import AREAS, lines

if TYPE_CHECKING:
    from pathlib import Path

UNARY_AND_STREAMS = {
    f"{service.full_name}/{method.name}"
    for name in ("RulesService", "BotService", "EvaluationService", "BulkService", "DiceService")
    for service in [v1.BulkItem.DESCRIPTOR.file.pool.FindServiceByName(f"bgbot.v1.{name}")]
    for method in service.methods
}


@pytest.mark.parametrize("area", AREAS)
def test_made_cases_are_those_of_their_sources(area: str) -> None:
    """Whoever changes a reference file or the oracle writes the cases again."""
    assert lines(AREAS[area]()) == (FOLDER / f"{area}.jsonl").read_text(encoding="utf-8")


def test_every_method_has_a_case() -> None:
    """No call of the contract is left out."""
    assert set() == UNARY_AND_STREAMS - {case.call for case in read_cases()}


def test_names_are_unique() -> None:
    """A report names each case without doubt."""
    cases = [(case.area, case.name) for case in read_cases()]
    assert len(cases) == len(set(cases))


def test_requests_are_messages_of_the_contract() -> None:
    """No request has a field that the contract does not know."""
    for case in read_cases():
        requests = [(case.call, request) for request in case.requests]
        for call, request in [*requests, *((each["call"], each["request"]) for each in case.before)]:
            service, method = call.split("/")
            descriptor = v1.BulkItem.DESCRIPTOR.file.pool.FindServiceByName(service).methods_by_name[method]
            empty = [dict[str, object]() for _ in case.before]
            ParseDict(filled(request, empty), message_factory.GetMessageClass(descriptor.input_type)())


def test_what_an_earlier_call_answered_is_put_in_its_place() -> None:
    """At any depth; what it has not answered is absent."""
    request = {"seed": {"$answer": [1, "seed"]}, "rolls": [{"dice": {"$answer": [0, "dice"]}, "index": 3}]}
    assert {"seed": "ab", "rolls": [{"dice": None, "index": 3}]} == filled(request, [{}, {"seed": "ab"}])


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ('{"name": "a", "call": "b/c", "request": {}}', "either an answer or a refusal"),
        ('{"name": "a", "call": "b/c", "request": {}, "answer": {}, "refusal": {}}', "either an answer or a refusal"),
        ('{"name": "a", "call": "b/c", "answer": {}}', "requests"),
        ('{"name": "a", "call": "b/c", "request": {}, "answer": {}, "repeat": 3}', "repeat"),
        ("{", "Expecting"),
    ],
)
def test_what_is_no_case_is_refused_with_its_line(tmp_path: Path, line: str, problem: str) -> None:
    """A slip in a case never makes it pass."""
    (tmp_path / "own.jsonl").write_text(f'{{"name": "a", "call": "b/c", "request": {{}}, "answer": {{}}}}\n{line}\n')
    with pytest.raises(ValueError, match=f"own.jsonl, line 2: .*{problem}"):
        list(read_cases(tmp_path))


def test_areas_are_chosen_by_name() -> None:
    """Only the named areas are read, and an unknown one is said with those there are."""
    assert {"cube", "dice"} == {case.area for case in read_cases(areas=["cube", "dice"])}
    with pytest.raises(ValueError, match="no area 'cubes'; there are bots, bulk, cube, "):
        list(read_cases(areas=["cubes"]))


def test_a_case_is_asked_once_unless_it_says_more() -> None:
    """What a case leaves out has its usual value."""
    case = Case(area="a", name="b", call="c/d", requests=[{}], answer={})
    assert (1, "") == (case.times, case.needs)
