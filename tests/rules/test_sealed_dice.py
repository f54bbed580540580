"""Sealed dice: derived to the byte as docs/fair-dice.md says, fair, and checkable."""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bgbotd.rules.dice import Dice
from bgbotd.rules.sealed_dice import RecordedRoll, SealedRoll, commitment, derive_roll, game_seed, verify

PAGE = (Path(__file__).parents[2] / "docs" / "fair-dice.md").read_text(encoding="utf-8")
SECRET = bytes(range(32))
SEED = hashlib.sha256(b"a seed for tests").digest()


def rows_of_page(cells: int) -> list[list[str]]:
    """Give the table rows of the page that have so many cells."""
    rows = [line.split("|")[1:-1] for line in PAGE.splitlines() if line.startswith("| `")]
    return [[cell.strip(" `") for cell in row] for row in rows if len(row) == cells]


def stream_of_page(seed: bytes, roll_index: int, faces: int) -> list[int]:
    """Give the first faces of a roll's stream, written from the page alone."""
    stream: list[int] = []
    block = 0
    while len(stream) < faces:
        message = b"bgbot.v1.dice" + bytes(1) + roll_index.to_bytes(8, "big") + block.to_bytes(4, "big")
        digest = hmac.new(seed, message, hashlib.sha256).digest()
        stream += [byte % 6 + 1 for byte in digest if byte not in {252, 253, 254, 255}]
        block += 1
    return stream[:faces]


def dice_of_page(cell: str) -> tuple[Dice, ...]:
    """Read dice written as `3-1 6-6`."""
    return tuple(Dice(int(pair[0]), int(pair[2])) for pair in cell.split())


def whole_game(seed: bytes, rolls: int) -> list[RecordedRoll]:
    """Give the rolls of a game that opens with roll 0."""
    return [
        RecordedRoll(index, derive_roll(seed, index, opening=index == 0), opening=index == 0) for index in range(rolls)
    ]


@pytest.mark.parametrize(("game_id", "seed", "published"), rows_of_page(3))
def test_seed_and_commitment_are_those_of_the_page(game_id: str, seed: str, published: str) -> None:
    """The published vectors, made with Node's cryptography, come out to the byte."""
    assert seed == game_seed(SECRET, "2026-01", game_id).hex()
    assert published == commitment(bytes.fromhex(seed)).hex()


@pytest.mark.parametrize(("game_id", "index", "opening", "dice", "ties"), rows_of_page(5))
def test_rolls_are_those_of_the_page(game_id: str, index: str, opening: str, dice: str, ties: str) -> None:
    """The published rolls, made with Node's cryptography, come out with their ties."""
    seeds = {row[0]: bytes.fromhex(row[1]) for row in rows_of_page(3)}
    roll = derive_roll(seeds[game_id], int(index), opening=opening == "yes")
    assert SealedRoll(dice_of_page(dice)[0], dice_of_page(ties)) == roll


@given(seed=st.binary(min_size=32, max_size=32), roll_index=st.integers(0, 2**64 - 1))
def test_every_roll_is_the_one_the_page_describes(seed: bytes, roll_index: int) -> None:
    """Whoever writes the derivation down from the page gets the same rolls, openings included."""
    stream = stream_of_page(seed, roll_index, 40)
    pairs = [Dice(*stream[start : start + 2]) for start in range(0, 40, 2)]
    assert SealedRoll(pairs[0]) == derive_roll(seed, roll_index, opening=False)
    first = next(index for index, pair in enumerate(pairs) if pair.die1 != pair.die2)
    assert SealedRoll(pairs[first], tuple(pairs[:first])) == derive_roll(seed, roll_index, opening=True)


@given(secret=st.binary(min_size=32, max_size=80), key_id=st.text(max_size=20), game_id=st.text(max_size=20))
def test_every_seed_is_the_one_the_page_describes(secret: bytes, key_id: str, game_id: str) -> None:
    """Key id and game id go into the seed as UTF-8, the key id with its length in front."""
    name = key_id.encode("utf-8")
    message = b"bgbot.v1.seed" + bytes(1) + len(name).to_bytes(4, "big") + name + game_id.encode("utf-8")
    assert hmac.new(secret, message, hashlib.sha256).digest() == game_seed(secret, key_id, game_id)


def test_moving_a_letter_between_key_and_game_gives_another_seed() -> None:
    """The length in front keeps the two names apart."""
    assert game_seed(SECRET, "a", "bc") != game_seed(SECRET, "ab", "c")


