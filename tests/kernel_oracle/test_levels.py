"""The kernel's Medium and Hard value and rank as the oracle does, to the last thirty-sixth."""

from hypothesis import Phase, given, settings

from bgbotd import kernel
from tests import oracle
from tests.kernel_oracle.strategies import dice, positions
from tests.oracle import Position
from tests.oracle.levels import Ranked

VALUES_TRIED = settings(max_examples=1000)
RANKINGS_TRIED = settings(max_examples=200)
# The oracle takes up to a second for each, which leaves no time to shrink what fails.
HARD_TRIED = settings(max_examples=15, phases=(Phase.explicit, Phase.reuse, Phase.generate))


def packed_ranking(position: Position, ranked: list[Ranked]) -> tuple[bytes, bytes, list[int]]:
    """Write a ranking as the kernel does."""
    return (
        b"".join(one.play.result.packed() for one in ranked),
        b"".join(one.play.packed_steps(position) for one in ranked),
        [one.value for one in ranked],
    )


@VALUES_TRIED
@given(positions)
def test_medium_value_is_the_oracles(position: Position) -> None:
    """One position's value, alone and among many."""
    expected = oracle.medium_value(position)
    assert expected == kernel.medium_value(position.packed())
    both = kernel.medium_values(position.packed() + position.swapped().packed())
    assert [expected, -expected] == [int.from_bytes(both[at : at + 4], "little", signed=True) for at in (0, 4)]


@RANKINGS_TRIED
@given(positions, dice, dice)
def test_medium_ranking_is_the_oracles(position: Position, die1: int, die2: int) -> None:
    """All plays, values and ties, and the first of them is the choice."""
    expected = packed_ranking(position, oracle.rank_medium(position, die1, die2))
    assert expected == kernel.rank_medium(position.packed(), die1, die2)
    chosen = (expected[0][:52], expected[1][:16], expected[2][0])
    assert chosen == kernel.choose_medium(position.packed(), die1, die2)


@HARD_TRIED
@given(positions, dice, dice)
def test_hard_ranking_is_the_oracles(position: Position, die1: int, die2: int) -> None:
    """The candidates, their exact averages and ties."""
    expected = packed_ranking(position, oracle.rank_hard(position, die1, die2))
    assert expected == kernel.rank_hard(position.packed(), die1, die2)


@VALUES_TRIED
@given(positions, dice, dice)
def test_hard_chooses_the_first_of_its_ranking(position: Position, die1: int, die2: int) -> None:
    """What the search leaves out never changes the choice."""
    results, steps, values = kernel.rank_hard(position.packed(), die1, die2)
    assert (results[:52], steps[:16], values[0]) == kernel.choose_hard(position.packed(), die1, die2)
