"""From requests to the game's own types: every problem is found at once, under its field's path."""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from bgbotd import kernel
from bgbotd.rules import (
    LARGEST_CUBE,
    CrawfordState,
    Cube,
    CubeOwner,
    Decision,
    Dice,
    IdContents,
    MatchState,
    Position,
    RulesError,
    Side,
    Step,
    Violation,
    read_gnubg_id,
    read_xgid,
)
from bgbotd.rules.violations import InvalidState, Reason
from bgbotd.service import enums
from bgbotd.service.errors import InvalidRequest, ServiceReason, violation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from bgbot.v1 import match_pb2, position_pb2

T = TypeVar("T")

_MONEY = MatchState()
"""What holds where neither a request nor its ID says anything of a match."""


class Situation(NamedTuple):
    """What a request is about, after its fields and its ID have been put together."""

    position: Position
    """Seen by the player."""
    dice: Dice | None
    """The roll, None where there is none."""
    match: MatchState
    """Seen by the player."""
    decision: Decision | None
    """None where neither the request nor its ID says one."""

    @property
    def roll(self) -> Dice:
        """Give the roll of a request in which it is required."""
        assert self.dice is not None  # noqa: S101 - read_situation has refused the request otherwise
        return self.dice


class HasPosition(Protocol):
    """A request with a position."""

    @property
    def position(self) -> position_pb2.PositionSource:
        """Give the position's source."""


def read_position(request: HasPosition) -> Position:
    """Read the position of a request that is about nothing else, of a finished game too.

    Raises:
        InvalidRequest: with every problem of the position.

    """
    problems: list[Violation] = []
    position, _ = _read_source(request.position, problems)
    if position is None:
        raise InvalidRequest(problems)
    return position


def read_situation(
    request: HasPosition,
    *,
    dice_required: bool = False,
    decision_required: bool = False,
    finished_allowed: bool = False,
    also: Iterable[Violation] = (),
) -> Situation:
    """Read the position and whatever the request has of dice, match and decision.

    An ID with a pending double is refused unless the request says the decision: its player is not on
    roll, which other requests take for granted.

    Raises:
        InvalidRequest: with every problem of these fields, and those of `also`.

    """
    problems = [*also]
    position, carried = _read_source(request.position, problems)
    if position and not finished_allowed and position.is_finished:
        _attempt(problems, _source_path(request.position), position.refuse_finished)
    if carried and carried.decision is Decision.TAKE_OR_PASS and "decision" not in _fields_of(request):
        problems.append(
            violation(
                _source_path(request.position),
                "an ID with a pending double, whose player is not on roll",
                "a position whose player is on roll",
                Reason.CONTRADICTION,
            )
        )
    dice = _read_dice(request, carried, problems)
    if dice_required and position and dice is None and not any(each.field.startswith("dice") for each in problems):
        problems.append(
            violation("dice", "no dice", "two dice of 1 to 6, here or in the position's ID", ServiceReason.REQUIRED)
        )
    match = _read_match(request, carried, problems)
    decision = _read_decision(request, carried, problems, required=decision_required)
    if problems or position is None or match is None:
        raise InvalidRequest(problems)
    return Situation(position, dice, match, decision)


def read_match(request: object, *, also: Iterable[Violation] = ()) -> MatchState:
    """Read the match state of a request without a position.

    Raises:
        InvalidRequest: with every problem of the match, and those of `also`.

    """
    problems = [*also]
    match = _read_match(request, None, problems)
    if problems or match is None:
        raise InvalidRequest(problems)
    return match


def read_dice(message: position_pb2.Dice) -> Dice:
    """Read a roll.

    Raises:
        InvalidState: if a die is not 1 to 6.

    """
    return _dice(message.die1, message.die2)


@cache  # of 36
def _dice(die1: int, die2: int) -> Dice:
    """Make a roll, of which a mistaken one is not kept."""
    return Dice(die1, die2)


def read_steps(messages: Iterable[position_pb2.Step], path: str) -> tuple[Step, ...]:
    """Read steps; a die of zero stays zero, for the rules to find the one that fits.

    Raises:
        InvalidRequest: if a number is outside its range.

    """
    steps, problems = [], []
    for index, message in enumerate(messages):
        source = getattr(message, "from")
        for name, value, lowest, highest in (
            ("from", source, 1, 25),
            ("to", message.to, 0, 24),
            ("die", message.die, 0, 6),
        ):
            if not lowest <= value <= highest:
                problems.append(
                    violation(
                        f"{path}[{index}].{name}", f"{value}", f"{lowest} to {highest}", ServiceReason.OUT_OF_RANGE
                    )
                )
        steps.append(Step(source, message.to, message.die, message.hit))
    if problems:
        raise InvalidRequest(problems)
    return tuple(steps)


