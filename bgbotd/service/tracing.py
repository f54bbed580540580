"""Whether calls are traced, which takes the extra `tracing`."""

from __future__ import annotations

import os
from contextlib import suppress
from importlib.util import find_spec
from typing import TYPE_CHECKING

from bgbotd.config import WrongSettings

if TYPE_CHECKING:
    from bgbotd.config import Tracing
    from bgbotd.service.traces import Traces

_ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
"""OpenTelemetry's own variables for the address of a collector, the more particular one first."""


def asked_for_by(settings: Tracing) -> str:
    """Name the setting, or OpenTelemetry's own variable, by which calls are traced; empty if they are not."""
    if os.environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return ""
    if settings.endpoint:
        return "tracing.endpoint"
    if os.environ.get("OTEL_TRACES_EXPORTER", "otlp").strip().lower() == "none":
        return ""
    return next((name for name in _ENDPOINTS if os.environ.get(name)), "")


def refuse_without_extra(settings: Tracing) -> None:
    """See that calls can be traced if they are to be.

    Raises:
        WrongSettings: if the extra is not installed.

    """
    key = asked_for_by(settings)
    if not key:
        return
    with suppress(ModuleNotFoundError):
        if find_spec("opentelemetry.sdk") and find_spec("opentelemetry.exporter.otlp.proto.grpc"):
            return
    raise WrongSettings([f"{key}: traces need the extra tracing, which is not installed: bgbotd[tracing]"])


def open_traces(settings: Tracing) -> Traces | None:
    """Begin to trace calls in this process; None where nobody wants that.

    Raises:
        WrongSettings: if the extra is not installed.

    """
    refuse_without_extra(settings)
    if not asked_for_by(settings):
        return None
    from bgbotd.service.traces import Traces  # noqa: PLC0415 - only the extra has what it needs

    return Traces(settings)
