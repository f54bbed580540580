"""Failures as they go over the wire."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo

from bgbotd.service.errors import CallFailed, InvalidRequest, ServiceReason, status_of, violation

_MOST_BYTES = 8192
"""What gRPC's clients take of headers by default."""


def invalid(field: str, problem: str = "wrong", count: int = 1) -> InvalidRequest:
    """Refuse a field, as often as is said."""
    return InvalidRequest([violation(field, problem, "nothing", ServiceReason.FIELD_NOT_ALLOWED)] * count)


@pytest.mark.parametrize(
    "error",
    [
        invalid("field", count=100),
        invalid("field" * 100_000),
        invalid("\N{HAIR SPACE}" * 100_000, "\N{HAIR SPACE}" * 100_000, count=100),
        invalid("\ud800", "\ud800"),
        CallFailed(ServiceReason.MESSAGE_MALFORMED, "\ud800" * 100_000),
    ],
)
def test_whatever_has_failed_fits_the_headers_of_an_answer(error: InvalidRequest | CallFailed) -> None:
    """Too large ones would end the connection at the edge, and with it the calls of others."""
    status = status_of(error, "request")
    assert _MOST_BYTES > len(quote(status.message)) + len(status.SerializeToString()) * 4 / 3


def test_the_list_says_where_it_has_been_cut() -> None:
    """Nobody believes that the fields listed are all that is wrong."""
    details = status_of(invalid("field", count=100), "request").details
    listed = BadRequest()
    assert details[1].Unpack(listed)
    assert {"field", ""} == {each.field for each in listed.field_violations}
    assert "more is wrong than fits here" == listed.field_violations[-1].description


def test_what_is_no_character_is_a_question_mark() -> None:
    """JSON can name halves of characters, which no message may hold."""
    status = status_of(invalid("a\ud800"), "request")
    found = ErrorInfo()
    assert status.details[0].Unpack(found)
    assert ("a?: wrong; allowed: nothing", "a?") == (status.message, found.metadata["field"])
