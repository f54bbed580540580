"""A small command line on the client: `python -m bgbot --help`."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import grpc
from google.protobuf.json_format import MessageToJson

from bgbot import _answers, v1
from bgbot._arguments import match_of, parse
from bgbot._client import Client
from bgbot._errors import BgbotError
from bgbot._positions import position_source

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterator

    from google.protobuf.message import Message

_REFUSED = 2  # argparse's own status for wrong arguments


def main(given: list[str] | None = None) -> int:
    """Run one command, by default the process's own; give the exit status."""
    arguments = parse(given)
    try:
        if arguments.command == "play":
            return _play(arguments)
        ask, lines = _COMMANDS[arguments.command]
        with _client(arguments) as client:
            answer: Message = ask(client, arguments)
    except BgbotError as error:
        print(*_answers.error_lines(error, arguments.address), sep="\n", file=sys.stderr)
        return _REFUSED if error.code is grpc.StatusCode.INVALID_ARGUMENT else 1
    except (OSError, ValueError) as error:  # a certificate's file, or a number no message can hold
        print(f"bgbot: {error}", file=sys.stderr)
        return _REFUSED
    try:
        if arguments.json:
            print(MessageToJson(answer, always_print_fields_with_no_presence=True), flush=True)
        else:
            print(*lines(answer), sep="\n", flush=True)
    except BrokenPipeError:
        # Whoever reads has seen enough, as `head` has; what is still held goes nowhere at the end of the process.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _client(arguments: Namespace) -> Client:
    """Make the client that the arguments describe."""
    return Client(arguments.address, **_connection(arguments))


def _connection(arguments: Namespace) -> dict[str, Any]:
    files = (arguments.root_certificates, arguments.key, arguments.certificate)
    certificates = [path and path.read_bytes() for path in files]
    return {
        "credentials": grpc.ssl_channel_credentials(*certificates) if arguments.tls or any(certificates) else None,
        "token": os.environ.get("BGBOT_TOKEN"),
        "timeout": arguments.timeout,
    }


def _play(arguments: Namespace) -> int:
    """Play in the terminal until the person leaves."""
    try:
        from bgbot.play import play  # noqa: PLC0415 - an extra brings what it needs
    except ImportError as error:
        print(f"bgbot: {error.name} is missing: pip install 'bgbot[play]'", file=sys.stderr)
        return _REFUSED
    # Nobody doubles in a match to 1, whose only game is like the Crawford game.
    crawford = v1.CRAWFORD_STATE_CRAWFORD_GAME if arguments.length == 1 else v1.CRAWFORD_STATE_UNSPECIFIED
    match = v1.MatchState(
        length=arguments.length, jacoby=arguments.jacoby, beavers=arguments.beavers, crawford=crawford
    )
    play(arguments.address, _connection(arguments), arguments.level, match, arguments.seed)
    return 0


def _list_plays(client: Client, arguments: Namespace) -> v1.ListLegalPlaysResponse:
    position = position_source(arguments.position)
    return client.rules.ListLegalPlays(v1.ListLegalPlaysRequest(position=position, dice=arguments.dice))


def _choose_play(client: Client, arguments: Namespace) -> v1.ChoosePlayResponse:
    return client.bots.ChoosePlay(
        v1.ChoosePlayRequest(
            position=position_source(arguments.position),
            dice=arguments.dice,
            match=match_of(arguments),
            level=arguments.level,
            seed=arguments.seed,
            candidates=arguments.candidates,
        )
    )


def _evaluate(client: Client, arguments: Namespace) -> v1.EvaluateResponse:
    position, match = position_source(arguments.position), match_of(arguments)
    return client.evaluation.Evaluate(v1.EvaluateRequest(position=position, match=match, depth=arguments.depth))


def _count_pips(client: Client, arguments: Namespace) -> v1.CountPipsResponse:
    return client.evaluation.CountPips(v1.CountPipsRequest(position=position_source(arguments.position)))


def _convert(client: Client, arguments: Namespace) -> v1.ConvertPositionResponse:
    position, match = position_source(arguments.position), match_of(arguments)
    return client.rules.ConvertPosition(v1.ConvertPositionRequest(position=position, dice=arguments.dice, match=match))


def _list_actions(client: Client, arguments: Namespace) -> v1.ListCubeActionsResponse:
    position, match = position_source(arguments.position), match_of(arguments)
    return client.rules.ListCubeActions(
        v1.ListCubeActionsRequest(position=position, match=match, decision=arguments.decision)
    )


def _list_bots(client: Client, _: Namespace) -> v1.ListBotsResponse:
    return client.bots.ListBots(v1.ListBotsRequest())


_COMMANDS: dict[str, tuple[Callable[[Client, Namespace], Any], Callable[[Any], Iterator[str]]]] = {
    "plays": (_list_plays, _answers.plays_lines),
    "moves": (_list_plays, _answers.plays_lines),
    "choose": (_choose_play, _answers.choice_lines),
    "evaluate": (_evaluate, _answers.evaluation_lines),
    "pips": (_count_pips, _answers.pips_lines),
    "convert": (_convert, _answers.conversion_lines),
    "board": (_convert, _answers.board_lines),
    "actions": (_list_actions, _answers.actions_lines),
    "bots": (_list_bots, _answers.bots_lines),
}

if __name__ == "__main__":
    sys.exit(main())
