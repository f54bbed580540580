"""How many plays the opening position leads to, roll after roll, counted by bgsage 2.0."""

from bgbotd import kernel
from tests.oracle import OPENING

ROLLS = [(die1, die2) for die1 in range(1, 7) for die2 in range(1, die1 + 1)]
# Distinct plays of all distinct positions at that depth, over the 21 rolls. The first roll may
# be a double here: the count is of positions, not of games.
PLAYS_AT_DEPTH = (447, 183_632, 96_082_510)
POSITIONS_AT_DEPTH = (1, 406, 163_706)


def next_positions(positions: set[bytes]) -> set[bytes]:
    """Play every roll in every position, then let the other side be on roll."""
    following = set()
    for position in positions:
        for roll in ROLLS:
            _, _, results, _ = kernel.legal_plays(position, *roll)
            for first in range(0, len(results), 52):
                following.add(results[first + 26 : first + 52] + results[first : first + 26])
    return following


def test_plays_from_the_opening_are_as_many_as_bgsage_counts() -> None:
    """Three rolls deep, every distinct position is looked at once: 96 million plays."""
    positions = {OPENING.packed()}
    for depth, (plays, expected_positions) in enumerate(zip(PLAYS_AT_DEPTH, POSITIONS_AT_DEPTH, strict=True)):
        positions = next_positions(positions) if depth else positions
        assert expected_positions == len(positions)
        joined = b"".join(positions)
        counted = sum(kernel.count_plays(joined, bytes(roll) * len(positions)) for roll in ROLLS)
        assert plays == counted
