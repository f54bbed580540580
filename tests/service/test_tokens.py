"""Who may call what with which token, and how much."""

from __future__ import annotations

from datetime import timedelta
from hashlib import sha256
from typing import TYPE_CHECKING

import pytest
from structlog.testing import capture_logs

from bgbotd.config import WrongSettings
from bgbotd.service import tokens as module
from bgbotd.service.errors import CallFailed, ServiceReason
from bgbotd.service.tokens import Tokens

if TYPE_CHECKING:
    from pathlib import Path


class Clock:
    """Time that passes when it is told to."""

    now = 0.0

    def monotonic(self) -> float:
        """Give the time."""
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Let time stand still."""
    clock = Clock()
    monkeypatch.setattr(module, "time", clock)
    return clock


def entry(secret: str, more: str = "") -> str:
    """Write an entry of the file."""
    return f'[[token]]\nname = "{secret}"\nsha256 = "{sha256(secret.encode()).hexdigest()}"\n{more}\n'


def written(folder: Path, *entries: str) -> Tokens:
    """Write a file and read it."""
    file = folder / "tokens.toml"
    file.write_text("\n".join(entries))
    return Tokens(file)


def refused(tokens: Tokens, authorization: str, service: str = "RulesService") -> ServiceReason:
    """Give why a call is refused."""
    with pytest.raises(CallFailed) as raised:
        tokens.caller(authorization, service)
    return raised.value.reason


def test_a_token_allows_all_but_the_dice_unless_it_says(tmp_path: Path) -> None:
    """The dice role is given by name only."""
    tokens = written(tmp_path, entry("player"), entry("server", 'services = ["DiceService"]'))
    assert "player" == tokens.caller("Bearer player", "BulkService").token.name
    assert "server" == tokens.caller("bearer server", "DiceService").token.name
    assert ServiceReason.DICE_ROLE_REQUIRED == refused(tokens, "Bearer player", "DiceService")
    assert ServiceReason.PERMISSION_DENIED == refused(tokens, "Bearer server", "BotService")


@pytest.mark.parametrize("authorization", ["", "Bearer", "Bearer nobody", "Basic player", "player"])
def test_who_has_no_token_is_refused(tmp_path: Path, authorization: str) -> None:
    """Only a bearer token that is known will do."""
    assert ServiceReason.UNAUTHENTICATED == refused(written(tmp_path, entry("player")), authorization)


def test_the_rate_is_held_and_told(tmp_path: Path, clock: Clock) -> None:
    """A second's calls may come at once; the next is told when to come again."""
    caller = written(tmp_path, entry("a", "calls_per_second = 2")).caller("Bearer a", "RulesService")
    caller.begin()
    caller.begin()
    with pytest.raises(CallFailed) as raised:
        caller.begin()
    assert ServiceReason.RATE_LIMITED == raised.value.reason
    assert raised.value.retry_after is not None
    assert 0.5 == raised.value.retry_after.total_seconds()
    clock.now = 0.5
    caller.begin()
    assert 3 == caller.in_flight


def test_who_may_hardly_ever_call_is_told_to_come_tomorrow(tmp_path: Path, clock: Clock) -> None:
    """However low the rate, there is a time to say."""
    caller = written(tmp_path, entry("a", "calls_per_second = 1e-300")).caller("Bearer a", "RulesService")
    caller.begin()
    clock.now = 1
    with pytest.raises(CallFailed) as raised:
        caller.begin()
    assert timedelta(days=1) == raised.value.retry_after


def test_calls_at_once_are_held(tmp_path: Path) -> None:
    """One that ends makes room for the next."""
    caller = written(tmp_path, entry("a", "calls_at_once = 1")).caller("Bearer a", "RulesService")
    caller.begin()
    with pytest.raises(CallFailed, match="in flight"):
        caller.begin()
    caller.end()
    caller.begin()
    assert 1 == caller.in_flight


def rewritten(tokens: Tokens, folder: Path, text: str) -> None:
    """Write the file anew and have it looked at until it is taken up."""
    (folder / "tokens.toml").write_text(text)
    tokens.look_again()
    tokens.look_again()


