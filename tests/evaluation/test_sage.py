"""bgsage's answers in this program's units, by every rule and at every score."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bgbotd import kernel
from bgbotd.evaluation.engine import Depth, Engine, RolloutSettings, ScoreOutOfTable, Source
from bgbotd.evaluation.verdict import may_double
from bgbotd.rules.dice import Dice
from bgbotd.rules.match import CrawfordState, Cube, CubeOwner, MatchState
from bgbotd.rules.plays import legal_plays
from bgbotd.rules.position import STARTING_POSITION, Position, Side
from tests.evaluation.states import MONEY, match_states, money_states, positions
from tests.rules.boards import MIDDLE_GAME, side

if TYPE_CHECKING:
    from bgbotd.evaluation.sage import SageEngine

_states = money_states | match_states()
_dice = st.integers(1, 6)
_CRAWFORD = MatchState(5, 4, 0, CrawfordState.CRAWFORD_GAME)


def _results(position: Position, die1: int, die2: int) -> list[bytes]:
    packed = kernel.legal_plays(position.packed(), die1, die2)[2]
    return [packed[begin : begin + 52] for begin in range(0, len(packed), 52)]


def test_bgsage_is_an_engine(engine: SageEngine) -> None:
    """It has a name and a version."""
    offered: Engine = engine
    assert offered.name == "bgsage"
    assert offered.version >= "2"


def test_the_player_of_a_strong_position_wins_more_often(engine: SageEngine) -> None:
    """Perspective: closed board and two checkers on the bar against nothing."""
    strong = Position(side({6: 3, 5: 3, 4: 3, 3: 2, 2: 2, 1: 2}), side({13: 5, 6: 8}, bar=2))
    winning, losing = engine.probabilities([strong, strong.mirrored()])
    assert winning.win > 0.9
    assert losing.win < 0.1
    assert winning.win_gammon > winning.lose_gammon


@given(positions, _states)
def test_static_chances_and_cube_are_in_order(engine: SageEngine, position: Position, match: MatchState) -> None:
    """Chances nest; where the player may not double there is one equity only."""
    value = engine.evaluate(position, match, Depth.STATIC)
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = value.probabilities.as_tuple()
    assert 0 <= win_backgammon <= win_gammon <= win <= 1
    assert 0 <= lose_backgammon <= lose_gammon <= 1 - win
    if may_double(match):
        assert value.cube.double_pass == 1
    else:
        assert value.cube.no_double == value.cube.double_take == value.cube.double_pass


@given(positions, _states)
def test_the_state_of_the_cube_changes_no_static_chance(
    engine: SageEngine, position: Position, match: MatchState
) -> None:
    """The network sees the checkers only."""
    value = engine.evaluate(position, match, Depth.STATIC)
    assert engine.probabilities([position]) == [value.probabilities]


@given(positions, _dice, _dice, _states)
def test_a_play_is_worth_to_its_maker_what_the_position_costs_the_other_side(
    engine: SageEngine, position: Position, die1: int, die2: int, match: MatchState
) -> None:
    """Chances after a play, and of the mirrored position with the other side on roll."""
    results = _results(position, die1, die2)
    for play in engine.rank_plays(results, match, Depth.STATIC)[:3]:
        if play.source is Source.ENGINE:
            other = Position.unpacked(results[play.index]).mirrored()
            [chances] = engine.probabilities([other])
            assert chances.mirrored().as_tuple() == pytest.approx(play.probabilities.as_tuple(), abs=1e-6)


@settings(max_examples=15)
@given(positions, _dice, _dice, _states)
def test_two_plies_deep_a_play_and_the_mirrored_position_agree(
    engine: SageEngine, position: Position, die1: int, die2: int, match: MatchState
) -> None:
    """The other side's best cube action included; bgsage prunes replies in one of its two searches only."""
    results = _results(position, die1, die2)
    play = engine.rank_plays(results, match, Depth.PLY2)[0]
    if play.source is Source.ENGINE:
        other = Position.unpacked(results[play.index]).mirrored()
        value = engine.evaluate(other, match.mirrored(), Depth.PLY2)
        assert -value.cube.after_best_action == pytest.approx(play.equity, abs=0.1)
        assert value.probabilities.mirrored().win == pytest.approx(play.probabilities.win, abs=0.02)


@settings(max_examples=15)
@given(positions, st.lists(_states, min_size=2, max_size=3))
def test_money_and_match_never_leak_into_each_other(
    engine: SageEngine, position: Position, states: list[MatchState]
) -> None:
    """Each state is evaluated before and after the others, in this thread, with the same result."""
    first = [engine.evaluate(position, match, Depth.PLY2) for match in states]
    again = [engine.evaluate(position, match, Depth.PLY2) for match in reversed(states)]
    assert first == again[::-1]


