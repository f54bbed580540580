"""Contests: the same dice for both, the rules' points, and honest intervals."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice, pairwise
from typing import TYPE_CHECKING

import pytest

from bgbotd.bots import EASY, HARD, MEDIUM, ChosenPlay
from bgbotd.bots.contest import GameScore, duplicate_games, mean_with_margin, play_game, rolls, strength
from bgbotd.rules import STARTING_POSITION, Dice, Play, Position, Side
from tests.rules.boards import side

if TYPE_CHECKING:
    from bgbotd.bots.contest import Contestant


@dataclass
class Witness:
    """Plays as another contestant does and notes what it has seen."""

    contestant: Contestant
    name: str
    seen: list[tuple[str, Position, Dice]] = field(default_factory=list)
    seeds: list[int | None] = field(default_factory=list)

    def choose_play(self, position: Position, dice: Dice, *, seed: int | None = None) -> ChosenPlay:
        """Note who is to play what."""
        self.seen.append((self.name, position, dice))
        self.seeds.append(seed)
        return self.contestant.choose_play(position, dice, seed=seed)


@dataclass
class Winner:
    """Ends the game with its first play, whatever the rules say."""

    final: Position

    def choose_play(self, position: Position, dice: Dice, *, seed: int | None = None) -> ChosenPlay:
        """Put the final position on the board."""
        del position, dice, seed
        return ChosenPlay(Play((), self.final))


def witnessed(first: Contestant, second: Contestant, seed: int) -> tuple[list[tuple[str, Position, Dice]], GameScore]:
    """Play a game and give all that was seen, in order."""
    seen: list[tuple[str, Position, Dice]] = []
    score = play_game(Witness(first, "first", seen), Witness(second, "second", seen), seed)
    return seen, score


def test_the_same_seed_throws_the_same_dice() -> None:
    """Dice come from the seed alone."""
    assert list(islice(rolls(5), 100)) == list(islice(rolls(5), 100))
    assert list(islice(rolls(5), 100)) != list(islice(rolls(6), 100))


def test_all_rolls_are_thrown_evenly() -> None:
    """Each die shows each number about one time in six."""
    thrown = [die for dice in islice(rolls(3), 6_000) for die in (dice.die1, dice.die2)]
    assert all(1_850 < thrown.count(number) < 2_150 for number in range(1, 7))


@pytest.mark.parametrize("seed", range(30))
def test_the_higher_die_begins_from_the_starting_position(seed: int) -> None:
    """Opening doubles are thrown again."""
    seen, _ = witnessed(MEDIUM, EASY, seed)
    name, position, dice = seen[0]
    assert ("first" if dice.die1 > dice.die2 else "second") == name
    assert STARTING_POSITION == position
    assert not dice.is_double


def test_sides_take_turns() -> None:
    """Nobody plays twice running."""
    seen, _ = witnessed(MEDIUM, HARD, 4)
    assert all(one[0] != other[0] for one, other in pairwise(seen))


@pytest.mark.parametrize("seed", range(10))
def test_duplicate_games_have_the_same_dice_with_the_seats_changed(seed: int) -> None:
    """Roll for roll, as long as both games last, what one side throws the other throws in the second game."""
    seen: list[tuple[str, Position, Dice]] = []
    duplicate_games(Witness(MEDIUM, "medium", seen), Witness(EASY, "easy", seen), seed)
    starts = [at for at, (_, position, _) in enumerate(seen) if position == STARTING_POSITION]
    one, other = seen[: starts[1]], seen[starts[1] :]
    both = list(zip(one, other, strict=False))
    assert len(both) > 10
    assert all(first[0] != second[0] and first[2] == second[2] for first, second in both)


def test_a_contestant_gains_nothing_on_itself() -> None:
    """Two games with the same dice cancel where both sides play alike."""
    for seed in range(20):
        one, other = duplicate_games(MEDIUM, MEDIUM, seed)
        assert one.points == -other.points


def test_each_choice_gets_a_seed_of_its_own_that_repeats() -> None:
    """A bot that plays at random is repeated too, and not by the dice."""
    one, other = Witness(EASY, "one"), Witness(EASY, "other")
    assert play_game(one, MEDIUM, 9) == play_game(other, MEDIUM, 9)
    assert one.seeds == other.seeds
    assert len(one.seeds) == len(set(one.seeds))


@pytest.mark.parametrize(
    ("loser", "points"),
    [
        (side({1: 14}), 1),
        (side({1: 15}), 2),
        (side({1: 14, 18: 1}), 2),
        (side({1: 14, 19: 1}), 3),
        (side({1: 14}, bar=1), 3),
    ],
)
def test_gammons_count_two_and_backgammons_three(loser: Side, points: int) -> None:
    """A gammon: no checker borne off; a backgammon: one of them on the bar or in the winner's home too."""
    winner = Winner(Position(side({}), loser))
    seeds = {dice.die1 > dice.die2: seed for seed in range(20) if not (dice := next(rolls(seed))).is_double}
    assert GameScore(points) == play_game(winner, winner, seeds[True])
    assert GameScore(-points) == play_game(winner, winner, seeds[False])