def test_a_changed_file_is_taken_up_and_a_wrong_one_is_not(tmp_path: Path) -> None:
    """Tokens come and go while the daemon runs; those that stay keep what they have used up."""
    tokens = written(tmp_path, entry("old"), entry("stays"))
    stays = tokens.caller("Bearer stays", "RulesService")
    rewritten(tokens, tmp_path, entry("new") + entry("stays", "calls_at_once = 5"))
    assert "new" == tokens.caller("Bearer new", "RulesService").token.name
    assert ServiceReason.UNAUTHENTICATED == refused(tokens, "Bearer old")
    assert stays is tokens.caller("Bearer stays", "RulesService")
    assert 5 == stays.token.calls_at_once
    for wrong in ("[[token", "token = 5", "token = " + "[" * 10_000, entry("stays").replace("[[token]]", "[token]")):
        rewritten(tokens, tmp_path, wrong)
        assert stays is tokens.caller("Bearer stays", "RulesService")
        assert not tokens.in_force
    rewritten(tokens, tmp_path, entry("stays"))
    assert stays is tokens.caller("Bearer stays", "RulesService")
    assert tokens.in_force


def test_what_is_wrong_with_a_file_is_said_once(tmp_path: Path) -> None:
    """Until something else is, or it was right in between."""
    tokens = written(tmp_path, entry("stays"))
    with capture_logs() as lines:
        for text in ("[[token", "tokens = 1", entry("stays"), "tokens = 1"):
            rewritten(tokens, tmp_path, text)
            tokens.look_again()
    assert ["tokens not reloaded", "tokens not reloaded", "tokens reloaded", "tokens not reloaded"] == [
        line["event"] for line in lines
    ]


def test_a_file_that_is_being_written_is_left_alone(tmp_path: Path) -> None:
    """It is empty for a moment, which must not revoke every token."""
    tokens = written(tmp_path, entry("stays"))
    stays = tokens.caller("Bearer stays", "RulesService")
    (tmp_path / "tokens.toml").write_text("")
    tokens.look_again()
    rewritten(tokens, tmp_path, entry("new") + entry("stays"))
    assert "new" == tokens.caller("Bearer new", "RulesService").token.name
    assert stays is tokens.caller("Bearer stays", "RulesService")
    assert not stays.revoked


def test_a_file_that_can_be_read_again_is_in_force_unchanged(tmp_path: Path) -> None:
    """It need not be touched where it was only out of reach."""
    file, away = tmp_path / "tokens.toml", tmp_path / "away"
    tokens = written(tmp_path, entry("stays"))
    file.rename(away)
    tokens.look_again()
    tokens.look_again()
    assert not tokens.in_force
    away.rename(file)
    tokens.look_again()
    tokens.look_again()
    assert tokens.in_force


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[[token", "cannot be read"),
        ("tokens = 1", "'tokens'"),
        ("[[token]]\nname = 'a'", "entry 1: sha256"),
        (f"[[token]]\nsha256 = '{'0' * 64}'", "entry 1: name"),
        ("token = 5", "a table [[token]] is needed for each caller"),
        (f"[token]\nname = 'a'\nsha256 = '{'0' * 64}'", "a table [[token]] is needed for each caller"),
        (entry("a") + entry("a", "calls_at_once = 1"), "entry 2: sha256: another entry has the same"),
        (entry("a", "services = 5"), "services: a list is needed"),
        (entry("a", "services = 'BotService'"), "services: a list is needed"),
        (entry("a", "services = ['PokerService']"), "PokerService"),
        (entry("a", "calls_per_second = 0"), "calls_per_second"),
        (entry("a", "calls_at_once = true"), "calls_at_once"),
        (entry("a", "most_bulk_in_flight = 0"), "most_bulk_in_flight"),
        (entry("a", "most_trials = -1"), "most_trials"),
        (entry("a", "most_trials = 1.5"), "most_trials"),
        (entry("a", "deepest_depth = 'PLY5'"), "deepest_depth: 'PLY5' is none of STATIC, PLY2"),
        (entry("a") + entry("b", "secret = 'b'"), "entry 2: no such key: secret"),
    ],
)
def test_a_wrong_file_stops_the_start(tmp_path: Path, text: str, named: str) -> None:
    """Each mistake is named, and no secret."""
    with pytest.raises(WrongSettings) as raised:
        written(tmp_path, text)
    assert named in str(raised.value)
