"""Plain requests get the answers of the ordinary way, and everything else goes that way."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest
from bgbot import v1
from google.protobuf.message import DecodeError
from hypothesis import given
from hypothesis import strategies as st

from bgbotd.evaluation import EvaluatorSettings
from bgbotd.rules import STARTING_POSITION, Dice, MatchState, Position
from bgbotd.service import plain, render
from bgbotd.service.bots_handlers import BotHandlers
from bgbotd.service.engine_access import EngineAccess
from bgbotd.service.evaluation_handlers import EvaluationHandlers
from bgbotd.service.plain import plain_handler
from bgbotd.service.rules_handlers import RulesHandlers
from tests.rules.strategies import dice, matches, positions
from tests.service.arbitrary_messages import mutated

if TYPE_CHECKING:
    from collections.abc import Callable

    from google.protobuf.message import Message

_ENGINE = EngineAccess(EvaluatorSettings())
ORDINARY: dict[type[Message], tuple[Callable[[Any], Any], type[Message]]] = {
    v1.CountPipsRequest: (EvaluationHandlers(_ENGINE).count_pips, v1.CountPipsResponse),
    v1.ListLegalPlaysRequest: (RulesHandlers().list_legal_plays, v1.ListLegalPlaysResponse),
    v1.ChoosePlayRequest: (BotHandlers(_ENGINE).choose_play, v1.ChoosePlayResponse),
}
START = v1.PositionSource(position=render.position(STARTING_POSITION))
ROLL = v1.Dice(die1=3, die2=1)
WON = Position.unpacked(bytes([*[0] * 25, 15, *STARTING_POSITION.player.packed()]))
FINISHED = v1.PositionSource(position=render.position(WON))


def ordinary_answer(request: Message) -> Message:
    """Answer in the ordinary way, without the time taken."""
    handle, kind = ORDINARY[type(request)]
    return timeless(kind, handle(request))


def plain_answer(kind: type[Message], payload: bytes) -> tuple[Message, str] | None:
    """Answer plainly, without the time taken."""
    handle, answer_kind = ORDINARY[kind]
    plainly = plain_handler(handle)
    assert plainly
    answered = plainly(payload)
    return answered and (timeless(answer_kind, answered[0]), answered[1])


def timeless(kind: type[Message], answer: Message | bytes) -> Message:
    """Read an answer and clear the time it took."""
    read = kind.FromString(answer if isinstance(answer, bytes) else answer.SerializeToString())
    if isinstance(read, v1.ChoosePlayResponse):
        assert read.stamp.HasField("elapsed")
        read.stamp.ClearField("elapsed")
    return read


@given(positions())
def test_pips_are_counted_as_in_the_ordinary_way(position: Position) -> None:
    """Of finished games too."""
    request = v1.CountPipsRequest(position=v1.PositionSource(position=render.position(position)))
    assert (ordinary_answer(request), "") == plain_answer(v1.CountPipsRequest, request.SerializeToString())


@given(positions(finished=False), dice)
def test_plays_are_listed_as_in_the_ordinary_way(position: Position, roll: Dice) -> None:
    """With what the roll is restricted by."""
    source = v1.PositionSource(position=render.position(position))
    request = v1.ListLegalPlaysRequest(position=source, dice=render.dice(roll))
    assert (ordinary_answer(request), "") == plain_answer(v1.ListLegalPlaysRequest, request.SerializeToString())


@given(
    positions(finished=False),
    dice,
    matches().filter(lambda match: not match.is_over) | st.none(),
    st.sampled_from(["MEDIUM", "HARD"]),
)
def test_plays_are_chosen_as_in_the_ordinary_way(
    position: Position, roll: Dice, match: MatchState | None, level: str
) -> None:
    """At either level, whatever the score."""
    request = v1.ChoosePlayRequest(
        position=v1.PositionSource(position=render.position(position)),
        dice=render.dice(roll),
        match=render.match(match) if match else None,
        level=v1.Level.Value(f"LEVEL_{level}"),
    )
    assert (ordinary_answer(request), level) == plain_answer(v1.ChoosePlayRequest, request.SerializeToString())


@given(st.sampled_from(list(ORDINARY)), st.integers(0, 2**32))
def test_no_bytes_whatever_are_answered_otherwise_than_in_the_ordinary_way(kind: type[Message], seed: int) -> None:
    """Bytes of right requests with some changed: what is answered plainly is answered alike in the ordinary way."""
    request = v1.ChoosePlayRequest(position=START, dice=ROLL, level=v1.LEVEL_HARD, match=v1.MatchState(length=7))
    payload = mutated(request.SerializeToString(), random.Random(seed))
    answered = plain_answer(kind, payload)
    if answered:
        assert ordinary_answer(kind.FromString(payload)) == answered[0]


NOT_PLAIN = {
    "no position": v1.CountPipsRequest(),
    "an ID": v1.CountPipsRequest(position=v1.PositionSource(gnubg_id="4HPwATDgc/ABMA")),
    "no checkers": v1.CountPipsRequest(position=v1.PositionSource(position=v1.Position())),
    "no dice": v1.ListLegalPlaysRequest(position=START),
    "no such die": v1.ListLegalPlaysRequest(position=START, dice=v1.Dice(die1=7, die2=1)),
    "a game that is over": v1.ListLegalPlaysRequest(position=FINISHED, dice=ROLL),
    "no dice to choose for": v1.ChoosePlayRequest(position=START, level=v1.LEVEL_HARD),
    "no level": v1.ChoosePlayRequest(position=START, dice=ROLL),
    "chance": v1.ChoosePlayRequest(position=START, dice=ROLL, level=v1.LEVEL_EASY),
    "the engine": v1.ChoosePlayRequest(position=START, dice=ROLL, level=v1.LEVEL_EXPERT),
    "candidates": v1.ChoosePlayRequest(position=START, dice=ROLL, level=v1.LEVEL_HARD, candidates=1),
    "no such match": v1.ChoosePlayRequest(
        position=START, dice=ROLL, level=v1.LEVEL_HARD, match=v1.MatchState(length=-1)
    ),
    "nothing to choose": v1.ChoosePlayRequest(position=FINISHED, dice=ROLL, level=v1.LEVEL_HARD),
}


@pytest.mark.parametrize("why", NOT_PLAIN)
def test_what_is_not_plain_goes_the_ordinary_way(why: str) -> None:
    """Whatever is wrong, and what the kernel alone does not do."""
    asked = NOT_PLAIN[why]
    assert plain_answer(type(asked), asked.SerializeToString()) is None


def test_bytes_that_are_no_request_go_the_ordinary_way() -> None:
    """Which tells the caller so."""
    cut = v1.ChoosePlayRequest(position=START, dice=ROLL, level=v1.LEVEL_HARD).SerializeToString() + b"\x1a\x05"
    with pytest.raises(DecodeError):
        v1.ChoosePlayRequest.FromString(cut)
    assert plain_answer(v1.ChoosePlayRequest, cut) is None


def test_a_long_request_is_not_remembered() -> None:
    """Fields that nobody knows would otherwise fill the memory."""
    request = v1.ChoosePlayRequest(position=START, dice=ROLL, level=v1.LEVEL_HARD).SerializeToString()
    unknown = b"\x7a" + bytes([100]) + bytes(100)
    assert plain.choose_play(request)
    assert plain.choose_play(request + unknown) is None
