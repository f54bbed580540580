"""The arguments of the command line, read into messages of the contract."""

from __future__ import annotations

import argparse
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from bgbot import v1
from bgbot._client import DEFAULT_ADDRESS, DEFAULT_TIMEOUT
from bgbot._words import words

if TYPE_CHECKING:
    from collections.abc import Callable

    from google.protobuf.internal.enum_type_wrapper import _EnumTypeWrapper

_Value = TypeVar("_Value", bound=int)

_EPILOG = """\
A position is an XGID, a GNU Backgammon Position ID or PositionID:MatchID; left out, it is the start
of a game. What an ID carries (dice, score, cube) need not be said again.

The environment may set BGBOT_ADDRESS, and BGBOT_TOKEN for a daemon that asks for a token.
Exit status: 0 answered, 1 failed, 2 refused as invalid."""


def parse(given: list[str] | None) -> argparse.Namespace:
    """Read the words of a command line, by default the process's own.

    The result's `command` is the command's name. Raises `SystemExit` as `argparse` does.
    """
    parser = argparse.ArgumentParser(
        prog="bgbot",
        description="Ask a backgammon daemon.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        parents=[_connection()],
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    connection, output, position, dice, match = _connection(again=True), _output(), _position(), _dice(), _match()

    def add(
        name: str, purpose: str, *parents: argparse.ArgumentParser, aliases: tuple[str, ...] = ()
    ) -> argparse.ArgumentParser:
        parents = (*parents, connection)
        return commands.add_parser(name, aliases=aliases, help=purpose, description=purpose, parents=parents)

    add("plays", "list the legal plays of a roll", position, dice, output, aliases=("moves",))
    choose = add("choose", "let a bot choose a play", position, dice, match, output)
    choose.add_argument("--level", type=_one_of(v1.Level), default=v1.LEVEL_HARD, help=_listed(v1.Level, "hard"))
    choose.add_argument("--seed", type=int, help="seed of easy's choices")
    choose.add_argument("--candidates", type=int, default=0, metavar="NUMBER", help="best plays to show as well")
    evaluate = add("evaluate", "say what a position is worth before the roll", position, match, output)
    evaluate.add_argument("--depth", type=_one_of(v1.Depth), default=v1.DEPTH_STATIC, help=_listed(v1.Depth, "static"))
    add("pips", "count the pips", position, output)
    add("convert", "give a position's IDs", position, dice, match, output)
    add("board", "draw a position", position, dice, match, output)
    actions = add("actions", "list the cube actions of a decision", position, match, output)
    actions.add_argument("--decision", type=_one_of(v1.Decision), help=_listed(v1.Decision))
    add("bots", "list the bots and their strength", output)
    play = add("play", "play a match against a bot in the terminal")
    play.add_argument("--level", type=_one_of(v1.Level), default=v1.LEVEL_MEDIUM, help=_listed(v1.Level, "medium"))
    play.add_argument("--length", type=int, default=3, metavar="POINTS", help="0: money game (default: 3)")
    play.add_argument("--jacoby", action="store_true", help="the Jacoby rule holds, in a money game")
    play.add_argument("--beavers", action="store_true", help="beavers are agreed, in a money game")
    play.add_argument("--seed", type=_seed_of, metavar="HEX", help="32 bytes that the dice follow from")
    return parser.parse_args(given)


def match_of(arguments: argparse.Namespace) -> v1.MatchState | None:
    """Give the match state that was said; none when nothing was, so that the position's ID decides."""
    fields = ("length", "score", "crawford", "jacoby", "beavers", "cube")
    said = {field: value for field in fields if (value := getattr(arguments, field)) is not None}
    if not said:
        return None
    player_score, opponent_score = said.pop("score", (0, 0))
    return v1.MatchState(player_score=player_score, opponent_score=opponent_score, **said)


def _connection(*, again: bool = False) -> argparse.ArgumentParser:
    """Give the options of the connection; `again` after the command, where what is left out says nothing new."""
    parser = argparse.ArgumentParser(add_help=False)
    group = parser.add_argument_group("connection")
    address = os.environ.get("BGBOT_ADDRESS", DEFAULT_ADDRESS)

    def add(name: str, default: object, words: str, **kind: Any) -> None:  # noqa: ANN401 - as argparse has them
        group.add_argument(name, default=argparse.SUPPRESS if again else default, help=words, **kind)

    add("--address", address, f"the daemon (default: {address})", metavar="HOST:PORT")
    add("--tls", default=False, words="encrypt, trusting the system's certificates", action="store_true")
    add("--root-certificates", None, "encrypt, trusting these instead", type=Path, metavar="FILE")
    add("--certificate", None, "encrypt, and show this certificate", type=Path, metavar="FILE")
    add("--key", None, "the certificate's private key", type=Path, metavar="FILE")
    add("--timeout", DEFAULT_TIMEOUT, "longest wait", type=float, metavar="SECONDS")
    return parser


def _output() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--json", action="store_true", help="print the answer as JSON")
    return parser


def _position() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("position", nargs="?", metavar="POSITION", help="an ID (default: the start of a game)")
    return parser


def _dice() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--dice", type=_dice_of, metavar="ROLL", help="the roll, such as 3-1 or 31")
    return parser


def _match() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(add_help=False)
    group = parser.add_argument_group("score, cube and agreements, seen by the side that decides")
    group.add_argument("--length", type=int, metavar="POINTS", help="points to win the match; 0: money game")
    group.add_argument("--score", type=_score_of, metavar="OWN-OTHER", help="the score, such as 2-1")
    group.add_argument("--crawford", type=_one_of(v1.CrawfordState), help=_listed(v1.CrawfordState))
    group.add_argument("--cube", type=_cube_of, metavar="VALUE[:OWNER]", help="the cube, such as 2:opponent")
    group.add_argument("--jacoby", action="store_const", const=True, help="the Jacoby rule holds")
    group.add_argument("--beavers", action="store_const", const=True, help="beavers are agreed")
    return parser


def _listed(enum: _EnumTypeWrapper[_Value], default: str | None = None) -> str:
    return ", ".join(words(enum)) + (f" (default: {default})" if default else "")


def _one_of(enum: _EnumTypeWrapper[_Value]) -> Callable[[str], _Value]:
    """Make the reader of an enum's words."""

    def read(given: str) -> _Value:
        try:
            return words(enum)[given.lower().replace("_", "-")]
        except KeyError:
            message = f"{given!r} is none of {', '.join(words(enum))}"
            raise argparse.ArgumentTypeError(message) from None

    return read


def _dice_of(given: str) -> v1.Dice:
    """Read a roll; whether its numbers are dice is for the daemon to judge."""
    die1, die2 = _matched(r"(\d)[-,]?(\d)", given, "a roll such as 3-1 or 31")
    return v1.Dice(die1=int(die1), die2=int(die2))


def _seed_of(given: str) -> bytes:
    _matched(r"([0-9a-fA-F]{64})", given, "a seed of 64 hexadecimal digits")
    return bytes.fromhex(given)


def _score_of(given: str) -> tuple[int, int]:
    player, opponent = _matched(r"(\d+)[-:](\d+)", given, "a score such as 2-1")
    return int(player), int(opponent)


def _cube_of(given: str) -> v1.Cube:
    value, owner = _matched(r"(\d+)(?::(\w+))?", given, "a cube such as 1 or 2:opponent")
    return v1.Cube(value=int(value), owner=_one_of(v1.CubeOwner)(owner or "centered"))


def _matched(pattern: str, given: str, wanted: str) -> tuple[str, ...]:
    found = re.fullmatch(pattern, given)
    if found is None:
        message = f"{given!r} is not {wanted}"
        raise argparse.ArgumentTypeError(message)
    return found.groups()
