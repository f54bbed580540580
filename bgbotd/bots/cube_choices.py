"""Cube actions and resignations at every level.

| level | doubles | takes | beavers, where agreed |
|---|---|---|---|
| Easy | never | with a winning chance of 25 % or more | never |
| Medium | from an equity of 0.40, redoubles from 0.50, plays on above 1.00 | from -0.50 | never |
| Hard and above | by the three cubeful equities | by the three cubeful equities | by them |

Easy's chance and Medium's equity are static and cubeless; Medium's is normalised in match play and
leaves out gammons while the Jacoby rule holds them off, which a double that is taken ends.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bgbotd.bots.bot import Level
from bgbotd.bots.engine_levels import ENGINE_LEVELS, settled
from bgbotd.evaluation import CubeEquities, Depth, cube_verdict, dead_cube_equity
from bgbotd.evaluation.verdict import CubeVerdict, is_beavered
from bgbotd.rules import Cube, CubeAction, CubeOwner, Decision, Finish, GameSide, list_cube_actions

if TYPE_CHECKING:
    from bgbotd.evaluation import Evaluation, Evaluator, Source
    from bgbotd.rules import MatchState, Position

TAKES_FROM_CHANCE = 0.25
DOUBLES_FROM, REDOUBLES_FROM, PLAYS_ON_ABOVE, TAKES_FROM = 0.40, 0.50, 1.00, -0.50
RESIGNS_BELOW = 0.001
"""Chance of doing better than what is offered, below which a bot resigns."""
_OVERSHOT = 0.0001
"""Engines count in single precision: what is won for certain came out up to 0.00003 above its worth."""

_DOUBLES = frozenset(
    {
        CubeVerdict.DOUBLE_TAKE,
        CubeVerdict.DOUBLE_PASS,
        CubeVerdict.DOUBLE_BEAVER,
        CubeVerdict.REDOUBLE_TAKE,
        CubeVerdict.REDOUBLE_PASS,
    }
)


@dataclass(frozen=True, slots=True)
class CubeChoice:
    """A chosen cube action."""

    action: CubeAction
    equities: CubeEquities | None
    """The three equities of the double, seen by the side that doubles; None where there is none to decide on."""
    equities_of: GameSide
    """Whose equities these are, seen by the player."""
    verdict: CubeVerdict | None
    """What follows from the equities."""
    depth: Depth
    source: Source


@dataclass(frozen=True, slots=True)
class ResignationChoice:
    """A decision on resigning."""

    accepted: bool
    """Whether the opponent's offer is accepted."""
    offer: Finish | None
    """What is offered; None: play on."""
    equity: float
    """Equity of playing on, the player's view, per unit of the cube; normalised in match play."""
    depth: Depth
    source: Source


def depth_of(level: Level) -> Depth:
    """Give the depth of a level's decisions on cube and resignation: the levels up to Hard look once."""
    return ENGINE_LEVELS[level].depth if level in ENGINE_LEVELS else Depth.STATIC


async def choose_cube_action(
    evaluator: Evaluator, level: Level, position: Position, match: MatchState, decision: Decision
) -> CubeChoice:
    """Choose a cube action for the player.

    Args:
        evaluator: asked once.
        level: of the bot.
        position: its player decides.
        match: seen by the player, with the cube before a pending double.
        decision: DOUBLE_OR_ROLL, TAKE_OR_PASS or BEAVER_RESPONSE.

    Raises:
        InvalidState: if the decision cannot stand in this state.
        EvaluationError: if the engine cannot answer.

    """
    allowed = {status.action for status in list_cube_actions(position, match, decision) if status.allowed}
    depth = depth_of(level)
    if decision is Decision.DOUBLE_OR_ROLL:
        evaluation = await settled(evaluator.evaluate(position, match, depth))
        verdict = cube_verdict(evaluation.cube, match)
        doubles = CubeAction.DOUBLE in allowed and _doubles(evaluator, level, evaluation, match, verdict)
        action = CubeAction.DOUBLE if doubles else CubeAction.ROLL
        return CubeChoice(action, evaluation.cube, GameSide.PLAYER, verdict, depth, evaluation.source)
    if decision is Decision.TAKE_OR_PASS:
        doubler = match.mirrored()
        evaluation = await settled(evaluator.evaluate(position.mirrored(), doubler, depth))
        action = _answer(evaluator, level, evaluation, doubler)
        verdict = cube_verdict(evaluation.cube, doubler)
        return CubeChoice(action, evaluation.cube, GameSide.OPPONENT, verdict, depth, evaluation.source)
    beavered = replace(match, cube=Cube(4 * match.cube.value, CubeOwner.OPPONENT))
    evaluation = await settled(evaluator.evaluate(position, beavered, depth))
    plays_on = _plays_on(evaluator, level, evaluation, beavered)
    action = CubeAction.TAKE if plays_on else CubeAction.PASS
    return CubeChoice(action, None, GameSide.PLAYER, None, depth, evaluation.source)


