"""Whole games, played by the example of each client against a running daemon."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tests.clients.languages.replay import replay

if TYPE_CHECKING:
    from tests.clients.languages.toolchains import Client

_BOARD = re.compile(r"^┌.*?^└[^\n]*\n", re.DOTALL | re.MULTILINE)


def test_a_game_is_played_by_the_rules(client: Client, daemon: str) -> None:
    """Every play is legal and in canonical notation; every board, the cube and the score are right."""
    game = client.run("play_game", daemon, "--boards")
    assert (0, "") == (game.returncode, game.stderr)
    assert replay(game.stdout) == game.stdout


def test_the_opening_is_played_by_who_threw_more(client: Client, daemon: str) -> None:
    """In the first roll the first die is yours, the second the bot's."""
    opening = client.run("play_game", daemon).stdout.splitlines()[13]
    beginner, dice = opening.split()[:2]
    yours, others = map(int, dice.split("-"))
    assert ("you" if yours > others else "MEDIUM") == beginner


def test_a_game_shows_its_first_and_its_last_board(client: Client, daemon: str) -> None:
    """Without being asked for every board."""
    game = client.run("play_game", daemon).stdout
    first, *between, last = _BOARD.findall(game)
    assert [] == between
    assert game.startswith(first)
    assert 15 == max(map(int, re.findall(r"(\d+) off", last)))


def test_a_game_without_a_daemon_ends_with_one_line(client: Client) -> None:
    """Nobody has to read a stack trace to learn that nothing listens."""
    game = client.run("play_game", "127.0.0.1:1")
    assert (1, "", 1) == (game.returncode, game.stdout, len(game.stderr.splitlines()))
    assert "UNAVAILABLE: " == game.stderr[:13].upper()
    assert game.stderr.endswith(" (from 127.0.0.1:1)\n")


def test_the_shortest_example_says_what_the_readme_shows(client: Client) -> None:
    """Hard makes the 5-point with an opening 3-1."""
    example = client.run("choose_play")
    assert (0, "8/5 6/5\n", "") == (example.returncode, example.stdout, example.stderr)
