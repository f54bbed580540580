"""`RulesService`: parse, call, render."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from bgbot.v1 import rules_service_pb2 as pb

from bgbotd import rules
from bgbotd.rules import Decision, Dice
from bgbotd.service import enums, parse, plain, render
from bgbotd.service.errors import ServiceReason, violation
from bgbotd.service.plain import plainly

if TYPE_CHECKING:
    from bgbotd.service.parse import Situation

_random = secrets.SystemRandom()
"""The dice of games begun here; no bot draws from it."""


class RulesHandlers:
    """Answers what the rules say; every method takes microseconds and keeps no state."""

    service = "bgbot.v1.RulesService"

    @plainly(plain.list_legal_plays)
    def list_legal_plays(self, request: pb.ListLegalPlaysRequest) -> bytes:
        """List one play for each distinct resulting position."""
        situation = parse.read_situation(request, dice_required=True)
        legal = rules.legal_plays(situation.position, situation.roll)
        how = pb.ListLegalPlaysResponse(
            dice_played=legal.dice_played, restriction=enums.RESTRICTIONS.to_wire(legal.restriction)
        )
        played = render.played(legal.packed_results, legal.packed_steps, situation.position, situation.roll)
        return played + how.SerializeToString()

    def list_legal_steps(self, request: pb.ListLegalStepsRequest) -> pb.ListLegalStepsResponse:
        """List the single steps that may come next within a turn."""
        situation = parse.read_situation(request, dice_required=True)
        played = parse.read_steps(request.played, "played")
        turn = parse.under("played", lambda: rules.legal_steps(situation.position, situation.roll, played))
        return pb.ListLegalStepsResponse(
            steps=map(render.step, turn.steps),
            current=render.position(turn.current),
            remaining_dice=() if turn.turn_complete else turn.remaining_dice,
            turn_complete=turn.turn_complete,
            restriction=enums.RESTRICTIONS.to_wire(turn.restriction),
            dice=render.dice(situation.roll),
        )

    def apply_play(self, request: pb.ApplyPlayRequest) -> pb.ApplyPlayResponse:
        """Play a roll and say what comes next."""
        chosen = request.WhichOneof("chosen")
        missing = [violation("play", "no play", "play or notation", ServiceReason.REQUIRED)] if chosen is None else []
        situation = parse.read_situation(request, dice_required=True, also=missing)
        if chosen == "notation":
            play = parse.under(
                "notation", lambda: rules.parse_play(situation.position, situation.roll, request.notation)
            )
        elif request.play.notation and not request.play.steps:
            play = parse.under(
                "play.notation", lambda: rules.parse_play(situation.position, situation.roll, request.play.notation)
            )
        else:
            steps = parse.read_steps(request.play.steps, "play.steps")
            play = parse.under("play.steps", lambda: rules.find_play(situation.position, situation.roll, steps))
        turn = rules.apply_play(situation.position, situation.roll, situation.match, play)
        return pb.ApplyPlayResponse(
            play=render.play(play),
            outcome=render.outcome(turn.result, match_over=turn.decision is Decision.MATCH_OVER),
            next=render.position(turn.position),
            next_match=render.match(turn.match),
            next_decision=enums.DECISIONS.to_wire(turn.decision),
            next_side=enums.GAME_SIDES.to_wire(turn.side),
            match=render.match(situation.match),
            dice=render.dice(situation.roll),
        )

    def list_cube_actions(self, request: pb.ListCubeActionsRequest) -> pb.ListCubeActionsResponse:
        """List every cube action, and for each that is not allowed the reason."""
        situation = parse.read_situation(request, decision_required=True)
        decision = _decision(situation)
        return pb.ListCubeActionsResponse(
            actions=[
                pb.CubeActionStatus(
                    action=enums.CUBE_ACTIONS.to_wire(status.action),
                    allowed=not status.violations,
                    reason=status.violations[0].reason if status.violations else "",
                    explanation="; ".join(f"{each.problem}; allowed: {each.allowed}" for each in status.violations),
                )
                for status in rules.list_cube_actions(situation.position, situation.match, decision)
            ],
            match=render.match(situation.match),
            decision=enums.DECISIONS.to_wire(decision),
        )

    def apply_cube_action(self, request: pb.ApplyCubeActionRequest) -> pb.ApplyCubeActionResponse:
        """Carry out a cube action and say what comes next."""
        wrong = enums.CUBE_ACTIONS.violations("action", request.action)
        situation = parse.read_situation(request, decision_required=True, also=wrong)
        action = enums.CUBE_ACTIONS.known(request.action)
        turn = rules.apply_cube_action(situation.position, situation.match, _decision(situation), action)
        return pb.ApplyCubeActionResponse(
            outcome=render.outcome(turn.result, match_over=turn.decision is Decision.MATCH_OVER),
            next=render.position(turn.position),
            next_match=render.match(turn.match),
            next_decision=enums.DECISIONS.to_wire(turn.decision),
            next_side=enums.GAME_SIDES.to_wire(turn.side),
            match=render.match(situation.match),
        )

    def score_game(self, request: pb.ScoreGameRequest) -> pb.ScoreGameResponse:
        """Score a game that ended otherwise than on the board."""
        match = parse.read_match(
            request,
            also=[
                *enums.GAME_SIDES.violations("winner", request.winner),
                *enums.RESULT_KINDS.violations("kind", request.kind),
            ],
        )
        next_match, points = rules.score_game(
            match, enums.GAME_SIDES.known(request.winner), enums.RESULT_KINDS.known(request.kind)
        )
        return pb.ScoreGameResponse(
            next_match=render.match(next_match),
            match_over=next_match.is_over,
            points=points,
            match=render.match(match),
        )

    def start_game(self, request: pb.StartGameRequest) -> pb.StartGameResponse:
        """Begin a game: who plays first, with which roll."""
        match = parse.read_match(request)
        dice = parse.under("dice", lambda: parse.read_dice(request.dice)) if request.HasField("dice") else None
        ties = [
            parse.under(f"ties[{index}]", lambda tie=tie: parse.read_dice(tie))  # type: ignore[misc]
            for index, tie in enumerate(request.ties)
        ]
        opening = rules.start_game(match, dice, ties, request.automatic_doubles, _roll)
        return pb.StartGameResponse(
            beginner=enums.GAME_SIDES.to_wire(opening.beginner),
            position=render.position(opening.position),
            dice=render.dice(opening.dice),
            ties=map(render.dice, opening.ties),
            match=render.match(opening.match),
            next_decision=enums.DECISIONS.to_wire(Decision.PLAY),
        )

    def convert_position(self, request: pb.ConvertPositionRequest) -> pb.ConvertPositionResponse:
        """Give a position in all notations, and what each cannot carry."""
        situation = parse.read_situation(request, finished_allowed=True)
        decision = situation.decision or (Decision.PLAY if situation.dice else Decision.DOUBLE_OR_ROLL)
        notations = rules.convert(situation.position, situation.dice, situation.match, decision)
        return pb.ConvertPositionResponse(
            position=render.position(situation.position),
            dice=render.dice(situation.dice) if situation.dice else None,
            match=render.match(situation.match),
            gnubg_position_id=notations.gnubg_position_id,
            gnubg_match_id=notations.gnubg_match_id,
            xgid=notations.xgid,
            lost=[
                pb.NotationLoss(
                    notation=enums.NOTATIONS.to_wire(lost.notation),
                    field=lost.field,
                    explanation=lost.explanation,
                )
                for lost in notations.lost
            ],
            decision=enums.DECISIONS.to_wire(decision),
            player_pips=situation.position.player.pips(),
            opponent_pips=situation.position.opponent.pips(),
        )


def _roll() -> Dice:
    """Throw two dice."""
    return Dice(_random.randint(1, 6), _random.randint(1, 6))


def _decision(situation: Situation) -> Decision:
    """Give the decision of a request in which it is required."""
    assert situation.decision is not None  # noqa: S101 - read_situation has refused the request otherwise
    return situation.decision
