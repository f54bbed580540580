"""Positions and dice for property tests: from games, and thrown at random."""

from __future__ import annotations

from random import Random

from hypothesis import strategies as st

from bgbotd import kernel
from tests.oracle import OPENING, Position
from tests.oracle.thrown import throw_dice, throw_position

dice = st.integers(min_value=1, max_value=6)


def _game_position(seed: int, plies: int) -> Position:
    """Play a game, each side now and then at random, and stop before it is over."""
    random = Random(seed)
    position = OPENING.packed()
    for _ in range(plies):
        die1, die2 = throw_dice(random)
        _, _, results, _ = kernel.legal_plays(position, die1, die2)
        result = kernel.choose_medium(position, die1, die2)[0]
        if random.random() < 0.5:
            first = random.randrange(len(results) // 52) * 52
            result = results[first : first + 52]
        if Position.from_packed(result).is_over():
            break
        position = result[26:] + result[:26]
    return Position.from_packed(position)


game_positions = st.builds(_game_position, st.integers(min_value=0), st.integers(min_value=0, max_value=80))
thrown_positions = st.builds(throw_position, st.randoms(use_true_random=False))
positions = thrown_positions | game_positions
