"""`EvaluationService`: parse, call, render."""

from __future__ import annotations

from bgbot.v1 import evaluation_service_pb2 as pb

from bgbotd.service import enums, parse, render


class EvaluationHandlers:
    """Says what a position is worth."""

    service = "bgbot.v1.EvaluationService"

    def count_pips(self, request: pb.CountPipsRequest) -> pb.CountPipsResponse:
        """Count pips and tell the phase."""
        position = parse.read_situation(request, finished_allowed=True).position
        return pb.CountPipsResponse(
            player_pips=position.player.pips(),
            opponent_pips=position.opponent.pips(),
            phase=enums.PHASES.to_wire(position.phase()),
            position=render.position(position),
        )
