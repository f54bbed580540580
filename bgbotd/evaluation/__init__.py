"""What a position is worth: chances, equity, the cube, match equity, rollouts, exact bear-offs."""

from bgbotd.evaluation.cache import CacheState
from bgbotd.evaluation.cluster import ClusterSettings, ClusterState
from bgbotd.evaluation.engine import (
    ClusterUnavailable,
    CubeEquities,
    Depth,
    EngineBusy,
    EngineFailed,
    EngineUnavailable,
    Evaluation,
    EvaluationCancelled,
    EvaluationError,
    Probabilities,
    RankedPlay,
    RolloutProgress,
    RolloutSettings,
    ScoreOutOfTable,
    Source,
)
from bgbotd.evaluation.evaluator import Evaluator, EvaluatorSettings, EvaluatorState
from bgbotd.evaluation.match_equity import MatchEquityTable, cubeless_equity, dead_cube_equity, take_point
from bgbotd.evaluation.pool import PoolState, Priority
from bgbotd.evaluation.rollout import Rollout
from bgbotd.evaluation.verdict import CubeVerdict, cube_verdict, may_double

__all__ = [
    "CacheState",
    "ClusterSettings",
    "ClusterState",
    "ClusterUnavailable",
    "CubeEquities",
    "CubeVerdict",
    "Depth",
    "EngineBusy",
    "EngineFailed",
    "EngineUnavailable",
    "Evaluation",
    "EvaluationCancelled",
    "EvaluationError",
    "Evaluator",
    "EvaluatorSettings",
    "EvaluatorState",
    "MatchEquityTable",
    "PoolState",
    "Priority",
    "Probabilities",
    "RankedPlay",
    "Rollout",
    "RolloutProgress",
    "RolloutSettings",
    "ScoreOutOfTable",
    "Source",
    "cube_verdict",
    "cubeless_equity",
    "dead_cube_equity",
    "may_double",
    "take_point",
]