def test_luck_is_counted_for_each_roll_but_the_opening_one() -> None:
    """What a roll brings counts for the first contestant when it rolls, against it when the other does."""
    seen: list[tuple[str, Position, Dice]] = []
    contestants = (Witness(MEDIUM, "first", seen), Witness(HARD, "second", seen))
    score = play_game(*contestants, 11, lambda position, dice: position.player.pips() + dice.die1 / 8)
    expected = sum(
        (1 if name == "first" else -1) * (position.player.pips() + dice.die1 / 8) for name, position, dice in seen[1:]
    )
    assert pytest.approx(expected) == score.luck
    assert pytest.approx(score.points - expected) == score.adjusted


def test_luck_is_unknown_unless_measured() -> None:
    """Then there is nothing to take out."""
    score = play_game(MEDIUM, HARD, 11)
    assert score.luck is None
    assert score.points == score.adjusted


def test_a_turned_score_is_the_other_sides() -> None:
    """Points and luck change sign."""
    assert GameScore(-2, 0.25) == GameScore(2, -0.25).turned()
    assert GameScore(3) == GameScore(-3).turned()
    assert GameScore(1).won
    assert not GameScore(-1).won


def test_a_margin_is_half_the_95_percent_interval() -> None:
    """Values 1, -1 and 1: variance 4/3, standard error 2/3."""
    mean, margin = mean_with_margin([1.0, -1.0, 1.0])
    assert pytest.approx(1 / 3) == mean
    assert pytest.approx(1.959964 * 2 / 3) == margin


def test_strength_counts_games_and_takes_pairs_as_the_unit_of_chance() -> None:
    """Pairs of 1, -1 and 1 points a game on average, one game of six a gammon or more."""
    pairs = [(GameScore(1), GameScore(1)), (GameScore(-1), GameScore(-1)), (GameScore(3), GameScore(-1))]
    measured = strength(pairs, "by hand")
    assert 6 == measured.games
    assert pytest.approx(1 / 6) == measured.gammon_rate
    assert pytest.approx(0.5) == measured.win_rate
    assert pytest.approx(1.959964 * (0.5 / 3**0.5)) == measured.win_rate_margin
    assert pytest.approx((1 / 3, 1.959964 * 2 / 3)) == (measured.points_per_game, measured.points_per_game_margin)
    assert measured.adjusted_points_per_game is None
    assert (measured.points_per_game, measured.points_per_game_margin) == measured.best_points_per_game
    assert "by hand" == measured.measured_by


def test_pairs_that_cancel_leave_no_doubt() -> None:
    """Games that went as the dice did say nothing about the players."""
    measured = strength([(GameScore(2), GameScore(-2)), (GameScore(-1), GameScore(1))])
    assert (0.0, 0.0) == (measured.points_per_game, measured.points_per_game_margin)
    assert 0.0 == measured.win_rate_margin


def test_luck_taken_out_is_the_closest_estimate() -> None:
    """Two lucky games, each worth 0.25 without the luck."""
    measured = strength([(GameScore(1, 0.5), GameScore(1, 1.0)), (GameScore(-1, -1.25), GameScore(-1, -1.25))])
    assert pytest.approx(0.25) == measured.adjusted_points_per_game
    assert pytest.approx((0.25, 0.0)) == measured.best_points_per_game
    assert pytest.approx(0.0) == measured.points_per_game
