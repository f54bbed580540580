"""Exact values of two-sided bear-offs: at most six checkers a side, all in their home boards.

The kernel computes the table, once; it is kept under the user's cache folder and mapped into
memory, shared by all processes. A file that is damaged or cannot be written never stops anybody:
the table is then computed anew and held in memory.
"""

from __future__ import annotations

import hashlib
import mmap
import os
import struct
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from bgbotd import kernel
from bgbotd.evaluation.engine import CubeEquities, Depth, Evaluation, Probabilities, RankedPlay, Source
from bgbotd.evaluation.verdict import is_beavered, may_double
from bgbotd.rules.match import CrawfordState, CubeOwner

if TYPE_CHECKING:
    from collections.abc import Callable

    from bgbotd.rules.match import MatchState

MOST_CHECKERS = 6
_HOME = 6
_BAR, _SIDE = 24, 26
"""Place of the bar in a packed side, and its length."""
_MAGIC = b"bgbotd bear-off 1\n"
"""Tells the file and its layout; a new layout gets a new number."""
_HEADER_SIZE = len(_MAGIC) + hashlib.sha256().digest_size
_VALUES = struct.Struct("<4f")
"""Cubeless, then not doubling with the cube owned, centred and the opponent's."""
_COLUMNS = {CubeOwner.PLAYER: 1, CubeOwner.CENTERED: 2, CubeOwner.OPPONENT: 3}
_DOUBLINGS_IN_SIGHT = 16
"""The table knows no cube limit; four doublings below it, a limit is out of any game's sight."""


_SIDES = kernel.bearoff_index(bytes(_HOME - 1) + bytes([MOST_CHECKERS])) + 1
"""Ways to have at most six checkers home, all borne off included; the last has them on the 6-point."""
_SIZE = _SIDES**2 * _VALUES.size


class BearoffTable:
    """Equities before the roll for every pair of sides the table covers."""

    why_not_kept: str | None
    """Why the table is not in the cache folder; None if it is."""

    def __init__(self, values: bytes | mmap.mmap, begin: int = 0, why_not_kept: str | None = None) -> None:
        """Hold the values, which begin at byte `begin`."""
        self._values = values
        self._begin = begin
        self.why_not_kept = why_not_kept

    @classmethod
    def open(cls, folder: Path | None = None, solve: Callable[[], bytes] | None = None) -> BearoffTable:
        """Map the table in `folder` (None: the user's cache folder), computing it if it is not there.

        That takes a moment once a machine, and milliseconds afterwards.
        """
        path = (folder or cache_folder()) / "bearoff-6x6.bin"
        with suppress(OSError, ValueError):
            return cls(_map(path), _HEADER_SIZE)
        values = (solve or kernel.solve_bearoff)()
        try:
            _write(path, values)
            return cls(_map(path), _HEADER_SIZE)
        except (OSError, ValueError) as error:
            return cls(values, why_not_kept=str(error))

    def evaluate(self, packed: bytes, match: MatchState) -> Evaluation | None:
        """Give the exact value of a packed position before the roll, None where the table has none.

        It has one for all of money play, and for games of a match in which the cube is of no use.
        """
        place = _place(packed)
        if place is None:
            return None
        cubeless, *no_double = _VALUES.unpack_from(self._values, self._begin + place * _VALUES.size)
        if not match.is_money or match.cube.value == match.cube_limit:
            cube = _useless_cube(cubeless, match)
        elif match.cube_limit < _DOUBLINGS_IN_SIGHT * match.cube.value:
            cube = None
        else:
            cube = _money_cube(no_double, match)
        if cube is None:
            return None
        return Evaluation(Probabilities((1.0 + cubeless) / 2.0), cube, Source.BEAROFF_TABLE)

    def rank_plays(self, results: list[bytes], match: MatchState) -> list[RankedPlay] | None:
        """Rank plays by the packed positions they lead to, seen by the side that moves; best first.

        None where the table does not have the value of every one.
        """
        plays = []
        for index, result in enumerate(results):
            if sum(result[: _BAR + 1]) == 0:
                if not result[-1]:  # a gammon, whose worth depends on score and Jacoby rule
                    return None
                plays.append(RankedPlay(index, Probabilities(1.0), 1.0, Depth.TRUNCATED_ROLLOUT, Source.RULES))
                continue
            value = self.evaluate(result[_SIDE:] + result[:_SIDE], match.mirrored())
            if value is None:
                return None
            chances = value.probabilities.mirrored()
            equity = -value.cube.after_best_action
            plays.append(RankedPlay(index, chances, equity, Depth.TRUNCATED_ROLLOUT, Source.BEAROFF_TABLE))
        plays.sort(key=lambda play: (-play.equity, -play.probabilities.win, play.index))
        return [play.ranked(rank, plays[0].equity) for rank, play in enumerate(plays, 1)]


