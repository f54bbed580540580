"""Cube, score and what was agreed before play (rules.md section 4)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum

from bgbotd.rules.violations import InvalidState, Reason, Violation

LARGEST_CUBE = 4096
"""The largest cube value this program carries, and the limit where none is named."""
LONGEST_MATCH = 32_767
"""The longest match a GNU Match ID can carry (15 bits)."""
HIGHEST_MONEY_SCORE = 1_000_000_000
"""A running money tally stays well within the contract's 32 bits."""


class CubeOwner(Enum):
    """Who may turn the cube, seen by the player."""

    CENTERED = "centered"
    PLAYER = "player"
    OPPONENT = "opponent"

    def mirrored(self) -> CubeOwner:
        """Give the same owner seen by the other side."""
        if self is CubeOwner.CENTERED:
            return self
        return CubeOwner.OPPONENT if self is CubeOwner.PLAYER else CubeOwner.PLAYER


class CrawfordState(Enum):
    """Where a match stands with the Crawford rule."""

    NOT_REACHED = "not reached"
    """The rule is agreed and no side is one point from the target yet."""
    CRAWFORD_GAME = "Crawford game"
    """This is the one game without doubling."""
    POST_CRAWFORD = "post-Crawford"
    """The Crawford game has been played."""
    NOT_PLAYED = "not played"
    """The rule is not in force: money play, or a match without it."""


@dataclass(frozen=True, slots=True)
class Cube:
    """The doubling cube.

    Raises:
        InvalidState: if the value is not a power of two up to 4096, or an owned cube is below 2.

    """

    value: int = 1
    """Stake of the game in points, a power of two from 1 to 4096."""
    owner: CubeOwner = CubeOwner.CENTERED
    """Who may turn it next."""

    def __post_init__(self) -> None:
        """Refuse a cube that cannot lie on a board."""
        if not is_cube_value(self.value):
            raise InvalidState.of(
                "value", f"cube of {self.value}", f"a power of two from 1 to {LARGEST_CUBE}", Reason.CUBE_VALUE
            )
        if self.value == 1 and self.owner is not CubeOwner.CENTERED:
            raise InvalidState.of(
                "owner", "an owned cube of 1", "a centred cube of 1, or an owned one of at least 2", Reason.CUBE_OWNER
            )

    def mirrored(self) -> Cube:
        """Give the same cube seen by the other side."""
        return replace(self, owner=self.owner.mirrored())


def is_cube_value(value: int) -> bool:
    """Tell whether `value` is a power of two from 1 to 4096."""
    return 1 <= value <= LARGEST_CUBE and value & (value - 1) == 0


@dataclass(frozen=True, slots=True)
class MatchState:
    """Score, cube and agreements, seen by the player.

    The default is money play with a centred cube at 1, without Jacoby and beavers.

    Raises:
        InvalidState: if the parts contradict each other; all contradictions are listed.

    """

    length: int = 0
    """Points to win the match; 0 = money play."""
    player_score: int = 0
    """Points the player has; in money play a running tally that constrains nothing."""
    opponent_score: int = 0
    """Points the opponent has."""
    crawford: CrawfordState | None = None
    """Never None once made: None becomes NOT_PLAYED in money play and NOT_REACHED before one point away."""
    jacoby: bool = False
    """Gammons count only after the cube has been turned (money play)."""
    beavers: bool = False
    """The doubled side may take and redouble at once (money play)."""
    cube: Cube = field(default_factory=Cube)
    """The cube; while a double is pending, the cube before it."""
    cube_limit: int = LARGEST_CUBE
    """The largest value the cube may be turned to."""

    def __post_init__(self) -> None:
        """Settle the Crawford state where it is certain, and refuse contradictions."""
        if self.length == 0 and self.crawford in (None, CrawfordState.NOT_REACHED):
            object.__setattr__(self, "crawford", CrawfordState.NOT_PLAYED)
        if self.crawford is None and (self.is_over or not self.is_one_away):
            object.__setattr__(self, "crawford", CrawfordState.NOT_REACHED)
        scores = _score_violations(self)
        violations = [
            *scores,
            *_agreement_violations(self),
            *([] if scores else _crawford_violations(self)),  # says nothing about an impossible score
            *_cube_violations(self),
        ]
        if violations:
            raise InvalidState(violations)

    @property
    def is_money(self) -> bool:
        """Tell whether this is money play."""
        return self.length == 0

    @property
    def is_over(self) -> bool:
        """Tell whether a side has reached the target of a match."""
        return bool(self.length) and self.length in (self.player_score, self.opponent_score)

    def refuse_over(self) -> None:
        """Raise InvalidState if the match is over."""
        violations = [
            Violation(
                name,
                f"score of {score} in a match to {self.length}: the match is over",
                f"0 to {self.length - 1} while a match is being played",
                Reason.SCORE_OUT_OF_RANGE,
            )
            for name, score in (("player_score", self.player_score), ("opponent_score", self.opponent_score))
            if self.length and score == self.length
        ]
        if violations:
            raise InvalidState(violations)

    @property
    def is_one_away(self) -> bool:
        """Tell whether a side of a match needs one point only."""
        return bool(self.length) and 1 in (self.player_away, self.opponent_away)

    @property
    def player_away(self) -> int:
        """Points the player still needs (match play)."""
        return self.length - self.player_score

    @property
    def opponent_away(self) -> int:
        """Points the opponent still needs (match play)."""
        return self.length - self.opponent_score

    @property
    def gammons_count(self) -> bool:
        """Tell whether gammons and backgammons count now: all but Jacoby with an untouched cube."""
        return not (self.jacoby and self.cube.owner is CubeOwner.CENTERED)

    def mirrored(self) -> MatchState:
        """Give the same state seen by the other side."""
        return replace(
            self,
            player_score=self.opponent_score,
            opponent_score=self.player_score,
            cube=self.cube.mirrored(),
        )


