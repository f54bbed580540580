"""Where each value comes from, and the settings written down."""

from __future__ import annotations

import json
import os
import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from cyclopts.config import Dict, Env

from bgbotd.config.settings import Settings, WrongSettings, leaves

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cyclopts import App, ArgumentCollection

PREFIX = "BGBOTD_"
"""What the names of environment variables begin with."""
_FRACTION = re.compile(r"[-+\d_]*\.\d*[1-9]")
DEFAULT = "default"
"""The source of a value that nobody has set."""


def as_toml(settings: Settings, sources: Mapping[str, str]) -> str:
    """Write the settings as a file for `--config`, each with where it comes from."""
    lines = []
    table = ""
    for key, value in sorted(leaves(settings), key=lambda leaf: "." in leaf[0]):
        within, _, name = key.rpartition(".")
        if within != table:
            table = within
            lines += ["", f"[{table}]"]
        name = name.replace("-", "_")
        source = sources.get(key, DEFAULT)
        lines.append(f"# {name} is not set" if value is None else f"{name} = {_toml_value(value)}  # {source}")
    return "\n".join(lines) + "\n"


def _toml_value(value: object) -> str:
    """Write one value; JSON's strings, numbers and truth values are TOML's as well."""
    return json.dumps(str(value) if isinstance(value, Path) else value, ensure_ascii=False)


class Sources:
    """Fills a command's settings from environment and file, and remembers where each value came from."""

    def __init__(self) -> None:
        """Begin with defaults only."""
        self.of_key: dict[str, str] = {}

    def __call__(self, app: App, commands: tuple[str, ...], arguments: ArgumentCollection) -> None:
        """Do what cyclopts asks of a configuration, after it has read the flags."""
        _refuse_unknown_variables(arguments)
        Env(PREFIX, command=False, source="environment")(app, commands, arguments)
        for argument in arguments:
            if argument.name == "--config" and argument.tokens:
                path = argument.tokens[0].value
                Dict(_read(path), use_commands_as_keys=False, source=path)(app, commands, arguments)
        _refuse_fractions(arguments)
        self.of_key = {
            argument.name.removeprefix("--"): {"cli": "flag"}.get(argument.tokens[0].source, argument.tokens[0].source)
            for argument in arguments
            if argument.tokens
        }


def _read(path: str) -> dict[str, Any]:
    """Read a file of settings."""
    try:
        found = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise WrongSettings([f"config: {path} cannot be read: {error}"]) from None
    # Only the first of them would be in force.
    if several := [key for key, value in found.items() if isinstance(value, list)]:
        raise WrongSettings([f"{key}: [{key}] is needed, once" for key in several])
    return found


def _refuse_unknown_variables(arguments: ArgumentCollection) -> None:
    """Raise WrongSettings for variables that look like settings and are none."""
    known = {
        PREFIX + argument.name.removeprefix("--").upper().replace("-", "_").replace(".", "_") for argument in arguments
    }
    unknown = sorted(name for name in os.environ if name.startswith(PREFIX) and name not in known)
    if unknown:
        raise WrongSettings([f"{name}: no such setting" for name in unknown])


def _refuse_fractions(arguments: ArgumentCollection) -> None:
    """Raise WrongSettings for fractions where whole numbers are needed, which would be rounded."""
    wrong = [
        f"{argument.name.removeprefix('--')}: {token.value} is no whole number"
        for argument in arguments
        if int in {argument.hint, *get_args(argument.hint)}
        for token in argument.tokens
        if _FRACTION.match(token.value)
    ]
    if wrong:
        raise WrongSettings(wrong)
