"""Tests of `python -m bgbot`, each command against a daemon."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import grpc
import pytest
from bgbot import v1
from bgbot.__main__ import main

from tests.clients.conftest import ScriptedDaemon, status

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., str]

# Match to 5, the player leads 2-1 and has rolled 5-3.
XGID = "XGID=-b-B-BCBB---bB--ab-f---bB-:0:0:1:53:2:1:0:5:10"


@pytest.fixture
def run(daemon: str, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command that succeeds, and give what it prints."""

    def run(*words: str) -> str:
        assert 0 == main([*words, "--address", daemon])
        return capsys.readouterr().out

    return run


@pytest.fixture
def refused(daemon: str, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command that the daemon refuses, and give what it complains of."""

    def refused(*words: str) -> str:
        assert 2 == main([*words, "--address", daemon])
        return capsys.readouterr().err

    return refused


@pytest.mark.parametrize("command", ["plays", "moves"])
def test_plays_of_an_opening_roll_are_listed(run: Run, command: str) -> None:
    """3-1 can be played in 16 ways, and the start of a game need not be said."""
    lines = run(command, "--dice", "3-1").splitlines()
    assert "8/5 6/5" in lines
    assert "16 legal with 3-1, 2 dice played, free" == lines[-1]


def test_dice_of_an_xgid_are_used(run: Run) -> None:
    """The roll need not be said again."""
    assert "19 legal with 5-3, 2 dice played, free" == run("plays", XGID).splitlines()[-1]


def test_hard_chooses_by_default(run: Run) -> None:
    """Hard runs and hits where Medium brings builders."""
    assert "24/16*\n" == run("choose", XGID)
    assert "13/8 13/10\n" == run("choose", XGID, "--level", "medium")


def test_easy_says_its_seed(run: Run) -> None:
    """Its choice can be asked for again."""
    assert run("choose", "--dice", "66", "--level", "easy", "--seed", "4").endswith("\nseed 4\n")


def test_candidates_are_listed_with_their_values(run: Run) -> None:
    """The chosen play is the first of them."""
    chosen, *candidates = run("choose", XGID, "--candidates", "3").splitlines()
    assert 3 == len(candidates)
    assert candidates[0].endswith(f"  {chosen}")


def test_pips_are_counted(run: Run) -> None:
    """167 each at the start."""
    assert "player 167, opponent 167, contact\n" == run("pips")


def test_position_is_converted_to_every_notation(run: Run) -> None:
    """The start of a money game, as GNU Backgammon writes it."""
    xgid, gnubg_id, *_ = run("convert").splitlines()
    assert xgid.startswith("XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:")
    assert gnubg_id.startswith("4HPwATDgc/ABMA:")


def test_what_a_notation_cannot_carry_is_said(run: Run) -> None:
    """A Match ID knows nothing of beavers."""
    assert "not in gnubg-match-id: match.beavers (" in run("convert", "--beavers")


def test_board_is_drawn(run: Run) -> None:
    """With the roll, the score and the pips of the XGID."""
    board = run("board", XGID)
    assert board.startswith("Match to 5\n")
    assert "cube 1   roll 5-3\n" in board
    assert "139 pips\n" in board


def test_board_is_drawn_in_ascii_where_the_output_knows_no_more(daemon: str) -> None:
    """As in a terminal without Unicode."""
    board = subprocess.run(
        [sys.executable, "-m", "bgbot", "board"],
        env={"BGBOT_ADDRESS": daemon, "PYTHONIOENCODING": "ascii"},
        check=True,
        capture_output=True,
    ).stdout
    assert b"X player" in board


def test_match_state_is_said_by_options(run: Run) -> None:
    """In the Crawford game nobody doubles."""
    position_id = run("convert", XGID).splitlines()[1].partition(":")[0]
    words = ["--length", "3", "--score", "2-0", "--crawford", "crawford-game", "--cube", "1"]
    lines = run("actions", position_id, *words, "--decision", "double-or-roll").splitlines()
    assert "roll: yes" == lines[0]
    assert lines[1].startswith("double: no, ")
    assert lines[1].endswith(" (CRAWFORD_GAME)")


def test_bots_are_listed(run: Run) -> None:
    """The weakest first."""
    lines = run("bots").splitlines()
    assert ["easy", "medium", "hard"] == [line.partition(":")[0] for line in lines if not line.startswith(" ")][:3]


def test_answer_is_printed_as_json(run: Run) -> None:
    """In protobuf's JSON, with zeros said."""
    answer = json.loads(run("pips", "--json"))
    assert (167, "PHASE_CONTACT", 0) == (answer["playerPips"], answer["phase"], answer["position"]["player"]["bar"])


def test_evaluation_is_said_in_chances_and_equities(
    scripted: ScriptedDaemon, capsys: pytest.CaptureFixture[str]
) -> None:
    """Chances in percent, equities with their sign."""
    answer = v1.EvaluateResponse(
        probabilities=v1.Probabilities(
            win=0.525, win_gammon=0.15, win_backgammon=0.01, lose_gammon=0.125, lose_backgammon=0.005
        ),
        cubeless_equity=0.08,
        cubeful_equity=0.091,
        match_winning_chance=0.53,
        cube=v1.CubeEquities(no_double=0.091, double_take=-0.25, double_pass=1, verdict=v1.CUBE_VERDICT_NO_DOUBLE),
        stamp=v1.Stamp(engine="bgsage", engine_version="2.0", depth=v1.DEPTH_STATIC),
    )
    scripted.script = [[answer]]
    assert 0 == main(["evaluate", "--address", scripted.address])
    assert [
        "win 52.5%, gammon 15.0%, backgammon 1.0%",
        "lose 47.5%, gammon 12.5%, backgammon 0.5%",
        "equity +0.091, without the cube +0.080",
        "no double +0.091, take -0.250, pass +1.000",
        "cube: no-double",
        "wins the match 53.0%",
        "by bgsage 2.0, static",
    ] == capsys.readouterr().out.splitlines()


def test_strength_of_bots_is_said(scripted: ScriptedDaemon, capsys: pytest.CaptureFixture[str]) -> None:
    """With its interval and the number of games; a bot that cannot play says why."""
    strength = v1.Strength(
        points_per_game=0.3,
        points_per_game_low=0.25,
        points_per_game_high=0.35,
        win_rate=0.6,
        games=20000,
        opponent=v1.LEVEL_MEDIUM,
    )
    hard = v1.Bot(level=v1.LEVEL_HARD, description="Looks ahead.", available=True, strength=strength)
    expert = v1.Bot(level=v1.LEVEL_EXPERT, unavailable_because="No engine here.")
    scripted.script = [[v1.ListBotsResponse(bots=[hard, expert])]]
    assert 0 == main(["bots", "--address", scripted.address])
    assert [
        "hard: Looks ahead.",
        "    +0.300 points a game against medium (+0.250 to +0.350, 20000 games), wins 60.0%",
        "expert: No engine here.",
    ] == capsys.readouterr().out.splitlines()


def test_every_violation_is_listed(refused: Run) -> None:
    """Each with its field, under the reason of the first."""
    lines = refused("choose", "--dice", "70", "--jacoby", "--length", "5").splitlines()
    assert lines[0].startswith("bgbot: refused (")
    assert ["dice.die1", "dice.die2", "match.jacoby"] == [line.strip().partition(":")[0] for line in lines[1:]]


def test_id_that_cannot_be_read_is_refused(refused: Run) -> None:
    """The daemon, not the client, judges an ID."""
    assert "position.gnubg_id: " in refused("pips", "nonsense")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["plays", "--dice", "three-one"], "'three-one' is not a roll such as 3-1 or 31"),
        (["choose", "--level", "godlike"], "'godlike' is none of easy, medium, hard"),
        (["choose", "--score", "2"], "'2' is not a score such as 2-1"),
        (["choose", "--cube", "2:nobody"], "'nobody' is none of centered, player, opponent"),
        (["ponder"], "invalid choice: 'ponder'"),
    ],
)
def test_argument_that_cannot_be_read_is_explained(
    capsys: pytest.CaptureFixture[str], words: list[str], complaint: str
) -> None:
    """Without asking any daemon, and with the status of a refusal."""
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert 2 == ended.value.code
    assert complaint in capsys.readouterr().err