def cache_folder() -> Path:
    """Give the folder of this program under the user's cache folder, which need not exist."""
    if given := os.environ.get("XDG_CACHE_HOME"):
        return Path(given) / "bgbotd"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", tempfile.gettempdir())) / "bgbotd"
    try:
        home = Path.home()
    except RuntimeError:  # a user without a home folder
        home = Path(tempfile.gettempdir())
    return home / ("Library/Caches" if sys.platform == "darwin" else ".cache") / "bgbotd"


def _place(packed: bytes) -> int | None:
    """Give the place of a packed position in the table, None if it is not covered."""
    player, opponent = packed[:_SIDE], packed[_SIDE:]
    if any(player[_HOME : _BAR + 1]) or any(opponent[_HOME : _BAR + 1]):
        return None
    points = (player[:_HOME], opponent[:_HOME])
    if not all(1 <= sum(of_side) <= MOST_CHECKERS for of_side in points):
        return None
    row, column = map(kernel.bearoff_index, points)
    return row * _SIDES + column


def _money_cube(no_double_by_owner: list[float], match: MatchState) -> CubeEquities:
    """Give the cube equities of money play."""
    no_double = no_double_by_owner[_COLUMNS[match.cube.owner] - 1]
    if not may_double(match):
        return CubeEquities(no_double, no_double, no_double)
    taken = CubeEquities(no_double, 2.0 * no_double_by_owner[_COLUMNS[CubeOwner.OPPONENT] - 1], 1.0)
    if is_beavered(taken, match):
        return CubeEquities(no_double, 2.0 * taken.double_take, 1.0)
    return taken


def _useless_cube(cubeless: float, match: MatchState) -> CubeEquities | None:
    """Give the cube equities where nobody can gain by turning the cube, None where somebody can.

    No gammons are left here, so the cubeless equity is also the normalised one.
    """
    if not may_double(match) and (match.is_money or match.crawford is CrawfordState.CRAWFORD_GAME):
        return CubeEquities(cubeless, cubeless, cubeless)
    if match.is_money or max(match.player_away, match.opponent_away) > match.cube.value:
        return None
    return CubeEquities(cubeless, cubeless, 1.0 if may_double(match) else cubeless)


def _map(path: Path) -> mmap.mmap:
    """Map a table's file; ValueError if it is not whole."""
    with path.open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    header, values = mapped[:_HEADER_SIZE], memoryview(mapped)[_HEADER_SIZE:]
    whole = len(values) == _SIZE and header == _MAGIC + hashlib.sha256(values).digest()
    values.release()
    if not whole:
        mapped.close()
        msg = f"{path} is damaged"
        raise ValueError(msg)
    return mapped


def _write(path: Path, values: bytes) -> None:
    """Write a table's file so that nobody ever sees half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        try:
            file.write(_MAGIC + hashlib.sha256(values).digest())
            file.write(values)
            file.close()
            Path(file.name).replace(path)
        except OSError:
            Path(file.name).unlink(missing_ok=True)
            raise