@settings(max_examples=15)
@given(positions)
def test_a_cube_of_ones_own_is_worth_more_than_the_opponents(engine: SageEngine, position: Position) -> None:
    """Access to the cube never hurts."""
    own, others = (
        engine.evaluate(position, MatchState(cube=Cube(2, owner)), Depth.PLY2).cube.after_best_action
        for owner in (CubeOwner.PLAYER, CubeOwner.OPPONENT)
    )
    assert own >= others - 1e-6


@pytest.mark.parametrize("depth", [Depth.STATIC, Depth.PLY2])
def test_jacoby_and_beavers_are_off_unless_agreed(engine: SageEngine, depth: Depth) -> None:
    """With the cube turned, Jacoby changes nothing; centred, it takes gammons away."""
    blitz = Position(side({13: 2, 8: 3, 6: 4, 5: 3, 4: 3}), side({24: 1, 13: 5, 8: 3, 6: 4}, bar=2))
    money, jacoby = (engine.evaluate(blitz, match, depth).cube.no_double for match in (MONEY, MatchState(jacoby=True)))
    assert money > jacoby
    turned = Cube(2, CubeOwner.PLAYER)
    assert engine.evaluate(blitz, MatchState(cube=turned), depth) == engine.evaluate(
        blitz, MatchState(jacoby=True, cube=turned), depth
    )


@pytest.mark.parametrize("depth", [Depth.STATIC, Depth.PLY2])
def test_a_beaver_doubles_what_a_bad_double_costs(engine: SageEngine, depth: Depth) -> None:
    """The player is far behind in a race."""
    behind = Position(side({6: 5, 5: 5, 4: 5}), side({4: 5, 3: 5, 2: 5}))
    taken = engine.evaluate(behind, MONEY, depth).cube.double_take
    beavered = engine.evaluate(behind, MatchState(beavers=True), depth).cube.double_take
    assert taken < 0
    assert beavered == pytest.approx(2 * taken, rel=0.01)


@pytest.mark.parametrize("depth", [Depth.STATIC, Depth.PLY2, Depth.PLY3])
def test_a_beaver_past_the_limit_of_the_cube_costs_nothing(engine: SageEngine, depth: Depth) -> None:
    """A limit of 2 leaves room for the double alone, so that agreeing on beavers changes nothing."""
    without, agreed = (
        engine.evaluate(MIDDLE_GAME.mirrored(), MatchState(beavers=beavers, cube_limit=2), depth)
        for beavers in (False, True)
    )
    assert without == agreed


@pytest.mark.parametrize("depth", [Depth.STATIC, Depth.PLY2])
def test_at_double_match_point_equity_is_the_chance_of_winning(engine: SageEngine, depth: Depth) -> None:
    """Cube and gammons are of no use."""
    match = MatchState(5, 4, 4, CrawfordState.POST_CRAWFORD)
    value = engine.evaluate(MIDDLE_GAME, match, depth)
    assert 2 * value.probabilities.win - 1 == pytest.approx(value.cube.no_double, abs=0.01)
    assert value.cube.no_double == pytest.approx(value.cube.double_take, abs=1e-4)


@pytest.mark.parametrize("depth", [Depth.STATIC, Depth.PLY2])
def test_the_cube_is_of_no_use_at_its_limit(engine: SageEngine, depth: Depth) -> None:
    """Equity is then the cubeless one."""
    match = MatchState(cube=Cube(8, CubeOwner.PLAYER), cube_limit=8)
    value = engine.evaluate(MIDDLE_GAME, match, depth)
    assert value.probabilities.cubeless_equity == pytest.approx(value.cube.no_double)
    best = engine.rank_plays(_results(MIDDLE_GAME, 3, 1), match, depth)[0]
    assert best.probabilities.cubeless_equity == pytest.approx(best.equity)


@pytest.mark.parametrize("depth", [Depth.STATIC, Depth.PLY2])
def test_the_trailer_doubles_at_once_after_the_crawford_game(engine: SageEngine, depth: Depth) -> None:
    """It has nothing to lose: 4 away against 1 away, at the start of the game."""
    match = MatchState(5, 1, 4, CrawfordState.POST_CRAWFORD)
    cube = engine.evaluate(STARTING_POSITION, match, depth).cube
    assert min(cube.double_take, cube.double_pass) > cube.no_double


@pytest.mark.parametrize("away", [2, 3, 7, 25])
def test_no_equity_of_the_crawford_game_depends_on_the_cube(engine: SageEngine, away: int) -> None:
    """Normalised cubeless equity, with the gammons the score makes count."""
    match = MatchState(away, away - 1, 0, CrawfordState.CRAWFORD_GAME)
    value = engine.evaluate(MIDDLE_GAME, match, Depth.STATIC)
    chance = engine.match_equity.cubeless_chance(match, value.probabilities, 1)
    assert engine.match_equity.equity_of_chance(match, chance) == pytest.approx(value.cube.no_double, abs=1e-3)


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("evaluate", (STARTING_POSITION, MatchState(26), Depth.STATIC)),
        ("rank_plays", ([STARTING_POSITION.packed()], MatchState(26), Depth.STATIC)),
        ("rollout_chunk", (STARTING_POSITION, MatchState(26), RolloutSettings(), 0)),
    ],
)
def test_scores_outside_the_match_equity_table_are_refused(
    engine: SageEngine, method: str, arguments: tuple[object, ...]
) -> None:
    """26 points away."""
    with pytest.raises(ScoreOutOfTable):
        getattr(engine, method)(*arguments)


