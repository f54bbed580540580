"""JSON over plain HTTP."""

from __future__ import annotations

import json

import pytest

from tests.web.asking import START, ask, connect
from tests.web.conftest import ALLOWED

PLAYS = "/v1/rules:listLegalPlays"
ROLLOUT = "/v1/evaluation:rollout"
GRPC = "/bgbot.v1.RulesService/ListLegalPlays"


def test_a_call_is_answered(web: str) -> None:
    """Zero is written as well, and names are as JSON likes them."""
    answer = ask(web, PLAYS, {"position": START, "dice": {"die1": 3, "die2": 1}})
    assert (200, 16) == (answer.status, len(answer.json["plays"]))
    assert "application/json" == answer.headers["content-type"]
    assert 0 == answer.json["position"]["player"]["bar"]
    assert "RESTRICTION_FREE" == answer.json["restriction"]


def test_what_only_reads_is_asked_by_get(web: str) -> None:
    """The bots have an address of their own."""
    assert [f"LEVEL_{name}" for name in ("EASY", "MEDIUM", "HARD", "EXPERT", "MASTER", "GRANDMASTER")] == [
        bot["level"] for bot in ask(web, "/v1/bots").json["bots"]
    ]


def test_names_may_be_written_as_in_the_contract(web: str) -> None:
    """Whoever reads the contract writes them so."""
    assert 167 == ask(web, "/v1/evaluation:countPips", {"position": {"gnubg_id": START["gnubgId"]}}).json["playerPips"]


def test_refused_input_names_every_field(web: str) -> None:
    """As over gRPC: the details are in the body."""
    refused = ask(web, PLAYS, {"position": {"gnubgId": "4HPwATDgc"}, "dice": {"die1": 7, "die2": 1}})
    assert (400, 3, "ID_LENGTH") == (refused.status, refused.json["code"], refused.reason)
    [request] = [detail for detail in refused.json["details"] if detail["@type"].endswith("BadRequest")]
    assert ["position.gnubg_id", "dice.die1"] == [each["field"] for each in request["fieldViolations"]]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"position": START, "dices": {}}, "dices"),
        ({"position": {"gnubg": ""}}, "position.gnubg"),
        ({"position": START, "dice": {"die1": "three"}}, "dice.die1"),
    ],
)
def test_what_the_contract_does_not_know_is_refused(web: str, body: object, field: str) -> None:
    """A misspelt field never goes unnoticed."""
    refused = ask(web, PLAYS, body)
    [request] = [detail for detail in refused.json["details"] if detail["@type"].endswith("BadRequest")]
    assert (400, [field]) == (refused.status, [each["field"] for each in request["fieldViolations"]])


@pytest.mark.parametrize(
    ("path", "body", "headers", "status", "reason"),
    [
        (PLAYS, b"{", {}, 400, "MESSAGE_MALFORMED"),
        (PLAYS, None, {}, 405, "METHOD_NOT_SERVED"),
        (PLAYS, b"{}", {"content-type": "text/plain"}, 415, "MESSAGE_MALFORMED"),
        (PLAYS, b"{}", {"content-type": "application/jsonx"}, 415, "MESSAGE_MALFORMED"),
        (GRPC, b"", {"content-type": "application/grpc-web+json"}, 415, "MESSAGE_MALFORMED"),
        (GRPC, b"", {"content-type": "application/grpcx"}, 415, "MESSAGE_MALFORMED"),
        (PLAYS, {}, {"grpc-timeout": "-1S"}, 400, "MESSAGE_MALFORMED"),
        (PLAYS, {}, {"grpc-timeout": "1s"}, 400, "MESSAGE_MALFORMED"),
        (PLAYS, {}, {"grpc-encoding": "br"}, 400, "MESSAGE_MALFORMED"),
        ("/v1/bots", None, {"grpc-timeout": ""}, 400, "MESSAGE_MALFORMED"),
        (PLAYS, b" " * (1 << 20) + b"{}", {}, 413, "MESSAGE_TOO_LARGE"),
        (PLAYS, b"{}", {"x-long": "x" * 17000}, 431, "MESSAGE_TOO_LARGE"),
        ("/v1/bots", {}, {}, 405, "METHOD_NOT_SERVED"),
        ("/v1/bots?level=LEVEL_HARD", None, {}, 400, "MESSAGE_MALFORMED"),
        ("/v1/nothing", {}, {}, 404, "METHOD_NOT_SERVED"),
        ("/v1%2fbots", None, {}, 400, "MESSAGE_MALFORMED"),
        ("/v1/dice:commit", {"gameId": "1"}, {}, 501, "METHOD_NOT_SERVED"),
    ],
)
def test_what_the_edge_refuses_reads_like_the_daemons_refusals(
    web: str,
    path: str,
    body: object,
    headers: dict[str, str],
    status: int,
    reason: str,
) -> None:
    """A program needs to read one form only."""
    refused = ask(web, path, body, headers)
    assert (status, reason) == (refused.status, refused.reason)


