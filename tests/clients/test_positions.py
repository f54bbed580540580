"""Tests of the ways to say a position."""

from __future__ import annotations

from bgbot import Client, position_source, starting_position, v1

XGID = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10"


def test_each_way_to_say_a_position_is_told_from_the_others() -> None:
    """An XGID, with or without its name, a Position ID, alone or with a Match ID, a position, nothing."""
    assert v1.PositionSource(xgid=XGID) == position_source(XGID)
    bare = XGID.removeprefix("XGID=")
    assert v1.PositionSource(xgid=bare) == position_source(bare)
    for gnubg_id in ("4HPwATDgc/ABMA", "4HPwATDgc/ABMA:cAkAAAAAAAAE"):
        assert v1.PositionSource(gnubg_id=gnubg_id) == position_source(gnubg_id)
    assert v1.PositionSource(position=starting_position()) == position_source(starting_position())
    assert v1.PositionSource(position=starting_position()) == position_source()


def test_starting_position_is_the_daemons(daemon: str) -> None:
    """A game begins from it."""
    with Client(daemon) as client:
        assert client.rules.StartGame(v1.StartGameRequest()).position == starting_position()
