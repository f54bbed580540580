"""The kernel's legal plays against cases made with other programs."""

from bgbotd import kernel
from tests.oracle import Position
from tests.reference_cases import expected_results, read_cases, read_position


def listed_results(position: Position, die1: int, die2: int) -> tuple[int, list[Position]]:
    """Ask the kernel for the dice played and the resulting positions."""
    played, _, packed, _ = kernel.legal_plays(position.packed(), die1, die2)
    return played, [Position.from_packed(packed[first : first + 52]) for first in range(0, len(packed), 52)]


def test_kernel_lists_the_results_of_brute_force() -> None:
    """All 1,500 cases give the same results, each once, and the same number of dice."""
    for case in read_cases("legal_plays.jsonl.gz"):
        played, results = listed_results(read_position(case["position"]), *case["dice"])
        assert case["dice_played"] == played
        assert expected_results(case) == set(results)
        assert len(set(results)) == len(results)


def test_order_of_the_dice_does_not_matter() -> None:
    """A roll read the other way round gives the same answer, byte for byte."""
    for case in read_cases("legal_plays.jsonl.gz"):
        packed = read_position(case["position"]).packed()
        die1, die2 = case["dice"]
        assert kernel.legal_plays(packed, die1, die2) == kernel.legal_plays(packed, die2, die1)


def test_kernel_is_right_where_other_programs_went_wrong() -> None:
    """The positions behind public bug reports give the results reasoned by hand."""
    for case in read_cases("tricky_plays.jsonl"):
        played, results = listed_results(read_position(case["position"]), *case["dice"])
        ids = [result.swapped().gnu_position_id() for result in results]
        assert case["dice_played"] == played
        assert sorted(case["result_position_ids_next_player"]) == sorted(ids)
