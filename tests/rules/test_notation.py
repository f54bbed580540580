"""Plays in standard notation, out and in."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bgbotd.rules.dice import Dice
from bgbotd.rules.gnubg_id import position_id
from bgbotd.rules.notation import format_play, parse_play
from bgbotd.rules.plays import Step, legal_plays
from bgbotd.rules.position import STARTING_POSITION, Position
from bgbotd.rules.violations import AmbiguousNotation, IllegalPlay, InvalidNotation, InvalidState, Reason, RulesError
from tests.reference_cases import read_cases
from tests.rules.boards import side
from tests.rules.cases import case_position
from tests.rules.strategies import dice, positions

FAR_AWAY = side({1: 15})
"""An opponent who is in nobody's way."""
ENTERING = Position(side({13: 4, 6: 9}, bar=2), side({5: 2, 3: 1, 13: 12}))
"""Two on the bar; a blot on the 22-point, the opponent's 3-point, can be hit by a three."""
BLOT_ON_THE_WAY = Position(side({24: 1}), side({7: 1}))
"""With 6-5 the checker passes either the blot on the 18-point or the empty 19-point."""
BEARING_OFF = Position(side({6: 3, 4: 2}), FAR_AWAY)
DANCING = Position(side({6: 1}, bar=1), side({4: 2, 5: 2}))


def read(position: Position, roll: Dice, text: str) -> str:
    """Give the notation of the play a text is read as."""
    return parse_play(position, roll, text).notation


def refusal(position: Position, roll: Dice, text: str) -> list[tuple[str, Reason]]:
    """Give field and reason of why a text is refused."""
    with pytest.raises(RulesError) as refused:
        parse_play(position, roll, text)
    return [(violation.field, violation.reason) for violation in refused.value.violations]


@pytest.mark.parametrize(
    ("steps", "text"),
    [
        ([(8, 5, 3), (6, 5, 1)], "8/5 6/5"),
        ([(6, 5, 1), (8, 5, 3)], "8/5 6/5"),
        ([(13, 7, 6, True)], "13/7*"),
        ([(25, 22, 3)], "bar/22"),
        ([(6, 0, 6)], "6/off"),
        ([(6, 4, 2), (6, 4, 2)], "6/4(2)"),
        ([(6, 4, 2, True), (6, 4, 2)], "6/4*(2)"),
        ([(24, 18, 6), (18, 13, 5)], "24/13"),
        ([(24, 18, 6, True), (18, 13, 5)], "24/18*/13"),
        ([(24, 18, 6, True), (18, 13, 5, True)], "24/18*/13*"),
        ([(25, 22, 3, True), (22, 19, 3), (6, 3, 3), (6, 3, 3)], "bar/22*/19 6/3(2)"),
        ([(24, 18, 6), (24, 18, 6), (18, 12, 6), (18, 12, 6)], "24/12(2)"),
        ([(24, 18, 6), (24, 18, 6), (18, 12, 6), (13, 7, 6)], "24/12 24/18 13/7"),
        ([(6, 5, 1), (5, 0, 6)], "6/off"),
        ([], "(no play)"),
    ],
)
def test_plays_are_written_in_standard_notation(steps: list[tuple[int, ...]], text: str) -> None:
    """One checker's steps are joined, equal moves counted, hits starred."""
    written = format_play([Step(source, destination, die, bool(hit)) for source, destination, die, *hit in steps])
    assert text == written


def test_a_way_is_spelt_out_where_the_other_one_would_hit() -> None:
    """24/13 alone would leave open whether the blot on the 18-point is hit."""
    assert ["24/18*/13", "24/19/13"] == [play.notation for play in legal_plays(BLOT_ON_THE_WAY, Dice(6, 5))]


