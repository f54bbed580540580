"""The campaign finds nothing wrong with the kernel, and would find it if there were."""

import pytest

from bgbotd import kernel
from tests import verify_rules
from tests.oracle import Position
from tests.verify_rules import Chunk, PositionRoll, Tally, bgsage_results, compare_with_bgsage, verify_chunk

CHUNK = Chunk(seed=1, number=0, size=400, oracle_every=20)
# 6/5*/off hits, 6/off with the six alone would not.
LAST_CHECKER_HITS = PositionRoll(Position.from_points({6: 1}, {20: 1}).packed(), 6, 1)


def test_generators_agree_on_a_chunk_of_position_rolls() -> None:
    """Half come from games, half are thrown, and a sample goes to the oracle."""
    tally = verify_chunk(CHUNK)
    assert tally.unexplained == []
    assert {"from games": 200, "thrown": 200, "compared with the oracle": 20}.items() <= tally.counts.items()


def test_same_seed_gives_the_same_position_rolls() -> None:
    """Nothing but the seed and the chunk's number decides what is compared."""
    assert verify_chunk(CHUNK) == verify_chunk(CHUNK)


def test_lost_play_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel that forgets the last play of a roll does not get past bgsage and the oracle."""

    class ForgetfulKernel:
        @staticmethod
        def legal_plays(position: bytes, die1: int, die2: int) -> tuple[int, int, bytes, bytes]:
            played, restriction, results, steps = kernel.legal_plays(position, die1, die2)
            return played, restriction, results[:-52] or results, steps[:-16] or steps

        choose_medium = staticmethod(kernel.choose_medium)

    monkeypatch.setattr(verify_rules, "kernel", ForgetfulKernel)
    unexplained = verify_chunk(CHUNK).unexplained
    assert any("only of bgsage" in case for case in unexplained)
    assert any("the oracle has other results" in case for case in unexplained)


def test_last_checker_is_the_only_reason_accepted() -> None:
    """The known difference is explained, and only while the kernel has just the legal plays."""
    tally = Tally()
    compare_with_bgsage(LAST_CHECKER_HITS, tally)
    assert tally.explained == {verify_rules.LAST_CHECKER: [str(LAST_CHECKER_HITS)]}
    of_bgsage = bgsage_results(LAST_CHECKER_HITS)
    assert not verify_rules.is_last_checker_case(LAST_CHECKER_HITS, set(), of_bgsage)
    assert not verify_rules.is_last_checker_case(LAST_CHECKER_HITS, of_bgsage, of_bgsage)
