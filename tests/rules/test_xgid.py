"""XGID, against what GNU Backgammon understands by it."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bgbotd.rules.dice import Dice
from bgbotd.rules.flow import Decision
from bgbotd.rules.match import CrawfordState, Cube, CubeOwner, MatchState
from bgbotd.rules.position import STARTING_POSITION, Position
from bgbotd.rules.violations import InvalidNotation, InvalidState, Reason, RulesError
from bgbotd.rules.xgid import read_xgid, xgid
from tests.reference_cases import read_cases
from tests.rules.boards import MIDDLE_GAME
from tests.rules.cases import case_dice, case_match, case_position
from tests.rules.strategies import dice, matches, positions

START = "-b----E-C---eE---c-e----B-"
MATCH = f"{START}:1:1:1:52:3:4:0:7:10"


def refusal(text: str) -> list[tuple[str, Reason]]:
    """Give field and reason of everything that is wrong with an XGID."""
    with pytest.raises(RulesError) as refused:
        read_xgid(text)
    return [(violation.field, violation.reason) for violation in refused.value.violations]


def test_xgids_mean_what_gnu_backgammon_understands() -> None:
    """300 XGIDs are read as GNU Backgammon reads them, and those of the bottom written alike."""
    for case in read_cases("position_ids.jsonl"):
        position, roll = case_position(case), case_dice(case)
        match = case_match(case, beavers=case["beavers"], cube_limit=1024)
        read = read_xgid(case["xgid"])
        assert (position, roll, match) == (read.position, read.dice, read.match)
        if case["on_roll_is_bottom"]:
            assert case["xgid"] == xgid(position, match, roll)


@given(positions(), matches(), st.none() | dice)
def test_every_state_survives_its_xgid(position: Position, match: MatchState, roll: Dice | None) -> None:
    """An XGID carries everything but the difference between Crawford's rule being over and not agreed."""
    read = read_xgid(xgid(position, match, roll))
    assert (position, roll) == (read.position, read.dice)
    assert read.match is not None
    for name in ("length", "player_score", "opponent_score", "jacoby", "beavers", "cube", "cube_limit"):
        assert getattr(match, name) == getattr(read.match, name)
    is_crawford_game = match.crawford is CrawfordState.CRAWFORD_GAME
    assert is_crawford_game == (read.match.crawford is CrawfordState.CRAWFORD_GAME)


def test_the_top_on_roll_becomes_the_player() -> None:
    """With turn -1 the player sits at the top: scores and cube change sides as well."""
    read = read_xgid(f"{START}:1:1:-1:52:3:4:0:7:10")
    assert MatchState(7, 4, 3, cube=Cube(2, CubeOwner.OPPONENT), cube_limit=1024) == read.match


@pytest.mark.parametrize(("turn", "owner"), [(1, CubeOwner.OPPONENT), (-1, CubeOwner.PLAYER)])
def test_after_a_double_the_side_not_on_roll_decides(turn: int, owner: CubeOwner) -> None:
    """With D the side in the turn field has doubled; the cube is the one before it, here the bottom's."""
    read = read_xgid(f"{START}:1:1:{turn}:D:3:4:0:7:10")
    assert read.match is not None
    assert Decision.TAKE_OR_PASS is read.decision
    assert Cube(2, owner) == read.match.cube
    assert read.dice is None
    assert "decision" in read.carries


@given(positions(), matches())
def test_an_offered_double_survives_its_xgid(position: Position, match: MatchState) -> None:
    """The doubler is written as on roll, and read again as the opponent."""
    text = xgid(position, match, doubled=True)
    read = read_xgid(text)
    assert ":-1:D:" in text
    assert position == read.position
    assert match.cube == (read.match and read.match.cube)


def test_what_an_xgid_carries_is_named() -> None:
    """Everything of the match; dice and decision only where they are said."""
    always = {
        "length", "player_score", "opponent_score", "crawford", "jacoby", "beavers", "cube", "cube_limit",
    }  # fmt: skip
    assert always | {"dice", "decision"} == read_xgid(MATCH).carries
    assert always == read_xgid(f"{START}:0:0:1:00:0:0:0:0:10").carries


def test_prefix_and_blanks_do_not_matter() -> None:
    """XGIDs are copied with and without their prefix."""
    assert read_xgid(MATCH) == read_xgid(f"  XGID={MATCH}\n")
    assert read_xgid(MATCH) == read_xgid(f"xgid={MATCH}")


@pytest.mark.parametrize(("rules", "jacoby", "beavers"), [(0, False, False), (1, True, False), (2, False, True)])
def test_money_rules_are_jacoby_and_beavers(rules: int, jacoby: bool, beavers: bool) -> None:
    """One stands for Jacoby and two for beavers; 3 is both."""
    match = read_xgid(f"{START}:0:0:1:00:0:0:{rules}:0:10").match
    assert MatchState(jacoby=jacoby, beavers=beavers, cube_limit=1024) == match
    assert MatchState(jacoby=True, beavers=True, cube_limit=1024) == read_xgid(f"{START}:0:0:1:00:0:0:3:0:10").match


@pytest.mark.parametrize(
    ("fields", "crawford"),
    [
        ("6:3:1:7", CrawfordState.CRAWFORD_GAME),
        ("6:3:0:7", CrawfordState.POST_CRAWFORD),
        ("5:3:0:7", CrawfordState.NOT_REACHED),
        ("0:0:0:1", CrawfordState.POST_CRAWFORD),
        ("7:6:0:7", CrawfordState.NOT_REACHED),
    ],
)
def test_crawford_is_one_bit(fields: str, crawford: CrawfordState) -> None:
    """Without it a side one point away is past the Crawford game, as in a one-point match."""
    match = read_xgid(f"{START}:0:0:1:00:{fields}:10").match
    assert match is not None
    assert crawford is match.crawford


