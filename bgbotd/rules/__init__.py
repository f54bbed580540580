"""The game and nothing else: positions, legal plays, notation, IDs, cube and match rules, dice.

Whoever reads this package has learnt backgammon. Moves are found by the compiled kernel.
"""

from bgbotd.rules.conversion import IdContents, Notation, NotationLoss, Notations, convert, read_gnubg_id, read_xgid
from bgbotd.rules.cube_actions import CubeAction, CubeActionStatus, apply_cube_action, list_cube_actions
from bgbotd.rules.dice import Dice
from bgbotd.rules.flow import (
    Decision,
    GameResult,
    GameSide,
    NextTurn,
    OpeningTurn,
    apply_play,
    score_game,
    start_game,
)
from bgbotd.rules.match import LARGEST_CUBE, CrawfordState, Cube, CubeOwner, MatchState
from bgbotd.rules.notation import format_play, parse_play
from bgbotd.rules.plays import (
    LegalPlays,
    Play,
    Restriction,
    Step,
    TurnProgress,
    find_play,
    legal_plays,
    legal_steps,
    unpack_steps,
)
from bgbotd.rules.position import STARTING_POSITION, Finish, Phase, Position, Side, finish
from bgbotd.rules.violations import (
    AmbiguousNotation,
    IllegalCubeAction,
    IllegalPlay,
    InvalidNotation,
    InvalidState,
    Reason,
    RulesError,
    Violation,
)

__all__ = [
    "LARGEST_CUBE",
    "STARTING_POSITION",
    "AmbiguousNotation",
    "CrawfordState",
    "Cube",
    "CubeAction",
    "CubeActionStatus",
    "CubeOwner",
    "Decision",
    "Dice",
    "Finish",
    "GameResult",
    "GameSide",
    "IdContents",
    "IllegalCubeAction",
    "IllegalPlay",
    "InvalidNotation",
    "InvalidState",
    "LegalPlays",
    "MatchState",
    "NextTurn",
    "Notation",
    "NotationLoss",
    "Notations",
    "OpeningTurn",
    "Phase",
    "Play",
    "Position",
    "Reason",
    "Restriction",
    "RulesError",
    "Side",
    "Step",
    "TurnProgress",
    "Violation",
    "apply_cube_action",
    "apply_play",
    "convert",
    "find_play",
    "finish",
    "format_play",
    "legal_plays",
    "legal_steps",
    "list_cube_actions",
    "parse_play",
    "read_gnubg_id",
    "read_xgid",
    "score_game",
    "start_game",
    "unpack_steps",
]
