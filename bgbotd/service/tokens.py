"""Who may call what, and how much: bearer tokens, of which only hashes are kept.

The file is TOML, a table `[[token]]` for each caller, and is read anew when it changes. What changes there holds for
streams that are open as well.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
import time
import tomllib
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from datetime import timedelta
from typing import TYPE_CHECKING, Any, NoReturn

import structlog

from bgbotd.certificates import state
from bgbotd.config import DEPTHS, WrongSettings
from bgbotd.service.errors import CallFailed, ServiceReason

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

log = structlog.get_logger("bgbotd.tokens")

DICE = "DiceService"
"""The service that makes up the dice role."""
SERVICES = ("RulesService", "BotService", "EvaluationService", "BulkService", DICE)
"""What a token may allow."""

_LOOK_SECONDS = 0.5
"""How often the file is looked at. A change counts when it is seen twice: whoever writes the file in place empties it
first, and a file without a token is a right one."""
_HASH = re.compile(r"[0-9a-f]{64}\Z")
_RETRY_AFTER = timedelta(seconds=1)
_LONGEST_RETRY_SECONDS = 86400.0
"""A rate may be as low as anyone likes; to come again tomorrow is enough to say."""


@dataclass(frozen=True, slots=True)
class Token:
    """One entry of the file."""

    name: str
    """Who the caller is, for the log."""
    sha256: str
    """SHA-256 of the token, 64 hexadecimal digits in lower case."""
    services: tuple[str, ...] = SERVICES[:-1]
    """What the caller may call. Without the key: all but the dice, for which their service must be named."""
    calls_per_second: float | None = None
    """Calls that may begin in a second, as many at once; None for any number. Counted by each worker."""
    calls_at_once: int | None = None
    """Calls that may be in flight, a stream being one; None for any number. Counted by each worker."""
    most_trials: int | None = None
    """Trials that a rollout may be asked for; 0 for no rollouts, None for as many as the settings allow."""
    deepest_depth: str | None = None
    """Deepest depth that may be asked for, by itself or by a level, such as `PLY2`; None for any."""
    most_bulk_in_flight: int | None = None
    """Requests that may be without an answer on Bulk streams, all of them together; None for any number.
    Counted by each worker."""


@dataclass(slots=True)
class Caller:
    """A token in use."""

    token: Token
    revoked: bool = False
    """Whether the file has it no more."""
    in_flight: int = 0
    bulk_in_flight: int = 0
    _listeners: set[Callable[[], None]] = field(default_factory=set)
    _left: float = field(init=False)
    _at: float = field(init=False)

    def __post_init__(self) -> None:
        """Begin with a full second's calls."""
        self._left = max(1.0, self.token.calls_per_second or 0)
        self._at = time.monotonic()

    def begin(self) -> None:
        """Count a call that begins.

        Raises:
            CallFailed: RATE_LIMITED.

        """
        most, rate = self.token.calls_at_once, self.token.calls_per_second
        if most is not None and self.in_flight >= most:
            message = f"{most} calls with this token are in flight, which is as many as it may have."
            raise CallFailed(ServiceReason.RATE_LIMITED, message, retry_after=_RETRY_AFTER)
        if rate is not None:
            now = time.monotonic()
            self._left = min(max(1.0, rate), self._left + (now - self._at) * rate)
            self._at = now
            if self._left < 1:
                message = f"This token may begin {rate:g} calls a second."
                seconds = min(_LONGEST_RETRY_SECONDS, (1 - self._left) / rate)
                raise CallFailed(ServiceReason.RATE_LIMITED, message, retry_after=timedelta(seconds=seconds))
            self._left -= 1
        self.in_flight += 1

    def end(self) -> None:
        """Count a call that has ended."""
        self.in_flight -= 1

    def begin_item(self) -> None:
        """Count a request that begins on a Bulk stream.

        Raises:
            CallFailed: RATE_LIMITED.

        """
        most = self.token.most_bulk_in_flight
        if most is not None and self.bulk_in_flight >= most:
            message = f"{most} Bulk requests with this token have no answer yet, which is as many as it may have."
            raise CallFailed(ServiceReason.RATE_LIMITED, message, retry_after=_RETRY_AFTER)
        self.bulk_in_flight += 1

    def end_items(self, count: int = 1) -> None:
        """Count requests on Bulk streams that have ended."""
        self.bulk_in_flight -= count

    def change(self, token: Token | None) -> None:
        """Take up what the file says now, None where it has the token no more; what is used up stays so."""
        self.revoked = token is None
        self.token = token or self.token
        for listener in tuple(self._listeners):
            listener()

    @contextmanager
    def heard(self, listener: Callable[[], None]) -> Iterator[None]:
        """Call `listener` whenever the token changes meanwhile."""
        self._listeners.add(listener)
        try:
            yield
        finally:
            self._listeners.discard(listener)

    def need(self, service: str) -> None:
        """See that the token allows a service, such as `BotService`.

        Raises:
            CallFailed: UNAUTHENTICATED, PERMISSION_DENIED or DICE_ROLE_REQUIRED.

        """
        if self.revoked:
            raise CallFailed(ServiceReason.UNAUTHENTICATED, "The token of this call is valid no more; use another one.")
        if service in self.token.services:
            return
        if service == DICE:
            raise CallFailed(ServiceReason.DICE_ROLE_REQUIRED, "Only a token with the dice role may do this.")
        raise CallFailed(ServiceReason.PERMISSION_DENIED, f"This token does not allow {service}.")


