"""How long to wait before something that died is started again."""

from __future__ import annotations

_LEAST, _MOST = 0.25, 30.0
"""Seconds before what died young is started again: doubled each time."""
_SETTLED = 60.0
"""What has lived this many seconds is started again at once when it dies."""


class Pauses:
    """Pauses between the lives of one process."""

    def __init__(self) -> None:
        """Begin with none."""
        self._last = 0.0

    def after(self, lived: float) -> float:
        """Give the seconds to wait once it has died after a life of so many."""
        self._last = 0.0 if lived > _SETTLED else min(_MOST, max(_LEAST, 2 * self._last))
        return self._last