def in_range(field: str, value: float, lowest: float, highest: float) -> list[Violation]:
    """List the violation of a number outside its range."""
    if lowest <= value <= highest:
        return []
    return [violation(field, f"{value}", f"{lowest} to {highest}", ServiceReason.OUT_OF_RANGE)]


def under(path: str, call: Callable[[], T]) -> T:
    """Call, and turn what the rules refuse into an invalid request whose paths begin at `path`.

    Raises:
        InvalidRequest: if the call raises RulesError.

    """
    try:
        return call()
    except RulesError as error:
        raise InvalidRequest(error.under(path).violations) from None


def _attempt(problems: list[Violation], path: str, call: Callable[[], T]) -> T | None:
    """Call, and note what is refused instead of raising it."""
    try:
        return call()
    except RulesError as error:
        problems.extend(error.under(path).violations)
    return None


def _source_path(source: position_pb2.PositionSource) -> str:
    """Name the field that holds the position."""
    return f"position.{source.WhichOneof('source')}"


def _read_source(
    source: position_pb2.PositionSource, problems: list[Violation]
) -> tuple[Position | None, IdContents | None]:
    """Read the position, and what else its ID says where it comes as one; None is what cannot be read."""
    # The kernel reads what is right; only what it does not is looked at field by field.
    if packed := kernel.read_position(source.position.SerializeToString()):
        return Position.unpacked(packed), None
    form: str | None = source.WhichOneof("source")
    if form == "position":
        return _attempt(problems, "position", lambda: _read_position(source.position)), None
    carried = _attempt(problems, "position", lambda: _read_id(source, form))
    return (carried.position, carried) if carried else (None, None)


def _read_id(source: position_pb2.PositionSource, form: str | None) -> IdContents:
    """Read all that an ID says."""
    try:
        if form == "gnubg_id":
            return read_gnubg_id(source.gnubg_id)
        if form == "xgid":
            return read_xgid(source.xgid)
    except RulesError as error:
        raise _within_id(error, str(form)) from None
    raise InvalidState([violation("", "no position", "position, gnubg_id or xgid", ServiceReason.REQUIRED)])


def _within_id(error: RulesError, form: str) -> RulesError:
    """Give the whole ID as the field, and the part of the state that is wrong in the text."""
    return type(error)(
        Violation(form, f"{each.field}: {each.problem}" if each.field else each.problem, each.allowed, each.reason)
        for each in error.violations
    )


def _read_position(message: position_pb2.Position) -> Position:
    """Read a position with the paths of its own fields."""
    problems: list[Violation] = []
    sides = [
        _attempt(problems, f"position.{name}", lambda side=side: Side(tuple(side.points), side.bar, side.off))  # type: ignore[misc]
        for name, side in (("player", message.player), ("opponent", message.opponent))
    ]
    player, opponent = sides
    if player is None or opponent is None:
        raise InvalidState(problems)
    try:
        return Position(player, opponent)
    except InvalidState as error:
        raise error.under("position") from None


def _read_dice(request: HasPosition, carried: IdContents | None, problems: list[Violation]) -> Dice | None:
    """Read the roll of a request that may have one, beside what the ID carries."""
    if "dice" not in _fields_of(request):
        return None
    in_id = carried.dice if carried else None
    if not request.HasField("dice"):  # type: ignore[attr-defined]
        return in_id
    dice = _attempt(problems, "dice", partial(read_dice, request.dice))  # type: ignore[attr-defined]
    if dice and in_id and sorted((dice.die1, dice.die2)) != sorted((in_id.die1, in_id.die2)):
        problems.append(_contradiction("dice", f"{dice.die1}-{dice.die2}", f"{in_id.die1}-{in_id.die2}", request))
    return dice


def _read_match(request: object, carried: IdContents | None, problems: list[Violation]) -> MatchState | None:
    """Read the match state of a request that may have one, beside what the ID carries."""
    if "match" not in _fields_of(request) or not request.HasField("match"):  # type: ignore[attr-defined]
        match = (carried.match if carried else None) or _MONEY
    else:
        message: match_pb2.MatchState = request.match  # type: ignore[attr-defined]
        count = len(problems)
        read = _attempt(problems, "match", partial(_match_from, message, carried))
        if read is None:
            return None
        match = read
        problems.extend(_match_contradictions(match, carried, request))
        if len(problems) > count:
            return None
    if match.is_over:
        _attempt(problems, "match", match.refuse_over)
    return match


