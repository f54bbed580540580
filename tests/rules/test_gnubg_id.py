"""GNU Backgammon's Position ID and Match ID, against what that program writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given

from bgbotd.rules.dice import Dice
from bgbotd.rules.flow import Decision
from bgbotd.rules.gnubg_id import match_id, parse_match_id, parse_position_id, position_id, read_gnubg_id
from bgbotd.rules.match import CrawfordState, MatchState
from bgbotd.rules.position import STARTING_POSITION, Phase, Position
from bgbotd.rules.violations import InvalidNotation, InvalidState, Reason, RulesError
from tests.reference_cases import read_cases
from tests.rules.boards import side
from tests.rules.cases import case_dice, case_match, case_position
from tests.rules.strategies import matches, positions

if TYPE_CHECKING:
    from collections.abc import Callable

START = "4HPwATDgc/ABMA"
ALL_HOME = "AAAAAAAAAAAAAA"


def refusal(read: Callable[[str], object], text: str) -> list[tuple[str, Reason]]:
    """Give field and reason of everything that is wrong with an ID."""
    with pytest.raises(RulesError) as refused:
        read(text)
    return [(violation.field, violation.reason) for violation in refused.value.violations]


def test_the_starting_position_has_its_well_known_id() -> None:
    """Every backgammon program knows 4HPwATDgc/ABMA."""
    assert START == position_id(STARTING_POSITION)
    assert STARTING_POSITION == parse_position_id(START)


def test_ids_are_those_gnu_backgammon_writes() -> None:
    """Both IDs of 300 states are written as GNU Backgammon writes them, and read as it means them."""
    for case in read_cases("position_ids.jsonl"):
        position, dice = case_position(case), case_dice(case)
        # A Match ID knows neither beavers nor a cube limit.
        match = case_match(case, beavers=False, cube_limit=4096)
        assert case["gnubg_position_id"] == position_id(position)
        assert case["gnubg_match_id"] == match_id(match, dice)
        read = read_gnubg_id(f"{case['gnubg_position_id']}:{case['gnubg_match_id']}")
        sorted_dice = dice and Dice(max(case["dice"]), min(case["dice"]))
        assert (position, sorted_dice, match) == (read.position, read.dice, read.match)
        assert read.decision is (Decision.PLAY if dice else None)


def test_the_doubled_side_decides_while_gnu_backgammon_keeps_the_doubler_on_roll() -> None:
    """Of 36 offered doubles the decision is read as the other side's, with the cube before the double."""
    for case in read_cases("doubled_ids.jsonl"):
        read = read_gnubg_id(f"{case['gnubg_position_id']}:{case['gnubg_match_id']}")
        assert case_position(case).mirrored() == read.position
        assert case_match(case, beavers=False, cube_limit=4096).mirrored() == read.match
        assert read.dice is None
        assert read.decision is Decision.TAKE_OR_PASS
        if case["doubler"] == 0:
            # Side 1 decides, as in all IDs written here.
            assert case["gnubg_match_id"] == match_id(read.match, doubled=True)


@given(positions())
def test_every_position_survives_its_id(position: Position) -> None:
    """A Position ID carries every checker, on the board, on the bar and off."""
    assert position == parse_position_id(position_id(position))


@given(matches())
def test_a_match_id_tells_score_cube_and_jacoby_of_every_match(match: MatchState) -> None:
    """Score, cube and Jacoby are read as written; the score of money play within 0 to 32767."""
    read = parse_match_id(match_id(match)).match
    kept = 0 <= min(match.player_score, match.opponent_score) <= max(match.player_score, match.opponent_score) < 32_768
    scores = (match.player_score, match.opponent_score) if kept else (0, 0)
    assert (match.length, *scores) == (read.length, read.player_score, read.opponent_score)
    assert (match.cube, match.jacoby) == (read.cube, read.jacoby)
    is_crawford_game = match.crawford is CrawfordState.CRAWFORD_GAME
    assert is_crawford_game == (read.crawford is CrawfordState.CRAWFORD_GAME)


def test_money_scores_are_carried_as_gnu_backgammon_carries_them() -> None:
    """GNU Backgammon 1.07.001 writes MAELADAAKAAA for 3-5 in money play, dice aside."""
    read = parse_match_id("MAELADAAKAAA")
    assert (0, 3, 5) == (read.match.length, read.match.player_score, read.match.opponent_score)
    assert read.match.jacoby
    assert not parse_match_id("MAELADAAKAAE").match.jacoby


def test_crawford_game_and_what_follows_it_are_told_apart() -> None:
    """Written by GNU Backgammon at 4-2 to 5: once in the Crawford game, once after it."""
    assert CrawfordState.CRAWFORD_GAME is parse_match_id("sAG3AEAAEAAE").match.crawford
    assert CrawfordState.POST_CRAWFORD is parse_match_id("MAG3AEAAEAAE").match.crawford


