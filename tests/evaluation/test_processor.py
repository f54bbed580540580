"""Processors that can and cannot run the engine."""

from __future__ import annotations

import platform
import sys

import pytest

from bgbotd.evaluation import processor, sage
from bgbotd.evaluation.engine import EngineUnavailable

_WITH = "processor\t: 0\nflags\t\t: fpu sse4_2 avx avx2 bmi2\n"
_WITHOUT = "processor\t: 1\nflags\t\t: fpu sse4_2 avx\n"


def test_avx2_is_found_in_the_flags_of_linux() -> None:
    """Both processors list it."""
    assert processor.lists_avx2(_WITH + _WITH)


def test_every_processor_must_have_avx2() -> None:
    """AVX alone is not enough, and no flags say nothing good."""
    assert not processor.lists_avx2(_WITH + _WITHOUT)
    assert not processor.lists_avx2("")


def test_a_processor_without_avx2_is_said_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine is not even loaded."""
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    monkeypatch.setitem(processor._HAS_AVX2, platform.system(), lambda: False)  # noqa: SLF001 - the machine under test may have it
    sage._extension.cache_clear()  # noqa: SLF001 - loaded by other tests
    with pytest.raises(EngineUnavailable, match=r"^the engine bgsage needs a processor with AVX2[^\n]*$"):
        sage.SageEngine()


def test_other_machines_need_no_avx2(monkeypatch: pytest.MonkeyPatch) -> None:
    """On arm64 the engine's build has no use for it."""
    monkeypatch.setattr(platform, "machine", lambda: "arm64")
    assert processor.why_unable() is None


@pytest.mark.parametrize("missing", ["bgsage.weights", "bgsage"])
def test_an_engine_without_its_networks_is_unavailable(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    """Half an installation is no engine, and no internal error either."""
    monkeypatch.setitem(sys.modules, missing, None)
    if missing == "bgsage":
        monkeypatch.delitem(sys.modules, "bgsage.weights", raising=False)
    with pytest.raises(EngineUnavailable, match=r"^the networks of the engine bgsage are not installed[^\n/]*$"):
        sage._Networks()  # noqa: SLF001 - what a new engine process begins with
