"""Sealed dice: rolls fixed before the first one is thrown, which anyone can check afterwards.

A game has a secret seed of 32 bytes. Its SHA-256, the commitment, is published before the first
roll; every roll follows from the seed; at the end the seed is revealed. docs/fair-dice.md describes
the derivation to the byte, for those who check it with other means.

Primitives: HMAC (RFC 2104) with SHA-256 (FIPS 180-4).
"""

from __future__ import annotations

import hashlib
import hmac
import struct
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING

from bgbotd.rules.dice import FACES, Dice

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SEED_BYTES = 32
"""Length of a seed, a commitment and the shortest server secret: one SHA-256 output."""
HIGHEST_ROLL_INDEX = 2**64 - 1
"""A roll's number is derived from as 64 bits without sign."""

_ROLL_LABEL = b"bgbot.v1.dice\0"
_SEED_LABEL = b"bgbot.v1.seed\0"
_FAIR_BYTES = 252
"""The largest multiple of 6 up to 256: bytes below it fall on each face equally often."""


@dataclass(frozen=True, slots=True)
class SealedRoll:
    """One roll of a game, derived or recorded."""

    dice: Dice
    """The roll, in the order thrown."""
    ties: tuple[Dice, ...] = ()
    """The equal dice an opening roll threw before, in their order."""


@dataclass(frozen=True, slots=True)
class RecordedRoll:
    """A roll as it was played, to be checked."""

    roll_index: int
    """Number of the roll within the game, from 0."""
    roll: SealedRoll
    """What was thrown."""
    opening: bool = False
    """Whether it was an opening roll."""


@dataclass(frozen=True, slots=True)
class Verification:
    """The result of a check."""

    commitment_valid: bool
    """Whether the seed is the one committed to."""
    first_wrong_index: int | None
    """Roll index of the first roll that does not fit the seed; None if all fit."""

    @property
    def valid(self) -> bool:
        """Tell whether seed and all rolls are as committed."""
        return self.commitment_valid and self.first_wrong_index is None


def game_seed(secret: bytes, key_id: str, game_id: str) -> bytes:
    """Derive a game's seed from a server's secret, so that no replica has to remember it.

    Args:
        secret: at least 32 random bytes, kept by the server.
        key_id: the public name of `secret`, part of the derivation.
        game_id: the game's id, never used twice under one secret.

    Returns:
        The seed, 32 bytes.

    Raises:
        ValueError: if the secret is too short.

    """
    if len(secret) < SEED_BYTES:
        problem = f"a server secret of {len(secret)} bytes; allowed: at least {SEED_BYTES}"
        raise ValueError(problem)
    key_name = key_id.encode()
    # The length in front keeps key "a" with game "bc" apart from key "ab" with game "c".
    message = _SEED_LABEL + struct.pack(">I", len(key_name)) + key_name + game_id.encode()
    return hmac.digest(secret, message, "sha256")


def commitment(seed: bytes) -> bytes:
    """Give the 32 bytes to publish before the first roll.

    Raises:
        ValueError: if the seed is not 32 bytes long.

    """
    _refuse_length(seed)
    return hashlib.sha256(seed).digest()


def derive_roll(seed: bytes, roll_index: int, *, opening: bool) -> SealedRoll:
    """Give a roll of the game that `seed` stands for.

    Args:
        seed: the game's 32 secret bytes.
        roll_index: number of the roll within the game, 0 to 2^64 - 1.
        opening: whether equal dice are ties, to be thrown again.

    Raises:
        ValueError: if the seed is not 32 bytes long or the index out of range.

    """
    _refuse_length(seed)
    if not 0 <= roll_index <= HIGHEST_ROLL_INDEX:
        problem = f"roll index of {roll_index}; allowed: 0 to {HIGHEST_ROLL_INDEX}"
        raise ValueError(problem)
    faces = _faces(seed, roll_index)
    ties: list[Dice] = []
    dice = Dice(next(faces), next(faces))
    while opening and dice.is_double:
        ties.append(dice)
        dice = Dice(next(faces), next(faces))
    return SealedRoll(dice, tuple(ties))


def verify(seed: bytes, published: bytes, rolls: Iterable[RecordedRoll]) -> Verification:
    """Check the dice of a whole game against its revealed seed and its published commitment.

    The rolls may come in any order, but their indices must run from 0 without a gap or a
    repetition: whoever may pass over a roll can choose among several. The roll after a gap is wrong,
    and so is the second of two.

    Raises:
        ValueError: if the seed is not 32 bytes long.

    """
    wrong = (
        recorded.roll_index
        for expected_index, recorded in enumerate(sorted(rolls, key=lambda recorded: recorded.roll_index))
        if recorded.roll_index != expected_index
        or recorded.roll != derive_roll(seed, expected_index, opening=recorded.opening)
    )
    return Verification(commitment(seed) == published, next(wrong, None))


def _faces(seed: bytes, roll_index: int) -> Iterator[int]:
    """Generate the faces of a roll's stream, each 1 to 6 with probability exactly 1/6."""
    for block in count():
        message = _ROLL_LABEL + struct.pack(">QI", roll_index, block)
        for byte in hmac.digest(seed, message, "sha256"):
            if byte < _FAIR_BYTES:
                yield 1 + byte % FACES


def _refuse_length(seed: bytes) -> None:
    """Raise ValueError for anything but 32 bytes."""
    if len(seed) != SEED_BYTES:
        problem = f"a seed of {len(seed)} bytes; allowed: {SEED_BYTES}"
        raise ValueError(problem)
