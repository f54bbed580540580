"""Telling running work that nobody wants its answer any more."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from bgbotd.evaluation.engine import EvaluationCancelled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class CancelToken:
    """A flag that is raised once and stays up; any thread may raise and read it."""

    def __init__(self) -> None:
        """Begin with the flag down."""
        self._cancelled = threading.Event()
        self._lock = threading.Lock()
        self._listeners: list[Callable[[], None]] = []

    @property
    def cancelled(self) -> bool:
        """Tell whether the flag is up."""
        return self._cancelled.is_set()

    def cancel(self) -> None:
        """Raise the flag and call whoever listens, each once."""
        with self._lock:
            self._cancelled.set()
            listeners, self._listeners = self._listeners, []
        for listener in listeners:
            listener()

    def check(self) -> None:
        """Raise EvaluationCancelled if the flag is up."""
        if self.cancelled:
            raise EvaluationCancelled

    @contextmanager
    def listening(self, listener: Callable[[], None]) -> Iterator[None]:
        """Have `listener` called when the flag goes up while the block runs, or at once if it is up."""
        with self._lock:
            up = self.cancelled
            if not up:
                self._listeners.append(listener)
        if up:
            listener()
        try:
            yield
        finally:
            with self._lock:
                if listener in self._listeners:
                    self._listeners.remove(listener)
