"""GNU Backgammon's Position ID and Match ID.

Both are base64 without padding of little-endian bit strings. A Position ID (80 bits) lists for the
side not on roll, then for the side on roll, its points 1 to 24 and its bar: a one for each checker
and a zero to end the point. A Match ID (67 bits) has the fields of `_LAYOUT`. Layouts and the
meaning of every field were checked against GNU Backgammon 1.07.001.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from dataclasses import dataclass
from string import ascii_letters, digits
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
from bgbotd.rules.match import LONGEST_MATCH, CrawfordState, Cube, CubeOwner, MatchState
from bgbotd.rules.position import POINTS, Phase
from bgbotd.rules.violations import InvalidNotation, InvalidState, Reason, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bgbotd.rules.position import Position
    from bgbotd.rules.violations import RulesError

_POSITION_ID_LENGTH = 14
_MATCH_ID_LENGTH = 12
_ALPHABET = frozenset(ascii_letters + digits + "+/")

_LAYOUT = {
    "cube_exponent": 4,
    "cube_owner": 2,
    "on_roll": 1,
    "crawford_game": 1,
    "game_state": 3,
    "deciding": 1,
    "doubled": 1,
    "resignation": 2,
    "die1": 3,
    "die2": 3,
    "length": 15,
    "score0": 15,
    "score1": 15,
    "no_jacoby": 1,
}
"""Fields of a Match ID and their widths in bits, the lowest first; sides are called 0 and 1."""

_CENTERED = 3
_PLAYING = 1
_OVER = 2
_GAME_STATES = {0: "no game is being played", 3: "the game was resigned", 4: "the game was passed"}

_CARRIED = frozenset({"length", "player_score", "opponent_score", "crawford", "jacoby", "cube"})


@dataclass(frozen=True, slots=True)
class MatchIdContents:
    """Everything a Match ID says, seen by the side that decides."""

    match: MatchState
    """Score and cube; while a double is pending, the cube before it. Beavers and cube limit are defaults."""
    dice: Dice | None
    """The roll, None if there is none yet."""
    doubled: bool
    """Whether the opponent has doubled and the player has to decide."""
    over: bool
    """Whether the game is over."""


def position_id(position: Position) -> str:
    """Give the Position ID, with the player on roll."""
    bits = length = 0
    for side in (position.opponent, position.player):
        for count in (*side.points, side.bar):
            bits |= ((1 << count) - 1) << length
            length += count + 1
    return _encode(bits, _POSITION_ID_LENGTH)


def parse_position_id(text: str) -> Position:
    """Read a Position ID; the side on roll becomes the player.

    Raises:
        InvalidNotation: if it is no Position ID.
        InvalidState: if the position cannot exist.

    """
    bits = _decode(text, _POSITION_ID_LENGTH, "Position ID")
    counts = []
    for _ in range(2 * (POINTS + 1)):
        # The lowest zero ends the point.
        count = (~bits & (bits + 1)).bit_length() - 1
        counts.append(count)
        bits >>= count + 1
    position = position_from_counts(counts[POINTS + 1 :], counts[: POINTS + 1])
    if bits:
        raise InvalidNotation([_malformed("Position ID with more after its last point", "zeros there")])
    return position


def match_id(match: MatchState, dice: Dice | None = None, *, doubled: bool = False, over: bool = False) -> str:
    """Give the Match ID; the player is side 1.

    Args:
        match: seen by the side that decides. Scores of money play outside 0 to 32767 become 0.
        dice: the roll; the order is lost, GNU Backgammon writes the larger die first.
        doubled: whether the opponent has doubled; `match.cube` is the cube before that, `dice` None.
        over: whether the game is over; `dice` is None.

    """
    scores = (match.opponent_score, match.player_score)
    if any(not 0 <= score <= LONGEST_MATCH for score in scores):
        scores = (0, 0)
    owners = {CubeOwner.CENTERED: _CENTERED, CubeOwner.PLAYER: 1, CubeOwner.OPPONENT: 0}
    fields = {
        "cube_exponent": match.cube.value.bit_length() - 1,
        "cube_owner": owners[match.cube.owner],
        "on_roll": int(not doubled),
        "crawford_game": int(match.crawford is CrawfordState.CRAWFORD_GAME),
        "game_state": _OVER if over else _PLAYING,
        "deciding": 1,
        "doubled": int(doubled),
        "resignation": 0,
        "die1": max(dice.die1, dice.die2) if dice else 0,
        "die2": min(dice.die1, dice.die2) if dice else 0,
        "length": match.length,
        "score0": scores[0],
        "score1": scores[1],
        "no_jacoby": int(not match.jacoby),
    }
    bits = shift = 0
    for name, width in _LAYOUT.items():
        bits |= fields[name] << shift
        shift += width
    return _encode(bits, _MATCH_ID_LENGTH)


def parse_match_id(text: str) -> MatchIdContents:
    """Read a Match ID; the side that decides becomes the player.

    Raises:
        InvalidNotation: if it is no Match ID, or waits for something that is not decided here.
        InvalidState: if the state cannot exist, or the game was resigned or passed.

    """
    bits = _decode(text, _MATCH_ID_LENGTH, "Match ID")
    fields = {}
    for name, width in _LAYOUT.items():
        fields[name] = bits & ((1 << width) - 1)
        bits >>= width
    if bits:
        raise InvalidNotation([_malformed("Match ID with bits set after its last field", "zeros there")])
    if refused := list(_field_violations(fields)):
        raise InvalidNotation(refused)
    over = fields["game_state"] == _OVER
    dice = Dice(fields["die1"], fields["die2"]) if fields["die1"] and not over else None
    return MatchIdContents(_match(fields), dice, bool(fields["doubled"]), over)


def read_gnubg_id(text: str) -> IdContents:
    """Read `PositionID` or `PositionID:MatchID`.

    Raises:
        InvalidNotation: if a part is no ID, or waits for something that is not decided here.
        InvalidState: if the state cannot exist, or the game has ended without all checkers off.

    """
    position_text, colon, match_text = text.partition(":")
    if not colon:
        return IdContents(parse_position_id(position_text), None, None, frozenset(), None)
    errors: list[RulesError] = []
    with collecting(errors):
        position = parse_position_id(position_text)
    with collecting(errors):
        contents = parse_match_id(match_text)
    raise_together(errors)
    if contents.over and position.phase() is not Phase.OVER and not contents.match.is_over:
        raise InvalidState.of(
            "", "Match ID of a game that is over", "a game still being played, or 15 checkers off", Reason.GAME_OVER
        )
    if contents.doubled:
        # The side that has doubled counts as on roll.
        return IdContents(position.mirrored(), None, contents.match, _CARRIED | {"decision"}, Decision.TAKE_OR_PASS)
    if contents.dice is None:
        return IdContents(position, None, contents.match, _CARRIED, None)
    return IdContents(position, contents.dice, contents.match, _CARRIED | {"dice", "decision"}, Decision.PLAY)


def _match(fields: dict[str, int]) -> MatchState:
    """Make the match state, seen by the side that decides."""
    player = fields["deciding"]
    owners = {_CENTERED: CubeOwner.CENTERED, player: CubeOwner.PLAYER, 1 - player: CubeOwner.OPPONENT}
    scores = (fields["score0"], fields["score1"])
    length = fields["length"]
    try:
        cube = Cube(1 << fields["cube_exponent"], owners[fields["cube_owner"]])
    except InvalidState as error:
        raise error.under("cube") from None
    return MatchState(
        length=length,
        player_score=scores[player],
        opponent_score=scores[1 - player],
        crawford=crawford_from_bit(length, scores, crawford_game=bool(fields["crawford_game"])),
        # The bit has no meaning in match play, and IDs of old versions do not have it.
        jacoby=not length and not fields["no_jacoby"],
        cube=cube,
    )


def _field_violations(fields: dict[str, int]) -> Iterator[Violation]:
    """List the fields that have no meaning, or none here."""
    state = fields["game_state"]
    if state not in (_PLAYING, _OVER):
        reason = Reason.GAME_OVER if state in (3, 4) else Reason.ID_MALFORMED
        problem = _GAME_STATES.get(state, f"game state {state} has no meaning")
        yield Violation("", f"Match ID: {problem}", "a game being played", reason)
        return
    if fields["cube_owner"] not in (0, 1, _CENTERED):
        yield _malformed(f"Match ID: cube owner {fields['cube_owner']}", "0, 1, or 3 for a centred cube")
    dice = (fields["die1"], fields["die2"])
    if fields["doubled"] and any(dice):
        yield _malformed("Match ID: dice while a double is offered", "a double before the dice are rolled")
    if fields["resignation"]:
        yield _malformed("Match ID: a resignation has been offered", "an ID from before the resignation")
    elif fields["doubled"] == (fields["deciding"] == fields["on_roll"]):
        yield _malformed(
            f"Match ID: side {fields['deciding']} decides while side {fields['on_roll']} is on roll, "
            f"{'with' if fields['doubled'] else 'without'} a double",
            "the side on roll decides, unless it has doubled",
        )
    if (0 in dice) and any(dice):
        yield _malformed(f"Match ID: dice {dice[0]} and {dice[1]}", "both dice, or none")
    for name, die in zip(("die1", "die2"), dice, strict=True):
        if die > 6:  # noqa: PLR2004 - three bits hold up to 7
            yield Violation("", f"Match ID: {name} of {die}", "1 to 6", Reason.DIE_OUT_OF_RANGE)


def _encode(bits: int, length: int) -> str:
    """Write bits, the lowest first, as base64 without padding."""
    return b64encode(bits.to_bytes(length * 6 // 8, "little")).decode().rstrip("=")


def _decode(text: str, length: int, name: str) -> int:
    """Read the bits of an ID; the lowest comes first."""
    text = text.strip().rstrip("=")
    violations = []
    if len(text) != length:
        violations.append(Violation("", f"{name} of {len(text)} characters", f"{length} characters", Reason.ID_LENGTH))
    foreign = sorted(set(text) - _ALPHABET)
    if foreign:
        violations.append(Violation("", f"{foreign[0]!r} in a {name}", "A-Z, a-z, 0-9, + and /", Reason.ID_ALPHABET))
    if violations:
        raise InvalidNotation(violations)
    packed = b64decode(text + "=" * (-length % 4))
    if b64encode(packed).decode().rstrip("=") != text:
        raise InvalidNotation([_malformed(f"{name} with bits set after its last byte", "zeros there")])
    return int.from_bytes(packed, "little")


def _malformed(problem: str, allowed: str) -> Violation:
    """Make the violation of a well-formed ID that says something impossible."""
    return Violation("", problem, allowed, Reason.ID_MALFORMED)
