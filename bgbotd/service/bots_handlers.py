"""`BotService`: parse, call, render."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from bgbot.v1 import bot_service_pb2 as pb

from bgbotd.bots import KERNEL_BOTS, Level, engine_levels
from bgbotd.bots.bot import measured_levels
from bgbotd.bots.cube_choices import choose_cube_action, choose_resignation, depth_of
from bgbotd.bots.engine_levels import ENGINE_LEVELS, EngineLevel
from bgbotd.evaluation import Depth
from bgbotd.rules import Decision, GameSide
from bgbotd.rules.violations import Reason
from bgbotd.service import enums, parse, plain, render
from bgbotd.service.engine_access import EngineAccess, evaluating
from bgbotd.service.errors import InvalidRequest, ServiceReason, violation
from bgbotd.service.plain import plainly
from bgbotd.service.stamps import duration, engine_stamp, kernel_stamp

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from typing import Any

    from bgbot.v1 import stamp_pb2

    from bgbotd.bots import Bot, ChosenPlay, Strength
    from bgbotd.rules import Violation
    from bgbotd.service.parse import Situation

_MOST_CANDIDATES = 10_000
_CUBE_DECISIONS = (Decision.DOUBLE_OR_ROLL, Decision.TAKE_OR_PASS, Decision.BEAVER_RESPONSE)
ENGINE_NAME = "bgsage"


class BotHandlers:
    """Decides for a side."""

    service = "bgbot.v1.BotService"

    def __init__(self, engine: EngineAccess, deepest: Depth = Depth.TRUNCATED_ROLLOUT) -> None:
        """Ask `engine` for the levels above Hard, as deep as `deepest`, and for everything about the cube."""
        self._engine = engine
        self._deepest = deepest

    async def list_bots(self, request: pb.ListBotsRequest) -> pb.ListBotsResponse:
        """List the bots with their measured strength."""
        del request
        unavailable = await self._engine.unavailable_because()
        return pb.ListBotsResponse(
            bots=[
                *(_render_bot(bot, unavailable) for bot in KERNEL_BOTS.values()),
                *(_render_bot(bot, unavailable or self._too_deep(bot)) for bot in ENGINE_LEVELS.values()),
            ]
        )

    def _too_deep(self, bot: EngineLevel) -> str:
        """Say that a level looks deeper than is allowed here; empty if it does not."""
        if bot.depth <= self._deepest:
            return ""
        name = enums.DEPTHS.name
        return f"It looks as deep as {name(bot.depth)}, and {name(self._deepest)} is the most that is allowed here."

    @plainly(plain.choose_play)
    def choose_play(self, request: pb.ChoosePlayRequest) -> bytes | Coroutine[Any, Any, bytes]:
        """Choose a legal play for a roll: at once by the kernel's levels, with the engine by the others."""
        situation = parse.read_situation(
            request,
            dice_required=True,
            also=[
                *_level_violations(request.level),
                *parse.in_range("candidates", request.candidates, 0, _MOST_CANDIDATES),
            ],
        )
        level = enums.LEVELS.known(request.level)
        bot = KERNEL_BOTS.get(level)
        if bot is None:
            return self._choose_play_by_engine(request, situation, ENGINE_LEVELS[level])
        started = time.perf_counter()
        chosen = bot.choose_play(
            situation.position,
            situation.roll,
            seed=request.seed if request.HasField("seed") else None,
            candidates=request.candidates,
        )
        return _render_choice(situation, chosen, kernel_stamp(started, level=level, seed=chosen.seed))

    async def _choose_play_by_engine(
        self, request: pb.ChoosePlayRequest, situation: Situation, level: EngineLevel
    ) -> bytes:
        """Choose a play by the engine's equities."""
        started = time.perf_counter()
        evaluator = await self._engine.evaluator()
        with evaluating():
            found = await engine_levels.choose_play(
                evaluator, level, situation.position, situation.roll, situation.match, candidates=request.candidates
            )
        stamp = engine_stamp(started, evaluator, found.source, level.depth, level=level.level)
        return _render_choice(situation, found.chosen, stamp)

    async def choose_cube_action(self, request: pb.ChooseCubeActionRequest) -> pb.ChooseCubeActionResponse:
        """Choose a cube action."""
        situation = parse.read_situation(request, decision_required=True, also=_level_violations(request.level))
        level, decision = enums.LEVELS.known(request.level), situation.decision
        if decision not in _CUBE_DECISIONS:
            allowed = " or ".join(map(enums.DECISIONS.name, _CUBE_DECISIONS))
            wrong = violation("decision", f"{decision}", allowed, Reason.ACTION_NOT_FOR_DECISION)
            raise InvalidRequest([wrong])
        evaluator = await self._engine.evaluator()
        started = time.perf_counter()
        with evaluating():
            chosen = await choose_cube_action(evaluator, level, situation.position, situation.match, decision)
        doubler = situation.match if chosen.equities_of is GameSide.PLAYER else situation.match.mirrored()
        return pb.ChooseCubeActionResponse(
            action=enums.CUBE_ACTIONS.to_wire(chosen.action),
            equities=render.cube_equities(chosen.equities, doubler) if chosen.equities else None,
            equities_of=enums.GAME_SIDES.to_wire(chosen.equities_of if chosen.equities else None),
            position=render.position(situation.position),
            match=render.match(situation.match),
            stamp=engine_stamp(started, evaluator, chosen.source, chosen.depth, level=level),
            decision=enums.DECISIONS.to_wire(decision),
        )

    async def choose_resignation(self, request: pb.ChooseResignationRequest) -> pb.ChooseResignationResponse:
        """Choose whether to accept a resignation, or to offer one."""
        situation = parse.read_situation(
            request, also=[*_level_violations(request.level), *_resignation_violations(request)]
        )
        level, offered = enums.LEVELS.known(request.level), enums.RESULT_KINDS.from_wire(request.offered)
        evaluator = await self._engine.evaluator()
        started = time.perf_counter()
        with evaluating():
            chosen = await choose_resignation(evaluator, level, situation.position, situation.match, offered)
        if offered:
            action = pb.RESIGNATION_ACTION_ACCEPT if chosen.accepted else pb.RESIGNATION_ACTION_REFUSE
        else:
            action = pb.RESIGNATION_ACTION_OFFER if chosen.offer else pb.RESIGNATION_ACTION_PLAY_ON
        return pb.ChooseResignationResponse(
            action=action,
            offer=enums.RESULT_KINDS.to_wire(chosen.offer),
            equity=chosen.equity,
            position=render.position(situation.position),
            match=render.match(situation.match),
            stamp=engine_stamp(started, evaluator, chosen.source, chosen.depth, level=level),
        )


