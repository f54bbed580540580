"""The client's own derivation of dice gives the vectors of docs/fair-dice.md."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from bgbot import SealedRoll, commitment, derive_roll, first_wrong_roll

PAGE = (Path(__file__).parents[2] / "docs" / "fair-dice.md").read_text(encoding="utf-8")
SEEDS = {
    game: (bytes.fromhex(seed), bytes.fromhex(published))
    for game, seed, published in re.findall(r"\| `([^`]+)` \| `([0-9a-f]{64})` \| `([0-9a-f]{64})` \|", PAGE)
}
ROLLS = re.findall(r"\| `([^`]+)` \| (\d+) \| (yes|no) \| (\d)-(\d) \| ([\d\- ]*)\|", PAGE)


@pytest.mark.parametrize("game", SEEDS)
def test_a_seed_gives_its_commitment(game: str) -> None:
    """What was published before the game is the seed's hash."""
    seed, published = SEEDS[game]
    assert published == commitment(seed)


@pytest.mark.parametrize(("game", "index", "opening", "die1", "die2", "ties"), ROLLS)
def test_a_seed_gives_its_rolls(game: str, index: str, opening: str, die1: str, die2: str, ties: str) -> None:
    """Every vector of the page, ties and skipped bytes included."""
    expected = SealedRoll((int(die1), int(die2)), tuple((int(tie[0]), int(tie[2])) for tie in ties.split()))
    assert expected == derive_roll(SEEDS[game][0], int(index), opening=opening == "yes")


def test_the_page_has_vectors() -> None:
    """The two tests above have something to look at."""
    assert (2, 11) == (len(SEEDS), len(ROLLS))


def test_a_changed_roll_is_found() -> None:
    """The first wrong one is named; an honest game has none."""
    seed, _ = SEEDS["game-1"]
    rolls = [(derive_roll(seed, index, opening=index == 0), index == 0) for index in range(20)]
    assert first_wrong_roll(seed, rolls) is None
    rolls[7] = (SealedRoll((6, 6), ()), False)
    assert 7 == first_wrong_roll(seed, rolls)


def test_a_seed_of_another_length_is_refused() -> None:
    """Nothing is hashed or rolled from half a seed."""
    for use in (commitment, lambda seed: derive_roll(seed, 0)):
        with pytest.raises(ValueError, match="a seed of 16 bytes; allowed: 32"):
            use(bytes(16))
