"""The way to the evaluation engine: loaded beside the start, its failures said as the contract says them."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import timedelta
from typing import TYPE_CHECKING

import structlog

from bgbotd.evaluation import (
    ClusterUnavailable,
    EngineBusy,
    EngineUnavailable,
    EvaluationCancelled,
    Evaluator,
    EvaluatorSettings,
    Priority,
    ScoreOutOfTable,
)
from bgbotd.service.errors import CallFailed, InvalidRequest, ServiceReason, violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bgbotd.evaluation import EvaluatorState

log = structlog.get_logger("bgbotd.engine")

priority_of_work: ContextVar[Priority] = ContextVar("priority_of_work", default=Priority.INTERACTIVE)
"""How urgent what is being served is."""
RETRY_AFTER = timedelta(seconds=1)
"""The queue holds a few seconds of work; a caller that waits this long finds room or the next one does."""
_CLUSTER_RETRY_AFTER = timedelta(seconds=5)
"""A scheduler or worker that is restarted is back by then."""


class EngineAccess:
    """Loads the engine in the background; whoever needs it waits for that, and rules and plays do not."""

    def __init__(self, settings: EvaluatorSettings) -> None:
        """Hold the settings; nothing is loaded yet."""
        self._settings = settings
        self._loading: asyncio.Task[Evaluator | EngineUnavailable] | None = None

    def load(self) -> asyncio.Task[Evaluator | EngineUnavailable]:
        """Begin to load, once."""
        if self._loading is None:
            self._loading = asyncio.create_task(asyncio.to_thread(_load, self._settings))
        return self._loading

    async def evaluator(self) -> Evaluator:
        """Give the evaluator once it is loaded, for work of the priority that is being served.

        Raises:
            CallFailed: ENGINE_UNAVAILABLE, with the reason in one line.

        """
        # The load is everybody's: one caller's cancellation must not end it.
        found = await asyncio.shield(self.load())
        if isinstance(found, EngineUnavailable):
            raise CallFailed(ServiceReason.ENGINE_UNAVAILABLE, str(found))
        return found.for_work(priority_of_work.get())

    def state(self) -> EvaluatorState | None:
        """Tell what the engine is doing; None while there is none."""
        if self._loading is None or not self._loading.done():
            return None
        found = self._loading.result()
        return found.state() if isinstance(found, Evaluator) else None

    async def unavailable_because(self) -> str:
        """Say in one line why the engine cannot run here; empty if it can."""
        found = await asyncio.shield(self.load())
        return str(found) if isinstance(found, EngineUnavailable) else ""

    async def close(self) -> None:
        """End the engine's work and processes."""
        if self._loading is None:
            return
        found = await asyncio.shield(self.load())
        if isinstance(found, Evaluator):
            await asyncio.to_thread(found.close)


def _load(settings: EvaluatorSettings) -> Evaluator | EngineUnavailable:
    """Load the engine; that it cannot run is an answer, not a failure of the start."""
    try:
        evaluator = Evaluator(settings)
    except EngineUnavailable as error:
        log.warning("engine unavailable", reason=str(error), still_served="rules, pips, EASY, MEDIUM and HARD plays")
        return error
    if evaluator.bearoff.why_not_kept:
        log.warning("bear-off table not kept", reason=evaluator.bearoff.why_not_kept)
    log.info("engine ready", engine=evaluator.engine.name, version=evaluator.engine.version)
    return evaluator


@contextmanager
def evaluating() -> Iterator[None]:
    """Turn what evaluations raise into what the contract says.

    Raises:
        CallFailed: ENGINE_BUSY, CLUSTER_UNAVAILABLE or CALLER_CANCELLED.
        InvalidRequest: if the score is beyond the match equity table.

    """
    try:
        yield
    except EngineBusy as error:
        raise CallFailed(ServiceReason.ENGINE_BUSY, str(error), retry_after=RETRY_AFTER) from None
    except ClusterUnavailable:  # why is in the log: it names machines
        message = "This is worked out on a cluster, which cannot be reached or has no worker; try again later."
        raise CallFailed(ServiceReason.CLUSTER_UNAVAILABLE, message, retry_after=_CLUSTER_RETRY_AFTER) from None
    except EvaluationCancelled:
        raise CallFailed(ServiceReason.CALLER_CANCELLED, "The work was cancelled.") from None
    except ScoreOutOfTable as error:
        wrong = violation("match", str(error), "at most 25 points away for each side", ServiceReason.OUT_OF_RANGE)
        raise InvalidRequest([wrong]) from None
