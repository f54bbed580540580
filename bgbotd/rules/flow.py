"""The course of a game and a match: opening, turns, results and scores (rules.md sections 3 and 4).

A game goes from decision to decision. `start_game` opens it, `apply_play` and
`cube_actions.apply_cube_action` carry it on; each answers with the state in which the next
decision is made, seen by the side that makes it.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING

from bgbotd.rules.match import CrawfordState, Cube, CubeOwner
from bgbotd.rules.plays import find_play
from bgbotd.rules.position import CHECKERS, STARTING_POSITION, Finish, finish
from bgbotd.rules.violations import InvalidState, Reason, RulesError, Violation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from bgbotd.rules.dice import Dice
    from bgbotd.rules.match import MatchState
    from bgbotd.rules.plays import Play
    from bgbotd.rules.position import Position

MOST_AUTOMATIC_DOUBLES = 12
"""Twelve doublings take the cube from 1 to 4096, the largest value there is."""


class Decision(Enum):
    """What has to be decided next."""

    OPENING_ROLL = "opening roll"
    """A game is to begin: each side rolls one die."""
    DOUBLE_OR_ROLL = "double or roll"
    """The player may double before it rolls."""
    PLAY = "play"
    """The player rolls, or has rolled, and plays; no cube action is open."""
    TAKE_OR_PASS = "take or pass"  # noqa: S105 - a pass, no password.
    """The opponent has doubled."""
    BEAVER_RESPONSE = "beaver response"
    """The opponent has beavered the player's double."""
    MATCH_OVER = "match over"
    """A side has reached the target."""


class GameSide(Enum):
    """One of the two sides, seen by the player."""

    PLAYER = "player"
    OPPONENT = "opponent"


@dataclass(frozen=True, slots=True)
class GameResult:
    """How a game has ended."""

    winner: GameSide
    """Who has won, seen by the player of the decision that ended it."""
    finish: Finish
    """How it was won on the board; SINGLE after a pass."""
    points: int
    """Points won: cube and Jacoby included, not capped at the target of a match."""
    passed: bool
    """Whether it ended by passing a double or a beaver."""


@dataclass(frozen=True, slots=True)
class NextTurn:
    """What follows a play or a cube action.

    Position and match are seen by the side that decides next. In OPENING_ROLL and MATCH_OVER
    nobody decides: they keep the view of the player who has just decided.
    """

    position: Position
    """The starting position once a game has ended; the final one when the match has."""
    match: MatchState
    """Score and cube; while a double is pending, the cube before it."""
    decision: Decision
    """What has to be decided."""
    side: GameSide | None
    """Who decides, seen by the player who has just decided; None where nobody does."""
    result: GameResult | None = None
    """Set if the game has ended."""


@dataclass(frozen=True, slots=True)
class OpeningTurn:
    """A game that has begun; the side that begins plays `dice` (decision PLAY)."""

    beginner: GameSide
    """Who plays first, seen by the player given to `start_game`."""
    position: Position
    """The starting position."""
    dice: Dice
    """The opening roll as thrown: `die1` by the player given to `start_game`."""
    ties: tuple[Dice, ...]
    """Equal opening rolls before it, in their order."""
    match: MatchState
    """Score and cube, automatic doubles included, seen by the side that begins."""


def start_game(
    match: MatchState,
    dice: Dice | None,
    ties: Sequence[Dice],
    automatic_doubles: int,
    roll: Callable[[], Dice],
) -> OpeningTurn:
    """Open a game: each side throws one die, the higher begins with both numbers.

    Args:
        match: score and agreements, seen by either side, with a centred cube of 1.
        dice: the opening roll, `die1` thrown by the player, `die2` by the opponent; None to roll.
        ties: the equal rolls before `dice`; empty where `dice` is None.
        automatic_doubles: how many are agreed at most, 0 to 12; money play only. Each tie doubles
            the cube, as long as the cube limit allows it, and leaves it in the middle.
        roll: throws two dice; called only where `dice` is None.

    Raises:
        InvalidState: if the match is over or its cube turned, or if dice, ties or automatic doubles
            are not possible. Paths: `match`, `dice`, `ties`, `automatic_doubles`.

    """
    violations = [
        *_problems("match", match.refuse_over),
        *([] if dice is None else _problems("dice", dice.refuse_double_opening)),
        *_opening_violations(match, dice, ties, automatic_doubles),
    ]
    if violations:
        raise InvalidState(violations)
    equal = list(ties)
    if dice is None:
        dice = roll()
        while dice.is_double:
            equal.append(dice)
            dice = roll()
    value = min(2 ** min(len(equal), automatic_doubles), match.cube_limit)
    match = replace(match, cube=Cube(value))
    begins = dice.die1 > dice.die2
    return OpeningTurn(
        GameSide.PLAYER if begins else GameSide.OPPONENT,
        STARTING_POSITION,
        dice,
        tuple(equal),
        match if begins else match.mirrored(),
    )


def apply_play(position: Position, dice: Dice, match: MatchState, play: Play) -> NextTurn:
    """Play a roll and hand the turn over, or end the game with the fifteenth checker off.

    Args:
        position: before the play, seen by the player, who makes it.
        dice: the roll.
        match: score and cube, seen by the player.
        play: by its steps; what `result` says does not count.

    Raises:
        InvalidState: if game or match is over. Paths: `position`, `match`.
        IllegalPlay: if the play breaks a rule. Paths begin at `play.steps`.

    """
    if violations := ended_violations(position, match):
        raise InvalidState(violations)
    with _within("play.steps"):
        after = find_play(position, dice, play.steps).result
    if after.player.off == CHECKERS:
        return end_game(after, match, GameSide.PLAYER, finish(after.opponent))
    match = match.mirrored()
    decision = Decision.PLAY if doubling_violations(match) else Decision.DOUBLE_OR_ROLL
    return NextTurn(after.mirrored(), match, decision, GameSide.OPPONENT)


