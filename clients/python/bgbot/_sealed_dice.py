"""Sealed dice, recomputed from a revealed seed as `docs/fair-dice.md` describes it."""

from __future__ import annotations

import hashlib
import hmac
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SEED_BYTES = 32
_FAIR_BYTES = 252
"""The largest multiple of 6 that a byte holds: bytes from here on are skipped, so that faces are equally likely."""

Roll = tuple[int, int]


class SealedRoll(NamedTuple):
    """A roll as the seed gives it."""

    dice: Roll
    ties: tuple[Roll, ...]
    """The equal opening dice thrown before, in their order; none but in an opening roll."""


def commitment(seed: bytes) -> bytes:
    """Give what is published before the first roll: SHA-256 of the seed.

    Raises:
        ValueError: if the seed has not 32 bytes.

    """
    return hashlib.sha256(_checked(seed)).digest()


def derive_roll(seed: bytes, roll_index: int, *, opening: bool = False) -> SealedRoll:
    """Derive a roll of a game, numbered from 0, opening rolls included.

    Raises:
        ValueError: if the seed has not 32 bytes.
        OverflowError: if the index is negative or has more than 64 bits.

    """
    faces = _faces(_checked(seed), roll_index)
    ties: list[Roll] = []
    while True:
        dice = next(faces), next(faces)
        if not opening or dice[0] != dice[1]:
            return SealedRoll(dice, tuple(ties))
        ties.append(dice)


def first_wrong_roll(seed: bytes, rolls: Iterable[tuple[SealedRoll, bool]]) -> int | None:
    """Give the index of the first roll that the seed does not give, or `None` if it gives them all.

    Args:
        seed: the revealed seed.
        rolls: each roll in the game's order, without gaps, and whether it opened a game.

    """
    for index, (roll, opening) in enumerate(rolls):
        if derive_roll(seed, index, opening=opening) != roll:
            return index
    return None


def _faces(seed: bytes, roll_index: int) -> Iterator[int]:
    prefix = b"bgbot.v1.dice\0" + roll_index.to_bytes(8, "big")
    for block in count():
        for byte in hmac.digest(seed, prefix + block.to_bytes(4, "big"), "sha256"):
            if byte < _FAIR_BYTES:
                yield 1 + byte % 6


def _checked(seed: bytes) -> bytes:
    if len(seed) != SEED_BYTES:
        raise ValueError(f"a seed of {len(seed)} bytes; allowed: {SEED_BYTES}")
    return seed