@pytest.mark.parametrize(
    ("path", "method", "allowed"),
    [(PLAYS, "GET", "POST"), (GRPC, "PUT", "POST"), ("/v1/bots", "POST", "GET"), ("/openapi.json", "PUT", "GET, HEAD")],
)
def test_another_method_is_told_which_is_the_right_one(web: str, path: str, method: str, allowed: str) -> None:
    """As HTTP wants it."""
    refused = ask(web, path, {} if method == "POST" else None, method=method)
    assert (405, allowed) == (refused.status, refused.headers["allow"])


@pytest.mark.parametrize("kind", ["application/json; charset=utf-8", "Application/JSON"])
def test_a_content_type_may_be_written_in_any_way(web: str, kind: str) -> None:
    """As HTTP lets it."""
    asked = json.dumps({"position": START, "dice": {"die1": 3, "die2": 1}}).encode()
    assert 200 == ask(web, PLAYS, asked, {"content-type": kind}).status


@pytest.mark.parametrize(
    ("name", "unreadable", "readable"),
    [
        ("grpc-timeout", "-1S", "9S"),
        ("grpc-encoding", "br", "gzip"),
        ("grpc-previous-rpc-attempts", "x", "2"),
        ("x-any-bin", "!", "AAAA"),
    ],
)
def test_what_one_caller_cannot_write_fails_nobody_elses_call(
    web: str, name: str, unreadable: str, readable: str
) -> None:
    """Callers share the edge's connections, on which gRPC remembers headers."""
    asked = {"position": START, "dice": {"die1": 3, "die2": 1}}
    assert ask(web, PLAYS, asked, {name: unreadable}).status in {200, 400}
    assert [200] * 10 == [ask(web, PLAYS, asked, {name: readable}).status for _ in range(10)]


def test_a_rollout_tells_its_progress_line_by_line(web: str) -> None:
    """Each line is there as soon as it is known, and the last one says that it is."""
    connection = connect(web)
    asked = {"position": START, "settings": {"trials": 72, "truncateAfterPlies": 2}}
    connection.request("POST", ROLLOUT, json.dumps(asked), {"content-type": "application/json"})
    answer = connection.getresponse()
    progress = [json.loads(line) for line in answer]
    connection.close()
    assert "chunked" == answer.headers["transfer-encoding"]
    assert [(36, False), (72, True)] == [(each["trialsDone"], each["finished"]) for each in progress]


def test_a_rollout_that_is_refused_says_why(web: str) -> None:
    """Before the first line there is still a status."""
    refused = ask(web, ROLLOUT, {"position": START, "settings": {"trials": -1}})
    assert (400, "OUT_OF_RANGE") == (refused.status, refused.reason)


def test_a_call_may_say_how_long_it_waits(web: str) -> None:
    """By the header that gRPC has for it."""
    asked = {"position": START, "depth": "DEPTH_PLY4"}
    late = ask(web, "/v1/evaluation:evaluate", asked, {"grpc-timeout": "1m"})
    assert (504, 4) == (late.status, late.json["code"])


def test_a_request_id_comes_back_and_one_is_made_for_who_has_none(web: str) -> None:
    """It finds the call in the log."""
    assert "table-7" == ask(web, "/v1/bots", headers={"x-request-id": "table-7"}).headers["x-request-id"]
    assert 36 == len(ask(web, "/v1/bots").headers["x-request-id"])


def preflight(web: str, origin: str) -> dict[str, str]:
    """Ask as a browser does before a page of an origin may call, and give what it goes by."""
    headers = {
        "origin": origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "content-type,x-grpc-web",
    }
    answer = ask(web, PLAYS, headers=headers, method="OPTIONS")
    return {name: value for name, value in answer.headers.items() if name.startswith("access-control-")}


def test_a_page_of_an_allowed_origin_may_call(web: str) -> None:
    """And may send a token, and read why it was refused."""
    told = preflight(web, ALLOWED)
    assert (ALLOWED, "GET,POST") == (told["access-control-allow-origin"], told["access-control-allow-methods"])
    assert {"content-type", "x-grpc-web", "authorization"} <= set(told["access-control-allow-headers"].split(","))
    answer = ask(web, "/v1/bots", headers={"origin": ALLOWED})
    assert ALLOWED == answer.headers["access-control-allow-origin"]
    assert {"grpc-status", "grpc-message", "x-request-id"} <= set(
        answer.headers["access-control-expose-headers"].split(",")
    )


@pytest.mark.parametrize("origin", ["https://other.example", "http://board.example", "null", f"{ALLOWED}.evil.example"])
def test_a_page_of_another_origin_gets_no_header(web: str, origin: str) -> None:
    """So its browser refuses it, and nothing that it could send unasked is read."""
    assert {} == preflight(web, origin)
    assert not [name for name in ask(web, "/v1/bots", headers={"origin": origin}).headers if "access" in name]
    unasked = {"origin": origin, "content-type": "text/plain"}
    assert 415 == ask(web, PLAYS, {"position": START, "dice": {"die1": 3, "die2": 1}}, unasked).status
