"""The contract's enums and ours, value by value."""

from __future__ import annotations

import re
from enum import Enum
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from bgbot.v1 import bot_service_pb2, level_pb2, match_pb2, position_pb2, rules_service_pb2

from bgbotd.bots import Level, ValueUnit
from bgbotd.evaluation import CubeVerdict, Depth
from bgbotd.rules import (
    CrawfordState,
    CubeAction,
    CubeOwner,
    Decision,
    Finish,
    GameSide,
    Notation,
    Phase,
    Restriction,
)
from bgbotd.service.errors import ServiceReason, violation

if TYPE_CHECKING:
    from google.protobuf.descriptor import FileDescriptor

    from bgbotd.rules import Reason, Violation

E = TypeVar("E", bound=Enum)


class EnumPair(Generic[E]):
    """One of the contract's enums beside one of ours: same names, but for the contract's prefix."""

    def __init__(self, file: FileDescriptor, name: str, ours: type[E]) -> None:
        """Pair every member of `ours` with the value of the contract's enum `name` that has its name."""
        self._prefix = re.sub(r"(?<!^)(?=[A-Z])", "_", name).upper() + "_"
        values = file.enum_types_by_name[name].values_by_name
        self._to_wire = {member: values[self.name(member)].number for member in ours}
        self._from_wire = {number: member for member, number in self._to_wire.items()}

    def to_wire(self, member: E | None) -> Any:  # noqa: ANN401 - an int that the stubs call by each enum's name
        """Give the contract's number of `member`; None is UNSPECIFIED."""
        return 0 if member is None else self._to_wire[member]

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
        missing: ServiceReason | Reason = ServiceReason.REQUIRED,
    ) -> list[Violation]:
        """List what is wrong with a number said in a request, `missing` being the reason for UNSPECIFIED."""
        if number in self._from_wire or (number == 0 and not required):
            return []
        allowed = ", ".join(map(self.name, self._to_wire))
        if number == 0:
            return [violation(field, "nothing said", allowed, missing)]
        return [violation(field, f"unknown value {number}", allowed, ServiceReason.UNKNOWN_ENUM_VALUE)]


CRAWFORD_STATES = EnumPair(match_pb2.DESCRIPTOR, "CrawfordState", CrawfordState)
CUBE_ACTIONS = EnumPair(match_pb2.DESCRIPTOR, "CubeAction", CubeAction)
CUBE_OWNERS = EnumPair(match_pb2.DESCRIPTOR, "CubeOwner", CubeOwner)
CUBE_VERDICTS = EnumPair(bot_service_pb2.DESCRIPTOR, "CubeVerdict", CubeVerdict)
DECISIONS = EnumPair(match_pb2.DESCRIPTOR, "Decision", Decision)
DEPTHS = EnumPair(level_pb2.DESCRIPTOR, "Depth", Depth)
GAME_SIDES = EnumPair(position_pb2.DESCRIPTOR, "GameSide", GameSide)
LEVELS = EnumPair(level_pb2.DESCRIPTOR, "Level", Level)
NOTATIONS = EnumPair(rules_service_pb2.DESCRIPTOR, "Notation", Notation)
PHASES = EnumPair(position_pb2.DESCRIPTOR, "Phase", Phase)
RESTRICTIONS = EnumPair(position_pb2.DESCRIPTOR, "Restriction", Restriction)
RESULT_KINDS = EnumPair(match_pb2.DESCRIPTOR, "ResultKind", Finish)
VALUE_UNITS = EnumPair(bot_service_pb2.DESCRIPTOR, "ValueUnit", ValueUnit)
