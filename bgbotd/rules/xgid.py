"""XGID, eXtreme Gammon's ID: ten fields joined by colons, all but the turn seen from the bottom of the board.

1. 26 characters: the top's bar, the bottom's points 1 to 24, the bottom's bar; `A` to `O` are 1 to
   15 checkers of the bottom, `a` to `o` of the top, `-` is none.
2. The cube's exponent. 3. Its owner: 1 bottom, -1 top, 0 nobody.
4. The side on roll: 1 bottom, -1 top.
5. The dice, such as `52`; `00` before the roll; `D` if the side on roll has doubled.
6., 7. The scores of bottom and top.
8. In a match 1 in the Crawford game; in money play 1 for Jacoby, 2 for beavers, 3 for both.
9. The match length, 0 for money play. 10. The exponent of the largest cube.
"""

from __future__ import annotations

import re
from string import ascii_letters
from typing import TYPE_CHECKING

from bgbotd.rules.dice import Dice
from bgbotd.rules.flow import Decision
from bgbotd.rules.identifiers import (
    IdContents,
    collecting,
    crawford_from_bit,
    position_from_counts,
    raise_together,
)
from bgbotd.rules.match import LARGEST_CUBE, CrawfordState, Cube, CubeOwner, MatchState
from bgbotd.rules.position import POINTS
from bgbotd.rules.violations import InvalidNotation, InvalidState, Reason, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bgbotd.rules.position import Position
    from bgbotd.rules.violations import RulesError

_PREFIX = "XGID="
_FIELDS = ("board", "cube", "cube owner", "turn", "dice", "bottom's score", "top's score", "rules", "length", "limit")
_BOARD_LENGTH = POINTS + 2
_LARGEST_EXPONENT = LARGEST_CUBE.bit_length() - 1
_JACOBY = 1
_BEAVERS = 2

_CHECKERS = frozenset("-" + ascii_letters)
_NUMBER = re.compile(r"-?[0-9]{1,10}")
_DICE = re.compile(r"[0-9]{2}|[DBR]")

_CARRIED = frozenset(
    {"length", "player_score", "opponent_score", "crawford", "jacoby", "beavers", "cube", "cube_limit"}
)


def xgid(position: Position, match: MatchState, dice: Dice | None = None, *, doubled: bool = False) -> str:
    """Give the XGID; the player sits at the bottom.

    Args:
        position: seen by the side that decides.
        match: seen by the same side.
        dice: the roll.
        doubled: whether the opponent has doubled; `match.cube` is the cube before that, `dice` None.

    """
    owners = {CubeOwner.CENTERED: 0, CubeOwner.PLAYER: 1, CubeOwner.OPPONENT: -1}
    rules = int(match.crawford is CrawfordState.CRAWFORD_GAME)
    if match.is_money:
        rules = _JACOBY * match.jacoby + _BEAVERS * match.beavers
    fields = (
        _board(position),
        match.cube.value.bit_length() - 1,
        owners[match.cube.owner],
        -1 if doubled else 1,
        "D" if doubled else f"{dice.die1}{dice.die2}" if dice else "00",
        match.player_score,
        match.opponent_score,
        rules,
        match.length,
        match.cube_limit.bit_length() - 1,
    )
    return _PREFIX + ":".join(map(str, fields))


def read_xgid(text: str) -> IdContents:
    """Read an XGID, with or without its prefix; the side that decides becomes the player.

    Raises:
        InvalidNotation: if it is no XGID, or waits for something that is not decided here.
        InvalidState: if the state cannot exist.

    """
    text = text.strip()
    if text[: len(_PREFIX)].upper() == _PREFIX:
        text = text[len(_PREFIX) :]
    fields = text.split(":")
    if len(fields) != len(_FIELDS):
        raise InvalidNotation.of(
            "", f"XGID of {len(fields)} fields", f"{len(_FIELDS)} fields joined by colons", Reason.ID_LENGTH
        )
    if violations := [*_form_violations(fields)] or [*_value_violations(fields)]:
        raise InvalidNotation(violations)
    doubled = fields[4] == "D"
    # The side on roll decides, unless it has doubled.
    bottom_decides = (int(fields[3]) > 0) != doubled
    errors: list[RulesError] = []
    with collecting(errors):
        position = _read_position(fields[0], bottom_decides=bottom_decides)
    with collecting(errors, "dice"):
        dice = Dice(int(fields[4][0]), int(fields[4][1])) if fields[4] not in ("00", "D") else None
    with collecting(errors):
        match = _read_match(fields, bottom_decides=bottom_decides)
    raise_together(errors)
    decision = Decision.TAKE_OR_PASS if doubled else Decision.PLAY if dice else None
    said = {name for name, value in (("dice", dice), ("decision", decision)) if value}
    return IdContents(position, dice, match, _CARRIED | said, decision)


