"""How many plays there are, and that the ways to ask for them agree."""

import pytest

from bgbotd import kernel
from tests.oracle import OPENING, Position

ROLLS = [(die1, die2) for die1 in range(1, 7) for die2 in range(1, die1 + 1)]
# The counts here were made by bgsage 2.0.20260907. These are in the order of ROLLS.
PLAYS_OF_OPENING_ROLLS = [42, 15, 75, 16, 17, 73, 14, 18, 17, 52, 8, 8, 9, 9, 4, 10, 14, 14, 14, 7, 11]
# Fifteen blots and nobody in their way: about as many plays as there can be.
SCATTERED = Position.from_points(dict.fromkeys(range(10, 25), 1), {24: 15}).packed()
PLAYS_OF_SCATTERED_DOUBLES = [1654, 1749, 1828, 1882, 1774, 1667]


def turned(position: bytes) -> bytes:
    """Return the same board with the other side on roll."""
    return position[26:] + position[:26]


def test_opening_rolls_have_as_many_plays_as_bgsage_counts() -> None:
    """Roll by roll, doubles included though no game begins with one."""
    counts = [kernel.count_plays(OPENING.packed(), bytes(roll)) for roll in ROLLS]
    assert PLAYS_OF_OPENING_ROLLS == counts


def test_largest_lists_of_plays_are_complete() -> None:
    """A double with fifteen free checkers has well over a thousand plays."""
    counts = [kernel.count_plays(SCATTERED, bytes([die, die])) for die in range(1, 7)]
    assert PLAYS_OF_SCATTERED_DOUBLES == counts


def test_plays_of_many_positions_are_the_sum_of_each() -> None:
    """All positions after all opening rolls, with every roll: counted at once and listed singly."""
    positions = []
    for roll in ROLLS:
        _, _, results, _ = kernel.legal_plays(OPENING.packed(), *roll)
        positions += [turned(results[first : first + 52]) for first in range(0, len(results), 52)]
    for roll in ROLLS:
        listed = sum(len(kernel.legal_plays(position, *roll)[2]) // 52 for position in positions)
        assert listed == kernel.count_plays(b"".join(positions), bytes(roll) * len(positions))


@pytest.mark.parametrize("roll", ROLLS)
def test_steps_of_a_play_lead_to_its_result_one_by_one(roll: tuple[int, int]) -> None:
    """Each step is open when its turn comes, and together they end where the play says."""
    for position in (OPENING.packed(), SCATTERED):
        _, _, results, steps = kernel.legal_plays(position, *roll)
        for play in range(len(results) // 52):
            reached = position
            for first in range(16 * play, 16 * play + 16, 4):
                source, _, die, _ = steps[first : first + 4]
                if source:
                    reached = kernel.apply_step(reached, source, die)
            assert results[52 * play : 52 * play + 52] == reached


def test_no_position_counts_no_plays() -> None:
    """Empty buffers are a fair question."""
    assert kernel.count_plays(b"", b"") == 0
    assert kernel.medium_values(b"") == b""
