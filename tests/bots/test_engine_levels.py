"""The levels above Hard take the best play by equity."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bgbotd.bots import Level, ValueUnit
from bgbotd.bots.engine_levels import ENGINE_LEVELS, EnginePlay, choose_play
from bgbotd.evaluation import Depth, Evaluator, Source
from bgbotd.rules import CrawfordState, Dice, InvalidState, MatchState, Position, legal_plays
from tests.evaluation.states import MONEY, match_states, money_states, positions
from tests.rules.boards import MIDDLE_GAME, side

DANCING = Position(side({6: 5, 8: 3, 13: 5}, bar=2), side({6: 2, 5: 2, 4: 2, 3: 2, 2: 2, 1: 2, 13: 3}))
OVER = Position(side({}), side({1: 2}))
DOUBLE_MATCH_POINT = MatchState(5, 4, 4, CrawfordState.POST_CRAWFORD)


def choose(
    evaluator: Evaluator, level: Level, position: Position, dice: Dice, match: MatchState = MONEY, candidates: int = 0
) -> EnginePlay:
    """Have a level choose."""
    return asyncio.run(choose_play(evaluator, ENGINE_LEVELS[level], position, dice, match, candidates=candidates))


def test_each_level_looks_a_ply_deeper() -> None:
    """Expert not at all, Master one roll ahead, Grandmaster two."""
    depths = [Depth.STATIC, Depth.PLY2, Depth.PLY3]
    assert [Level.EXPERT, Level.MASTER, Level.GRANDMASTER] == list(ENGINE_LEVELS)
    assert depths == [level.depth for level in ENGINE_LEVELS.values()]


@pytest.mark.parametrize("level", ENGINE_LEVELS)
def test_the_best_play_by_equity_is_chosen(evaluator: Evaluator, level: Level) -> None:
    """The candidates are the evaluator's ranking at the level's depth, in equity."""
    depth = ENGINE_LEVELS[level].depth
    ranked = evaluator.rank_plays(MIDDLE_GAME, Dice(4, 2), MONEY, depth).result()
    legal = legal_plays(MIDDLE_GAME, Dice(4, 2))
    found = choose(evaluator, level, MIDDLE_GAME, Dice(4, 2), candidates=5).chosen
    assert [(legal[each.index], each.equity) for each in ranked[:5]] == [
        (each.play, each.value) for each in found.candidates
    ]
    assert (found.candidates[0].play, ValueUnit.EQUITY, None) == (found.play, found.unit, found.seed)


@pytest.mark.parametrize(
    ("dice", "notation"),
    [
        # What every opening book has for these rolls.
        (Dice(3, 1), "8/5 6/5"),
        (Dice(4, 2), "8/4 6/4"),
        (Dice(6, 1), "13/7 8/7"),
        (Dice(6, 5), "24/13"),
    ],
)
@pytest.mark.parametrize("level", ENGINE_LEVELS)
def test_openings_are_played_as_the_books_say(evaluator: Evaluator, level: Level, dice: Dice, notation: str) -> None:
    """Four rolls nobody disagrees about."""
    start = Position(side({24: 2, 13: 5, 8: 3, 6: 5}), side({24: 2, 13: 5, 8: 3, 6: 5}))
    assert notation == choose(evaluator, level, start, dice).chosen.play.notation


@given(positions, money_states | match_states(), st.integers(1, 6), st.integers(1, 6), st.integers(0, 4))
def test_the_choice_is_the_same_with_and_without_candidates(
    evaluator: Evaluator, position: Position, match: MatchState, die1: int, die2: int, candidates: int
) -> None:
    """And is legal; values fall from the first on."""
    dice = Dice(die1, die2)
    found = choose(evaluator, Level.EXPERT, position, dice, match, candidates).chosen
    assert found.play == choose(evaluator, Level.EXPERT, position, dice, match).chosen.play
    plays = legal_plays(position, dice)
    assert found.play in list(plays)
    assert min(candidates, len(plays)) == len(found.candidates)
    values = [each.value for each in found.candidates]
    assert values == sorted(values, reverse=True)
    assert (ValueUnit.EQUITY if candidates else None) is found.unit


@settings(max_examples=25)
@given(positions, st.integers(1, 6), st.integers(1, 6))
def test_what_is_won_at_once_is_won(evaluator: Evaluator, position: Position, die1: int, die2: int) -> None:
    """A play that bears off the last checker is never missed, at any level and score."""
    last = Position(side({1: 1}), position.opponent) if not position.opponent.points[23] else position
    winning = [play for play in legal_plays(last, Dice(die1, die2)) if play.result.player.off == 15]
    for level in (Level.EXPERT, Level.MASTER):
        for match in (MONEY, DOUBLE_MATCH_POINT):
            play = choose(evaluator, level, last, Dice(die1, die2), match).chosen.play
            assert not winning or play in winning


@pytest.mark.parametrize("level", ENGINE_LEVELS)
def test_a_dance_is_the_empty_play(evaluator: Evaluator, level: Level) -> None:
    """It is evaluated all the same."""
    found = choose(evaluator, level, DANCING, Dice(6, 5), candidates=3).chosen
    assert ((), DANCING) == (found.play.steps, found.play.result)
    [only] = found.candidates
    assert -3 <= only.value < 0


@pytest.mark.parametrize("level", ENGINE_LEVELS)
def test_bear_offs_are_played_by_the_table(evaluator: Evaluator, level: Level) -> None:
    """Of 6 and 3 with a 2-1 to play, the 6-point alone is left best: 27 rolls bear it off, 23 the next best."""
    position = Position(side({6: 1, 3: 1}), side({1: 3}))
    found = choose(evaluator, level, position, Dice(2, 1), candidates=10)
    assert (Source.BEAROFF_TABLE, "3/off") == (found.source, found.chosen.play.notation)
    [best, second, *_] = found.chosen.candidates
    assert best.value > second.value


@pytest.mark.parametrize("level", ENGINE_LEVELS)
def test_a_finished_game_is_refused(evaluator: Evaluator, level: Level) -> None:
    """Whoever has won it."""
    for position in (OVER, OVER.mirrored()):
        with pytest.raises(InvalidState):
            choose(evaluator, level, position, Dice(2, 1))
