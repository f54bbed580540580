"""One state in all notations, and what each cannot carry."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bgbotd.rules.conversion import Notation, Notations, convert, read_gnubg_id, read_xgid
from bgbotd.rules.dice import Dice
from bgbotd.rules.flow import Decision
from bgbotd.rules.match import CrawfordState, Cube, CubeOwner, MatchState
from bgbotd.rules.position import STARTING_POSITION, Position
from tests.reference_cases import read_cases
from tests.rules.boards import MIDDLE_GAME, side
from tests.rules.cases import case_dice, case_match, case_position
from tests.rules.strategies import dice, matches, positions

POSITION_ID, MATCH_ID, XGID = Notation


def losses(notations: Notations, notation: Notation) -> set[str]:
    """Give the fields a notation loses."""
    return {loss.field for loss in notations.lost if loss.notation is notation}


def test_all_notations_are_those_of_gnu_backgammon() -> None:
    """300 states are written in all three at once; an XGID loses nothing of them."""
    for case in read_cases("position_ids.jsonl"):
        match = case_match(case, beavers=case["beavers"], cube_limit=1024)
        roll = case_dice(case)
        notations = convert(case_position(case), roll, match, Decision.PLAY if roll else Decision.DOUBLE_OR_ROLL)
        assert case["gnubg_position_id"] == notations.gnubg_position_id
        assert case["gnubg_match_id"] == notations.gnubg_match_id
        assert notations.xgid == case["xgid"] or not case["on_roll_is_bottom"]
        assert set() == losses(notations, XGID)
        assert losses(notations, MATCH_ID) == {"match.cube_limit"} | ({"match.beavers"} if match.beavers else set())


def test_nothing_is_lost_of_plain_money_play_before_the_roll() -> None:
    """A state of defaults is carried by a bare Position ID."""
    assert () == convert(MIDDLE_GAME, None, MatchState(), Decision.DOUBLE_OR_ROLL).lost


def test_a_position_id_loses_all_but_the_checkers() -> None:
    """Roll, score, cube and agreements: only what differs from the defaults is listed."""
    money = MatchState(player_score=3, jacoby=True, beavers=True, cube=Cube(2, CubeOwner.PLAYER), cube_limit=64)
    assert losses(convert(MIDDLE_GAME, Dice(6, 1), money, Decision.PLAY), POSITION_ID) == {
        "dice",
        "match.player_score",
        "match.jacoby",
        "match.beavers",
        "match.cube.value",
        "match.cube.owner",
        "match.cube_limit",
    }
    match = MatchState(7, 6, 2, CrawfordState.CRAWFORD_GAME)
    assert losses(convert(MIDDLE_GAME, None, match, Decision.PLAY), POSITION_ID) == {
        "match.length",
        "match.player_score",
        "match.opponent_score",
        "match.crawford",
    }


@pytest.mark.parametrize("score", [-1, 32_768])
def test_a_match_id_loses_money_scores_it_cannot_hold(score: int) -> None:
    """It has fifteen bits and no sign for each score; an XGID has room."""
    notations = convert(MIDDLE_GAME, None, MatchState(player_score=score, opponent_score=2), Decision.DOUBLE_OR_ROLL)
    assert {"match.player_score", "match.opponent_score"} == losses(notations, MATCH_ID)
    assert set() == losses(notations, XGID)


@pytest.mark.parametrize("scores", [(4, 2), (4, 4), (1, 2)])
def test_a_match_without_crawford_is_lost_in_every_id(scores: tuple[int, int]) -> None:
    """Its bit cannot tell a rule that is not agreed from one whose game has not come or has been played."""
    notations = convert(MIDDLE_GAME, None, MatchState(5, *scores, CrawfordState.NOT_PLAYED), Decision.PLAY)
    assert {"match.crawford"} == losses(notations, MATCH_ID) == losses(notations, XGID)


@pytest.mark.parametrize(
    ("match", "decision"),
    [
        (MatchState(5, 3, 2), Decision.DOUBLE_OR_ROLL),
        (MatchState(5, 4, 2, CrawfordState.CRAWFORD_GAME), Decision.PLAY),
        (MatchState(5, 4, 2, CrawfordState.POST_CRAWFORD), Decision.DOUBLE_OR_ROLL),
        (MatchState(5, 5, 2, CrawfordState.NOT_PLAYED), Decision.MATCH_OVER),
    ],
)
def test_nothing_else_of_a_match_is_lost_in_either_id(match: MatchState, decision: Decision) -> None:
    """Crawford game and post-Crawford are carried, and over a finished match it makes no difference."""
    notations = convert(MIDDLE_GAME, None, match, decision)
    assert set() == losses(notations, MATCH_ID) == losses(notations, XGID)


def test_an_offered_double_is_carried_by_all_but_a_position_id() -> None:
    """There the doubler is on roll, and nothing says that it has doubled."""
    notations = convert(MIDDLE_GAME, None, MatchState(), Decision.TAKE_OR_PASS)
    assert {"decision"} == losses(notations, POSITION_ID)
    assert set() == losses(notations, MATCH_ID) == losses(notations, XGID)
    assert MIDDLE_GAME.mirrored() == read_gnubg_id(notations.gnubg_position_id).position
    assert MIDDLE_GAME == read_xgid(notations.xgid).position


@pytest.mark.parametrize("decision", [Decision.BEAVER_RESPONSE, Decision.OPENING_ROLL])
def test_a_beaver_and_an_opening_roll_are_lost_in_every_notation(decision: Decision) -> None:
    """No ID here says that a beaver waits for its answer, or that nobody is on roll yet."""
    notations = convert(STARTING_POSITION, None, MatchState(beavers=True), decision)
    for notation in Notation:
        assert "decision" in losses(notations, notation)


def test_dice_beside_an_offered_double_are_lost() -> None:
    """A double is offered before the roll: no notation has both."""
    notations = convert(MIDDLE_GAME, Dice(3, 1), MatchState(), Decision.TAKE_OR_PASS)
    for notation in Notation:
        assert "dice" in losses(notations, notation)


def test_a_finished_game_can_be_converted() -> None:
    """Its Match ID says that the game is over, and reads back."""
    over = Position(side({}), side({1: 2}))
    notations = convert(over, None, MatchState(7, 3, 3), Decision.MATCH_OVER)
    assert over == read_gnubg_id(f"{notations.gnubg_position_id}:{notations.gnubg_match_id}").position
    assert set() == losses(notations, MATCH_ID)


@given(positions(), st.none() | dice, matches(), st.sampled_from(Decision))
def test_every_state_converts_and_every_loss_says_why(
    position: Position, roll: Dice | None, match: MatchState, decision: Decision
) -> None:
    """Whatever is not listed as lost can be read back from the notation."""
    notations = convert(position, roll, match, decision)
    assert all(loss.explanation for loss in notations.lost)
    read = read_gnubg_id(f"{notations.gnubg_position_id}:{notations.gnubg_match_id}")
    xg = read_xgid(notations.xgid)
    assert position == read.position == xg.position
    for notation, contents in ((MATCH_ID, read), (XGID, xg)):
        lost = losses(notations, notation)
        for name in ("length", "player_score", "opponent_score", "jacoby", "beavers", "cube_limit", "crawford"):
            kept = getattr(match, name) == getattr(contents.match, name)
            assert kept or f"match.{name}" in lost or (name == "crawford" and match.is_over)
        assert (roll is None) == (contents.dice is None) or "dice" in lost
