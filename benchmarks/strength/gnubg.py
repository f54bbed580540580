"""GNU Backgammon as a contestant, in its own process."""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

from bgbotd.bots import ChosenPlay
from bgbotd.rules import Dice, Position, legal_plays

_ANSWER = "play"
_SIDE = 26
"""Bytes of one side in a packed position: points 1 to 24, bar, off."""


class GnubgMissing(Exception):
    """GNU Backgammon is not installed."""


class Gnubg:
    """Plays cubeless for money at a number of plies, with gnubg's default move filter and settings.

    Raises:
        GnubgMissing: if gnubg is not installed.

    """

    def __init__(self, plies: int) -> None:
        """Start the process; `plies` counts as gnubg does: 0 is one evaluation of every play."""
        self._plies = plies
        player = Path(__file__).with_name("gnubg_player.py")
        self._process = subprocess.Popen(
            [program(), "--tty", "--quiet", "--no-rc", "--python", player],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def choose_play(self, position: Position, dice: Dice, *, seed: int | None = None) -> ChosenPlay:
        """Ask for the best play; no chance is involved, so `seed` changes nothing."""
        del seed
        plays = legal_plays(position, dice)
        if len(plays) == 1:
            return ChosenPlay(plays[0])
        packed = position.packed()
        points = self._ask([self._plies, dice.die1, dice.die2, *packed[:25], *packed[_SIDE : _SIDE + 25]])
        if play := plays.with_result(_after(packed, points)):
            return ChosenPlay(play)
        msg = f"gnubg plays {points} with {dice}, which is not legal"
        raise ValueError(msg)

    def _ask(self, numbers: list[int]) -> list[int]:
        """Give the answer to one line; whatever else gnubg prints is passed over."""
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            raise BrokenPipeError
        print(*numbers, file=stdin, flush=True)
        for line in stdout:
            word, *points = line.split() or [""]
            if word == _ANSWER:
                return [int(point) for point in points]
        msg = f"gnubg ended with {self._process.wait()}"
        raise BrokenPipeError(msg)


@cache
def program() -> str:
    """Find gnubg, also where Debian puts games.

    Raises:
        GnubgMissing: if it is not installed.

    """
    found = shutil.which("gnubg", path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/games"]))
    if not found:
        msg = "gnubg is not installed; on Debian and Ubuntu: apt install gnubg"
        raise GnubgMissing(msg)
    return found


def version() -> str:
    """Give gnubg's version, as it says it."""
    told = subprocess.run([program(), "--version"], capture_output=True, text=True, check=True).stdout
    return told.splitlines()[0].removeprefix("GNU Backgammon ").split()[0]


def _after(packed: bytes, points: list[int]) -> bytes:
    """Move checkers on a packed position, from and to points of the side to play; hits send to the bar."""
    side, other = bytearray(packed[:_SIDE]), bytearray(packed[_SIDE:])
    for source, destination in zip(points[::2], points[1::2], strict=True):
        side[source - 1] -= 1
        side[destination - 1 if destination else _SIDE - 1] += 1
        if destination and other[24 - destination]:
            other[24 - destination] -= 1
            other[24] += 1
    return bytes(side + other)
