"""Runs the examples as a reader of them does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples"


def _run(name: str, *words: str) -> str:
    """Run an example that succeeds without a complaint, and give what it prints."""
    completed = subprocess.run(
        [sys.executable, EXAMPLES / name, *words],
        check=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return completed.stdout


def test_demonstration_shows_plays_levels_and_a_refusal() -> None:
    """Its daemon is its own, and stops cleanly."""
    output = _run("demo.py")
    assert "19 legal plays:\n" in output
    assert "  Medium       13/8 13/10\n" in output
    assert "  Hard         24/16*\n" in output
    assert "  Grandmaster  24/16*\n" in output
    assert "  dice.die1: die of 7; allowed: 1 to 6\n" in output
    assert output.endswith("Daemon stopped cleanly.\n")


def test_match_is_played_to_its_end(daemon: str) -> None:
    """One side reaches 5 points, the other does not, and every game was won by somebody."""
    *games, last = _run("play_match.py", daemon).splitlines()
    scores = [tuple(map(int, game.rpartition(" ")[2].split("-"))) for game in games]
    assert 5 == max(scores[-1])
    assert 5 > min(scores[-1])
    assert all(5 > max(score) for score in scores[:-1])
    assert all(game.startswith(("MEDIUM  wins ", "HARD    wins ")) for game in games)
    assert ("MEDIUM" if scores[-1][0] == 5 else "HARD") + " wins the match" == last


def test_match_without_a_daemon_ends_with_one_line() -> None:
    """Nobody has to read a traceback to learn that nothing listens."""
    command = [sys.executable, str(EXAMPLES / "play_match.py"), "127.0.0.1:1"]
    failed = subprocess.run(command, check=False, capture_output=True, text=True)
    assert 1 == failed.returncode
    assert failed.stderr.startswith("UNAVAILABLE from 127.0.0.1:1: ")
    assert 1 == len(failed.stderr.splitlines())
