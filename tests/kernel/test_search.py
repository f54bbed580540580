"""Hard's choices that need no search to be known."""

from bgbotd import kernel
from tests.oracle import OPENING, Position


def test_hard_ranks_the_six_plays_medium_likes_best() -> None:
    """In another order, but no others."""
    medium, _, _ = kernel.rank_medium(OPENING.packed(), 3, 1)
    hard, _, values = kernel.rank_hard(OPENING.packed(), 3, 1)
    assert sorted(medium[at : at + 52] for at in range(0, 6 * 52, 52)) == sorted(
        hard[at : at + 52] for at in range(0, len(hard), 52)
    )
    assert sorted(values, reverse=True) == values


def test_hard_plays_a_race_as_medium_does() -> None:
    """The same plays, the six best of them, and the same values in 36ths of Medium's unit."""
    race = Position.from_points({12: 3, 8: 4, 6: 4, 5: 2, 3: 2}, {12: 4, 7: 3, 6: 4, 4: 4}).packed()
    results, steps, values = kernel.rank_medium(race, 6, 5)
    expected = (results[: 6 * 52], steps[: 6 * 16], [36 * value for value in values[:6]])
    assert expected == kernel.rank_hard(race, 6, 5)
    assert (results[:52], steps[:16], 36 * values[0]) == kernel.choose_hard(race, 6, 5)


def test_hard_takes_the_win_while_the_opponent_is_on_the_bar() -> None:
    """Contact, and the last two checkers come off: there is no reply to look at."""
    position = Position.from_points({2: 1, 1: 1}, {25: 1, 6: 4}).packed()
    _, steps, value = kernel.choose_hard(position, 2, 1)
    assert steps == bytes([2, 0, 2, 0, 1, 0, 1, 0]) + bytes(8)
    assert value == 10_000 * 1296


def test_hard_values_the_certain_loss_of_a_game() -> None:
    """Whatever is played, each of the 36 rolls bears off the opponent's last two checkers."""
    position = Position.from_points({25: 1, 6: 2}, {1: 2}).packed()
    _, _, values = kernel.rank_hard(position, 6, 5)
    assert {-10_000 * 1296} == set(values)


def test_side_that_cannot_move_has_one_empty_play() -> None:
    """On the bar against a closed board, every level passes and the position stays."""
    dancing = Position.from_points({25: 1, 6: 3}, {1: 2, 2: 2, 3: 2, 4: 2, 5: 2, 6: 2, 12: 3}).packed()
    for choose in (kernel.choose_medium, kernel.choose_hard):
        result, steps, _ = choose(dancing, 6, 4)
        assert dancing == result
        assert bytes(16) == steps
