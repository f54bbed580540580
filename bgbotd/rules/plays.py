"""Legal plays of a roll, the turn step by step, and which rule an illegal play breaks (rules.md sections 2 and 3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, overload

from bgbotd import kernel
from bgbotd.rules.dice import FACES
from bgbotd.rules.play_out import PlayOut, Way, blots
from bgbotd.rules.position import BAR, CHECKERS, OFF, Position
from bgbotd.rules.steps import Step, format_play, pack_steps, point_name, unpack_steps
from bgbotd.rules.violations import IllegalPlay, Reason, Violation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from bgbotd.rules.dice import Dice

__all__ = [
    "LegalPlays",
    "Play",
    "Restriction",
    "Step",
    "TurnProgress",
    "duty_violation",
    "find_play",
    "legal_plays",
    "legal_steps",
    "unpack_steps",
]

_POSITION_WIDTH = 52
_PLAYER_OFF = 25
_PLAY_WIDTH = 16


class Restriction(Enum):
    """How the rules limit a roll; the values are the kernel's."""

    FREE = 1
    """All dice are played, and every step that looks open may begin."""
    BOTH_DICE_FORCED = 2
    """All dice are played, but some first step that looks open is excluded because of that."""
    LARGER_DIE_FORCED = 3
    """Either die could be played alone, but not both: the larger must be."""
    PARTIAL = 4
    """Some but not all dice can be played, otherwise."""
    DANCE = 5
    """On the bar, and nothing can enter."""
    BLOCKED = 6
    """Nothing on the bar, and no legal step."""


class Play:
    """A play and where it leads."""

    __slots__ = ("packed_steps", "result")

    def __init__(self, steps: Iterable[Step], result: Position) -> None:
        """Hold at most four steps, in the order they are made, none where nothing can be played; and their result."""
        self.packed_steps = pack_steps(steps).ljust(_PLAY_WIDTH, b"\0")
        """The kernel's 16 bytes."""
        self.result = result
        """The position after it, seen by the mover: its `player` is still the mover."""

    @classmethod
    def unpacked(cls, steps: bytes, result: bytes) -> Play:
        """Read the kernel's 16 bytes of steps and 52 bytes of result."""
        made = cls.__new__(cls)
        made.packed_steps = steps
        made.result = Position.unpacked(result)
        return made

    @property
    def steps(self) -> tuple[Step, ...]:
        """Give the steps, in the order they are made; empty where nothing can be played."""
        return unpack_steps(self.packed_steps)

    @property
    def notation(self) -> str:
        """Write it in standard notation; a way is spelt out where another one would hit."""
        return format_play(self.steps, blots(self.result.packed()))

    def __eq__(self, other: object) -> bool:
        """Tell whether another play has the same steps in the same order, and the same result."""
        if not isinstance(other, Play):
            return NotImplemented
        return (self.packed_steps, self.result) == (other.packed_steps, other.result)

    def __hash__(self) -> int:
        """Give a hash that equal plays share."""
        return hash((self.packed_steps, self.result))

    def __repr__(self) -> str:
        """Write it as it would be made."""
        return f"Play(steps={self.steps}, result={self.result})"


class LegalPlays(Sequence[Play]):
    """The legal plays of a roll, one for each resulting position, in canonical order (rules.md section 5).

    Holds the kernel's bytes; a play is made when it is asked for. Where nothing can be played there
    is one empty play.
    """

    __slots__ = ("dice_played", "packed_results", "packed_steps", "restriction")

    def __init__(self, dice_played: int, restriction: Restriction, results: bytes, steps: bytes) -> None:
        """Hold what the kernel answers: 52 bytes of result and 16 bytes of steps a play."""
        self.dice_played = dice_played
        self.restriction = restriction
        self.packed_results = results
        self.packed_steps = steps

    def __len__(self) -> int:
        """Count the plays."""
        return len(self.packed_results) // _POSITION_WIDTH

    @overload
    def __getitem__(self, index: int) -> Play: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Play, ...]: ...
    def __getitem__(self, index: int | slice) -> Play | tuple[Play, ...]:
        """Make the play at an index, or the plays of a slice."""
        found = range(len(self))[index]
        return self._play(found) if isinstance(found, int) else tuple(map(self._play, found))

    def packed_result(self, index: int) -> bytes:
        """Give the 52 bytes of a play's result without making the play."""
        return self.packed_results[index * _POSITION_WIDTH : (index + 1) * _POSITION_WIDTH]

    def with_result(self, packed: bytes) -> Play | None:
        """Find the play that leads to a packed position."""
        for index in range(len(self)):
            if self.packed_result(index) == packed:
                return self._play(index)
        return None

    def _play(self, index: int) -> Play:
        """Make the play at an index from 0."""
        steps = self.packed_steps[index * _PLAY_WIDTH : (index + 1) * _PLAY_WIDTH]
        return Play.unpacked(steps, self.packed_result(index))


@dataclass(frozen=True, slots=True)
class TurnProgress:
    """A turn that is being played checker by checker."""

    steps: tuple[Step, ...]
    """What may be played next, descending by source and die."""
    current: Position
    """The position after the steps played so far, seen by the mover."""
    remaining_dice: tuple[int, ...]
    """Dice that have not been played, whether or not they still can be."""
    turn_complete: bool
    """Whether nothing is left that may be played."""
    restriction: Restriction
    """How the rules limited the whole roll from the start of the turn."""


def legal_plays(position: Position, dice: Dice) -> LegalPlays:
    """Give the legal plays of a roll.

    Raises:
        InvalidState: if the game is over.

    """
    position.refuse_finished()
    played, restriction, results, steps = kernel.legal_plays(position.packed(), dice.die1, dice.die2)
    return LegalPlays(played, Restriction(restriction), results, steps)