def _score_violations(match: MatchState) -> list[Violation]:
    """List what is wrong with length and scores."""
    if not 0 <= match.length <= LONGEST_MATCH:
        return [
            Violation(
                "length",
                f"match of {match.length} points",
                f"0 (money play) to {LONGEST_MATCH}",
                Reason.MATCH_LENGTH_OUT_OF_RANGE,
            )
        ]
    # A match that is over can be said, but a request cannot be about one: see refuse_over.
    highest = match.length or HIGHEST_MONEY_SCORE
    lowest = 0 if match.length else -HIGHEST_MONEY_SCORE
    what = f"in a match to {match.length}" if match.length else "in money play"
    return [
        Violation(name, f"score of {score} {what}", f"{lowest} to {highest}", Reason.SCORE_OUT_OF_RANGE)
        for name, score in (("player_score", match.player_score), ("opponent_score", match.opponent_score))
        if not lowest <= score <= highest
    ]


def _agreement_violations(match: MatchState) -> list[Violation]:
    """List agreements that match play does not have."""
    if match.is_money:
        return []
    return [
        Violation(name, f"{name} in a match to {match.length}", "money play only (length 0)", reason)
        for name, agreed, reason in (
            ("jacoby", match.jacoby, Reason.JACOBY_IN_MATCH),
            ("beavers", match.beavers, Reason.BEAVERS_IN_MATCH),
        )
        if agreed
    ]


def _crawford_violations(match: MatchState) -> list[Violation]:
    """List contradictions between score and Crawford state."""
    score = f"{match.player_score}-{match.opponent_score} to {match.length}"
    if match.is_over:
        return []
    if match.crawford is None:
        return [
            Violation(
                "crawford",
                f"nothing said at {score}, where a side is one point away",
                "CRAWFORD_GAME, POST_CRAWFORD or NOT_PLAYED",
                Reason.CRAWFORD_UNSPECIFIED,
            )
        ]
    if match.is_money:
        wrong = match.crawford is not CrawfordState.NOT_PLAYED
        allowed = "NOT_PLAYED or nothing said in money play"
        score = "money play"
    elif not match.is_one_away:
        wrong = match.crawford in (CrawfordState.CRAWFORD_GAME, CrawfordState.POST_CRAWFORD)
        allowed = "NOT_REACHED or NOT_PLAYED while no side is one point away"
    elif match.length > 1 and match.player_away == match.opponent_away:
        wrong = match.crawford not in (CrawfordState.POST_CRAWFORD, CrawfordState.NOT_PLAYED)
        allowed = "POST_CRAWFORD or NOT_PLAYED when both sides are one point away"
    else:
        wrong = match.crawford is CrawfordState.NOT_REACHED
        allowed = "CRAWFORD_GAME, POST_CRAWFORD or NOT_PLAYED when a side is one point away"
    if not wrong:
        return []
    return [Violation("crawford", f"{match.crawford.name} in {score}", allowed, Reason.CRAWFORD_CONTRADICTS_SCORE)]


def _cube_violations(match: MatchState) -> list[Violation]:
    """List contradictions between the cube, its limit and the kind of play."""
    violations = []
    if not is_cube_value(match.cube_limit):
        violations.append(
            Violation(
                "cube_limit",
                f"limit of {match.cube_limit}",
                f"a power of two from 1 to {LARGEST_CUBE}",
                Reason.CUBE_LIMIT,
            )
        )
    elif match.cube.value > match.cube_limit:
        violations.append(
            Violation(
                "cube.value",
                f"cube of {match.cube.value} above the limit of {match.cube_limit}",
                f"at most {match.cube_limit}",
                Reason.CUBE_LIMIT,
            )
        )
    if match.crawford is CrawfordState.CRAWFORD_GAME and not match.is_over and match.cube != Cube():
        violations.append(
            Violation(
                "cube",
                f"cube of {match.cube.value} in the Crawford game",
                "a centred cube of 1: nobody may double in the Crawford game",
                Reason.CUBE_TURNED_IN_CRAWFORD_GAME,
            )
        )
    elif not match.is_money and match.cube.value > 1 and match.cube.owner is CubeOwner.CENTERED:
        violations.append(
            Violation(
                "cube.owner",
                f"a centred cube of {match.cube.value} in a match",
                "PLAYER or OPPONENT: only automatic doubles of money play turn a centred cube",
                Reason.CUBE_OWNER,
            )
        )
    return violations
