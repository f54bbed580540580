"""`DiceService`: sealed dice, derived from secrets that nothing else in the process can reach."""

from __future__ import annotations

import stat
import tomllib
from functools import partial
from typing import TYPE_CHECKING

from bgbot.v1 import dice_service_pb2 as pb

from bgbotd.config import WrongSettings
from bgbotd.rules import sealed_dice
from bgbotd.rules.sealed_dice import SEED_BYTES, RecordedRoll, SealedRoll
from bgbotd.service import parse, render
from bgbotd.service.errors import InvalidRequest, ServiceReason, violation

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bgbotd.rules import Violation

MOST_GAME_ID_BYTES = 256
"""Length of a game id, by the contract."""
_HIGHEST_ROLL_INDEX = 2**31 - 1


class DiceSecrets:
    """The server's secrets by their key ids, of which one is the current.

    Raises:
        WrongSettings: if the file cannot be read, is wrong, or is not private.

    """

    def __init__(self, file: Path) -> None:
        """Read the file: TOML with `current`, a key id, and the table `secrets` of hexadecimal digits by key id."""
        try:
            status = file.stat()
            entries = tomllib.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            # TOML's errors say where, and never what: the text is secret.
            raise WrongSettings([f"dice.secrets: {file} cannot be read: {type(error).__name__}"]) from None
        if not is_private(status.st_mode, status.st_uid):
            raise WrongSettings([f"dice.secrets: {file} may be used by others than its owner; chmod 600 {file}"])
        self.current = str(entries.get("current"))
        try:
            self._secrets = {key_id: bytes.fromhex(digits) for key_id, digits in entries["secrets"].items()}
        except (KeyError, AttributeError, TypeError, ValueError):
            raise WrongSettings([f"dice.secrets: {file} needs a table secrets of hexadecimal digits"]) from None
        if short := [key_id for key_id, secret in self._secrets.items() if len(secret) < SEED_BYTES]:
            raise WrongSettings([f"dice.secrets: {', '.join(short)} needs {2 * SEED_BYTES} hexadecimal digits or more"])
        if self.current not in self._secrets:
            raise WrongSettings([f"dice.secrets: current names none of the secrets in {file}"])

    def __contains__(self, key_id: str) -> bool:
        """Tell whether there is a secret of this key id."""
        return key_id in self._secrets

    def seed(self, key_id: str, game_id: str) -> bytes:
        """Derive a game's seed from the secret of a key id that there is."""
        return sealed_dice.game_seed(self._secrets[key_id], key_id, game_id)


def is_private(mode: int, owner: int) -> bool:
    """Tell whether only its owner may use a file of this mode, or, where that is root, its group read it.

    The latter is how Kubernetes gives a secret to a process that is not root.
    """
    group = stat.S_IWGRP | stat.S_IXGRP if owner == 0 else stat.S_IRWXG
    return not mode & (group | stat.S_IRWXO)


class DiceHandlers:
    """Handlers of the service."""

    service = "bgbot.v1.DiceService"

    def __init__(self, secrets: DiceSecrets) -> None:
        """Hold the secrets."""
        self._secrets = secrets

    def commit_dice(self, request: pb.CommitDiceRequest) -> pb.CommitDiceResponse:
        """Commit to the dice of a game, under the current key."""
        current = self._secrets.current
        seed = self._seed(request.game_id, current)
        return pb.CommitDiceResponse(commitment=sealed_dice.commitment(seed), key_id=current)

    def roll_dice(self, request: pb.RollDiceRequest) -> pb.RollDiceResponse:
        """Roll the dice of one roll index."""
        wrong = parse.in_range("roll_index", request.roll_index, 0, _HIGHEST_ROLL_INDEX)
        seed = self._seed(request.game_id, request.key_id or self._secrets.current, wrong)
        roll = sealed_dice.derive_roll(seed, request.roll_index, opening=request.opening)
        return pb.RollDiceResponse(dice=render.dice(roll.dice), ties=map(render.dice, roll.ties))

    def reveal_dice(self, request: pb.RevealDiceRequest) -> pb.RevealDiceResponse:
        """Reveal the seed of a game."""
        return pb.RevealDiceResponse(secret_seed=self._seed(request.game_id, request.key_id or self._secrets.current))

    def verify_dice(self, request: pb.VerifyDiceRequest) -> pb.VerifyDiceResponse:
        """Verify revealed dice."""
        wrong = [*_length("secret_seed", request.secret_seed), *_length("commitment", request.commitment)]
        rolls = []
        for index, roll in enumerate(request.rolls):
            wrong += parse.in_range(f"rolls[{index}].roll_index", roll.roll_index, 0, _HIGHEST_ROLL_INDEX)
            try:
                rolls.append(_read_roll(roll, f"rolls[{index}]"))
            except InvalidRequest as error:
                wrong += error.violations
        if wrong:
            raise InvalidRequest(wrong)
        verified = sealed_dice.verify(request.secret_seed, request.commitment, rolls)
        return pb.VerifyDiceResponse(
            valid=verified.valid,
            commitment_valid=verified.commitment_valid,
            first_wrong_index=verified.first_wrong_index,
        )

    def _seed(self, game_id: str, key_id: str, wrong: list[Violation] | None = None) -> bytes:
        """Give a game's seed, unless the request is wrong."""
        problems = [*_game_id(game_id), *(wrong or ())]
        if key_id not in self._secrets:
            problems.append(
                violation("key_id", "no secret has this name", "a key id from CommitDice", ServiceReason.OUT_OF_RANGE)
            )
        if problems:
            raise InvalidRequest(problems)
        return self._secrets.seed(key_id, game_id)


def _game_id(game_id: str) -> Iterator[Violation]:
    """Say what is wrong with a game id."""
    size, allowed = len(game_id.encode()), f"1 to {MOST_GAME_ID_BYTES} bytes"
    if not size:
        yield violation("game_id", "missing", allowed, ServiceReason.REQUIRED)
    elif size > MOST_GAME_ID_BYTES:
        yield violation("game_id", f"{size} bytes", allowed, ServiceReason.OUT_OF_RANGE)


def _length(field: str, value: bytes) -> Iterator[Violation]:
    """Say what is wrong with a seed or commitment."""
    if not value:
        yield violation(field, "missing", f"{SEED_BYTES} bytes", ServiceReason.REQUIRED)
    elif len(value) != SEED_BYTES:
        yield violation(field, f"{len(value)} bytes", f"{SEED_BYTES} bytes", ServiceReason.OUT_OF_RANGE)


def _read_roll(roll: pb.RecordedRoll, path: str) -> RecordedRoll:
    """Read a roll; raise InvalidRequest for dice that cannot be."""
    dice = parse.under(f"{path}.dice", partial(parse.read_dice, roll.dice))
    ties = [parse.under(f"{path}.ties[{index}]", partial(parse.read_dice, tie)) for index, tie in enumerate(roll.ties)]
    return RecordedRoll(roll.roll_index, SealedRoll(dice, tuple(ties)), roll.opening)