@pytest.mark.parametrize(
    ("position", "roll", "texts", "notation"),
    [
        (STARTING_POSITION, Dice(3, 1), ["8/5 6/5", "6/5 8/5", "8/5, 6/5", "6/5;8/5,", " 8 / 5  6/5 "], "8/5 6/5"),
        (STARTING_POSITION, Dice(6, 5), ["24/13", "24/18 18/13", "18/13 24/18", "24/18/13", "24/19/13"], "24/13"),
        (
            STARTING_POSITION,
            Dice(2, 2),
            ["13/11(2) 6/4(2)", "6/4 (2), 13/11 (2)", "6/4 13/11 6/4 13/11", "6/4(2) 13/11(1) 13/11"],
            "13/11(2) 6/4(2)",
        ),
        (STARTING_POSITION, Dice(1, 1), ["24/22 6/5(2)", "24/23/22 6/5(2)", "23/22 6/5(2) 24/23"], "24/22 6/5(2)"),
        (
            ENTERING,
            Dice(3, 1),
            ["bar/24 bar/22*", "Bar/22*, BAR/24", "b/22 B/24", "25/22* 25/24", "bar/22 bar/24"],
            "bar/22* bar/24",
        ),
        (ENTERING, Dice(3, 3), ["bar/22*(2) 6/3(2)", "bar/22(2)* 6/3(2)", "6/3(2) bar/22(2)"], "bar/22*(2) 6/3(2)"),
        (BEARING_OFF, Dice(6, 4), ["6/off 4/off", "4/0 6/0", "4/OFF, 6/Off", "6/o 4/o"], "6/off 4/off"),
        (Position(side({6: 1}), FAR_AWAY), Dice(6, 5), ["6/off", "6/1/off", "1/off 6/1", "6/0"], "6/off"),
        (BLOT_ON_THE_WAY, Dice(6, 5), ["24/18*/13", "24/18/13", "24/18* 18/13", "18/13, 24/18"], "24/18*/13"),
        (BLOT_ON_THE_WAY, Dice(6, 5), ["24/19/13", "24/19 19/13"], "24/19/13"),
        (DANCING, Dice(5, 4), ["(no play)", "no play", "No Play", "dance", "DANCES", "-", "can't move"], "(no play)"),
    ],
)
def test_any_usual_form_is_read(position: Position, roll: Dice, texts: list[str], notation: str) -> None:
    """Order, case, commas, blanks, joined and split moves, `25`, `0` and missing stars make no difference."""
    assert [notation] * len(texts) == [read(position, roll, text) for text in texts]


def test_steps_that_could_not_be_made_in_this_order_are_read_by_their_result() -> None:
    """18 is blocked, but 24/19/13 leads to the position that 24/18 18/13 means."""
    position = Position(side({24: 1}), side({7: 2}))
    assert "24/13" == read(position, Dice(6, 5), "24/18 18/13")


def test_the_only_legal_way_is_meant_whether_or_not_it_hits() -> None:
    """With the 19-point blocked 24/13 can only be played by hitting on 18."""
    position = Position(side({24: 1}), side({7: 1, 6: 2}))
    assert "24/18*/13" == read(position, Dice(6, 5), "24/13")


def test_a_play_that_may_hit_on_its_way_or_not_is_refused_with_both_readings() -> None:
    """The client has to say which one it means."""
    with pytest.raises(AmbiguousNotation) as refused:
        parse_play(BLOT_ON_THE_WAY, Dice(6, 5), "24/13")
    (violation,) = refused.value.violations
    assert ("", Reason.NOTATION_AMBIGUOUS) == (violation.field, violation.reason)
    assert "24/18*/13 or 24/19/13" == violation.allowed


@pytest.mark.parametrize(
    ("position", "roll", "text"),
    [
        (STARTING_POSITION, Dice(3, 1), "8/5* 6/5"),
        (BLOT_ON_THE_WAY, Dice(6, 5), "24/19*/13"),
        (BLOT_ON_THE_WAY, Dice(6, 5), "24/13*"),
    ],
)
def test_a_star_where_nothing_is_hit_is_refused(position: Position, roll: Dice, text: str) -> None:
    """It says something of the position that is not so."""
    with pytest.raises(InvalidNotation):
        parse_play(position, roll, text)
    assert [("", Reason.CONTRADICTION)] == refusal(position, roll, text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello",
        "8-5 6-5",
        "8/",
        "/5",
        "8/5 6",
        "5/8",
        "8/8",
        "26/20",
        "0/3",
        "bar/bar",
        "6/off/3",
        "8/5(0)",
        "8/5(5)",
        "*8/5",
        "8/5*/",
        "8/5/",
        "\u0668/5",
        "8/5 " * 26,
    ],
)
def test_what_is_no_play_on_any_board_is_refused(text: str) -> None:
    """Such as moves up the board, points that do not exist and other words."""
    with pytest.raises(InvalidNotation):
        parse_play(STARTING_POSITION, Dice(3, 1), text)
    assert ("", Reason.NOTATION_MALFORMED) in refusal(STARTING_POSITION, Dice(3, 1), text)


