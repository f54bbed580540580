"""The terminal board, played by its keys and clicks against a real daemon."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest
from bgbot import AsyncClient, BgbotError, draw_board, first_wrong_roll, starting_position, v1
from bgbot.play._app import PlayApp
from bgbot.play._board_view import BAR, BoardView, point_at
from bgbot.play._table import BOT, PERSON, Table
from textual.widgets import Footer, Input, Static

from tests.service.running import running

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from textual.pilot import Pilot

NOBODY = "127.0.0.1:1"
ONE_POINT = v1.MatchState(length=1, crawford=v1.CRAWFORD_STATE_CRAWFORD_GAME)


def seed(number: int) -> bytes:
    """Give a seed that does not change."""
    return hashlib.sha256(f"play {number}".encode()).digest()


async def settled(pilot: Pilot[None]) -> None:
    """Wait until the program waits for the person."""
    await pilot.pause()
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()


async def enter_until(pilot: Pilot[None], reached: Callable[[], bool]) -> None:
    """Press Enter, which rolls, moves and ends turns, until something is reached."""
    while not reached():
        await pilot.press("enter")
        await settled(pilot)


@asynccontextmanager
async def to_move(daemon: str, number: int, size: tuple[int, int]) -> AsyncIterator[tuple[Table, PlayApp, Pilot[None]]]:
    """Play a match to 3 against Medium up to the person's first choice of a checker, on a terminal of a size."""
    async with AsyncClient(daemon) as client:
        table = Table(client, v1.LEVEL_MEDIUM, v1.MatchState(length=3), seed(number))
        await table.begin()
        app = PlayApp(table)
        async with app.run_test(size=size) as pilot:
            await settled(pilot)
            await enter_until(pilot, lambda: table.choices is not None)
            yield table, app, pilot


def prompt(app: PlayApp) -> str:
    """Give what the line above the log says."""
    return str(app.query_one("#prompt", Static).content)


async def test_a_whole_match_is_played_by_keys(daemon: str) -> None:
    """Enter alone rolls, moves and ends turns until somebody has won, and the seed gives every roll."""
    async with AsyncClient(daemon) as client:
        table = Table(client, v1.LEVEL_EASY, ONE_POINT, seed(1))
        await table.begin()
        async with PlayApp(table).run_test(size=(100, 40)) as pilot:
            await settled(pilot)
            for _ in range(2000):
                if table.is_over:
                    break
                await pilot.press("enter")
                await settled(pilot)
    assert table.is_over
    assert f"The seed of the dice was {seed(1).hex()}" == table.log[-1]
    assert hashlib.sha256(seed(1)).hexdigest() in table.log[0]
    assert first_wrong_roll(seed(1), table.rolls) is None
    assert len(table.losses) > 10
    assert all(loss.equity >= 0 for loss in table.losses)


async def test_a_click_chooses_a_checker_and_another_moves_it(daemon: str) -> None:
    """What is offered is marked, and a step can be taken back."""
    async with to_move(daemon, 2, (100, 40)) as (table, app, pilot):
        assert table.choices
        step = table.choices.steps[0]
        for point in (getattr(step, "from"), step.to):
            column, row = place_of(point)
            await pilot.click(BoardView, offset=(column, row))
            await settled(pilot)
        assert [step] == table.played
        await pilot.press("u")
        await settled(pilot)
        assert [] == table.played
        assert "Play" in prompt(app)


def place_of(point: int) -> tuple[int, int]:
    """Find a point on the board by asking every place."""
    return next((column, row) for column in range(50) for row in range(14) if point_at(column, row) == point)


async def test_a_play_can_be_typed_and_a_wrong_one_is_refused_in_words(daemon: str) -> None:
    """The daemon says what is wrong, and the turn goes on."""
    async with to_move(daemon, 3, (100, 40)) as (table, app, pilot):
        await pilot.press("slash")
        app.query_one(Input).value = "eight to five"
        await pilot.press("enter")
        await settled(pilot)
        assert "'eight'" in prompt(app)
        await pilot.press("h")
        best = (await table.hints()).plays[0].play.notation
        before = len(table.losses)
        await pilot.press("slash")
        app.query_one(Input).value = best
        await pilot.press("enter")
        await settled(pilot)
        assert (before + 1, best, 0) == (len(table.losses), table.losses[-1].played, table.losses[-1].equity)


async def test_a_double_is_offered_and_answered(daemon: str) -> None:
    """The bot takes an early double, and owns the cube at 2."""
    async with AsyncClient(daemon) as client:
        table = Table(client, v1.LEVEL_EASY, v1.MatchState(length=7), seed(4))
        await table.begin()
        async with PlayApp(table).run_test(size=(100, 40)) as pilot:
            await settled(pilot)
            await enter_until(pilot, lambda: table.standing.decision == v1.DECISION_DOUBLE_OR_ROLL)
            await pilot.press("d")
            await settled(pilot)
            assert {"You double", "The bot takes"} <= set(table.log)
            _, match = table.seen_by_person()
            assert (2, v1.CUBE_OWNER_OPPONENT) == (match.cube.value, match.cube.owner)


async def test_a_resignation_ends_the_game(daemon: str) -> None:
    """The bot accepts at most a backgammon, and its points count."""
    async with AsyncClient(daemon) as client:
        table = Table(client, v1.LEVEL_HARD, v1.MatchState(length=5), seed(5))
        await table.begin()
        async with PlayApp(table).run_test(size=(100, 40)) as pilot:
            await settled(pilot)
            await pilot.press("x")
            await settled(pilot)
            assert not any(line.startswith("You resign ") for line in table.log)
            await pilot.press("x")
            await settled(pilot)
            assert any(line.startswith("You resign ") for line in table.log)
            _, match = table.seen_by_person()
            assert 0 < match.opponent_score <= 3


