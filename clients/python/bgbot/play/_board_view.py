"""The board as a widget: what `draw_board` draws, in colour, with points that can be clicked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text
from textual.message import Message
from textual.widgets import Static

from bgbot._board import draw_board

if TYPE_CHECKING:
    from textual import events

    from bgbot import v1

BAR, OFF = 25, 0
_TOP, _MIDDLE, _BOTTOM = 1, 7, 13
"""Rows of the frame and of the bar's name, below the title."""
_ROLL = 9
"""Row beside which nothing else is said; beside the cube's value the roll would need a wider terminal."""
_COLUMNS = [2, 5, 8, 11, 14, 17, 26, 29, 32, 35, 38, 41]
_PLACES = {
    **{13 + place: (_TOP, column) for place, column in enumerate(_COLUMNS)},
    **{12 - place: (_BOTTOM, column) for place, column in enumerate(_COLUMNS)},
    BAR: (_MIDDLE, 21),
    OFF: (_BOTTOM, 47),
}
"""Row and column of each point's number."""


class BoardView(Static):
    """The board, from the person's side."""

    class Tapped(Message):
        """A point, the bar or the tray was clicked."""

        def __init__(self, point: int) -> None:
            """Say which, in the person's numbering; 25 is the bar, 0 the tray."""
            self.point = point
            super().__init__()

    def show(
        self,
        position: v1.Position,
        match: v1.MatchState,
        dice: v1.Dice | None,
        pips: tuple[int, int],
        marked: dict[int, str],
    ) -> None:
        """Draw a position; `marked` has a style for each point that stands out."""
        text = Text(draw_board(position, match=match, pips=pips))
        text.highlight_regex("●", "bold yellow")
        text.highlight_regex("○", "bold cyan")
        lines = text.split("\n")
        if dice:
            lines[_ROLL].append(f"  roll {dice.die1}-{dice.die2}", "bold")
        for point, style in marked.items():
            row, column = _PLACES[point]
            lines[row].stylize(style, column, column + 2)
        self.update(Text("\n").join(lines))

    def on_click(self, event: events.Click) -> None:
        """Say which point was clicked."""
        point = point_at(event.x, event.y)
        if point is not None:
            self.post_message(self.Tapped(point))


def point_at(column: int, row: int) -> int | None:
    """Give the point at a place of the board; what is beside it counts as the tray."""
    if not _TOP <= row <= _BOTTOM:
        return None
    if column > _COLUMNS[-1] + 3:
        return OFF
    edge = _TOP if row < _MIDDLE else _BOTTOM
    near = [point for point, (at, first) in _PLACES.items() if at == edge and 0 <= column - first <= 2]  # noqa: PLR2004 - three columns each
    return near[0] if near else BAR
