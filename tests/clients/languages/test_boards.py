"""Each client draws a board as the Python client does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from bgbot import draw_board

from bgbotd.rules import Decision, MatchState, Position, Side, convert
from bgbotd.service import render

if TYPE_CHECKING:
    from tests.clients.languages.toolchains import Client


def _side(on_points: dict[int, int], bar: int = 0, off: int = 0) -> Side:
    return Side([on_points.get(point, 0) for point in range(1, 25)], bar, off)


FULL_BARS = Position(_side({6: 9}, bar=6), _side({1: 5, 6: 8}, bar=2))
TALL_STACKS = Position(_side({1: 15}), _side({2: 10}, off=5))
NEARLY_OFF = Position(_side({3: 1}, off=14), _side({24: 1}, off=14))
PROBED = [FULL_BARS, TALL_STACKS, NEARLY_OFF]


@pytest.mark.parametrize("notation", ["gnubg_position_id", "xgid"])
@pytest.mark.parametrize("position", PROBED, ids=["full bars", "tall stacks", "nearly off"])
def test_a_position_said_by_an_id_is_drawn(client: Client, daemon: str, position: Position, notation: str) -> None:
    """Five checkers in a column, then their number; the bar from the middle; what is off beside it."""
    said = str(getattr(convert(position, None, MatchState(), Decision.DOUBLE_OR_ROLL), notation))
    probe = client.run("probe", daemon, "pips", said, "", "", "")
    assert draw_board(render.position(position)).splitlines() == probe.stdout.splitlines()[1:]
