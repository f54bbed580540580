"""The contract's enums and ours, value by value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from bgbot.v1 import bot_service_pb2, level_pb2, match_pb2, position_pb2, rules_service_pb2

from bgbotd.bots import Level, ValueUnit
from bgbotd.rules import (
    CrawfordState,
    CubeAction,
    CubeOwner,
    Decision,
    Finish,
    Notation,
    Phase,
    Restriction,
    Winner,
)
from bgbotd.service.errors import ServiceReason, violation

if TYPE_CHECKING:
    from enum import Enum

    from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper as _Wrapper

    from bgbotd.rules import Violation

E = TypeVar("E", bound="Enum")


class EnumPair(Generic[E]):
    """One of the contract's enums beside one of ours: same names, but for the contract's prefix."""

    def __init__(self, wire: _Wrapper, ours: type[E], prefix: str) -> None:
        """Pair every member of `ours` with the value of the contract that has its name."""
        self._prefix = prefix
        self._wire = wire
        self._to_wire: dict[E, int] = {member: wire.Value(prefix + member.name) for member in ours}
        self._from_wire = {number: member for member, number in self._to_wire.items()}

    def to_wire(self, member: E) -> int:
        """Give the contract's number of `member`."""
        return self._to_wire[member]

    def name(self, member: E) -> str:
        """Give the contract's name of `member`."""
        return self._prefix + member.name

    def from_wire(self, number: int) -> E | None:
        """Give our member for a number; None for UNSPECIFIED and for numbers unknown here."""
        return self._from_wire.get(number)

    def known(self, number: int) -> E:
        """Give our member for a number whose violations have been looked for."""
        return self._from_wire[number]

    def violations(
        self,
        field: str,
        number: int,
        *,
        required: bool = True,
        missing: ServiceReason = ServiceReason.REQUIRED,
    ) -> list[Violation]:
        """List what is wrong with a number said in a request, `missing` being the reason for UNSPECIFIED."""
        if number in self._from_wire or (number == 0 and not required):
            return []
        allowed = ", ".join(map(self.name, self._to_wire))
        if number == 0:
            return [violation(field, "nothing said", allowed, missing)]
        return [violation(field, f"unknown value {number}", allowed, ServiceReason.UNKNOWN_ENUM_VALUE)]


CRAWFORD_STATES = EnumPair(match_pb2.CrawfordState, CrawfordState, "CRAWFORD_STATE_")
CUBE_ACTIONS = EnumPair(match_pb2.CubeAction, CubeAction, "CUBE_ACTION_")
CUBE_OWNERS = EnumPair(match_pb2.CubeOwner, CubeOwner, "CUBE_OWNER_")
DECISIONS = EnumPair(match_pb2.Decision, Decision, "DECISION_")
GAME_SIDES = EnumPair(position_pb2.GameSide, Winner, "GAME_SIDE_")
LEVELS = EnumPair(level_pb2.Level, Level, "LEVEL_")
NOTATIONS = EnumPair(rules_service_pb2.Notation, Notation, "NOTATION_")
PHASES = EnumPair(position_pb2.Phase, Phase, "PHASE_")
RESTRICTIONS = EnumPair(position_pb2.Restriction, Restriction, "RESTRICTION_")
RESULT_KINDS = EnumPair(match_pb2.ResultKind, Finish, "RESULT_KIND_")
VALUE_UNITS = EnumPair(bot_service_pb2.ValueUnit, ValueUnit, "VALUE_UNIT_")
