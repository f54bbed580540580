"""Easy, Medium and Hard choose as the rules say, move by move."""

from __future__ import annotations

import math
from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bgbotd.bots import EASY, HARD, KERNEL_BOTS, MEDIUM, Bot, Level, ValueUnit
from bgbotd.rules import STARTING_POSITION, Dice, InvalidState, Position, legal_plays
from tests import oracle
from tests.kernel_oracle.strategies import game_positions, positions
from tests.oracle.thrown import throw_dice, throw_position
from tests.rules.boards import MIDDLE_GAME, side

CLOSED = Position(side({24: 1, 13: 5, 8: 3, 6: 4, 5: 1}, bar=1), side({6: 2, 5: 2, 4: 2, 3: 2, 2: 2, 13: 5}))
"""Nothing but a 1 enters."""
BLOCKED = Position(side({24: 2}), side({5: 2, 4: 2, 3: 2, 2: 2}))
OVER = Position(side({}), side({1: 2}))

_draws = st.tuples(positions, st.integers(1, 6), st.integers(1, 6))


def ours(position: oracle.Position) -> Position:
    """Give the oracle's position as the product writes it."""
    return Position.unpacked(position.packed())


def chi_squared_limit(freedom: int) -> float:
    """Give what one true sample in 10,000 exceeds, by Wilson and Hilferty's approximation."""
    spread = 2 / (9 * freedom)
    return freedom * (1 - spread + 3.719 * math.sqrt(spread)) ** 3


@pytest.mark.parametrize(
    ("position", "die1", "die2"),
    [
        pytest.param(STARTING_POSITION, 6, 1, id="opening"),
        pytest.param(MIDDLE_GAME, 3, 2, id="middle game"),
        pytest.param(MIDDLE_GAME, 1, 1, id="double"),
        pytest.param(Position(side({6: 3, 4: 2, 2: 2, 1: 1}), side({5: 2, 3: 3})), 4, 3, id="bear-off"),
        pytest.param(Position(side({13: 5, 6: 5, 8: 3}, bar=2), side({6: 2, 4: 2, 13: 5})), 5, 2, id="two on the bar"),
    ],
)
def test_easy_draws_each_step_evenly(position: Position, die1: int, die2: int) -> None:
    """4,000 seeds end where the oracle's chances, worked out step by step, say."""
    roll = (die1, die2) if die1 != die2 else (die1,) * 4
    chances = oracle.easy_chances(oracle.Position.from_packed(position.packed()), roll)
    seeds = range(4_000)
    counts = Counter(EASY.choose_play(position, Dice(die1, die2), seed=seed).play.result.packed() for seed in seeds)
    assert set(counts) <= {result.packed() for result in chances}
    # Results too rare for the approximation are counted together.
    cells = [(len(seeds) * float(chance), counts[result.packed()]) for result, chance in chances.items()]
    rare = [cell for cell in cells if cell[0] < 5]
    often = [cell for cell in cells if cell[0] >= 5]
    if rare:
        often.append((sum(wanted for wanted, _ in rare), sum(found for _, found in rare)))
    statistic = sum((found - wanted) ** 2 / wanted for wanted, found in often)
    assert statistic < chi_squared_limit(max(1, len(often) - 1))


def test_easy_repeats_itself_from_its_seed() -> None:
    """The seed it drew by itself included, and another seed plays otherwise sooner or later."""
    drawn = EASY.choose_play(MIDDLE_GAME, Dice(4, 3))
    assert drawn.seed is not None
    assert 0 <= drawn.seed < 2**63
    assert drawn == EASY.choose_play(MIDDLE_GAME, Dice(4, 3), seed=drawn.seed)
    assert 1 < len({EASY.choose_play(MIDDLE_GAME, Dice(4, 3), seed=seed).play for seed in range(20)})


def test_easy_draws_a_new_seed_for_each_choice() -> None:
    """Two games with the same rolls are not the same game."""
    assert 20 == len({EASY.choose_play(MIDDLE_GAME, Dice(4, 3)).seed for _ in range(20)})


def test_easy_ranks_nothing() -> None:
    """However many candidates are asked for."""
    chosen = EASY.choose_play(MIDDLE_GAME, Dice(4, 3), seed=1, candidates=10)
    assert ((), None) == (chosen.candidates, chosen.unit)


@given(_draws, st.integers(0, 2**63 - 1))
def test_every_level_plays_by_the_rules(draw: tuple[oracle.Position, int, int], seed: int) -> None:
    """The play is one of the legal ones, in canonical form."""
    thrown, die1, die2 = draw
    position, dice = ours(thrown), Dice(die1, die2)
    legal = list(legal_plays(position, dice))
    for bot in KERNEL_BOTS.values():
        assert bot.choose_play(position, dice, seed=seed).play in legal