def _level_violations(level: int) -> list[Violation]:
    """List what is wrong with a required level."""
    return enums.LEVELS.violations("level", level, missing=ServiceReason.LEVEL_UNSPECIFIED)


def _resignation_violations(request: pb.ChooseResignationRequest) -> list[Violation]:
    """List what is wrong with the decision and the offer."""
    decisions = pb.ResignationDecision.DESCRIPTOR.values_by_number
    if request.decision == pb.RESIGNATION_DECISION_ACCEPT_OR_REFUSE:
        return enums.RESULT_KINDS.violations("offered", request.offered)
    if request.decision == pb.RESIGNATION_DECISION_OFFER_OR_PLAY:
        if not request.offered:
            return []
        allowed = "nothing said beside RESIGNATION_DECISION_OFFER_OR_PLAY"
        return [violation("offered", f"{request.offered}", allowed, ServiceReason.FIELD_NOT_ALLOWED)]
    reason = ServiceReason.UNKNOWN_ENUM_VALUE if request.decision else ServiceReason.REQUIRED
    allowed = ", ".join(value.name for number, value in decisions.items() if number)
    return [violation("decision", f"{request.decision or 'nothing said'}", allowed, reason)]


def _render_choice(situation: Situation, chosen: ChosenPlay, stamp: stamp_pb2.Stamp) -> bytes:
    """Render a chosen play."""
    play = chosen.play
    beside = pb.ChoosePlayResponse(
        candidates=[pb.Candidate(play=render.play(each.play), value=each.value) for each in chosen.candidates],
        value_unit=enums.VALUE_UNITS.to_wire(chosen.unit),
        match=render.match(situation.match),
        stamp=stamp,
    )
    played = render.played(play.result.packed(), play.packed_steps, situation.position, situation.roll)
    return played + beside.SerializeToString()


def _render_bot(bot: Bot | EngineLevel, engine_unavailable_because: str) -> pb.Bot:
    """Render a bot with what was measured of it."""
    by_engine = isinstance(bot, EngineLevel)
    measured = measured_levels().get(bot.level)
    against = measured.against_best_known(bot.level) if measured else None
    return pb.Bot(
        level=enums.LEVELS.to_wire(bot.level),
        title=bot.title,
        description=bot.description,
        engine=ENGINE_NAME if by_engine else "bgbotd",
        depth=enums.DEPTHS.to_wire(depth_of(bot.level) if by_engine else None),
        available=not (by_engine and engine_unavailable_because),
        unavailable_because=engine_unavailable_because if by_engine else "",
        strength=_render_strength(*against) if against else None,
        typical_time=duration(measured.typical_seconds) if measured and measured.typical_seconds else None,
        decides_cube=not engine_unavailable_because,
    )


def _render_strength(opponent: Level, strength: Strength) -> pb.Strength:
    """Render a measured strength."""
    points, margin = strength.best_points_per_game
    return pb.Strength(
        points_per_game=points,
        points_per_game_low=points - margin,
        points_per_game_high=points + margin,
        win_rate=strength.win_rate,
        games=strength.games,
        opponent=enums.LEVELS.to_wire(opponent),
    )
