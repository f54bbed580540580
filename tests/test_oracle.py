"""The oracle itself, held against other programs, published tables and sheer enumeration."""

from fractions import Fraction
from itertools import permutations
from random import Random

import pytest

from tests.oracle import (
    BAR,
    BLOCKED,
    BOTH_DICE_FORCED,
    DANCE,
    FREE,
    LARGER_DIE_FORCED,
    OFF,
    OPENING,
    PARTIAL,
    Position,
    Step,
    apply_step,
    easy_chances,
    legal_plays,
    legal_steps,
    medium_value,
    open_steps,
    rank_hard,
    rank_medium,
)
from tests.oracle.levels import SCALE, hits
from tests.oracle.thrown import throw_dice, throw_position
from tests.reference_cases import expected_results, read_cases, read_position

# The shots in the open that every textbook prints, of 36 rolls, by pips away.
SHOTS_IN_THE_OPEN = {
    1: 11, 2: 12, 3: 14, 4: 15, 5: 15, 6: 17, 7: 6, 8: 6, 9: 5, 10: 3, 11: 2, 12: 3,
    13: 0, 14: 0, 15: 1, 16: 1, 17: 0, 18: 1, 19: 0, 20: 1, 21: 0, 22: 0, 23: 0,
}  # fmt: skip


def full_sequences(position: Position, dice: tuple[int, ...]) -> list[tuple[Step, ...]]:
    """Play the dice in this order in every way, as far as they go, one step after another."""
    steps = open_steps(position, dice[0]) if dice else []
    if not steps:
        return [()]
    return [(step, *rest) for step in steps for rest in full_sequences(apply_step(position, *step), dice[1:])]


def end_of(position: Position, steps: tuple[Step, ...]) -> Position:
    """Play steps one after another."""
    for step in steps:
        position = apply_step(position, *step)
    return position


def test_legal_plays_are_those_of_the_reference() -> None:
    """Results and dice played agree with the brute force behind the 1,500 cases."""
    for case in read_cases("legal_plays.jsonl.gz"):
        turn = legal_plays(read_position(case["position"]), *case["dice"])
        assert case["dice_played"] == turn.dice_played
        assert expected_results(case) == {play.result for play in turn.plays}


def test_legal_plays_are_right_where_other_programs_went_wrong() -> None:
    """The positions behind public bug reports give the results reasoned by hand."""
    for case in read_cases("tricky_plays.jsonl"):
        turn = legal_plays(read_position(case["position"]), *case["dice"])
        ids = {play.result.swapped().gnu_position_id() for play in turn.plays}
        assert set(case["result_position_ids_next_player"]) == ids


def test_position_ids_are_those_of_gnu_backgammon() -> None:
    """The oracle's names of positions are the ones GNU Backgammon gives them."""
    for case in read_cases("position_ids.jsonl"):
        assert case["gnubg_position_id"] == read_position(case["position"]).gnu_position_id()


def test_plays_and_steps_are_what_playing_everything_gives() -> None:
    """The largest steps to each result are the largest of all sequences played out in full."""
    random = Random(7)
    for _ in range(150):
        position, (die1, die2) = throw_position(random), throw_dice(random)
        dice = (die1, die2) if die1 != die2 else (die1,) * 3
        orders = sorted(set(permutations(dice)))
        sequences = [way for order in orders for way in full_sequences(position, order)]
        most = max(map(len, sequences))
        sequences = [way for way in sequences if len(way) == most]
        if most == 1:
            largest = max(way[0].die for way in sequences)
            sequences = [way for way in sequences if way[0].die == largest]
        assert {way[0] for way in sequences if way} == set(legal_steps(position, dice))
        if die1 != die2:
            best: dict[Position, tuple[Step, ...]] = {}
            for way in sequences:
                end = end_of(position, way)
                best[end] = max(best.get(end, ()), way)
            assert best == dict(legal_plays(position, die1, die2).plays)


@pytest.mark.parametrize(("away", "rolls"), SHOTS_IN_THE_OPEN.items())
def test_shots_in_the_open_are_those_of_the_textbook(away: int, rolls: int) -> None:
    """A lone checker so many pips away hits with as many rolls as every table says."""
    position = Position.from_points({24: 1}, {1 + away: 1})
    assert rolls == hits(position.opponent, position.player, 24)


