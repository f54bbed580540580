"""One engine, one bear-off table and one evaluator for all tests of the evaluation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bgbotd.evaluation import Evaluator, EvaluatorSettings
from bgbotd.evaluation.bearoff import BearoffTable
from bgbotd.evaluation.sage import SageEngine

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="session")
def engine() -> SageEngine:
    """Give the engine in this process."""
    return SageEngine()


@pytest.fixture(scope="session")
def cache_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a cache folder that lasts for all tests."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="session")
def bearoff_table(cache_folder: Path) -> BearoffTable:
    """Give the bear-off table, computed once for all tests."""
    return BearoffTable.open(cache_folder)


@pytest.fixture(scope="session")
def evaluator(cache_folder: Path, bearoff_table: BearoffTable) -> Iterator[Evaluator]:
    """Give an evaluator with two workers, which nobody is refused by."""
    assert bearoff_table.why_not_kept is None
    evaluator = Evaluator(EvaluatorSettings(workers=2, most_wait_seconds=60, cache_folder=cache_folder))
    yield evaluator
    evaluator.close()