async def choose_resignation(
    evaluator: Evaluator, level: Level, position: Position, match: MatchState, offered: Finish | None
) -> ResignationChoice:
    """Accept or refuse what the opponent offers, or, with nothing offered, offer or play on.

    A bot accepts what is worth at least its equity, and offers a loss when its chance of doing
    better is below 0.1 %; Easy never offers.

    Raises:
        InvalidState: if the game is over.
        EvaluationError: if the engine cannot answer.

    """
    depth = depth_of(level)
    evaluation = await settled(evaluator.evaluate(position, match, depth))
    table = evaluator.engine.match_equity
    cubeless = dead_cube_equity(table, match, evaluation.probabilities)
    equity = cubeless if level in (Level.EASY, Level.MEDIUM) else evaluation.cube.after_best_action
    accepted = offered is not None and _worth(evaluator, match, offered) >= equity - _OVERSHOT
    offer = _offer(evaluation, match) if offered is None and level is not Level.EASY else None
    return ResignationChoice(accepted, offer, equity, depth, evaluation.source)


def _doubles(
    evaluator: Evaluator, level: Level, evaluation: Evaluation, match: MatchState, verdict: CubeVerdict
) -> bool:
    """Tell whether a level doubles where it may."""
    if level is Level.EASY:
        return False
    if level is Level.MEDIUM:
        equity = dead_cube_equity(evaluator.engine.match_equity, match, evaluation.probabilities)
        least = DOUBLES_FROM if match.cube.owner is CubeOwner.CENTERED else REDOUBLES_FROM
        return least <= equity <= PLAYS_ON_ABOVE
    return verdict in _DOUBLES


def _answer(evaluator: Evaluator, level: Level, evaluation: Evaluation, doubler: MatchState) -> CubeAction:
    """Give a level's answer to a double; evaluation and match are the doubler's."""
    if level is Level.EASY:
        takes = 1.0 - evaluation.probabilities.win >= TAKES_FROM_CHANCE
    elif level is Level.MEDIUM:
        taken = replace(doubler, jacoby=False)
        takes = -dead_cube_equity(evaluator.engine.match_equity, taken, evaluation.probabilities) >= TAKES_FROM
    elif is_beavered(evaluation.cube, doubler):
        return CubeAction.BEAVER
    else:
        takes = evaluation.cube.double_take <= evaluation.cube.double_pass
    return CubeAction.TAKE if takes else CubeAction.PASS


def _plays_on(evaluator: Evaluator, level: Level, evaluation: Evaluation, beavered: MatchState) -> bool:
    """Tell whether a level plays on after a beaver: passing loses half of the cube that then lies."""
    if level is Level.EASY:
        return evaluation.probabilities.win >= TAKES_FROM_CHANCE
    if level is Level.MEDIUM:
        return dead_cube_equity(evaluator.engine.match_equity, beavered, evaluation.probabilities) >= TAKES_FROM
    return evaluation.cube.no_double >= TAKES_FROM


def _worth(evaluator: Evaluator, match: MatchState, offered: Finish) -> float:
    """Give the equity of a win of a kind, per unit of the cube; normalised in match play."""
    if match.is_money:
        return offered.value if match.gammons_count else Finish.SINGLE.value
    table = evaluator.engine.match_equity
    return table.equity_of_chance(match, table.after_game(match, offered.value * match.cube.value))


def _offer(evaluation: Evaluation, match: MatchState) -> Finish | None:
    """Find the largest loss that the player escapes with a chance below 0.1 %."""
    chances = evaluation.probabilities
    better = {
        Finish.BACKGAMMON: 1.0 - chances.lose_backgammon,
        Finish.GAMMON: 1.0 - chances.lose_gammon,
        Finish.SINGLE: chances.win,
    }
    if not match.gammons_count:
        return Finish.SINGLE if chances.win < RESIGNS_BELOW else None
    return next((kind for kind, chance in better.items() if chance < RESIGNS_BELOW), None)
