"""JSON requests are read strictly."""

from __future__ import annotations

import json

import pytest
from bgbot import v1
from google.api.httpbody_pb2 import HttpBody
from google.protobuf.json_format import MessageToDict

from bgbotd.config import LARGEST_REQUEST
from bgbotd.service.errors import CallFailed, InvalidRequest
from bgbotd.service.json_requests import JsonRequest


def read(text: str) -> v1.ChoosePlayRequest:
    """Read a request as the edge passes it on."""
    body = HttpBody(content_type="application/json", data=text.encode())
    request = JsonRequest(body.SerializeToString()).read(v1.ChoosePlayRequest)
    assert isinstance(request, v1.ChoosePlayRequest)
    return request


REQUEST = v1.ChoosePlayRequest(
    position=v1.PositionSource(gnubg_id="4HPwATDgc/ABMA"),
    dice=v1.Dice(die1=3, die2=1),
    match=v1.MatchState(length=7, jacoby=False, cube=v1.Cube(value=2, owner=v1.CUBE_OWNER_PLAYER)),
    level=v1.LEVEL_HARD,
    seed=1 << 60,
)


@pytest.mark.parametrize("as_in_the_contract", [True, False])
def test_a_request_is_read_as_it_was_written(as_in_the_contract: bool) -> None:
    """By either spelling of its fields."""
    assert REQUEST == read(json.dumps(MessageToDict(REQUEST, preserving_proto_field_name=as_in_the_contract)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", v1.ChoosePlayRequest()),
        ("{}", v1.ChoosePlayRequest()),
        ('{"dice": null, "seed": null}', v1.ChoosePlayRequest()),
        ('{"seed": "-5"}', v1.ChoosePlayRequest(seed=-5)),
        ('{"dice": {"die1": 3.0, "die2": "1"}}', v1.ChoosePlayRequest(dice=v1.Dice(die1=3, die2=1))),
        ('{"level": 3}', v1.ChoosePlayRequest(level=v1.LEVEL_HARD)),
        (f'{{"seed": {2**63 - 1}}}', v1.ChoosePlayRequest(seed=2**63 - 1)),
    ],
)
def test_what_json_lets_stand_for_something_does(text: str, expected: v1.ChoosePlayRequest) -> None:
    """Null is nothing, integers may be strings, and enum values numbers."""
    assert expected == read(text)


@pytest.mark.parametrize(
    ("text", "field", "allowed"),
    [
        ("[]", "", "an object"),
        ('{"dices": 1}', "dices", "position, dice, match, level, seed, candidates"),
        ('{"dice": {"die3": 1}}', "dice.die3", "die1, die2"),
        ('{"dice": 31}', "dice", "an object"),
        ('{"dice": {"die1": true}}', "dice.die1", "an integer of 32 bits"),
        ('{"dice": {"die1": 1.5}}', "dice.die1", "an integer of 32 bits"),
        ('{"dice": {"die1": ""}}', "dice.die1", "an integer of 32 bits"),
        ('{"dice": {"die1": 2147483648}}', "dice.die1", "an integer of 32 bits"),
        ('{"dice": {"die1": NaN}}', "dice.die1", "an integer of 32 bits"),
        (f'{{"seed": {2**63}}}', "seed", "an integer of 64 bits"),
        (f'{{"seed": "{"9" * 5000}"}}', "seed", "an integer of 64 bits"),
        ('{"dice": {"die1": ' + '{"a":' * 900 + "1" + "}" * 902, "dice.die1", "an integer of 32 bits"),
        ('{"match": {"jacoby": "yes"}}', "match.jacoby", "true or false"),
        ('{"position": {"xgid": 1}}', "position.xgid", "a string"),
        ('{"position": {"gnubgId": "a", "xgid": "b"}}', "position.xgid", "one of them"),
        ('{"position": {"gnubgId": "a", "gnubg_id": "a"}}', "position.gnubg_id", "one of them"),
        ('{"position": {"position": {"player": {"points": 5}}}}', "position.position.player.points", "an array"),
        (
            '{"position": {"position": {"player": {"points": [0, "x"]}}}}',
            "position.position.player.points[1]",
            "an integer of 32 bits",
        ),
    ],
)
def test_what_is_otherwise_than_in_the_contract_is_refused(text: str, field: str, allowed: str) -> None:
    """By its path, with what would have been right."""
    with pytest.raises(InvalidRequest) as refused:
        read(text)
    assert [(field, allowed)] == [(each.field, each.allowed) for each in refused.value.violations]


@pytest.mark.parametrize("level", ['"LEVEL_HRAD"', "[]", "{}", "[3]", "true", "1.5", "1e400", r'"\ud800"'])
def test_a_name_that_is_none_lists_those_that_are(level: str) -> None:
    """Whoever misspells a level sees how it is written."""
    with pytest.raises(InvalidRequest, match="is none of them; allowed: LEVEL_UNSPECIFIED, LEVEL_EASY"):
        read(f'{{"level": {level}}}')


def test_nobody_is_told_of_more_than_a_hundred_problems() -> None:
    """A request of nothing but mistakes costs no more than it has to."""
    with pytest.raises(InvalidRequest) as refused:
        read(json.dumps({f"field {number}": number for number in range(40_000)}))
    assert [f"field {number}" for number in range(100)] == [each.field for each in refused.value.violations]


def test_everything_wrong_is_told_at_once() -> None:
    """One attempt is enough to learn of it."""
    with pytest.raises(InvalidRequest) as refused:
        read('{"dices": 1, "dice": {"die1": "x"}, "level": "HARD"}')
    assert ["dices", "dice.die1", "level"] == [each.field for each in refused.value.violations]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "MESSAGE_MALFORMED"),
        ("\udcff", "MESSAGE_MALFORMED"),
        ('{"level": 1, "level": 2}', "MESSAGE_MALFORMED"),
        ("[" * 100_000, "MESSAGE_MALFORMED"),
        ("{" + ",".join(f'"{number:x}":1' for number in range(90_000)) + ',"z":1,"z":1}', "MESSAGE_MALFORMED"),
        (r'{"position": {"xgid": "\ud800"}}', "MESSAGE_MALFORMED"),
        (" " * (LARGEST_REQUEST + 1), "MESSAGE_TOO_LARGE"),
    ],
)
def test_what_is_no_json_is_refused(text: str, reason: str) -> None:
    """Whatever it is."""
    body = HttpBody(data=text.encode(errors="surrogateescape"))
    with pytest.raises(CallFailed) as failed:
        JsonRequest(body.SerializeToString()).read(v1.ChoosePlayRequest)
    assert reason == failed.value.reason
