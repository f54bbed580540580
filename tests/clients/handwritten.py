"""The README's table of clients, with the lines written by hand: python -m tests.clients.handwritten."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
_COMMENTS = ("#", "//", "/*", "*")


@dataclass(frozen=True, slots=True)
class Listed:
    """A client as the README lists it."""

    name: str
    folder: str
    """Within `clients`."""
    sources: str
    """Pattern of its files within the folder, of which generated ones do not count."""
    call: str
    """How a play is asked for."""
    game: str
    """The command that plays a game."""
    tested: str
    """The target that runs it against a daemon."""

    def lines(self) -> int:
        """Count the lines written by hand that are neither empty nor all comment."""
        files = [file for file in (ROOT / "clients" / self.folder).glob(self.sources) if not _generated(file)]
        return sum(map(_lines, files))

    def row(self) -> str:
        """Write the table's row."""
        link = f"[{self.name}](clients/{self.folder}/README.md)"
        # To the nearest ten: a line more is no news.
        return f"| {link} | `{self.call}` | {round(self.lines(), -1)} | `{self.game}` | `{self.tested}` |"


CLIENTS = (
    Listed(
        "Python",
        "python",
        "bgbot/*.py",
        "client.bots.ChoosePlay(request)",
        "python examples/play_match.py",
        "make test",
    ),
    Listed(
        "TypeScript",
        "typescript",
        "src/*.ts",
        "await client.bots.choosePlay(request)",
        "npm run example",
        "make test-clients",
    ),
    Listed(
        "Go",
        "go",
        "bgbot/*.go",
        "client.Bots.ChoosePlay(ctx, request)",
        "go run ./examples/playgame",
        "make test-clients",
    ),
    Listed(
        "C++",
        "cpp",
        "*/**/*.[ch]*",
        "client.call(&bgbot::Bots::ChoosePlay, request)",
        "build/examples/play_game",
        "make test-clients",
    ),
    Listed(
        "Java",
        "java",
        "src/**/*.java",
        "client.bots(bots -> bots.choosePlay(request))",
        "java -cp ... examples/PlayGame.java",
        "make test-clients",
    ),
    Listed(
        "Ruby",
        "ruby",
        "lib/**/*.rb",
        "client.bots.choose_play(request)",
        "ruby -Ilib examples/play_game.rb",
        "make test-clients",
    ),
)


def table() -> str:
    """Write the table."""
    head = "| client | a call | lines by hand | a game against the daemon | run by |\n|---|---|---:|---|---|"
    return "\n".join([head, *(client.row() for client in CLIENTS)])


def _generated(file: Path) -> bool:
    parts = file.relative_to(ROOT).parts
    return "v1" in parts or "generated" in parts or "examples" in parts


def _lines(file: Path) -> int:
    lines = map(str.strip, file.read_text(encoding="utf-8").splitlines())
    return sum(1 for line in lines if line and not line.startswith(_COMMENTS))


if __name__ == "__main__":
    sys.stdout.write(f"{table()}\n")
