"""A board for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from bgbot.v1.match_pb2 import CrawfordState, CubeOwner

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bgbot.v1.match_pb2 import MatchState
    from bgbot.v1.position_pb2 import Dice, Position, Side

_ROWS = 5  # of checkers between the edge and the middle; a number tells what does not fit
_TOP, _BOTTOM = range(13, 25), range(12, 0, -1)
_CRAWFORD = {
    CrawfordState.CRAWFORD_STATE_CRAWFORD_GAME: ["Crawford game"],
    CrawfordState.CRAWFORD_STATE_POST_CRAWFORD: ["after Crawford"],
}


class _Symbols(NamedTuple):
    player: str
    opponent: str
    line: str
    wall: str
    top: str
    bottom: str


_UNICODE = _Symbols(player="●", opponent="○", line="─", wall="│", top="┌┬┬┐", bottom="└┴┴┘")
_ASCII = _Symbols(player="X", opponent="O", line="-", wall="|", top="++++", bottom="++++")


def draw_board(
    position: Position,
    *,
    dice: Dice | None = None,
    match: MatchState | None = None,
    pips: tuple[int, int] | None = None,
    ascii_only: bool = False,
) -> str:
    """Draw a position as its player sees it: at the bottom, moving from 24 at the top right to 1.

    Args:
        position: the position, with its 24 points a side, as in every answer of the daemon.
        dice: the roll to show.
        match: score, cube and agreements to show, seen by the player.
        pips: pips of the player and of the opponent to show, as the daemon counts them.
        ascii_only: draw the player's checkers as `X`, the opponent's as `O`, for terminals that
            know no more than ASCII.

    """
    symbols = _ASCII if ascii_only else _UNICODE
    player, opponent = position.player, position.opponent
    # Checkers on the bar stand towards the middle, away from the edge that the points grow from.
    top = _half(position, _TOP, _stack(symbols.opponent, opponent.bar)[::-1], symbols)
    bottom = _half(position, _BOTTOM, _stack(symbols.player, player.bar)[::-1], symbols)
    board = [
        _edge(_TOP, symbols.top, symbols.line),
        *top,
        _between_walls(" " * 19, "BAR", " " * 19, symbols),
        *reversed(bottom),
        _edge(_BOTTOM, symbols.bottom, symbols.line),
    ]
    player_pips, opponent_pips = pips or (None, None)
    in_match = match is not None and match.length > 0
    roll = f"roll {dice.die1}-{dice.die2}" if dice else ""
    beside = [
        f"{symbols.opponent} opponent",
        *_beside(opponent, opponent_pips, match.opponent_score if match and in_match else None),
        _cube(match, CubeOwner.CUBE_OWNER_OPPONENT),
        "   ".join(filter(None, (_cube(match, CubeOwner.CUBE_OWNER_CENTERED), roll))),
        _cube(match, CubeOwner.CUBE_OWNER_PLAYER),
        *reversed(_beside(player, player_pips, match.player_score if match and in_match else None)),
        f"{symbols.player} player",
    ]
    lines = [f"{line}  {words}".rstrip() for line, words in zip(board, beside, strict=True)]
    return "\n".join([_title(match), *lines] if match else lines)


def _half(position: Position, points: Sequence[int], bar: Sequence[str], symbols: _Symbols) -> list[str]:
    """Draw twelve points with the bar between them, row by row from the edge to the middle."""
    rows = zip(*(_point(position, point, symbols) for point in points), strict=True)
    return [
        _between_walls(_cells(row[:6]), f" {checker:<2}", _cells(row[6:]), symbols)
        for row, checker in zip(rows, bar, strict=True)
    ]


def _point(position: Position, point: int, symbols: _Symbols) -> list[str]:
    """Draw the checkers on one of the player's points, from the edge to the middle."""
    own, other = position.player.points[point - 1], position.opponent.points[24 - point]
    return _stack(symbols.player, own) if own else _stack(symbols.opponent, other)


def _stack(symbol: str, count: int) -> list[str]:
    """Draw so many checkers; the last is their number where there are more than rows."""
    stack = [symbol if row < count else "" for row in range(_ROWS)]
    return [*stack[:-1], str(count)] if count > _ROWS else stack


def _cells(row: Sequence[str]) -> str:
    return " " + "".join(f"{cell:>2} " for cell in row)


def _between_walls(left: str, bar: str, right: str, symbols: _Symbols) -> str:
    return symbols.wall.join(("", left, bar, right, ""))


def _edge(points: Sequence[int], corners: str, line: str) -> str:
    """Draw the numbers of twelve points into the frame."""
    numbers = [f"{point:{line}>2}{line}" for point in points]
    left, right = line + "".join(numbers[:6]), line + "".join(numbers[6:])
    return corners[0] + left + corners[1] + line * 3 + corners[2] + right + corners[3]


def _beside(side: Side, pips: int | None, score: int | None) -> list[str]:
    """Say what stands beside a side's half, from the edge inwards; the last row is the cube's."""
    said = [(pips, "{} pips"), (score, "score {}"), (side.off or None, "{} off")]
    lines = [words.format(count) for count, words in said if count is not None]
    return lines + [""] * (_ROWS - 1 - len(lines))


def _cube(match: MatchState | None, owner: CubeOwner.ValueType) -> str:
    return f"cube {match.cube.value}" if match and match.cube.owner == owner else ""


def _title(match: MatchState) -> str:
    """Name the match and its agreements."""
    kind = f"Match to {match.length}" if match.length else "Money game"
    agreed = [word for word, holds in (("Jacoby", match.jacoby), ("beavers", match.beavers)) if holds]
    return ", ".join([kind, *agreed, *_CRAWFORD.get(match.crawford, [])])
