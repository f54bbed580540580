"""How a request may say a play."""

from __future__ import annotations

import grpc
import pytest
from bgbot import position_source, v1
from google.protobuf.json_format import ParseDict

EIGHT_FIVE_SIX_FIVE = [ParseDict({"from": source, "to": 5}, v1.Step()) for source in (8, 6)]


@pytest.mark.parametrize(
    "chosen",
    [
        pytest.param({"notation": "6/5 8/5"}, id="notation"),
        pytest.param({"play": v1.Play(notation="8/5 6/5")}, id="a play without steps"),
        pytest.param({"play": v1.Play(steps=EIGHT_FIVE_SIX_FIVE)}, id="steps"),
        pytest.param({"play": v1.Play(steps=EIGHT_FIVE_SIX_FIVE, notation="24/20")}, id="steps count before notation"),
    ],
)
def test_a_play_is_read_by_its_steps_or_its_notation(daemon: str, chosen: dict[str, object]) -> None:
    """Each gives the canonical play."""
    request = v1.ApplyPlayRequest(position=position_source(), dice=v1.Dice(die1=3, die2=1), **chosen)  # type: ignore[arg-type]
    with grpc.insecure_channel(daemon) as channel:
        answer = v1.RulesServiceStub(channel).ApplyPlay(request, timeout=10)
    assert "8/5 6/5" == answer.play.notation
    assert (v1.GAME_SIDE_OPPONENT, v1.DECISION_DOUBLE_OR_ROLL) == (answer.next_side, answer.next_decision)


def test_no_dice_remain_once_the_turn_is_complete(daemon: str) -> None:
    """On a dance both dice are forfeited, and nothing is left to be used."""
    closed = v1.Side(points=[2] * 6 + [0] * 6 + [3] + [0] * 11)
    dancing = v1.Side(points=[0] * 7 + [14] + [0] * 16, bar=1)
    request = v1.ListLegalStepsRequest(
        position=v1.PositionSource(position=v1.Position(player=dancing, opponent=closed)),
        dice=v1.Dice(die1=1, die2=5),
    )
    with grpc.insecure_channel(daemon) as channel:
        answer = v1.RulesServiceStub(channel).ListLegalSteps(request, timeout=10)
    assert (True, [], v1.RESTRICTION_DANCE) == (answer.turn_complete, list(answer.remaining_dice), answer.restriction)
