"""A thin, typed client of the backgammon daemon bgbotd.

`Client` and `AsyncClient` open a channel and hand out the generated stubs; `bgbot.v1` holds the
contract's messages. Every failed call raises `BgbotError`.
"""

from bgbot._board import draw_board
from bgbot._bulk import BulkAnswer
from bgbot._client import AsyncClient, Client
from bgbot._errors import BgbotError, Violation
from bgbot._positions import position_source, starting_position

__all__ = [
    "AsyncClient",
    "BgbotError",
    "BulkAnswer",
    "Client",
    "Violation",
    "draw_board",
    "position_source",
    "starting_position",
]
