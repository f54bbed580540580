"""Files that the edge serves."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import pytest

from bgbotd.config import Settings, Web
from bgbotd.web import bootstrap, pages
from tests.web.asking import Answer, ask
from tests.web.own_envoy import free_address, own_envoy, write

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SCRIPT = "console.log('a rather long line');\n" * 100


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Give the address of an edge with pages, whose daemon is away."""
    folder = tmp_path_factory.mktemp("pages")
    for name, text in {
        "index.html": "<!doctype html>",
        "assets/board-1a2b.js": SCRIPT,
        "assets/board-1a2b.css": "body {}",
        "icon.svg": "<svg/>",
        "board.webmanifest": "{}",
        ".hidden": "",
    }.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    with free_address() as nobody, free_address() as address:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(pages, "BUILT", folder)
            configuration = bootstrap(Settings(listen=nobody, web=Web(enabled=True, listen=address)))
        with own_envoy(write(configuration, tmp_path_factory.mktemp("envoy")), address):
            yield address


@pytest.mark.parametrize(
    ("path", "kind", "kept"),
    [
        ("/", "text/html; charset=utf-8", "no-cache"),
        ("/index.html", "text/html; charset=utf-8", "no-cache"),
        ("/assets/board-1a2b.js", "text/javascript; charset=utf-8", "public, max-age=31536000, immutable"),
        ("/assets/board-1a2b.css", "text/css; charset=utf-8", "public, max-age=31536000, immutable"),
        ("/icon.svg", "image/svg+xml; charset=utf-8", "no-cache"),
        ("/board.webmanifest", "application/manifest+json", "no-cache"),
        ("/openapi.json", "application/json; charset=utf-8", "no-cache"),
    ],
)
def test_a_file_says_what_it_is_and_how_long_it_holds(board: str, path: str, kind: str, kept: str) -> None:
    """A name that changes with its content holds for ever; all else is asked about each time."""
    answer = ask(board, path)
    assert (200, kind, kept) == (answer.status, answer.headers["content-type"], answer.headers["cache-control"])
    known = ask(board, path, headers={"if-none-match": answer.headers["etag"]})
    assert (304, b"") == (known.status, known.body)
    assert 200 == ask(board, path, headers={"if-none-match": 'W/"another"'}).status


def test_pages_may_load_and_call_nothing_from_elsewhere(board: str) -> None:
    """Nor may anybody frame them."""
    headers = ask(board, "/").headers
    policy = dict(each.strip().split(" ", 1) for each in headers["content-security-policy"].split(";"))
    assert ("'none'", "'self'", "'self'", "'none'") == (
        policy["default-src"],
        policy["script-src"],
        policy["connect-src"],
        policy["frame-ancestors"],
    )
    assert "nosniff" == headers["x-content-type-options"]


def test_long_files_are_sent_compressed(board: str) -> None:
    """Their tag still holds."""
    plain = ask(board, "/assets/board-1a2b.js")
    packed = ask(board, "/assets/board-1a2b.js", headers={"accept-encoding": "gzip"})
    assert ("gzip", plain.headers["etag"]) == (packed.headers["content-encoding"], packed.headers["etag"])
    assert SCRIPT.encode() == gzip.decompress(packed.body) == plain.body
    both = ask(board, "/assets/board-1a2b.js", headers={"accept-encoding": "gzip, deflate, br"})
    assert "br" == both.headers["content-encoding"]


def test_a_file_cannot_be_written(board: str) -> None:
    """Only read."""
    assert 405 == ask(board, "/", {}).status
    assert (200, b"") == (ask(board, "/", method="HEAD").status, ask(board, "/", method="HEAD").body)


@pytest.mark.parametrize("path", ["/.hidden", "/../envoy.json", "/assets", "/nothing.js", "//index.html"])
def test_what_is_no_file_is_not_there(board: str, path: str) -> None:
    """Nothing outside of the pages can be had."""
    assert 404 == ask(board, path).status


def refusal(answer: Answer) -> tuple[int, int, str]:
    """Give status, code and reason."""
    return answer.status, answer.json["code"], answer.reason


def test_an_edge_whose_daemon_is_away_says_so(board: str) -> None:
    """To whoever asks for health, and to whoever calls."""
    assert 503 == ask(board, "/healthz").status
    assert (503, 14, "SERVER_DRAINING") == refusal(ask(board, "/v1/bots"))


def test_without_built_pages_one_says_what_is_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever opens the address finds the way."""
    monkeypatch.setattr(pages, "BUILT", tmp_path)
    [index, openapi] = pages.pages()
    assert ("/", "/openapi.json") == (index.path, openapi.path)
    assert "/openapi.json" in index.file.read_text()


def test_the_document_describes_what_is_served(web: str) -> None:
    """Every path of it is answered otherwise than that there is nothing."""
    document = json.loads(ask(web, "/openapi.json").body)
    assert len(document["paths"]) > 15
    for path, methods in document["paths"].items():
        [method] = methods
        assert 404 != ask(web, path, {} if method == "post" else None).status
