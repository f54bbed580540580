"""Reads a Dockerfile into stages and their instructions."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dockerfile_parse import DockerfileParser

if TYPE_CHECKING:
    from pathlib import Path

_FROM = re.compile(r"(?P<base>\S+)(?:\s+AS\s+(?P<name>\S+))?\Z", re.IGNORECASE)
_FLAG = re.compile(r"--(?P<key>[a-z-]+)=(?P<value>\S+)\s+")


@dataclass(frozen=True, slots=True)
class Instruction:
    """One step."""

    name: str
    flags: dict[str, str]
    value: str
    """The rest, its lines joined."""

    @property
    def words(self) -> list[str]:
        """Give the value as the words of a command, where it is written as a JSON list or as a line without quoting."""
        return json.loads(self.value) if self.value.startswith("[") else shlex.split(self.value)

    @property
    def pairs(self) -> dict[str, str]:
        """Give the value as names with what they are set to."""
        pairs = dict[str, str]()
        for word in self.words:
            name, _, value = word.partition("=")
            pairs[name] = value
        return pairs


@dataclass(frozen=True, slots=True)
class Stage:
    """From one FROM to the next."""

    base: str
    name: str | None
    instructions: list[Instruction] = field(default_factory=list)


def stages(path: Path) -> list[Stage]:
    """Read a Dockerfile."""
    found: list[Stage] = []
    for each in DockerfileParser(str(path)).structure:
        if each["instruction"] == "COMMENT":
            continue
        instruction = _instruction(each["instruction"], each["value"])
        if instruction.name == "FROM":
            begin = _FROM.match(instruction.value)
            assert begin, instruction
            found.append(Stage(begin["base"], begin["name"]))
        else:
            found[-1].instructions.append(instruction)
    return found


def _instruction(name: str, value: str) -> Instruction:
    """Part flags from the rest."""
    flags = dict[str, str]()
    while flag := _FLAG.match(value):
        flags[flag["key"]] = flag["value"]
        value = value[flag.end() :]
    return Instruction(name, flags, value)
