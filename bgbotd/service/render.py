"""From the game's own types to answers."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from bgbot.v1 import bot_service_pb2, evaluation_service_pb2, match_pb2, position_pb2

from bgbotd import kernel
from bgbotd.evaluation import cube_verdict
from bgbotd.service import enums

if TYPE_CHECKING:
    from bgbotd.evaluation import CubeEquities, Probabilities
    from bgbotd.rules import Cube, Dice, GameResult, MatchState, Play, Position, Step


def position(value: Position) -> position_pb2.Position:
    """Render a position, seen by its player."""
    return position_pb2.Position.FromString(kernel.position_message(value.packed()))


def dice(value: Dice) -> position_pb2.Dice:
    """Render a roll."""
    return position_pb2.Dice(die1=value.die1, die2=value.die2)


def step(value: Step) -> position_pb2.Step:
    """Render a step, in the mover's numbering."""
    message = position_pb2.Step(to=value.destination, die=value.die, hit=value.hit)
    setattr(message, "from", value.source)
    return message


def play(value: Play) -> position_pb2.Play:
    """Render a play with its result, both seen by the mover."""
    return position_pb2.Play.FromString(kernel.play_message(value.result.packed(), value.packed_steps))


def played(results: bytes, steps: bytes, position: Position, dice: Dice) -> bytes:
    """Render the kernel's plays, and what was asked, as those fields of a serialized answer."""
    return kernel.plays_message(results, steps, position.packed(), dice.die1, dice.die2)


def cube(value: Cube) -> match_pb2.Cube:
    """Render the cube, seen by the player."""
    return match_pb2.Cube(value=value.value, owner=enums.CUBE_OWNERS.to_wire(value.owner))


@lru_cache(maxsize=1024)  # copied wherever it is put, as every message is
def match(value: MatchState) -> match_pb2.MatchState:
    """Render a match state with nothing left out, seen by the player."""
    assert value.crawford is not None  # noqa: S101 - settled by the constructor
    return match_pb2.MatchState(
        length=value.length,
        player_score=value.player_score,
        opponent_score=value.opponent_score,
        crawford=enums.CRAWFORD_STATES.to_wire(value.crawford),
        jacoby=value.jacoby,
        beavers=value.beavers,
        cube=cube(value.cube),
        cube_limit=value.cube_limit,
    )


def outcome(result: GameResult | None, *, match_over: bool) -> match_pb2.Outcome:
    """Render what an action has brought about; `result` is None while the game goes on."""
    if result is None:
        return match_pb2.Outcome()
    return match_pb2.Outcome(
        game_over=True,
        winner=enums.GAME_SIDES.to_wire(result.winner),
        kind=enums.RESULT_KINDS.to_wire(result.finish),
        passed=result.passed,
        points=result.points,
        match_over=match_over,
    )


def probabilities(value: Probabilities) -> evaluation_service_pb2.Probabilities:
    """Render chances (or their standard errors), seen by the player."""
    return evaluation_service_pb2.Probabilities(
        win=value.win,
        win_gammon=value.win_gammon,
        win_backgammon=value.win_backgammon,
        lose_gammon=value.lose_gammon,
        lose_backgammon=value.lose_backgammon,
    )


def cube_equities(value: CubeEquities, match: MatchState) -> bot_service_pb2.CubeEquities:
    """Render the equities of a cube decision with what follows from them; `match` is the doubler's."""
    return bot_service_pb2.CubeEquities(
        no_double=value.no_double,
        double_take=value.double_take,
        double_pass=value.double_pass,
        verdict=enums.CUBE_VERDICTS.to_wire(cube_verdict(value, match)),
    )