def test_a_one_point_match_is_read_as_post_crawford() -> None:
    """GNU Backgammon writes a one-point match without the Crawford bit."""
    match = parse_match_id("MAE3AAAAAAAE").match
    assert 1 == match.length
    assert CrawfordState.POST_CRAWFORD is match.crawford


def test_jacoby_bit_means_nothing_in_match_play() -> None:
    """IDs of matches written before the bit existed have it at zero, as if Jacoby were in force."""
    assert parse_match_id("cAmgACAAIAAE").match == parse_match_id("cAmgACAAIAAA").match


def test_a_finished_game_can_be_written_and_read() -> None:
    """AAAAAAAgAAAAAA:MALgAEAAIAAE is GNU Backgammon's after root has borne off its last checker."""
    read = read_gnubg_id("AAAAAAAgAAAAAA:MALgAEAAIAAE")
    assert Phase.OVER is read.position.phase()
    assert 15 == read.position.opponent.off
    assert read.dice is None
    assert read_gnubg_id(f"AAAAAAAgAAAAAA:{match_id(MatchState(7, 4, 4), over=True)}") == read


def test_a_finished_match_can_be_written_and_read() -> None:
    """The match may have ended by a passed double, with checkers still on the board."""
    match = MatchState(5, 5, 3)
    assert match == read_gnubg_id(f"{START}:{match_id(match, over=True)}").match


def test_blanks_and_padding_do_not_matter() -> None:
    """IDs are often copied with blanks around them, or with base64's padding."""
    assert STARTING_POSITION == parse_position_id(f"  {START}==\n")
    assert read_gnubg_id(f"{START}:cAmgACAAIAAE") == read_gnubg_id(f" {START} : cAmgACAAIAAE ")


def test_a_bare_position_id_carries_nothing_of_the_match() -> None:
    """Without a Match ID there is neither roll nor score nor cube."""
    read = read_gnubg_id(START)
    assert (None, None, None) == (read.dice, read.match, read.decision)
    assert frozenset() == read.carries


def test_what_a_match_id_carries_is_named() -> None:
    """Dice and decision are carried only where the ID says them; beavers and cube limit never."""
    always = {"length", "player_score", "opponent_score", "crawford", "jacoby", "cube"}
    assert always == read_gnubg_id(f"{START}:cAmgACAAIAAE").carries
    assert always | {"dice", "decision"} == read_gnubg_id(f"{START}:MIHlAEAAGAAE").carries
    assert always | {"decision"} == read_gnubg_id(f"{START}:cBHgAAAAAAAE").carries


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("4HPwATDgc/ABM", Reason.ID_LENGTH),
        ("4HPwATDgc/ABMAA", Reason.ID_LENGTH),
        ("", Reason.ID_LENGTH),
        ("4HPwATDgc_ABMA", Reason.ID_ALPHABET),
        ("4HPwATDgc/ABM\u00c5", Reason.ID_ALPHABET),
        # The last character has four bits past the tenth byte.
        ("4HPwATDgc/ABMB", Reason.ID_MALFORMED),
        # A one after the second bar.
        ("AQAABAAAIAAAAA", Reason.ID_MALFORMED),
    ],
)
def test_what_is_no_position_id_is_refused(text: str, reason: Reason) -> None:
    """Length, alphabet and every bit without a meaning are checked."""
    assert ("", reason) in refusal(parse_position_id, text)


def test_wrong_length_and_wrong_alphabet_are_both_said() -> None:
    """All faults are listed, never only the first."""
    assert [("", Reason.ID_LENGTH), ("", Reason.ID_ALPHABET)] == refusal(parse_position_id, "4HPw!")


def test_sixteen_checkers_in_a_position_id_are_refused() -> None:
    """A side has fifteen; an ID of nothing but ones has eighty on the first point."""
    assert [("opponent", Reason.CHECKER_COUNT)] == refusal(parse_position_id, "//8AAAACAAAAAA")
    assert [("player", Reason.CHECKER_COUNT)] == refusal(parse_position_id, "AQAA/P8DAAAAAA")
    assert [("opponent", Reason.CHECKER_COUNT)] == refusal(parse_position_id, "/////////////w")


def test_a_point_held_by_both_in_a_position_id_is_refused() -> None:
    """The player's 1-point is the opponent's 24-point."""
    assert [("player.points[0]", Reason.POINT_HELD_BY_BOTH)] == refusal(parse_position_id, "AACABAAAAAAAAA")


def test_both_sides_borne_off_in_a_position_id_is_refused() -> None:
    """An ID of zeros would be a game that both have won."""
    assert [("player.off", Reason.BOTH_SIDES_BORNE_OFF)] == refusal(parse_position_id, ALL_HOME)


