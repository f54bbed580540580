"""Compares an answer with what it has to hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

ONE_OF = "$oneOf"
NEAR = "$near"
IN_ANY_ORDER = "$inAnyOrder"
TIMES = frozenset({"elapsed", "timeLeft", "typicalTime"})
"""Fields that differ from call to call."""


def differences(expected: Any, actual: Any, path: str = "answer") -> Iterator[str]:  # noqa: ANN401 - any JSON
    """Give a line for each place where the answer is not as it has to be.

    An object holds at least the fields expected of it, `null` one that is absent or empty; a list has
    the same length and order; anything else is equal. `{"$near": [value, within]}` stands for a number,
    `{"$oneOf": [...]}` for any one of several, `{"$inAnyOrder": [...]}` for a list whose order does not matter.
    """
    if isinstance(expected, dict):
        yield from _in_object(expected, actual, path)
    elif isinstance(expected, list):
        yield from _in_list(expected, actual, path)
    elif expected is None:
        if actual not in (None, "", 0, False, [], {}):
            yield f"{path} is {actual!r}, and should be absent"
    elif expected != actual or (type(expected) is not type(actual) and not _are_numbers(expected, actual)):
        yield f"{path} is {actual!r}, not {expected!r}"


def _in_object(expected: dict[str, Any], actual: Any, path: str) -> Iterator[str]:  # noqa: ANN401 - any JSON
    if ONE_OF in expected:
        if all(any(differences(one, actual, path)) for one in expected[ONE_OF]):
            yield f"{path} is {actual!r}, none of {expected[ONE_OF]!r}"
    elif NEAR in expected:
        value, within = expected[NEAR]
        if not _are_numbers(value, actual) or not abs(actual - value) <= within:
            yield f"{path} is {actual!r}, not within {within} of {value}"
    elif IN_ANY_ORDER in expected:
        yield from _in_any_order(expected[IN_ANY_ORDER], actual, path)
    elif not isinstance(actual, dict):
        yield f"{path} is {'missing' if actual is None else repr(actual)}"
    else:
        for name, wanted in expected.items():
            yield from differences(wanted, actual.get(name), f"{path}.{name}")


def _in_list(expected: list[Any], actual: Any, path: str) -> Iterator[str]:  # noqa: ANN401 - any JSON
    found = [] if actual is None else actual
    if not isinstance(found, list):
        yield f"{path} is {found!r}, no list"
    elif len(found) != len(expected):
        yield f"{path} has {len(found)} entries, not {len(expected)}"
    else:
        for at, (wanted, got) in enumerate(zip(expected, found, strict=True)):
            yield from differences(wanted, got, f"{path}[{at}]")


def _in_any_order(expected: list[Any], actual: Any, path: str) -> Iterator[str]:  # noqa: ANN401 - any JSON
    left = [] if actual is None else actual
    if not isinstance(left, list) or len(left) != len(expected):
        yield from _in_list(expected, actual, path)
        return
    left = list(left)
    for wanted in expected:
        fitting = next((at for at, got in enumerate(left) if not any(differences(wanted, got))), None)
        if fitting is None:
            yield f"{path} has no {wanted!r}"
        else:
            left.pop(fitting)


def _are_numbers(*values: object) -> bool:
    return all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values)


def without_times(answer: Any) -> Any:  # noqa: ANN401 - any JSON
    """Give an answer without what differs from call to call."""
    if isinstance(answer, dict):
        return {name: without_times(value) for name, value in answer.items() if name not in TIMES}
    return [without_times(value) for value in answer] if isinstance(answer, list) else answer