@pytest.mark.parametrize(
    ("waiting", "rolls"),
    [
        # Any three; 1-2 in two steps of the entering checker, and 1-1 in three.
        (1, 14),
        # Any three; 1-1 enters both and has two steps left for the way.
        (2, 12),
        # Only a three: after three entries 1-1 has one step, and it is two short.
        (3, 11),
        (4, 11),
    ],
)
def test_checkers_on_the_bar_enter_before_they_hit(waiting: int, rolls: int) -> None:
    """Each further checker on the bar takes away the shots that need its die."""
    position = Position.from_points({3: 1}, {BAR: waiting})
    assert rolls == hits(position.opponent, position.player, 3)


def test_hits_are_what_playing_the_rolls_gives() -> None:
    """A roll hits exactly if some sequence of legal steps brings a checker onto the blot."""
    random = Random(11)
    checked = 0
    while checked < 12:
        own, other = throw_position(random)
        blots = [point for point in range(1, 25) if own[point] == 1]
        few = sum(count > 0 for count in other[1:]) <= 4
        if not blots or not few:
            continue
        checked += 1
        blot = blots[0]
        rolls = [(die1, die2) for die1 in range(1, 7) for die2 in range(1, 7)]
        hitting = sum(_some_sequence_hits(Position(other, own), blot, *roll) for roll in rolls)
        assert hitting == hits(other, own, blot)


def _some_sequence_hits(position: Position, blot: int, die1: int, die2: int) -> bool:
    roll = (die1,) * 4 if die1 == die2 else (die1, die2)
    reached = {(position, order) for order in permutations(roll)}
    while reached:
        further = set()
        for before, dice in reached:
            for step in open_steps(before, dice[0]):
                after = apply_step(before, *step)
                if after.opponent[blot] == 0:
                    return True
                if dice[1:]:
                    further.add((after, dice[1:]))
        reached = further
    return False


def test_medium_value_is_the_sum_made_by_hand() -> None:
    """After 8/5 6/5 in the opening Medium's value is 12 for the mover."""
    # Mover: -163 pips, points 5 and 6 at 8, points 8 and 13 at 4, point 24 at 10. Other side:
    # -167 pips, point 6 at 8, points 8 and 13 at 4, point 24 at 10. No blots, nobody on the bar.
    after = end_of(OPENING, (Step(8, 3), Step(6, 1)))
    assert ((-163 + 34) - (-167 + 26)) * SCALE == medium_value(after)


def test_prime_counts_only_with_somebody_behind_it() -> None:
    """A run of four made points brings 16 while the bar or a lower point holds an opponent."""
    prime = {4: 3, 5: 4, 6: 3, 7: 3, 24: 2}
    held = Position.from_points(prime, {22: 15})
    escaped = Position.from_points(prime, {13: 15})
    held_score = -(12 + 20 + 18 + 21 + 48) + 4 * 8 + 10 + 16
    assert (held_score - (-22 * 15 + 10)) * SCALE == medium_value(held)
    assert (held_score - 16 - (-13 * 15 + 4)) * SCALE == medium_value(escaped)


def test_blots_and_checkers_on_the_bar_are_charged() -> None:
    """A blot costs its shots times what it loses, a checker on the bar more the more points."""
    # The blot on 8 is six away from the checkers on the opponent's 23, but the point on 6 bars
    # the way of 2-2: 16 shots at 25-8+45.
    blot = Position.from_points({8: 1, 6: 2}, {23: 2, 13: 2})
    blot_score = (-(8 + 12) + 8) * SCALE - 16 * (25 - 8 + 45)
    # In its home board the opponent has made three points: 8 + 3 * 3 for each on the bar.
    bar = Position.from_points({BAR: 2, 6: 2}, {1: 2, 2: 2, 3: 2})
    bar_score = -(50 + 12) + 8 - 2 * (8 + 9)
    assert blot_score - (-(46 + 26) + 10 + 4) * SCALE == medium_value(blot)
    assert (bar_score - (-12 + 3 * 8 + 9)) * SCALE == medium_value(bar)


