"""What the clients of every language say of themselves, as far as it shows without their compilers."""

from __future__ import annotations

import re
import tomllib

import pytest
from bgbot import draw_board, starting_position

from tests.clients.handwritten import CLIENTS, ROOT, Listed

FOLDER = ROOT / "clients"
SHORTEST = {
    "go": "examples/chooseplay/main.go",
    "cpp": "examples/choose_play.cc",
    "java": "examples/ChoosePlay.java",
    "ruby": "examples/choose_play.rb",
    "typescript": "examples/choose-play.ts",
}
"""The example that a client's own tests run, for a reader's first five minutes."""


@pytest.mark.parametrize(("folder", "example"), SHORTEST.items())
def test_a_readme_shows_the_example_that_is_run(folder: str, example: str) -> None:
    """Word for word, followed by what it prints."""
    shown = (FOLDER / folder / "README.md").read_text(encoding="utf-8")
    code = (FOLDER / folder / example).read_text(encoding="utf-8")
    assert f"\n{code}```\n\n```text\n8/5 6/5\n```\n" in shown


@pytest.mark.parametrize("folder", SHORTEST)
def test_a_readme_shows_a_game_from_its_start(folder: str) -> None:
    """With the starting board as the clients draw it, and a result."""
    shown = (FOLDER / folder / "README.md").read_text(encoding="utf-8")
    assert f"```text\n{draw_board(starting_position())}\n" in shown
    assert re.search(r"^(you|MEDIUM) won a .*, score: you \d, MEDIUM \d, match to 5\n```$", shown, re.MULTILINE)


@pytest.mark.parametrize("client", CLIENTS, ids=[client.folder for client in CLIENTS])
def test_the_readme_counts_the_lines_written_by_hand(client: Listed) -> None:
    """Within a tenth, so that the table tells the size; python -m tests.clients.handwritten writes it."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    [written] = re.findall(rf"^\| \[{re.escape(client.name)}\]\(clients/.*? \| (\d+) \| ", readme, re.MULTILINE)
    assert client.lines() == pytest.approx(int(written), rel=0.1)


def test_all_clients_have_one_version() -> None:
    """That of the Python client, which the daemon is released with."""
    python = tomllib.loads((FOLDER / "python/pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    pom = (FOLDER / "java/pom.xml").read_text(encoding="utf-8")
    cmake = (FOLDER / "cpp/CMakeLists.txt").read_text(encoding="utf-8")
    gemspec = (FOLDER / "ruby/bgbot.gemspec").read_text(encoding="utf-8")
    assert f"<artifactId>bgbot-client</artifactId>\n  <version>{python}</version>\n" in pom
    assert f"project(bgbot VERSION {python} " in cmake
    assert f'gem.version = "{python}"\n' in gemspec
