"""How long the engine's work for one caller has waited and run."""

from __future__ import annotations

import threading
import time
from contextvars import ContextVar
from dataclasses import dataclass

MOST_STRETCHES = 64
"""Pieces of work that are remembered one by one: a long rollout has tens of thousands."""


@dataclass(slots=True)
class Stretch:
    """One piece of work; times are those of `time.perf_counter_ns`, None for what has not happened yet."""

    queued: int
    began: int | None = None
    ended: int | None = None


class WorkTimes:
    """What the pool has done for one caller; any thread may tell of it or read it."""

    def __init__(self) -> None:
        """Begin without work."""
        self._lock = threading.Lock()
        self._waiting = self._running = self._at = 0
        self._waited = self._worked = 0
        self._stretches: list[Stretch] = []
        self.pieces = 0
        """Pieces of work that were begun or wait."""

    def queued(self) -> Stretch:
        """Tell that a piece of work waits for a worker."""
        with self._lock:
            stretch = Stretch(self._pass())
            self._waiting += 1
            self.pieces += 1
            if len(self._stretches) < MOST_STRETCHES:
                self._stretches.append(stretch)
        return stretch

    def began(self, stretch: Stretch) -> None:
        """Tell that a worker has taken it up."""
        with self._lock:
            stretch.began = self._pass()
            self._waiting -= 1
            self._running += 1

    def ended(self, stretch: Stretch) -> None:
        """Tell that the worker is done with it."""
        with self._lock:
            stretch.ended = self._pass()
            self._running -= 1

    def seconds(self) -> tuple[float, float]:
        """Give how long the caller waited while nothing ran for it, and how long workers ran, together."""
        with self._lock:
            self._pass()
            return self._waited / 1e9, self._worked / 1e9

    def stretches(self) -> list[Stretch]:
        """Give the first pieces of work, in the order they were asked for."""
        with self._lock:
            return self._stretches.copy()

    def _pass(self) -> int:
        """Count the time since the last change."""
        now = time.perf_counter_ns()
        if self._running:
            self._worked += (now - self._at) * self._running
        elif self._waiting:
            self._waited += now - self._at
        self._at = now
        return now


times_of_work: ContextVar[WorkTimes | None] = ContextVar("times_of_work", default=None)
"""Where to tell of work that is asked for; None where nobody wants to know."""