def _board(position: Position) -> str:
    """Write the checkers with the player at the bottom."""
    bottom, top = position.player, position.opponent
    characters = ["-"] * _BOARD_LENGTH
    for point, count in enumerate((*bottom.points, bottom.bar), 1):
        if count:
            characters[point] = chr(ord("A") + count - 1)
    for point, count in enumerate((*top.points, top.bar), 1):
        if count:
            characters[_BOARD_LENGTH - 1 - point] = chr(ord("a") + count - 1)
    return "".join(characters)


def _read_position(board: str, *, bottom_decides: bool) -> Position:
    """Read the checkers; the side that decides becomes the player."""
    bottom = [ord(each) - ord("A") + 1 if each.isupper() else 0 for each in board[1:]]
    top = [ord(each) - ord("a") + 1 if each.islower() else 0 for each in board[-2::-1]]
    return position_from_counts(bottom, top) if bottom_decides else position_from_counts(top, bottom)


def _read_match(fields: Sequence[str], *, bottom_decides: bool) -> MatchState:
    """Read score, cube and agreements, seen by the side that decides."""
    exponent, owner = int(fields[1]), int(fields[2]) * (1 if bottom_decides else -1)
    scores = (int(fields[5]), int(fields[6]))
    rules, length = int(fields[7]), int(fields[8])
    owners = {0: CubeOwner.CENTERED, 1: CubeOwner.PLAYER, -1: CubeOwner.OPPONENT}
    try:
        cube = Cube(1 << exponent, owners[owner])
    except InvalidState as error:
        raise error.under("cube") from None
    return MatchState(
        length=length,
        player_score=scores[0] if bottom_decides else scores[1],
        opponent_score=scores[1] if bottom_decides else scores[0],
        crawford=crawford_from_bit(length, scores, crawford_game=bool(length and rules)),
        jacoby=not length and bool(rules & _JACOBY),
        beavers=not length and bool(rules & _BEAVERS),
        cube=cube,
        cube_limit=1 << int(fields[9]),
    )


def _form_violations(fields: Sequence[str]) -> Iterator[Violation]:
    """List the fields that cannot be read."""
    board = fields[0]
    if len(board) != _BOARD_LENGTH:
        yield Violation("", f"XGID's board of {len(board)} characters", f"{_BOARD_LENGTH} characters", Reason.ID_LENGTH)
    if foreign := sorted(set(board) - _CHECKERS):
        yield Violation("", f"{foreign[0]!r} on XGID's board", "-, A to O and a to o", Reason.ID_ALPHABET)
    elif board[:1].isupper() or board[-1:].islower():
        yield _malformed(
            f"XGID's bars {board[0]!r} and {board[-1]!r}", "the top's (a to o) first, the bottom's (A to O) last"
        )
    for name, field in zip(_FIELDS[1:], fields[1:], strict=True):
        form = _DICE if name == "dice" else _NUMBER
        if not form.fullmatch(field):
            allowed = "two dice, 00 or D" if name == "dice" else "a whole number"
            yield _malformed(f"{field[:20]!r} as XGID's {name}", allowed)


def _value_violations(fields: Sequence[str]) -> Iterator[Violation]:
    """List the fields whose value has no meaning, or none here."""
    cube, owner, turn, rules, length, limit = (int(fields[index]) for index in (1, 2, 3, 7, 8, 9))
    exponents = f"an exponent of 0 to {_LARGEST_EXPONENT}"
    if not 0 <= cube <= _LARGEST_EXPONENT:
        yield Violation("", f"XGID's cube of 2^{cube}", exponents, Reason.CUBE_VALUE)
    if owner not in (-1, 0, 1):
        yield _malformed(f"XGID's cube owner {owner}", "1 (bottom), -1 (top) or 0")
    if turn not in (-1, 1):
        yield _malformed(f"XGID's turn {turn}", "1 (bottom) or -1 (top)")
    if fields[4] == "B":
        yield _malformed("XGID of a beaver that awaits an answer (B)", "two dice, 00 or D")
    if fields[4] == "R":
        yield Violation("", "XGID of a raccoon (R), which is not played here", "two dice, 00 or D", Reason.RACCOON)
    highest = 1 if length else _JACOBY + _BEAVERS
    if not 0 <= rules <= highest:
        what = "match play" if length else "money play"
        yield _malformed(f"XGID's rules {rules} in {what}", f"0 to {highest}")
    if not 0 <= limit <= _LARGEST_EXPONENT:
        yield Violation("", f"XGID's cube limit of 2^{limit}", exponents, Reason.CUBE_LIMIT)


def _malformed(problem: str, allowed: str) -> Violation:
    """Make the violation of an XGID that says something impossible."""
    return Violation("", problem, allowed, Reason.ID_MALFORMED)