def test_every_move_that_cannot_be_read_is_named() -> None:
    """Not only the first."""
    with pytest.raises(InvalidNotation) as refused:
        parse_play(STARTING_POSITION, Dice(3, 1), "8/x 6/5 26/1")
    assert ["'8/x'", "'26/1'"] == [violation.problem for violation in refused.value.violations]


@pytest.mark.parametrize(
    ("position", "roll", "text", "reason"),
    [
        (STARTING_POSITION, Dice(3, 1), "7/4 6/5", Reason.NO_CHECKER_THERE),
        (STARTING_POSITION, Dice(3, 1), "6/5(2) 8/5", Reason.DIE_NOT_AVAILABLE),
        (STARTING_POSITION, Dice(3, 1), "8/2", Reason.DIE_NOT_AVAILABLE),
        (STARTING_POSITION, Dice(6, 5), "24/14/13", Reason.DIE_NOT_AVAILABLE),
        (STARTING_POSITION, Dice(5, 1), "24/19 6/5", Reason.POINT_BLOCKED),
        (STARTING_POSITION, Dice(5, 5), "24/14", Reason.POINT_BLOCKED),
        (ENTERING, Dice(4, 1), "13/9 bar/24", Reason.BAR_FIRST),
        (Position(side({7: 1, 6: 1}), FAR_AWAY), Dice(6, 2), "6/off", Reason.BEARING_OFF_TOO_EARLY),
        (Position(side({5: 1, 3: 1}), FAR_AWAY), Dice(4, 6), "3/off", Reason.HIGHER_CHECKER_FIRST),
        (STARTING_POSITION, Dice(3, 1), "8/5", Reason.MORE_DICE_CAN_BE_PLAYED),
        (STARTING_POSITION, Dice(3, 1), "(no play)", Reason.MORE_DICE_CAN_BE_PLAYED),
        (Position(side({13: 1}), side({23: 2})), Dice(6, 5), "13/8", Reason.LARGER_DIE_MUST_BE_PLAYED),
        (DANCING, Dice(5, 4), "bar/20", Reason.POINT_BLOCKED),
    ],
)
def test_an_illegal_play_says_which_rule_it_breaks(position: Position, roll: Dice, text: str, reason: Reason) -> None:
    """A readable text that no legal play fits is an illegal play, not a bad text."""
    with pytest.raises(IllegalPlay):
        parse_play(position, roll, text)
    assert [("", reason)] == refusal(position, roll, text)


def test_a_finished_game_is_refused() -> None:
    """Whatever the play."""
    with pytest.raises(InvalidState):
        parse_play(Position(side({}), FAR_AWAY), Dice(3, 1), "no play")


def test_plays_of_bug_reports_are_read_as_reported() -> None:
    """The plays of other programs' bug reports lead to the positions reported."""
    for case in read_cases("tricky_plays.jsonl"):
        for text in case["plays"]:
            play = parse_play(case_position(case), Dice(*case["dice"]), text)
            assert position_id(play.result.mirrored()) in case["result_position_ids_next_player"]


def test_every_play_of_300_rolls_is_read_as_it_is_written() -> None:
    """Plays from games and thrown positions, every fifth of the reference cases."""
    for case in read_cases("legal_plays.jsonl.gz")[::5]:
        position, roll = case_position(case), Dice(*case["dice"])
        for play in legal_plays(position, roll):
            assert play == parse_play(position, roll, play.notation)


@given(positions(finished=False), dice, st.data())
def test_every_play_of_any_position_is_read_as_it_is_written(
    position: Position, roll: Dice, data: st.DataObject
) -> None:
    """Bars, hits, bear-offs and blots on the way included."""
    play = data.draw(st.sampled_from(legal_plays(position, roll)))
    assert play == parse_play(position, roll, play.notation)


@given(positions(finished=False), dice, st.text(max_size=40) | st.text("0123456789/*() baroff", max_size=40))
def test_any_text_is_read_or_refused(position: Position, roll: Dice, text: str) -> None:
    """Nothing but the rules' own errors comes out of any text."""
    with suppress(RulesError):
        assert parse_play(position, roll, text) in legal_plays(position, roll)
