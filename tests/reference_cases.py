"""Reads the cases of tests/data, described in its ORIGIN.md."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from tests.oracle import Position, Side

_FOLDER = Path(__file__).parent / "data"

Case = dict[str, Any]


def read_cases(name: str) -> list[Case]:
    """Return the JSON objects of a file in tests/data, unpacked if need be."""
    path = _FOLDER / name
    packed = path.suffix == ".gz"
    text = gzip.decompress(path.read_bytes()).decode() if packed else path.read_text()
    return [json.loads(line) for line in text.splitlines()]


def read_position(position: dict[str, Any]) -> Position:
    """Return the position of a case as the oracle writes it."""
    return Position(_side(position["player"]), _side(position["opponent"]))


def expected_results(case: Case) -> set[Position]:
    """Return the resulting positions of a case of legal plays.

    Where nothing can be played it is the position itself, whether the case says so or
    leaves its list empty.
    """
    if case["dice_played"] == 0:
        return {read_position(case["position"])}
    return {read_position(result) for result in case["results"]}


def _side(side: dict[str, Any]) -> Side:
    return (side["off"], *side["points"], side["bar"])
