"""What two processes must have in common to give the same numbers."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING

from bgbotd.evaluation.engine import Depth, RolloutSettings
from bgbotd.rules.match import MatchState
from bgbotd.rules.position import STARTING_POSITION

if TYPE_CHECKING:
    from bgbotd.evaluation.cancellation import CancelToken
    from bgbotd.evaluation.engine_process import EngineProcess

_SAMPLE = RolloutSettings(trials=36, truncate_after_plies=2, depth=Depth.PLY2, seed=1)
"""About 0.1 s: plays and cube actions by search, at many positions."""


@dataclass(frozen=True, slots=True)
class Build:
    """A build of the daemon and its engine, on a kind of machine."""

    bgbotd: str
    """Version of this program."""
    engine: str
    """Version of the engine."""
    numbers: str
    """Hash of a rollout's chunk to the last bit: processors and mathematical libraries may round differently."""

    @staticmethod
    def of(engine: EngineProcess, token: CancelToken) -> Build:
        """Find that of this process, whose engine is `engine`.

        Raises:
            EngineFailed: if the engine cannot be loaded.

        """
        chunk = engine.rollout_chunk(STARTING_POSITION, MatchState(), _SAMPLE, 0, token)
        numbers = hashlib.blake2b(repr(chunk).encode(), digest_size=4).hexdigest()
        return Build(version("bgbotd"), version("bgsage"), numbers)

    def __str__(self) -> str:
        """Give it in one line, which also is the name of the Dask resource that workers of this build have."""
        return f"bgbotd {self.bgbotd}, bgsage {self.engine}, numbers {self.numbers}"