def test_race_counts_pips_and_checkers_off() -> None:
    """Past each other, pips and three for each checker borne off decide, and a win is 10,000."""
    race = Position.from_points({6: 2}, {6: 3})
    assert (6 + 3) * SCALE == medium_value(race)
    assert 10_000 * SCALE == medium_value(Position.from_points({}, {6: 3}))
    assert -10_000 * SCALE == medium_value(Position.from_points({6: 3}, {}))


@pytest.mark.parametrize(
    ("position", "dice", "restriction"),
    [
        (OPENING, (3, 1), FREE),
        # 24/22 with the two leaves no six but 8/2, and 8/2 leaves no two but 24/22.
        (Position.from_points({24: 1, 8: 1, 6: 13}, {21: 2, 5: 4, 6: 4, 7: 3, 9: 2}), (6, 2), BOTH_DICE_FORCED),
        (Position.from_points({13: 1}, {15: 2, 16: 1, 17: 2, 18: 2, 19: 2, 21: 2}), (4, 2), LARGER_DIE_FORCED),
        (Position.from_points({8: 1}, {23: 2, 24: 2}), (6, 1), PARTIAL),
        (Position.from_points({BAR: 1}, {6: 2, 5: 2}), (6, 5), DANCE),
        (Position.from_points({7: 1}, {24: 2, 23: 2}), (6, 5), BLOCKED),
        # 6/off ends the game where the rules ask for 6/5/off, but nobody is made to walk it.
        (Position.from_points({6: 1}, {1: 2}), (6, 1), FREE),
        # The same with a blot on the way: 6/off would spare it.
        (Position.from_points({6: 1}, {20: 1}), (6, 1), BOTH_DICE_FORCED),
    ],
)  # fmt: skip
def test_restriction_says_why_the_choice_is_narrow(position: Position, dice: tuple[int, int], restriction: int) -> None:
    """Each roll is marked with the rule that narrows it."""
    assert restriction == legal_plays(position, *dice).restriction


def test_rearmost_checkers_that_move_on_come_first() -> None:
    """In canonical order the opening 2-1 begins with the play that moves both back checkers."""
    first = legal_plays(OPENING, 2, 1).plays[0]
    assert (Step(24, 2), Step(24, 1)) == first.steps
    assert 0 == first.result.player[24]


def test_finished_game_has_no_roll() -> None:
    """A side that is off has nothing to play and the other side neither."""
    over = Position.from_points({6: 1}, {})
    with pytest.raises(ValueError, match="over"):
        legal_plays(over, 1, 2)
    assert [] == legal_steps(over, (1, 2))


def test_easy_reaches_every_legal_play_by_its_single_steps() -> None:
    """Easy's chances add up to one, and it can end where every legal play ends."""
    random = Random(3)
    for _ in range(60):
        position, (die1, die2) = throw_position(random), throw_dice(random)
        chances = easy_chances(position, (die1, die2) if die1 != die2 else (die1,) * 4)
        assert sum(chances.values()) == 1
        assert {play.result for play in legal_plays(position, die1, die2).plays} == set(chances)


def test_easy_draws_steps_and_not_plays() -> None:
    """With one checker on 3 and one on 2, a 2-1 begins with one of four steps, each as likely."""
    # Both end on 1 after 3/1, which leaves 2/1 or 1/off for the one, and after 2/1, which leaves
    # only 3/1 for the two.
    position = Position.from_points({3: 1, 2: 1}, {1: 2})
    chances = easy_chances(position, (2, 1))
    both_on_one = Position.from_points({1: 2}, {1: 2})
    assert chances[both_on_one] == Fraction(1, 4) * Fraction(1, 2) + Fraction(1, 4)


def test_hard_looks_one_roll_further_than_medium() -> None:
    """Hard keeps to Medium's six best, and a win is worth 10,000 to it as well."""
    medium, hard = rank_medium(OPENING, 6, 5), rank_hard(OPENING, 6, 5)
    assert {one.play for one in medium[:6]} == {one.play for one in hard}
    assert sorted((one.value for one in hard), reverse=True) == [one.value for one in hard]
    winning = Position.from_points({1: 1}, {24: 1, OFF: 14})
    assert 10_000 * SCALE * SCALE == rank_hard(winning, 2, 1)[0].value
