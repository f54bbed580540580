"""`BotService`: parse, call, render."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from bgbot.v1 import bot_service_pb2 as pb

from bgbotd.bots import KERNEL_BOTS, Level
from bgbotd.bots.bot import measured_strengths
from bgbotd.service import enums, parse, render
from bgbotd.service.errors import ServiceReason
from bgbotd.service.stamps import duration, kernel_stamp

if TYPE_CHECKING:
    from bgbotd.bots import Bot, Strength

_MOST_CANDIDATES = 10_000


class BotHandlers:
    """Decides for a side."""

    service = "bgbot.v1.BotService"

    def list_bots(self, request: pb.ListBotsRequest) -> pb.ListBotsResponse:
        """List the bots with their measured strength."""
        del request
        return pb.ListBotsResponse(bots=map(_render_bot, KERNEL_BOTS.values()))

    def choose_play(self, request: pb.ChoosePlayRequest) -> pb.ChoosePlayResponse:
        """Choose a legal play for a roll."""
        started = time.perf_counter()
        situation = parse.read_situation(
            request,
            dice_required=True,
            also=[
                *enums.LEVELS.violations("level", request.level, missing=ServiceReason.LEVEL_UNSPECIFIED),
                *parse.in_range("candidates", request.candidates, 0, _MOST_CANDIDATES),
            ],
        )
        level = enums.LEVELS.known(request.level)
        chosen = KERNEL_BOTS[level].choose_play(
            situation.position,
            situation.roll,
            seed=request.seed if request.HasField("seed") else None,
            candidates=request.candidates,
        )
        return pb.ChoosePlayResponse(
            play=render.play(chosen.play),
            candidates=[pb.Candidate(play=render.play(each.play), value=each.value) for each in chosen.candidates],
            value_unit=enums.VALUE_UNITS.to_wire(chosen.unit),
            position=render.position(situation.position),
            dice=render.dice(situation.roll),
            match=render.match(situation.match),
            stamp=kernel_stamp(started, level=level, seed=chosen.seed),
        )


def _render_bot(bot: Bot) -> pb.Bot:
    """Render a bot with what was measured of it."""
    measured = measured_strengths().get(bot.level)
    against_hard = [each for each in measured.strengths if each.opponent is Level.HARD] if measured else []
    return pb.Bot(
        level=enums.LEVELS.to_wire(bot.level),
        title=bot.title,
        description=bot.description,
        engine="bgbotd",
        available=True,
        strength=_render_strength(against_hard[0]) if against_hard else None,
        typical_time=duration(measured.typical_seconds) if measured and measured.typical_seconds else None,
    )


def _render_strength(strength: Strength) -> pb.Strength:
    """Render a measured strength."""
    return pb.Strength(
        points_per_game=strength.points_per_game,
        points_per_game_low=strength.points_per_game - strength.points_per_game_margin,
        points_per_game_high=strength.points_per_game + strength.points_per_game_margin,
        win_rate=strength.win_rate,
        games=strength.games,
        opponent=enums.LEVELS.to_wire(strength.opponent),
    )