@given(_draws)
def test_medium_plays_the_oracles_best(draw: tuple[oracle.Position, int, int]) -> None:
    """Every play is ranked, in points, and ties stand in canonical order."""
    thrown, die1, die2 = draw
    position, dice = ours(thrown), Dice(die1, die2)
    ranked = oracle.rank_medium(thrown, die1, die2)
    chosen = MEDIUM.choose_play(position, dice, candidates=10_000)
    assert [one.play.result.packed() for one in ranked] == [one.play.result.packed() for one in chosen.candidates]
    assert [one.value / 36 for one in ranked] == [one.value for one in chosen.candidates]
    assert ValueUnit.MEDIUM_POINTS is chosen.unit
    assert chosen.candidates[0].play == chosen.play == MEDIUM.choose_play(position, dice).play


def test_ties_are_broken_in_canonical_order() -> None:
    """Of equal plays Medium takes the one that moves its rearmost checkers on; a sample has dozens of such ties."""
    random = Random(2)
    ties = 0
    for _ in range(300):
        thrown, (die1, die2) = throw_position(random), throw_dice(random)
        best, *others = oracle.rank_medium(thrown, die1, die2)
        equals = [one.play.result for one in others if one.value == best.value]
        ties += bool(equals)
        chosen = MEDIUM.choose_play(ours(thrown), Dice(die1, die2)).play.result
        assert best.play.result.packed() == chosen.packed()
        assert all(_canonical(ours(result)) > _canonical(chosen) for result in equals)
    assert ties > 30


def _canonical(result: Position) -> tuple[object, ...]:
    """Give what decides between equals: own checkers from the bar on, then the opponent's, its bar the other way."""
    own, other = result.player, result.opponent
    return (own.bar, *reversed(own.points), -other.bar, *reversed(other.points))


@pytest.mark.parametrize("seed", range(8))
def test_hard_plays_the_oracles_best(seed: int) -> None:
    """Six candidates, averaged over all replies, on positions from games and thrown ones."""
    random = Random(seed)
    thrown, (die1, die2) = throw_position(random), throw_dice(random)
    ranked = oracle.rank_hard(thrown, die1, die2)
    chosen = HARD.choose_play(ours(thrown), Dice(die1, die2), candidates=10)
    assert [one.play.result.packed() for one in ranked] == [one.play.result.packed() for one in chosen.candidates]
    assert [one.value / 1296 for one in ranked] == pytest.approx([one.value for one in chosen.candidates])
    assert ranked[0].play.result.packed() == HARD.choose_play(ours(thrown), Dice(die1, die2)).play.result.packed()


@given(game_positions, st.integers(1, 6), st.integers(1, 6), st.integers(0, 8))
def test_candidates_are_as_many_as_asked_for_and_best_first(
    thrown: oracle.Position, die1: int, die2: int, candidates: int
) -> None:
    """Medium ranks every play and Hard six of them."""
    position, dice = ours(thrown), Dice(die1, die2)
    plays = len(legal_plays(position, dice))
    for bot, most in ((MEDIUM, plays), (HARD, 6)):
        chosen = bot.choose_play(position, dice, candidates=candidates)
        assert min(candidates, plays, most) == len(chosen.candidates)
        values = [one.value for one in chosen.candidates]
        assert values == sorted(values, reverse=True)
        assert (ValueUnit.MEDIUM_POINTS if candidates else None) is chosen.unit
        assert chosen.seed is None


@pytest.mark.parametrize("bot", KERNEL_BOTS.values(), ids=lambda bot: bot.title)
@pytest.mark.parametrize(
    ("position", "dice"),
    [
        pytest.param(CLOSED, Dice(6, 6), id="dance"),
        pytest.param(BLOCKED, Dice(1, 1), id="blocked"),
    ],
)
def test_where_nothing_can_be_played_the_play_is_empty(bot: Bot, position: Position, dice: Dice) -> None:
    """It leaves everything as it was; Easy still says its seed."""
    chosen = bot.choose_play(position, dice, seed=7)
    assert ((), position, "(no play)") == (chosen.play.steps, chosen.play.result, chosen.play.notation)
    assert (7 if bot is EASY else None) == chosen.seed


@pytest.mark.parametrize("bot", KERNEL_BOTS.values(), ids=lambda bot: bot.title)
@pytest.mark.parametrize("position", [OVER, OVER.mirrored()], ids=["won", "lost"])
@pytest.mark.parametrize("candidates", [0, 3])
def test_a_finished_game_has_nothing_to_choose(bot: Bot, position: Position, candidates: int) -> None:
    """Whoever has won it."""
    with pytest.raises(InvalidState):
        bot.choose_play(position, Dice(2, 1), candidates=candidates)


def test_the_three_levels_need_no_engine() -> None:
    """They stand in the order of their strength."""
    assert [Level.EASY, Level.MEDIUM, Level.HARD] == list(KERNEL_BOTS)
    assert all(bot.level is level for level, bot in KERNEL_BOTS.items())