class Tokens:
    """The file of tokens.

    Raises:
        WrongSettings: if it cannot be read or is wrong.

    """

    def __init__(self, file: Path) -> None:
        """Read the file."""
        self._file = file
        self._callers: dict[str, Caller] = {}
        self._wrong = ""
        self._seen = self._read_as = state(file)
        self._read()

    @property
    def in_force(self) -> bool:
        """Whether the file, as it was last seen, can be used."""
        return not self._wrong

    def caller(self, authorization: str, service: str) -> Caller:
        """Give the caller of a service.

        Args:
            authorization: the metadata `authorization`, empty if there is none.
            service: such as `BotService`.

        Raises:
            CallFailed: UNAUTHENTICATED, PERMISSION_DENIED or DICE_ROLE_REQUIRED.

        """
        kind, _, secret = authorization.partition(" ")
        caller = self._callers.get(hashlib.sha256(secret.strip().encode()).hexdigest())
        if kind.lower() != "bearer" or caller is None:
            message = "The call carries no valid token; send the metadata 'authorization: Bearer TOKEN'."
            raise CallFailed(ServiceReason.UNAUTHENTICATED, message)
        caller.need(service)
        return caller

    async def watch(self) -> NoReturn:
        """Look after the file for ever."""
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            self.look_again()

    def look_again(self) -> None:
        """Read the file if it has changed, but not since the last look; while it is wrong, the last one holds."""
        seen = state(self._file)
        settled, self._seen = seen == self._seen, seen
        if not settled or (seen == self._read_as and self.in_force):
            return
        try:
            self._read()
        except WrongSettings as error:
            if str(error) != self._wrong:
                log.error("tokens not reloaded", reason=str(error))  # noqa: TRY400 - an operator's mistake, no defect
            self._wrong = str(error)
        else:
            self._read_as, self._wrong = seen, ""
            log.info("tokens reloaded", count=len(self._callers))

    def _read(self) -> None:
        """Read the file; callers that stay keep what they have used up."""
        try:
            entries = tomllib.loads(self._file.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise WrongSettings([f"tokens: {self._file} cannot be read: {error}"]) from None
        tables = entries.pop("token", [])
        problems = [f"tokens: there is no key {key!r}" for key in entries]
        if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
            raise WrongSettings([*problems, "tokens: token: a table [[token]] is needed for each caller"])
        hashes: set[str] = set()
        for number, table in enumerate(tables, 1):
            problems += [f"tokens: entry {number}: {problem}" for problem in _problems(table)]
            if (found := str(table.get("sha256"))) in hashes:
                problems.append(f"tokens: entry {number}: sha256: another entry has the same")
            hashes.add(found)
        if problems:
            raise WrongSettings(problems)
        tokens = {table["sha256"]: Token(**{**table, **_services(table)}) for table in tables}
        known, self._callers = self._callers, {}
        for sha256, token in tokens.items():
            self._callers[sha256] = known.get(sha256) or Caller(token)
        for sha256, caller in known.items():
            if caller.token != tokens.get(sha256):
                caller.change(tokens.get(sha256))


def _services(table: dict[str, Any]) -> dict[str, tuple[str, ...]]:
    """Give the services as a tuple, if they are said."""
    return {"services": tuple(table["services"])} if "services" in table else {}


def _problems(table: dict[str, Any]) -> Iterator[str]:
    """Say what is wrong with an entry, without a word of its hash."""
    yield from (f"no such key: {key}" for key in table.keys() - {each.name for each in fields(Token)})
    if not isinstance(table.get("name"), str) or not table["name"]:
        yield "name: a text is needed"
    if not isinstance(table.get("sha256"), str) or not _HASH.match(table["sha256"]):
        yield "sha256: 64 hexadecimal digits in lower case are needed"
    services = table.get("services", [])
    if not isinstance(services, list):
        yield f"services: a list is needed, such as [{SERVICES[0]!r}]"
        services = []
    for service in services:
        if service not in SERVICES:
            yield f"services: {service!r} is none of {', '.join(SERVICES)}"
    for key in ("calls_per_second", "calls_at_once", "most_bulk_in_flight"):
        limit = table.get(key, 1)
        if isinstance(limit, bool) or not isinstance(limit, (int, float)) or not limit > 0:
            yield f"{key}: a number above 0 is needed"
    trials = table.get("most_trials", 0)
    if isinstance(trials, bool) or not isinstance(trials, int) or trials < 0:
        yield "most_trials: a whole number of 0 or more is needed"
    if table.get("deepest_depth", DEPTHS[0]) not in DEPTHS:
        yield f"deepest_depth: {table['deepest_depth']!r} is none of {', '.join(DEPTHS)}"
