"""Ways to say a position."""

from __future__ import annotations

from bgbot.v1.position_pb2 import Position, PositionSource, Side

_STARTING_SIDE = {6: 5, 8: 3, 13: 5, 24: 2}


def starting_position() -> Position:
    """Give the position at the start of a game, the same from both sides."""
    side = Side(points=[_STARTING_SIDE.get(point, 0) for point in range(1, 25)])
    return Position(player=side, opponent=side)


def position_source(source: Position | str | None = None) -> PositionSource:
    """Give the form in which requests want a position.

    Args:
        source: a position; an XGID, with or without its leading `XGID=`; a GNU Backgammon Position
            ID, alone or as `PositionID:MatchID`; `None` for the start of a game. Whether an ID can
            be read is for the server to judge.

    """
    if source is None:
        return PositionSource(position=starting_position())
    if isinstance(source, Position):
        return PositionSource(position=source)
    # An XGID has ten fields joined by colons, a GNU Backgammon ID two at most.
    if source.startswith("XGID=") or source.count(":") > 1:
        return PositionSource(xgid=source)
    return PositionSource(gnubg_id=source)
