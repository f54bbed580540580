"""Positions and IDs as requests carry them, and questions asked about them."""

from __future__ import annotations

from bgbot import v1

BEFORE_ROLL = "XGID=-b-B-BCBB---bB--ab-f---bB-:0:0:1:00:2:1:0:5:10"
"""At 2-1 in a match to 5, nothing thrown."""
ROLLED = BEFORE_ROLL.replace(":00:", ":53:")
DOUBLED = BEFORE_ROLL.replace(":00:", ":D:")
FINISHED = v1.Position(player=v1.Side(points=[0] * 24, off=15), opponent=v1.Side(points=[2] + [0] * 23, off=13))
DOUBLE_MATCH_POINT = v1.MatchState(length=5, player_score=4, opponent_score=4, crawford=v1.CRAWFORD_STATE_POST_CRAWFORD)
CRAWFORD = v1.MatchState(length=5, player_score=4, crawford=v1.CRAWFORD_STATE_CRAWFORD_GAME)


def side(checkers: dict[int, int], bar: int = 0) -> v1.Side:
    """Give the side with these checkers on its points and on the bar; all others are borne off."""
    points = [checkers.get(point, 0) for point in range(1, 25)]
    return v1.Side(points=points, bar=bar, off=15 - sum(points) - bar)


def board(player: dict[int, int], opponent: dict[int, int], bar: int = 0) -> v1.PositionSource:
    """Give the position with these checkers, `bar` of the player's on the bar."""
    return v1.PositionSource(position=v1.Position(player=side(player, bar), opponent=side(opponent)))


def owned(owner: v1.CubeOwner.ValueType, value: int = 2) -> v1.Cube:
    """Give a turned cube."""
    return v1.Cube(value=value, owner=owner)


def evaluate(
    evaluation: v1.EvaluationServiceStub,
    position: v1.PositionSource,
    match: v1.MatchState | None = None,
    depth: v1.Depth.ValueType = v1.DEPTH_STATIC,
) -> v1.EvaluateResponse:
    """Evaluate a position."""
    return evaluation.Evaluate(v1.EvaluateRequest(position=position, match=match, depth=depth), timeout=30)


def rank(evaluation: v1.EvaluationServiceStub, position: v1.PositionSource, **fields: object) -> v1.RankPlaysResponse:
    """Rank the plays of a roll, STATIC unless told otherwise."""
    asked = {"depth": v1.DEPTH_STATIC, **fields}
    return evaluation.RankPlays(v1.RankPlaysRequest(position=position, **asked), timeout=30)  # type: ignore[arg-type]
