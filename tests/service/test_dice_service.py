"""Sealed dice over a real socket; the vectors are those of docs/fair-dice.md."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

import grpc
import pytest
from bgbot import v1

from bgbotd.config import WrongSettings
from bgbotd.service.dice_handlers import DiceSecrets, is_private
from tests.service.refusals import Refusal, refusal
from tests.service.running import running

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from typing import Any

SECRET = bytes(range(32)).hex()
SEED = bytes.fromhex("6e017d20a11a5baa82a0b0041fa0faf47b87f99df940cd318e336c22efec7708")
COMMITMENT = bytes.fromhex("7f81c1b66fe848baabca8cbd26e5a5dcb02731934431b32beee852e0131e01f6")


def secrets_file(folder: Path, text: str, mode: int = 0o600) -> Path:
    """Write a file of secrets."""
    file = folder / "secrets.toml"
    file.write_text(text)
    file.chmod(mode)
    return file


@pytest.fixture(scope="module")
def channel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[grpc.Channel]:
    """Run a daemon that serves dice, whose current key is a new one."""
    folder = tmp_path_factory.mktemp("dice")
    secrets = secrets_file(folder, f'current = "2026-02"\n[secrets]\n2026-01 = "{SECRET}"\n2026-02 = "{"ab" * 32}"\n')
    tokens = folder / "tokens.toml"
    tokens.write_text(
        f'[[token]]\nname = "server"\nsha256 = "{sha256(b"server").hexdigest()}"\nservices = ["DiceService"]\n'
        f'[[token]]\nname = "player"\nsha256 = "{sha256(b"player").hexdigest()}"\n'
    )
    arguments = ("--dice.secrets", str(secrets), "--tokens", str(tokens))
    with running(*arguments) as daemon, grpc.insecure_channel(daemon.address) as channel:
        yield channel


def as_caller(call: Callable[..., Any], caller: str = "server") -> Callable[..., Any]:
    """Give a method that is called with a token."""

    def with_token(request: object, timeout: float = 10) -> object:
        return call(request, timeout=timeout, metadata=(("authorization", f"Bearer {caller}"),))

    return with_token


def test_a_game_is_committed_rolled_revealed_and_verified(channel: grpc.Channel) -> None:
    """What was published before the first roll binds all of them."""
    dice = v1.DiceServiceStub(channel)
    committed = as_caller(dice.CommitDice)(v1.CommitDiceRequest(game_id="Zürich/8"))
    assert "2026-02" == committed.key_id
    rolls = []
    for index in range(4):
        request = v1.RollDiceRequest(game_id="Zürich/8", roll_index=index, opening=not index, key_id=committed.key_id)
        rolled = as_caller(dice.RollDice)(request)
        rolls.append(v1.RecordedRoll(roll_index=index, dice=rolled.dice, ties=rolled.ties, opening=not index))
    seed = as_caller(dice.RevealDice)(v1.RevealDiceRequest(game_id="Zürich/8")).secret_seed
    assert sha256(seed).digest() == committed.commitment
    game = v1.VerifyDiceRequest(secret_seed=seed, commitment=committed.commitment, rolls=rolls)
    verified = dice.VerifyDice(game, timeout=10)
    assert (True, True, False) == (verified.valid, verified.commitment_valid, verified.HasField("first_wrong_index"))


def test_a_secret_that_is_no_longer_current_still_serves_its_games(channel: grpc.Channel) -> None:
    """A game ends under the key it began with."""
    dice = v1.DiceServiceStub(channel)
    revealed = as_caller(dice.RevealDice)(v1.RevealDiceRequest(game_id="game-1", key_id="2026-01"))
    assert SEED == revealed.secret_seed
    request = v1.RollDiceRequest(game_id="game-1", key_id="2026-01", roll_index=33, opening=True)
    rolled = as_caller(dice.RollDice)(request)
    assert (
        v1.RollDiceResponse(dice=v1.Dice(die1=6, die2=5), ties=[v1.Dice(die1=3, die2=3), v1.Dice(die1=1, die2=1)])
        == rolled
    )


@pytest.mark.parametrize("method", ["CommitDice", "RollDice", "RevealDice"])
def test_only_the_dice_role_gets_dice(channel: grpc.Channel, method: str) -> None:
    """Whoever can roll ahead or reveal early knows every die."""
    call = getattr(v1.DiceServiceStub(channel), method)
    request = getattr(v1, f"{method}Request")(game_id="game-1")
    refused = refusal(as_caller(call, "player"), request)
    assert (grpc.StatusCode.PERMISSION_DENIED, "DICE_ROLE_REQUIRED") == (refused.code, refused.reason)
    refused = refusal(call, request)
    assert (grpc.StatusCode.UNAUTHENTICATED, "UNAUTHENTICATED") == (refused.code, refused.reason)


def test_anyone_may_verify_and_is_told_the_first_roll_that_is_wrong(channel: grpc.Channel) -> None:
    """No token is needed; roll 1 of this game was 5-4."""
    rolls = [
        v1.RecordedRoll(roll_index=0, dice=v1.Dice(die1=5, die2=6), opening=True),
        v1.RecordedRoll(roll_index=1, dice=v1.Dice(die1=6, die2=6)),
    ]
    request = v1.VerifyDiceRequest(secret_seed=SEED, commitment=COMMITMENT, rolls=rolls)
    verified = v1.DiceServiceStub(channel).VerifyDice(request, timeout=10)
    assert (False, True, 1) == (verified.valid, verified.commitment_valid, verified.first_wrong_index)


def refused_fields(refused: Refusal) -> set[str]:
    """Give the paths of what is wrong."""
    assert grpc.StatusCode.INVALID_ARGUMENT == refused.code
    return set(refused.fields)


def test_everything_wrong_is_named(channel: grpc.Channel) -> None:
    """Each field by its path."""
    dice = v1.DiceServiceStub(channel)
    assert {"game_id"} == refused_fields(refusal(as_caller(dice.CommitDice), v1.CommitDiceRequest()))
    assert {"game_id"} == refused_fields(refusal(as_caller(dice.RevealDice), v1.RevealDiceRequest(game_id="é" * 129)))
    request = v1.RollDiceRequest(roll_index=-1, key_id="lost")
    assert {"game_id", "roll_index", "key_id"} == refused_fields(refusal(as_caller(dice.RollDice), request))
    rolls = [v1.RecordedRoll(roll_index=-1, dice=v1.Dice(die1=1, die2=7), ties=[v1.Dice(die1=0, die2=1)])]
    rolls += [v1.RecordedRoll(dice=v1.Dice(die1=1, die2=1), ties=[v1.Dice(die1=0, die2=1)])]
    assert {
        "secret_seed",
        "commitment",
        "rolls[0].roll_index",
        "rolls[0].dice.die2",
        "rolls[1].ties[0].die1",
    } == refused_fields(refusal(dice.VerifyDice, v1.VerifyDiceRequest(secret_seed=b"short", rolls=rolls)))


def test_without_secrets_there_are_no_dice(daemon: str) -> None:
    """The service is absent, and says so."""
    with grpc.insecure_channel(daemon) as channel:
        refused = refusal(v1.DiceServiceStub(channel).CommitDice, v1.CommitDiceRequest(game_id="game-1"))
    assert (grpc.StatusCode.UNIMPLEMENTED, "METHOD_NOT_SERVED") == (refused.code, refused.reason)


@pytest.mark.parametrize(
    ("text", "mode", "named"),
    [
        (f'current = "a"\n[secrets]\na = "{SECRET}"', 0o620, "chmod 600"),
        (f'current = "a"\n[secrets]\na = "{SECRET}"', 0o604, "chmod 600"),
        (f'current = "b"\n[secrets]\na = "{SECRET}"', 0o600, "current"),
        (f'current = "a"\n[secrets]\na = "{SECRET[2:]}"', 0o600, "64 hexadecimal digits"),
        ('current = "a"\n[secrets]\na = "xyz"', 0o600, "hexadecimal"),
        ('current = "a"', 0o600, "table secrets"),
        (f"a = {SECRET}", 0o600, "cannot be read"),
    ],
)
def test_secrets_that_cannot_be_kept_are_refused_and_never_shown(
    tmp_path: Path, text: str, mode: int, named: str
) -> None:
    """A file that others may read holds no secret."""
    with pytest.raises(WrongSettings, match=r"dice\.secrets: ") as raised:
        DiceSecrets(secrets_file(tmp_path, text, mode))
    assert named in str(raised.value)
    assert SECRET[:8] not in str(raised.value)


@pytest.mark.parametrize(
    ("mode", "owner", "private"),
    [
        (0o600, 1000, True),
        (0o400, 0, True),
        (0o440, 0, True),
        (0o440, 1000, False),
        (0o460, 0, False),
        (0o404, 0, False),
    ],
)
def test_a_group_may_read_only_what_is_root_s(mode: int, owner: int, private: bool) -> None:
    """Kubernetes gives a secret to a process that is not root by its group."""
    assert private == is_private(mode, owner)