@pytest.mark.parametrize("depth", [Depth.STATIC, Depth.PLY2, Depth.PLY3])
def test_the_best_play_stands_first_at_the_depth_asked_for(engine: SageEngine, depth: Depth) -> None:
    """3-1 makes the 5-point; plays set aside say so."""
    results = _results(STARTING_POSITION, 3, 1)
    plays = engine.rank_plays(results, MONEY, depth)
    made = Position.unpacked(results[plays[0].index]).player
    assert (4, 2, 2) == (made.points[5], made.points[4], made.points[7])
    assert depth is plays[0].depth is plays[1].depth
    assert list(range(1, len(results) + 1)) == [play.rank for play in plays]
    assert [play.equity for play in plays] == sorted((play.equity for play in plays), reverse=True)
    assert [plays[0].equity - play.equity for play in plays] == pytest.approx([play.loss for play in plays])


def test_a_play_asked_for_is_evaluated_at_the_depth_however_low_it_ranks(engine: SageEngine) -> None:
    """The worst play of an opening 3-1."""
    results = _results(STARTING_POSITION, 3, 1)
    worst = engine.rank_plays(results, MONEY, Depth.STATIC)[-1]
    again = {play.index: play for play in engine.rank_plays(results, MONEY, Depth.PLY2, worst.index)}
    assert Depth.PLY2 is again[worst.index].depth
    assert again[worst.index].loss > 0.1


def test_a_play_that_wins_is_worth_what_it_wins(engine: SageEngine) -> None:
    """Bearing off the last checker against a side that has borne off none is a gammon."""
    results = _results(Position(side({1: 1}), side({6: 15})), 2, 1)
    [play] = engine.rank_plays(results, MONEY, Depth.PLY2)
    assert (2.0, Source.RULES) == (play.equity, play.source)
    [play] = engine.rank_plays(results, MatchState(jacoby=True), Depth.PLY2)
    assert play.equity == 1.0


def test_the_same_seed_rolls_the_same_dice(engine: SageEngine) -> None:
    """And another seed, or another chunk, does not."""
    one = RolloutSettings(truncate_after_plies=3, seed=1)
    other = RolloutSettings(truncate_after_plies=3, seed=2)
    chunk = engine.rollout_chunk(MIDDLE_GAME, MONEY, one, 0)
    engine.rollout_chunk(STARTING_POSITION, _CRAWFORD, other, 1)
    assert chunk == engine.rollout_chunk(MIDDLE_GAME, MONEY, one, 0)
    assert chunk != engine.rollout_chunk(MIDDLE_GAME, MONEY, one, 1)
    assert chunk != engine.rollout_chunk(MIDDLE_GAME, MONEY, other, 0)


def test_a_rollout_finds_what_the_search_finds(engine: SageEngine) -> None:
    """Within three standard errors, cubeless and cubeful."""
    settings = RolloutSettings(truncate_after_plies=5, seed=7)
    value = engine.evaluate(MIDDLE_GAME, MONEY, Depth.PLY3)
    chunk = engine.rollout_chunk(MIDDLE_GAME, MONEY, settings, 0)
    difference = chunk.probabilities.cubeless_equity - value.probabilities.cubeless_equity
    assert abs(difference) < 3 * chunk.cubeless_error
    assert abs(chunk.cube.no_double - value.cube.no_double) < 3 * chunk.no_double_error


def test_without_a_cube_a_rollout_has_one_equity(engine: SageEngine) -> None:
    """The cubeless one, normalised in a match."""
    settings = RolloutSettings(truncate_after_plies=3, cubeful=False)
    money, match = (engine.rollout_chunk(MIDDLE_GAME, state, settings, 0) for state in (MONEY, MatchState(7, 3, 2)))
    assert money.cube.no_double == money.cube.double_take == pytest.approx(money.probabilities.cubeless_equity)
    assert money.probabilities == match.probabilities
    assert match.cube.no_double == match.cube.double_take != money.cube.no_double


def test_a_static_play_after_which_the_opponent_doubles_costs_the_double(engine: SageEngine) -> None:
    """A play into a double that is passed loses the cube, and no less."""
    player = Side((0, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2), bar=1)
    opponent = Side((0, 0, 0, 2, 2, 4, 0, 3, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))
    position = Position(player, opponent)
    results = [play.result for play in legal_plays(position, Dice(6, 3))]
    ranked = engine.rank_plays([result.packed() for result in results], MatchState(), Depth.STATIC)
    worth = [
        -engine.evaluate(results[each.index].mirrored(), MatchState(), Depth.STATIC).cube.after_best_action
        for each in ranked
    ]
    assert worth == pytest.approx([each.equity for each in ranked])
    assert -1.0 in worth
