"""Chances that the rules themselves settle."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bgbotd.evaluation.engine import Probabilities

if TYPE_CHECKING:
    from collections.abc import Sequence

_BAR, _OFF, _SIDE = 24, 25, 26
"""Places in a packed side, and its length."""
_OWN_HOME, _OTHER_HOME = 6, 18
"""Points 1-6 are a side's own home board, points above 18 the other side's."""


def won(packed: bytes) -> Probabilities:
    """Give the certain chances of the player of a packed position, who has borne off all checkers."""
    loser = packed[_SIDE:]
    gammon = not loser[_OFF]
    backgammon = gammon and (loser[_BAR] or any(loser[_OTHER_HOME:_BAR]))
    return Probabilities(1.0, float(gammon), float(bool(backgammon)))


def settled(estimates: Sequence[float], packed: bytes) -> Probabilities:
    """Bring estimates within 0 to 1, into order, and to zero where the position rules a result out.

    `packed` is the position seen by the side whose chances they are, before or after its roll.
    """
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = estimates
    player, opponent = packed[:_SIDE], packed[_SIDE:]
    win = min(1.0, max(0.0, win))
    win_gammon, win_backgammon = _ordered(win, win_gammon, win_backgammon, loser=opponent, winner=player)
    lose_gammon, lose_backgammon = _ordered(1.0 - win, lose_gammon, lose_backgammon, loser=player, winner=opponent)
    return Probabilities(win, win_gammon, win_backgammon, lose_gammon, lose_backgammon)


def _ordered(most: float, gammon: float, backgammon: float, *, loser: bytes, winner: bytes) -> tuple[float, float]:
    """Order one side's chances of gammon and backgammon below `most`; both sides are packed."""
    if loser[_OFF]:
        return 0.0, 0.0
    gammon = min(most, max(0.0, gammon))
    if _cannot_be_backgammoned(loser, winner):
        return gammon, 0.0
    return gammon, min(gammon, max(0.0, backgammon))


def _cannot_be_backgammoned(loser: bytes, winner: bytes) -> bool:
    """Tell whether the loser's checkers are past the winner's home board and out of reach for good."""
    if loser[_BAR] or any(loser[_OTHER_HOME:_BAR]):
        return False
    return _rearmost(loser) + _rearmost(winner) <= _BAR


def _rearmost(side: bytes) -> int:
    """Give the highest point a packed side holds, 25 for the bar."""
    if side[_BAR]:
        return _BAR + 1
    return max((point for point, count in enumerate(side[:_BAR], 1) if count), default=0)