def test_borne_off_checkers_are_those_not_on_the_board() -> None:
    """XGID writes no checkers off; what is missing to fifteen has been borne off."""
    assert 14 == read_xgid("-B----------------------a-:0:0:1:00:0:0:0:0:10").position.opponent.off


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", Reason.ID_LENGTH),
        (START, Reason.ID_LENGTH),
        (f"{MATCH}:1", Reason.ID_LENGTH),
        (MATCH[1:], Reason.ID_LENGTH),
        (MATCH.replace("E", "?", 1), Reason.ID_ALPHABET),
        (MATCH.replace("E", "\u00c9", 1), Reason.ID_ALPHABET),
        (MATCH.replace("-b", "Ab", 1), Reason.ID_MALFORMED),
        (MATCH.replace("B-:", "Ba:", 1), Reason.ID_MALFORMED),
        (MATCH.replace(":52:", ":5:"), Reason.ID_MALFORMED),
        (MATCH.replace(":52:", ":X:"), Reason.ID_MALFORMED),
        (MATCH.replace(":52:", "::"), Reason.ID_MALFORMED),
        (MATCH.replace(":52:", ":B:"), Reason.ID_MALFORMED),
        (MATCH.replace(":52:", ":R:"), Reason.RACCOON),
        (MATCH.replace(":1:1:1:", ":13:1:1:"), Reason.CUBE_VALUE),
        (MATCH.replace(":1:1:1:", ":-1:1:1:"), Reason.CUBE_VALUE),
        (MATCH.replace(":1:1:1:", ":1:2:1:"), Reason.ID_MALFORMED),
        (MATCH.replace(":1:1:1:", ":1:1:0:"), Reason.ID_MALFORMED),
        (MATCH.replace(":3:4:", ":3:x:"), Reason.ID_MALFORMED),
        (MATCH.replace(":3:4:", ":3:99999999999:"), Reason.ID_MALFORMED),
        (MATCH.replace(":0:7:", ":2:7:"), Reason.ID_MALFORMED),
        (MATCH.replace(":0:7:", ":4:0:"), Reason.ID_MALFORMED),
        (MATCH.replace(":7:10", ":7:13"), Reason.CUBE_LIMIT),
    ],
)
def test_what_is_no_xgid_is_refused(text: str, reason: Reason) -> None:
    """Fields, alphabet and meaning are checked; a beaver's answer and a raccoon are not read."""
    with pytest.raises(InvalidNotation):
        read_xgid(text)
    assert [("", reason)] == refusal(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (MATCH.replace("E", "F", 1), ("player", Reason.CHECKER_COUNT)),
        (MATCH.replace("e", "p", 1), ("opponent", Reason.CHECKER_COUNT)),
        (f"--------------------------{MATCH[26:]}", ("player.off", Reason.BOTH_SIDES_BORNE_OFF)),
        (MATCH.replace(":52:", ":07:"), ("dice.die2", Reason.DIE_OUT_OF_RANGE)),
        (MATCH.replace(":1:1:1:", ":1:0:1:"), ("cube.owner", Reason.CUBE_OWNER)),
        (MATCH.replace(":1:1:1:", ":0:1:1:"), ("cube.owner", Reason.CUBE_OWNER)),
        (MATCH.replace(":3:4:", ":8:4:"), ("player_score", Reason.SCORE_OUT_OF_RANGE)),
        (MATCH.replace(":3:4:", ":3:-1:"), ("opponent_score", Reason.SCORE_OUT_OF_RANGE)),
        (MATCH.replace(":0:7:", ":0:-7:"), ("length", Reason.MATCH_LENGTH_OUT_OF_RANGE)),
        (MATCH.replace(":0:7:", ":1:7:"), ("crawford", Reason.CRAWFORD_CONTRADICTS_SCORE)),
        (MATCH.replace(":7:10", ":7:0"), ("cube.value", Reason.CUBE_LIMIT)),
    ],
)
def test_a_state_that_cannot_exist_is_refused(text: str, expected: tuple[str, Reason]) -> None:
    """Sixteen checkers, dice of 7 or a score past the target are named by the part of the state."""
    with pytest.raises(InvalidState):
        read_xgid(text)
    assert expected in refusal(text)


def test_everything_wrong_with_an_xgid_is_said_at_once() -> None:
    """Sixteen checkers do not hide a die of 7, nor the score."""
    text = MATCH.replace("E", "F", 1).replace(":52:", ":17:").replace(":3:4:", ":8:4:")
    assert [
        ("player", Reason.CHECKER_COUNT),
        ("dice.die2", Reason.DIE_OUT_OF_RANGE),
        ("player_score", Reason.SCORE_OUT_OF_RANGE),
    ] == refusal(text)


def test_the_player_sits_at_the_bottom() -> None:
    """What is written shows the player's checkers in capitals and its bar last."""
    assert f"XGID={START}:0:0:1:00:0:0:0:0:12" == xgid(STARTING_POSITION, MatchState())
    assert xgid(MIDDLE_GAME, MatchState(), Dice(6, 1)).startswith("XGID=-a-a--E-D---eD---c-e----B-:0:0:1:61:")


@given(st.text(max_size=80) | st.builds("{}:{}".format, st.just(START), st.text("0123456789:-DBR", max_size=30)))
def test_any_text_is_read_or_refused(text: str) -> None:
    """Nothing but the rules' own errors comes out of any text."""
    with suppress(RulesError):
        position = read_xgid(text).position
        assert position == read_xgid(xgid(position, MatchState())).position