def _match_from(message: match_pb2.MatchState, carried: IdContents | None) -> MatchState:
    """Read a match state; what it leaves out and the ID carries comes from the ID."""
    known = (carried.match if carried else None) or _MONEY
    carries = carried.carries if carried else frozenset()
    problems = enums.CRAWFORD_STATES.violations("crawford", message.crawford, required=False)
    cube = known.cube
    if message.HasField("cube") and (message.cube.value or message.cube.owner):
        owner = enums.CUBE_OWNERS.from_wire(message.cube.owner)
        problems.extend(enums.CUBE_OWNERS.violations("cube.owner", message.cube.owner, missing=Reason.CUBE_OWNER))
        cube = _attempt(problems, "cube", lambda: Cube(message.cube.value, owner or CubeOwner.CENTERED)) or known.cube
    crawford = enums.CRAWFORD_STATES.from_wire(message.crawford)
    if crawford is None and "crawford" in carries:
        crawford = known.crawford
    match = _attempt(
        problems,
        "",
        lambda: MatchState(
            length=message.length,
            player_score=message.player_score,
            opponent_score=message.opponent_score,
            crawford=crawford,
            jacoby=message.jacoby,
            beavers=message.beavers,
            cube=cube,
            cube_limit=message.cube_limit or (known.cube_limit if "cube_limit" in carries else LARGEST_CUBE),
        ),
    )
    if problems or match is None:
        raise InvalidState(problems)
    return match


def _match_contradictions(match: MatchState, carried: IdContents | None, request: object) -> list[Violation]:
    """List the fields in which the request and its ID differ, of those the ID carries."""
    if carried is None or carried.match is None:
        return []
    return [
        _contradiction(f"match.{name}", _said(said), _said(in_id), request)
        for name in (
            "length",
            "player_score",
            "opponent_score",
            "crawford",
            "jacoby",
            "beavers",
            "cube",
            "cube_limit",
        )
        if name in carried.carries
        and (said := getattr(match, name)) != (in_id := getattr(carried.match, name))
        and not _indistinguishable(said, in_id)
    ]


def _indistinguishable(said: object, in_id: object) -> bool:
    """Tell whether an ID, which has one bit for Crawford, would say both states alike."""
    return isinstance(said, CrawfordState) and CrawfordState.CRAWFORD_GAME not in (said, in_id)


def _fields_of(request: object) -> frozenset[str]:
    """Name the fields of a request, but for a `decision` that is of another kind."""
    kind: Any = type(request)
    return _fields_of_kind(kind)


@cache
def _fields_of_kind(kind: type[Any]) -> frozenset[str]:
    """Name the fields of a kind of request, but for a `decision` that is of another kind."""
    fields = kind.DESCRIPTOR.fields_by_name
    return frozenset(name for name, field in fields.items() if name != "decision" or field.enum_type.name == "Decision")


def _read_decision(
    request: object, carried: IdContents | None, problems: list[Violation], *, required: bool
) -> Decision | None:
    """Read the decision of a request that may have one, beside what the ID carries."""
    in_id = carried.decision if carried else None
    if "decision" not in _fields_of(request):
        return in_id
    number: int = request.decision  # type: ignore[attr-defined]
    wrong = enums.DECISIONS.violations("decision", number, required=required and in_id is None)
    problems.extend(wrong)
    said = enums.DECISIONS.from_wire(number)
    if said is None:
        return in_id
    if in_id is not None and said is not in_id:
        problems.append(_contradiction("decision", said.name, in_id.name, request))
    return said


def _said(value: object) -> str:
    """Say a part of a match state."""
    if isinstance(value, Cube):
        return f"{value.value} {value.owner.value}"
    return value.name if isinstance(value, CrawfordState) else f"{value}"


def _contradiction(field: str, said: str, in_id: str, request: object) -> Violation:
    """Make the violation of a field that differs from what the ID carries."""
    source = _source_path(request.position)  # type: ignore[attr-defined]
    return violation(
        field, f"{said}, but {source} says {in_id}", "the same in both, or in one only", Reason.CONTRADICTION
    )
