"""What counts as different, and what does not."""

from __future__ import annotations

from typing import Any

import pytest

from bgbotd.conformance.comparison import differences, without_times


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        pytest.param({"a": 1}, {"a": 1, "b": 2}, id="more fields than asked for"),
        pytest.param({"a": None}, {"a": ""}, id="empty is absent"),
        pytest.param({"a": None}, {}, id="missing is absent"),
        pytest.param([], None, id="an empty list left out"),
        pytest.param({"$near": [0.5, 0.1]}, 0.41, id="near"),
        pytest.param({"$near": [1, 0]}, 1.0, id="a whole number"),
        pytest.param({"$oneOf": [1, {"a": 2}]}, {"a": 2, "b": 3}, id="the second of two"),
        pytest.param({"$inAnyOrder": [{"a": 1}, {"a": 2}]}, [{"a": 2, "b": 3}, {"a": 1}], id="another order"),
        pytest.param({"$inAnyOrder": []}, None, id="nothing in any order"),
    ],
)
def test_an_answer_that_holds_what_it_has_to_conforms(expected: Any, actual: Any) -> None:  # noqa: ANN401 - any JSON
    """Only what is expected is looked at."""
    assert [] == [*differences(expected, actual)]


@pytest.mark.parametrize(
    ("expected", "actual", "difference"),
    [
        pytest.param({"a": {"b": 1}}, {"a": {"b": 2}}, "answer.a.b is 2, not 1", id="another number"),
        pytest.param({"a": 1}, {}, "answer.a is None, not 1", id="missing"),
        pytest.param({"a": {"b": 1}}, {}, "answer.a is missing", id="a missing message"),
        pytest.param({"a": {"b": 1}}, {"a": 5}, "answer.a is 5", id="no message"),
        pytest.param({"a": None}, {"a": [0]}, "answer.a is [0], and should be absent", id="present"),
        pytest.param([1, 2], [1], "answer has 1 entries, not 2", id="too short"),
        pytest.param([1, 2], [2, 1], "answer[0] is 2, not 1", id="another order"),
        pytest.param([], "", "answer is '', no list", id="no list"),
        pytest.param({"$near": [0.5, 0.1]}, 0.61, "answer is 0.61, not within 0.1 of 0.5", id="too far"),
        pytest.param({"$near": [0, 1]}, float("nan"), "answer is nan, not within 1 of 0", id="no number"),
        pytest.param({"$near": [0, 1]}, "0", "answer is '0', not within 1 of 0", id="a string"),
        pytest.param({"$oneOf": [1, 2]}, 3, "answer is 3, none of [1, 2]", id="none of two"),
        pytest.param(0, False, "answer is False, not 0", id="no truth value"),
        pytest.param({"$inAnyOrder": [1, 1]}, [1, 2], "answer has no 1", id="one of two"),
        pytest.param({"$inAnyOrder": [1]}, [1, 1], "answer has 2 entries, not 1", id="one twice"),
        pytest.param({"$inAnyOrder": [1]}, "1", "answer is '1', no list", id="no list in any order"),
    ],
)
def test_a_difference_is_said_with_its_path(expected: Any, actual: Any, difference: str) -> None:  # noqa: ANN401 - any JSON
    """The first line says where and what."""
    assert difference == next(differences(expected, actual))


def test_times_are_taken_out_at_any_depth() -> None:
    """Two answers are the same though one took longer."""
    assert {"a": [{"b": 1}]} == without_times({"a": [{"b": 1, "elapsed": "1s"}], "timeLeft": "2s"})
