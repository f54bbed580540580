"""A bounded memory of evaluations, keyed by everything they depend on."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Hashable

    from bgbotd.rules.match import MatchState

_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class CacheState:
    """What a cache holds and has done so far."""

    size: int
    """Values held."""
    hits: int
    """Look-ups that found their value."""
    misses: int
    """Look-ups that did not."""


class EvaluationCache(Generic[_Value]):
    """The `capacity` values looked up or added last; any thread may use it."""

    def __init__(self, capacity: int) -> None:
        """Begin empty."""
        self._capacity = capacity
        self._lock = threading.Lock()
        self._values: OrderedDict[Hashable, _Value] = OrderedDict()
        self._hits = 0
        self._misses = 0

    def get(self, key: Hashable) -> _Value | None:
        """Give the value of `key`, None if it is not held."""
        with self._lock:
            value = self._values.get(key)
            if value is None:
                self._misses += 1
                return None
            self._hits += 1
            self._values.move_to_end(key)
            return value

    def put(self, key: Hashable, value: _Value) -> None:
        """Hold `value`, letting go of the one not looked up for longest when full."""
        with self._lock:
            self._values[key] = value
            self._values.move_to_end(key)
            if len(self._values) > self._capacity:
                self._values.popitem(last=False)

    def state(self) -> CacheState:
        """Tell what the cache holds and has done."""
        with self._lock:
            return CacheState(len(self._values), self._hits, self._misses)


def match_key(match: MatchState) -> Hashable:
    """Give all of a match state that a value can depend on: points away, not scores; no money tally."""
    away = () if match.is_money else (match.player_away, match.opponent_away, match.crawford)
    return (*away, match.jacoby, match.beavers, match.cube, match.cube_limit)
