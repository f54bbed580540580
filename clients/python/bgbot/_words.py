"""The words in which the command line says the contract's enums."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from google.protobuf.internal.enum_type_wrapper import _EnumTypeWrapper

_Value = TypeVar("_Value", bound=int)


def words(enum: _EnumTypeWrapper[_Value]) -> dict[str, _Value]:
    """Give the word of each value: `double-or-roll` for `DECISION_DOUBLE_OR_ROLL`; none for zero."""
    prefix = enum.Name(enum.values()[0]).removesuffix("UNSPECIFIED")
    return {name.removeprefix(prefix).lower().replace("_", "-"): value for name, value in enum.items() if value}


def word(enum: _EnumTypeWrapper[_Value], value: _Value) -> str:
    """Give the word of a value, or its number where a newer daemon knows more than this client."""
    return {number: name for name, number in words(enum).items()}.get(value, str(value))
