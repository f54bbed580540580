"""One evaluator for all tests of the bots that ask one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bgbotd.evaluation import Evaluator, EvaluatorSettings

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def evaluator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Evaluator]:
    """Give an evaluator with two workers."""
    evaluator = Evaluator(EvaluatorSettings(workers=2, cache_folder=tmp_path_factory.mktemp("cache")))
    yield evaluator
    evaluator.close()
