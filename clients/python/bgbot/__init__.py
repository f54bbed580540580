"""A thin, typed client of the backgammon daemon bgbotd.

`Client` and `AsyncClient` open a channel and hand out the generated stubs; `bgbot.v1` holds the
contract's messages. Every failed call raises `BgbotError`.
"""

from bgbot._board import draw_board
from bgbot._bulk import BulkAnswer
from bgbot._client import AsyncClient, Client
from bgbot._errors import BgbotError, Violation
from bgbot._positions import position_source, starting_position
from bgbot._sealed_dice import SealedRoll, commitment, derive_roll, first_wrong_roll

__all__ = [
    "AsyncClient",
    "BgbotError",
    "BulkAnswer",
    "Client",
    "SealedRoll",
    "Violation",
    "commitment",
    "derive_roll",
    "draw_board",
    "first_wrong_roll",
    "position_source",
    "starting_position",
]
