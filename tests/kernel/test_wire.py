"""Positions and plays as protobuf messages: byte for byte those of protobuf's own library."""

from __future__ import annotations

from typing import Any

import pytest
from bgbot import v1
from hypothesis import given
from hypothesis import strategies as st

from bgbotd import kernel
from bgbotd.rules import STARTING_POSITION, Dice, Play, Position, legal_plays
from tests.rules.strategies import dice, positions

START = STARTING_POSITION.packed()


def message_of(position: Position) -> v1.Position:
    """Make a message field by field."""
    return v1.Position(
        **{
            name: v1.Side(points=side.points, bar=side.bar, off=side.off)
            for name, side in (("player", position.player), ("opponent", position.opponent))
        }
    )


def play_message_of(play: Play) -> v1.Play:
    """Make a message field by field."""
    message = v1.Play(notation=play.notation, result=message_of(play.result))
    for step in play.steps:
        message.steps.add(**{"from": step.source, "to": step.destination, "die": step.die, "hit": step.hit})
    return message


@given(positions())
def test_positions_are_written_and_read_as_protobuf_does(position: Position) -> None:
    """Both ways, without looking at a field in Python."""
    written = message_of(position).SerializeToString()
    assert written == kernel.position_message(position.packed())
    assert position.packed() == kernel.read_position(written)


@given(positions(finished=False), dice)
def test_plays_are_written_as_protobuf_does(position: Position, roll: Dice) -> None:
    """One alone, and all of them as a field of the answer they belong in."""
    legal = legal_plays(position, roll)
    messages = [play_message_of(play) for play in legal]
    first = kernel.play_message(legal[0].result.packed(), legal[0].packed_steps)
    assert messages[0].SerializeToString() == first
    asked = (position.packed(), roll.die1, roll.die2)
    echoes: dict[str, Any] = {"position": message_of(position), "dice": v1.Dice(die1=roll.die1, die2=roll.die2)}
    every = v1.ListLegalPlaysResponse(plays=messages, **echoes)
    assert every.SerializeToString() == kernel.plays_message(legal.packed_results, legal.packed_steps, *asked)
    one = v1.ChoosePlayResponse(play=messages[0], **echoes)
    assert one.SerializeToString() == kernel.plays_message(legal[0].result.packed(), legal[0].packed_steps, *asked)


@given(
    st.binary(max_size=80)
    | st.binary(max_size=4).map(lambda extra: message_of(STARTING_POSITION).SerializeToString() + extra)
)
def test_any_bytes_are_a_position_or_none(message: bytes) -> None:
    """Whatever is read is a position that protobuf reads alike."""
    packed = kernel.read_position(message)
    if packed is not None:
        assert message_of(Position.unpacked(packed)) == v1.Position.FromString(message)
        kernel.medium_value(packed)  # refuses what is no position


POINTS = STARTING_POSITION.player.points


@pytest.mark.parametrize(
    "side",
    [
        v1.Side(),
        v1.Side(points=POINTS[:23]),
        v1.Side(points=(*POINTS, 0)),
        v1.Side(points=POINTS, bar=1),
        v1.Side(points=POINTS, bar=-1, off=1),
        v1.Side(points=(16, *[0] * 23), off=-1),
        v1.Side(points=(5, *[0] * 18, 5, *[0] * 4), off=5),
        v1.Side(points=(300, *[0] * 23)),
    ],
    ids=["nothing", "23 points", "25 points", "16 checkers", "minus one", "16 on a point", "on a held point", "300"],
)
def test_what_is_no_position_is_not_read(side: v1.Side) -> None:
    """On either side; only the rules say what is wrong with it."""
    start = message_of(STARTING_POSITION).player
    for player, opponent in ((side, start), (start, side)):
        assert kernel.read_position(v1.Position(player=player, opponent=opponent).SerializeToString()) is None


def test_a_position_with_one_side_is_not_read() -> None:
    """Neither side has a default."""
    start = message_of(STARTING_POSITION).player
    assert kernel.read_position(v1.Position(player=start).SerializeToString()) is None
    assert kernel.read_position(b"") is None


def test_other_lengths_are_refused() -> None:
    """A position has 52 bytes, a play's steps 16, a single step 4."""
    for wrong in (
        lambda: kernel.position_message(START[1:]),
        lambda: kernel.play_message(START, b""),
        lambda: kernel.plays_message(START * 2, bytes(16), START, 3, 1),
        lambda: kernel.plays_message(START + b"0", bytes(16), START, 3, 1),
        lambda: kernel.plays_message(START, bytes(16), START[1:], 3, 1),
        lambda: kernel.format_play(b"123", 0),
        lambda: kernel.format_play(bytes([6, 1, 5, 0] * 5), 0),
    ):
        with pytest.raises(ValueError, match="bytes"):
            wrong()


@given(st.lists(st.tuples(st.integers(-(2**63), 2**63 - 1), st.booleans()), max_size=5))
def test_results_put_together_are_one_answer_of_bulk(asked: list[tuple[int, bool]]) -> None:
    """Whatever their ids, and whether their field's number takes one byte or two."""
    expected, written = v1.BulkResponse(), b""
    for number, counted in asked:
        kind = "count_pips" if counted else "evaluate"
        answer = v1.CountPipsResponse(player_pips=167) if counted else v1.EvaluateResponse(cubeless_equity=0.5)
        expected.results.add(**{"id": number, kind: answer})
        field = v1.BulkResult.DESCRIPTOR.fields_by_name[kind].number
        written += kernel.result_message(number, field, answer.SerializeToString())
    assert expected.SerializeToString() == written
