"""A flag that is raised once."""

from __future__ import annotations

import pytest

from bgbotd.evaluation.cancellation import CancelToken
from bgbotd.evaluation.engine import EvaluationCancelled


def test_work_goes_on_until_it_is_cancelled() -> None:
    """The check raises only afterwards."""
    token = CancelToken()
    token.check()
    token.cancel()
    assert token.cancelled
    with pytest.raises(EvaluationCancelled):
        token.check()


def test_a_listener_is_called_once_while_it_listens() -> None:
    """A second cancel changes nothing."""
    token, calls = CancelToken(), []
    with token.listening(lambda: calls.append("called")):
        token.cancel()
        token.cancel()
    assert calls == ["called"]


def test_whoever_listens_too_late_is_called_at_once() -> None:
    """The flag is up already."""
    token, calls = CancelToken(), []
    token.cancel()
    with token.listening(lambda: calls.append("called")):
        assert calls == ["called"]


def test_a_listener_is_left_alone_after_its_block() -> None:
    """The work it could have stopped is done."""
    token, calls = CancelToken(), []
    with token.listening(lambda: calls.append("called")):
        pass
    token.cancel()
    assert calls == []