def changed(**fields: int) -> str:
    """Write a Match ID by hand, field after field."""
    values = {
        "cube": 0, "owner": 3, "on_roll": 1, "crawford": 0, "state": 1, "turn": 1, "doubled": 0, "resigned": 0,
        "die1": 0, "die2": 0, "length": 7, "score0": 0, "score1": 0, "no_jacoby": 1, "rest": 0,
    } | fields  # fmt: skip
    widths = (4, 2, 1, 1, 3, 1, 1, 2, 3, 3, 15, 15, 15, 1, 5)
    bits = "".join(format(value, f"0{width}b")[::-1] for value, width in zip(values.values(), widths, strict=True))
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    octets = [bits[start : start + 8][::-1] for start in range(0, 72, 8)]
    joined = "".join(octets)
    return "".join(alphabet[int(joined[start : start + 6], 2)] for start in range(0, 72, 6))


def test_match_ids_written_by_hand_are_match_ids() -> None:
    """The test's own layout is that of GNU Backgammon."""
    assert "cAmgACAAIAAE" == changed(length=5, score0=2, score1=4)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"owner": 2}, Reason.ID_MALFORMED),
        ({"state": 0}, Reason.ID_MALFORMED),
        ({"state": 5}, Reason.ID_MALFORMED),
        ({"state": 3}, Reason.GAME_OVER),
        ({"state": 4}, Reason.GAME_OVER),
        ({"resigned": 1}, Reason.ID_MALFORMED),
        ({"turn": 0}, Reason.ID_MALFORMED),
        ({"doubled": 1}, Reason.ID_MALFORMED),
        ({"doubled": 1, "turn": 0, "die1": 6, "die2": 5}, Reason.ID_MALFORMED),
        ({"die1": 6}, Reason.ID_MALFORMED),
        ({"die1": 7, "die2": 1}, Reason.DIE_OUT_OF_RANGE),
        ({"rest": 1}, Reason.ID_MALFORMED),
    ],
)
def test_a_match_id_without_a_decision_to_be_made_is_refused(fields: dict[str, int], reason: Reason) -> None:
    """Fields without a meaning, resignations and ended games are refused, each with its reason."""
    assert [("", reason)] == refusal(parse_match_id, changed(**fields))


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"cube": 13, "owner": 1}, ("cube.value", Reason.CUBE_VALUE)),
        ({"cube": 0, "owner": 1}, ("cube.owner", Reason.CUBE_OWNER)),
        ({"cube": 1}, ("cube.owner", Reason.CUBE_OWNER)),
        ({"score1": 8}, ("player_score", Reason.SCORE_OUT_OF_RANGE)),
        ({"score0": 8}, ("opponent_score", Reason.SCORE_OUT_OF_RANGE)),
        ({"crawford": 1}, ("crawford", Reason.CRAWFORD_CONTRADICTS_SCORE)),
        ({"crawford": 1, "length": 0}, ("crawford", Reason.CRAWFORD_CONTRADICTS_SCORE)),
        ({"crawford": 1, "score0": 6, "cube": 1, "owner": 1}, ("cube", Reason.CUBE_TURNED_IN_CRAWFORD_GAME)),
    ],
)
def test_a_match_id_of_a_match_that_cannot_exist_is_refused(
    fields: dict[str, int], expected: tuple[str, Reason]
) -> None:
    """What the match itself refuses is refused in an ID, with the part of the match that is wrong."""
    with pytest.raises(InvalidState):
        parse_match_id(changed(**fields))
    assert [expected] == refusal(parse_match_id, changed(**fields))


@pytest.mark.parametrize("match_text", ["cCPgABAAAAAE", "cATgAAAACAAE"])
def test_resigned_and_passed_games_of_gnu_backgammon_are_refused(match_text: str) -> None:
    """Written by GNU Backgammon after a resignation was accepted, and after a double was passed."""
    assert [("", Reason.GAME_OVER)] == refusal(parse_match_id, match_text)


def test_an_offered_resignation_of_gnu_backgammon_is_refused() -> None:
    """Written by GNU Backgammon while a resignation of a single game waited for its answer."""
    assert [("", Reason.ID_MALFORMED)] == refusal(parse_match_id, "cCHgAAAAAAAE")


def test_a_match_id_of_a_game_over_needs_a_position_that_is_over() -> None:
    """A game that is over with checkers left on both sides has no decision to show."""
    assert [("", Reason.GAME_OVER)] == refusal(read_gnubg_id, f"{START}:{changed(state=2)}")


def test_both_halves_of_an_id_are_checked() -> None:
    """A wrong Position ID does not hide a wrong Match ID."""
    assert [("", Reason.ID_LENGTH), ("", Reason.ID_ALPHABET)] == refusal(read_gnubg_id, "4HPw:cAmgACAAIAA*")
    with pytest.raises(InvalidNotation):
        read_gnubg_id(f"{START}:")


def test_the_side_not_on_roll_comes_first_in_a_position_id() -> None:
    """For AQAABgAAAAAAAA GNU Backgammon draws a checker on the 1-point and two on the bar, none of them on roll."""
    position = parse_position_id("AQAABgAAAAAAAA")
    assert side({1: 1}, bar=2) == position.opponent
    assert side({}) == position.player