def doubling_violations(match: MatchState) -> list[Violation]:
    """List what keeps the player from turning the cube, whatever stands on the board.

    A dead cube, one whose owner gains nothing by it, may be turned.
    """
    violations = crawford_violations(match)
    if match.cube.owner is CubeOwner.OPPONENT:
        violations.append(
            Violation(
                "match.cube.owner",
                f"the opponent owns the cube of {match.cube.value}",
                "a cube that is centred or the player's own",
                Reason.CUBE_OWNED_BY_OPPONENT,
            )
        )
    return violations + turning_violations(match, 2)


def crawford_violations(match: MatchState) -> list[Violation]:
    """List whether this is the Crawford game, which has no doubling."""
    if match.crawford is not CrawfordState.CRAWFORD_GAME:
        return []
    return [
        Violation(
            "match.crawford",
            "a double in the Crawford game",
            "doubling again from the game after it",
            Reason.CRAWFORD_GAME,
        )
    ]


def turning_violations(match: MatchState, factor: int) -> list[Violation]:
    """List what keeps the cube from reaching `factor` times its value: its limit."""
    if match.cube.value * factor <= match.cube_limit:
        return []
    return [
        Violation(
            "match.cube.value",
            f"turning a cube of {match.cube.value} to {match.cube.value * factor}",
            f"up to the limit of {match.cube_limit}",
            Reason.CUBE_AT_LIMIT,
        )
    ]


def ended_violations(position: Position, match: MatchState) -> list[Violation]:
    """List whether the game and the match are over, where play is to go on."""
    return [*_problems("position", position.refuse_finished), *_problems("match", match.refuse_over)]


def end_game(
    position: Position, match: MatchState, winner: GameSide, kind: Finish, *, passed: bool = False
) -> NextTurn:
    """Score a game that ends in `position`, all seen by the player who has just decided."""
    following, points = score_game(match, winner, kind)
    result = GameResult(winner, kind, points, passed)
    if following.is_over:
        return NextTurn(position, following, Decision.MATCH_OVER, None, result)
    return NextTurn(STARTING_POSITION, following, Decision.OPENING_ROLL, None, result)


def score_game(match: MatchState, winner: GameSide, kind: Finish) -> tuple[MatchState, int]:
    """Score a finished game: give the match before the next one, seen by the player, and the points won.

    The points are cube times `kind`, or the bare cube where Jacoby holds gammons off. What goes
    past the target of a match is among the points, not in the score. The next game begins with a
    centred cube of 1; the Crawford game is the one after a side first stands one point away.

    Raises:
        InvalidState: if the match is over, or a money tally leaves its range. Paths: `match`.

    """
    if violations := _problems("match", match.refuse_over):
        raise InvalidState(violations)
    points = match.cube.value * (kind.value if match.gammons_count else 1)
    scores = {GameSide.PLAYER: match.player_score, GameSide.OPPONENT: match.opponent_score}
    scores[winner] += points
    if not match.is_money:
        scores[winner] = min(scores[winner], match.length)
    crawford = match.crawford
    if crawford is CrawfordState.CRAWFORD_GAME:
        crawford = CrawfordState.POST_CRAWFORD
    elif crawford is CrawfordState.NOT_REACHED and match.length - 1 in scores.values():
        crawford = CrawfordState.CRAWFORD_GAME
    with _within("match"):
        following = replace(
            match,
            player_score=scores[GameSide.PLAYER],
            opponent_score=scores[GameSide.OPPONENT],
            crawford=crawford,
            cube=Cube(),
        )
    return following, points


def _opening_violations(
    match: MatchState, dice: Dice | None, ties: Sequence[Dice], automatic_doubles: int
) -> list[Violation]:
    """List what is wrong with the cube, the ties and the automatic doubles of an opening."""
    violations = [
        Violation(
            f"ties[{index}]",
            f"{tie.die1}-{tie.die2} as a tie",
            "two equal dice: the roll with different dice opens the game",
            Reason.TIE_NOT_EQUAL,
        )
        for index, tie in enumerate(ties)
        if not tie.is_double
    ]
    if ties and dice is None:
        violations.append(
            Violation(
                "ties",
                "ties without the roll that followed",
                "ties only together with dice",
                Reason.TIE_NOT_EQUAL,
            )
        )
    if match.cube.value > 1:
        violations.append(
            Violation(
                "match.cube.value",
                f"cube of {match.cube.value} before the opening roll",
                "a centred cube of 1: every game begins with it",
                Reason.CUBE_VALUE,
            )
        )
    if not 0 <= automatic_doubles <= MOST_AUTOMATIC_DOUBLES:
        violations.append(
            Violation(
                "automatic_doubles",
                f"{automatic_doubles} automatic doubles",
                f"0 to {MOST_AUTOMATIC_DOUBLES}",
                Reason.AUTOMATIC_DOUBLES_OUT_OF_RANGE,
            )
        )
    elif automatic_doubles and not match.is_money:
        violations.append(
            Violation(
                "automatic_doubles",
                f"{automatic_doubles} automatic doubles in a match to {match.length}",
                "0: money play only",
                Reason.AUTOMATIC_DOUBLES_IN_MATCH,
            )
        )
    return violations


def _problems(path: str, refuse: Callable[[], None]) -> tuple[Violation, ...]:
    """List the violations a check of the value at `path` raises."""
    try:
        refuse()
    except InvalidState as error:
        return error.under(path).violations
    return ()


@contextmanager
def _within(path: str) -> Iterator[None]:
    """Let errors about the value at `path` say where it is."""
    try:
        yield
    except RulesError as error:
        raise error.under(path) from None