def find_play(position: Position, dice: Dice, steps: Sequence[Step]) -> Play:
    """Find the legal play that given steps amount to: the canonical one with the same result.

    The steps may come in any order, with `die` 0 for the one that fits; their `hit` is not read. A
    single step that ends the game is the play it shares the result with, though a die is left.

    Raises:
        InvalidState: if the game is over.
        IllegalPlay: with the rule that is broken, at `[i]` for a single step, else at `""`.

    """
    legal = legal_plays(position, dice)
    numbers = dice.moves()
    violations = [violation for index, step in enumerate(steps) for violation in _shape_violations(index, step)]
    if len(steps) > len(numbers):
        violations.append(
            Violation(
                f"[{len(numbers)}]",
                f"{len(steps)} steps with {dice.die1}-{dice.die2}",
                f"at most {len(numbers)} steps",
                Reason.DIE_NOT_AVAILABLE,
            )
        )
    if violations:
        raise IllegalPlay(violations)
    attempt = PlayOut(position.packed(), numbers, [_way(index, step) for index, step in enumerate(steps)])
    for end in attempt.ends:
        if play := legal.with_result(end):
            return play
    if attempt.failure is None or attempt.ends:
        raise IllegalPlay([duty_violation(legal, len(steps))])
    raise IllegalPlay([attempt.failure])


def legal_steps(position: Position, dice: Dice, played: Sequence[Step]) -> TurnProgress:
    """Tell what may be played next in a turn that has begun with `played`, in this order.

    Only steps are offered that keep the duty to play as many dice as possible, and a single step
    that ends the game where its result is that of a legal play.

    Raises:
        InvalidState: if the game was over before the turn.
        IllegalPlay: if a step could not have been played, with the rule it breaks; paths are `[i]`.

    """
    legal = legal_plays(position, dice)
    current, remaining = position.packed(), dice.moves()
    offered = _offered(current, remaining, legal)
    for index, step in enumerate(played):
        fitting = [each for each in offered if _is_same(each, step)]
        if not fitting:
            raise IllegalPlay(_step_violations(current, remaining, legal, index, step))
        # Of several dice that bear the same checker off, the larger stays for a later one.
        chosen = min(fitting, key=lambda each: each.die)
        current = kernel.apply_step(current, chosen.source, chosen.die)
        left = list(remaining)
        left.remove(chosen.die)
        remaining = tuple(left)
        offered = _offered(current, remaining, legal)
    return TurnProgress(offered, Position.unpacked(current), remaining, not offered, legal.restriction)


def duty_violation(legal: LegalPlays, played: int) -> Violation:
    """Make the violation of `played` steps, legal one by one, that do not use the dice as they must."""
    example = f"for example {legal[0].notation}"
    if played < legal.dice_played:
        return Violation(
            "",
            "fewer dice played than can be",
            f"as many as possible, here {legal.dice_played}: {example}",
            Reason.MORE_DICE_CAN_BE_PLAYED,
        )
    return Violation(
        "",
        "the smaller die played where only one of the two can be",
        f"the larger: {example}",
        Reason.LARGER_DIE_MUST_BE_PLAYED,
    )


def _offered(current: bytes, remaining: tuple[int, ...], legal: LegalPlays) -> tuple[Step, ...]:
    """List what may be played next."""
    if not remaining:
        return ()
    offered = unpack_steps(kernel.legal_steps(current, bytes(remaining)))
    if current[_PLAYER_OFF] != CHECKERS - 1:
        return offered
    last = next(point for point in range(1, BAR + 1) if current[point - 1])
    ending = {
        Step(last, OFF, die)
        for die in remaining
        if die >= last and legal.with_result(kernel.apply_step(current, last, die))
    }
    return tuple(sorted(ending.union(offered), key=lambda step: (step.source, step.die), reverse=True))


def _step_violations(
    current: bytes, remaining: tuple[int, ...], legal: LegalPlays, index: int, step: Step
) -> Iterator[Violation]:
    """List what is wrong with a step that is not offered."""
    shape = [*_shape_violations(index, step)]
    yield from shape
    if not shape:
        failure = PlayOut(current, remaining, [_way(index, step)]).failure
        yield failure or duty_violation(legal, index + 1).under(f"[{index}]")


def _shape_violations(index: int, step: Step) -> Iterator[Violation]:
    """List what is wrong with a step on any board."""
    if not (OFF < step.source <= BAR and OFF <= step.destination < step.source):
        yield Violation(
            f"[{index}]",
            f"a step from {step.source} to {step.destination}",
            f"from 1 to 24, or {BAR} for the bar, to a lower point, or {OFF} for off",
            Reason.NO_CHECKER_THERE if not OFF < step.source <= BAR else Reason.DIE_NOT_AVAILABLE,
        )
    elif step.die and step.destination != max(step.source - step.die, OFF):
        yield Violation(
            f"[{index}]",
            f"{point_name(step.source)}/{point_name(step.destination)} with a {step.die}",
            f"a die of {step.source - step.destination}, or 0 for the one that fits",
            Reason.DIE_NOT_AVAILABLE,
        )


def _way(index: int, step: Step) -> Way:
    """Make the way of a single step, by its die or by any that fits."""
    distance = step.source - step.destination
    fitting = tuple(
        die for die in range(1, FACES + 1) if die == distance or (step.destination == OFF and die > distance)
    )
    return Way(index, step.source, (step.destination,), (step.die,) if step.die else fitting)


def _is_same(offered: Step, said: Step) -> bool:
    """Tell whether a step that is offered is the one said, whose die may be left open."""
    return (offered.source, offered.destination) == (said.source, said.destination) and said.die in (0, offered.die)