async def test_a_match_that_is_resigned_shows_its_seed(daemon: str) -> None:
    """However a match ends, its dice can be checked."""
    async with AsyncClient(daemon) as client:
        table = Table(client, v1.LEVEL_HARD, ONE_POINT, seed(5))
        await table.begin()
        async with PlayApp(table).run_test(size=(80, 24)) as pilot:
            await settled(pilot)
            await pilot.press("x", "x")
            await settled(pilot)
    assert f"The seed of the dice was {seed(5).hex()}" == table.log[-1]
    assert [seed(5).hex() in line for line in table.farewell()] == [False, True, False]


async def test_a_bot_without_its_engine_accepts_what_is_resigned(tmp_path: Path) -> None:
    """Nobody is kept at a game that cannot be judged."""
    (tmp_path / "bgbot_cpp.py").write_text("raise ImportError('it was taken away')\n")
    with running(environment={"PYTHONPATH": str(tmp_path)}) as daemon:
        async with AsyncClient(daemon.address) as client:
            table = Table(client, v1.LEVEL_MEDIUM, v1.MatchState(length=3), seed(2))
            await table.begin()
            assert await table.resign(v1.RESULT_KIND_SINGLE)
    assert "You resign a game: 1 to the bot" == table.log[-1]


async def test_keys_pressed_before_the_daemon_has_answered_move_nothing_twice(daemon: str) -> None:
    """Whoever holds Enter down makes steps that are offered, one after another."""
    async with to_move(daemon, 2, (80, 24)) as (table, app, pilot):
        for _ in range(5):
            app.action_go()
        await settled(pilot)
        assert 1 == len(table.played)
        assert table.choices
        assert table.choices.remaining_dice


async def test_everything_fits_a_terminal_of_60_columns_and_20_rows(daemon: str) -> None:
    """The roll, the cube, the pips, the whole question, what has happened and the keys."""
    async with to_move(daemon, 2, (60, 20)) as (table, app, _pilot):
        assert table.standing.dice
        lines = str(app.query_one(BoardView).content).split("\n")
        roll = f"roll {table.standing.dice.die1}-{table.standing.dice.die2}"
        for words in (roll, "cube 1", "167 pips"):
            assert any(line.endswith(f"  {words}") for line in lines)
        assert max(map(len, lines)) <= 60
        places = [app.query_one(name).region for name in (BoardView, "#prompt", "#log", Footer)]
        assert [0, *(place.bottom for place in places[:-1])] == [place.y for place in places]
        assert (14, 2, 1, 20) == (places[0].height, places[1].height, places[3].height, places[3].bottom)
        assert places[2].height >= 3
        assert len(prompt(app)) <= 2 * 58  # whatever its words, they are not cut


async def test_a_daemon_that_was_away_is_asked_again_at_enter(daemon: str) -> None:
    """Play goes on where it stopped, though it was the bot's turn."""
    async with AsyncClient(daemon) as client, AsyncClient(NOBODY, timeout=0.2) as nobody:
        table = Table(client, v1.LEVEL_MEDIUM, v1.MatchState(length=3), seed(0))
        await table.begin()
        assert BOT == table.standing.turn
        table.client = nobody
        app = PlayApp(table)
        async with app.run_test(size=(80, 24)) as pilot:
            await settled(pilot)
            await pilot.press("enter")
            await settled(pilot)
            assert prompt(app).endswith("Enter tries again.")
            table.client = client
            await pilot.press("enter")
            await settled(pilot)
            assert PERSON == table.standing.turn


async def test_what_fails_throws_no_dice_twice(daemon: str) -> None:
    """Neither a game's first roll nor a turn's is another one when it is tried again."""
    async with AsyncClient(daemon) as client, AsyncClient(NOBODY, timeout=0.2) as nobody:
        table = Table(nobody, v1.LEVEL_MEDIUM, v1.MatchState(length=3), seed(0))
        with pytest.raises(BgbotError):
            await table.begin()
        assert [] == table.rolls
        table.client = client
        await table.begin()
        table.standing = table.standing._replace(dice=None)
        table.client = nobody
        for _ in range(2):
            with pytest.raises(BgbotError):
                await table.go_on()
        assert 2 == len(table.rolls)
        die1, die2 = table.rolls[1][0].dice
        assert v1.Dice(die1=die1, die2=die2) == table.standing.dice


@pytest.mark.parametrize(("point", "word"), [(24, "24"), (13, "13"), (12, "12"), (6, "6"), (1, "1"), (BAR, "BAR")])
def test_points_are_where_the_board_shows_them(point: int, word: str) -> None:
    """A click on a number means that number."""
    drawn = draw_board(starting_position(), match=ONE_POINT).split("\n")
    rows = {24: 1, 13: 1, 12: 13, 6: 13, 1: 13, BAR: 7}
    column = drawn[rows[point]].rindex(word)
    assert point == point_at(column, rows[point])


def test_sides_are_named() -> None:
    """The log speaks to the person."""
    assert ("you", "the bot") == (PERSON, BOT)


def test_a_malformed_seed_is_refused_before_anything_is_drawn() -> None:
    """64 digits or nothing."""
    command = [sys.executable, "-m", "bgbot", "play", "--seed", "12"]
    outcome = subprocess.run(command, capture_output=True, text=True, check=False)
    assert 2 == outcome.returncode
    assert "'12' is not a seed of 64 hexadecimal digits" in outcome.stderr