def test_a_stream_skips_unfair_bytes_and_goes_on_in_the_next_block(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bytes from 252 on give no face, and a block that gives none is followed by the next."""
    blocks = {0: bytes([252, 253, 254, 255] * 8), 1: bytes([251] * 4 + [255, 6, 1] + [0] * 25)}

    def digest(_key: bytes, message: bytes, _name: str) -> bytes:
        return blocks[message[-1]]

    monkeypatch.setattr(hmac, "digest", digest)
    assert SealedRoll(Dice(6, 6)) == derive_roll(SEED, 0, opening=False)
    assert SealedRoll(Dice(1, 2), (Dice(6, 6), Dice(6, 6))) == derive_roll(SEED, 0, opening=True)


def test_all_thirty_six_rolls_are_equally_likely() -> None:
    """Chi-squared over 36,000 ordered rolls stays below its 99.9 % quantile.

    With 35 degrees of freedom that is 66.6, with 5 (faces) 20.5 (NIST/SEMATECH e-Handbook, 1.3.6.7.4).
    """
    rolls = [derive_roll(SEED, index, opening=False).dice for index in range(36_000)]
    pairs = Counter((roll.die1, roll.die2) for roll in rolls)
    faces = Counter(face for pair in pairs.elements() for face in pair)
    assert 36 == len(pairs)
    assert 66.6 > sum((seen - 1_000) ** 2 / 1_000 for seen in pairs.values())
    assert 20.5 > sum((seen - 12_000) ** 2 / 12_000 for seen in faces.values())


def test_a_roll_tells_nothing_about_the_next() -> None:
    """Chi-squared over neighbouring rolls, double or not, stays below its 99.9 % quantile.

    One roll in six is a double; four combinations have 3 degrees of freedom and the quantile 16.3.
    """
    doubles = [derive_roll(SEED, index, opening=False).dice.is_double for index in range(36_001)]
    seen = Counter(pairwise(doubles))
    expected = {(False, False): 25_000, (False, True): 5_000, (True, False): 5_000, (True, True): 1_000}
    assert 16.3 > sum((seen[pair] - often) ** 2 / often for pair, often in expected.items())


def test_all_thirty_opening_rolls_are_equally_likely() -> None:
    """Chi-squared over 30,000 openings stays below 58.3, the 99.9 % quantile with 29 degrees of freedom."""
    openings = Counter(derive_roll(SEED, index, opening=True).dice for index in range(30_000))
    assert 30 == len(openings)
    assert 58.3 > sum((seen - 1_000) ** 2 / 1_000 for seen in openings.values())


def test_a_game_dealt_from_its_seed_is_valid() -> None:
    """Seed, commitment and all rolls fit, in whatever order the rolls are given."""
    verification = verify(SEED, commitment(SEED), reversed(whole_game(SEED, 60)))
    assert verification.valid
    assert verification.first_wrong_index is None


def test_the_first_wrong_roll_is_named() -> None:
    """One die changed in two rolls: the earlier of them is reported."""
    rolls = whole_game(SEED, 20)
    for index in (15, 7):
        dice = rolls[index].roll.dice
        rolls[index] = replace(rolls[index], roll=SealedRoll(Dice(dice.die1 % 6 + 1, dice.die2)))
    verification = verify(SEED, commitment(SEED), rolls)
    assert (True, 7, False) == (verification.commitment_valid, verification.first_wrong_index, verification.valid)


def test_an_opening_whose_ties_are_left_out_is_wrong() -> None:
    """Ties belong to the roll: with automatic doubles they decide the stake."""
    index = next(index for index in range(100) if derive_roll(SEED, index, opening=True).ties)
    honest = [RecordedRoll(each, derive_roll(SEED, each, opening=True), opening=True) for each in range(index + 1)]
    hidden = replace(honest[index], roll=SealedRoll(honest[index].roll.dice))
    assert index == verify(SEED, commitment(SEED), [*honest[:-1], hidden]).first_wrong_index
    assert verify(SEED, commitment(SEED), honest).valid


@pytest.mark.parametrize(
    ("indices", "wrong"),
    [
        ([0, 1, 3, 4], 3),
        ([1, 2], 1),
        ([0, 1, 1, 2], 1),
        ([-1, 0, 1], -1),
    ],
)
def test_passed_over_and_repeated_rolls_are_found(indices: list[int], wrong: int) -> None:
    """A server free to pass over a roll or to use one twice could choose its dice."""
    rolls = [RecordedRoll(index, derive_roll(SEED, max(index, 0), opening=False)) for index in indices]
    assert wrong == verify(SEED, commitment(SEED), rolls).first_wrong_index


def test_another_seed_does_not_fit_the_commitment() -> None:
    """A seed swapped after the game is found even where its rolls are its own."""
    other = hashlib.sha256(b"another seed").digest()
    verification = verify(other, commitment(SEED), whole_game(other, 5))
    assert (False, None, False) == (
        verification.commitment_valid,
        verification.first_wrong_index,
        verification.valid,
    )


@pytest.mark.parametrize("length", [0, 31, 33])
def test_a_seed_of_another_length_is_refused(length: int) -> None:
    """A seed has 32 bytes; nothing else is hashed or rolled from."""
    seed = bytes(length)
    with pytest.raises(ValueError, match=f"a seed of {length} bytes"):
        commitment(seed)
    with pytest.raises(ValueError, match=f"a seed of {length} bytes"):
        derive_roll(seed, 0, opening=False)


@pytest.mark.parametrize("roll_index", [-1, 2**64])
def test_a_roll_index_outside_64_bits_is_refused(roll_index: int) -> None:
    """The index is derived from as 64 bits without sign."""
    with pytest.raises(ValueError, match=f"roll index of {roll_index}"):
        derive_roll(SEED, roll_index, opening=False)


def test_a_short_server_secret_is_refused() -> None:
    """A secret that can be guessed would give away the dice of every game."""
    with pytest.raises(ValueError, match="a server secret of 31 bytes"):
        game_seed(bytes(31), "2026-01", "game-1")