def test_number_that_no_message_can_hold_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a traceback."""
    assert 2 == main(["choose", "--candidates", str(2**31)])
    assert "bgbot: Value out of range: 2147483648\n" == capsys.readouterr().err


def test_certificate_that_is_not_there_is_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Without a traceback."""
    missing = tmp_path / "missing.pem"
    assert 2 == main(["bots", "--root-certificates", str(missing)])
    assert str(missing) in capsys.readouterr().err


def test_missing_daemon_is_said_with_its_address(capsys: pytest.CaptureFixture[str]) -> None:
    """That is a failure, not a refusal."""
    assert 1 == main(["bots", "--address", "127.0.0.1:1"])
    assert capsys.readouterr().err.startswith("bgbot: UNAVAILABLE from 127.0.0.1:1: ")


def test_reader_that_has_seen_enough_gets_no_traceback(daemon: str) -> None:
    """As `head` has after its lines."""
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "bgbot", "plays", "--dice", "3-1", "--address", daemon]
    with os.fdopen(writing) as closed:
        completed = subprocess.run(command, check=False, stdout=closed, stderr=subprocess.PIPE, text=True)
    assert (0, "") == (completed.returncode, completed.stderr)


def test_failure_without_violations_says_its_reason(
    scripted: ScriptedDaemon, capsys: pytest.CaptureFixture[str]
) -> None:
    """Such as a defect of the daemon."""
    scripted.script = [[status(grpc.StatusCode.INTERNAL, "a defect")]]
    assert 1 == main(["pips", "--address", scripted.address])
    assert f"bgbot: INTERNAL from {scripted.address}: a defect\n" == capsys.readouterr().err


def test_token_comes_from_the_environment(scripted: ScriptedDaemon, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that no list of processes shows it."""
    monkeypatch.setenv("BGBOT_TOKEN", "a-word")
    scripted.script = [[v1.ListBotsResponse()]]
    assert 0 == main(["bots", "--address", scripted.address])
    assert "Bearer a-word" == scripted.calls[0].metadata["authorization"]


@pytest.mark.parametrize("words", [["--address", "{}", "pips"], ["pips", "--address", "{}"]])
def test_the_address_may_stand_before_the_command_and_after_it(
    daemon: str, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    """What stands later counts, as everywhere."""
    assert 0 == main([word.format(daemon) for word in words])
    assert "player 167, opponent 167" in capsys.readouterr().out
    assert 0 == main(["--address", "nobody:1", "pips", "--address", daemon])
