"""The daemon conforms, and answers that are broken on the way are caught."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import grpc
import pytest
from bgbot import v1
from google.protobuf import message_factory
from google.protobuf.any_pb2 import Any as PackedMessage
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo
from google.rpc.status_pb2 import Status
from grpc_status import rpc_status

from bgbotd.conformance.cases import Case, read_cases
from bgbotd.conformance.examination import examine
from bgbotd.conformance.peer import Peer, Refused
from tests.service.running import running

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from google.protobuf.message import Message

PROGRAM = str(Path(sys.executable).with_name("bgbotd-conformance"))
TOKEN, NO_DICE = "a game server's token", "a player's token"
SERVICES = ["RulesService", "BotService", "EvaluationService", "BulkService"]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Run a daemon that serves dice too."""
    folder = tmp_path_factory.mktemp("dice")
    secrets, tokens = folder / "secrets.toml", folder / "tokens.toml"
    secrets.write_text(f'current = "1"\n[secrets]\n1 = "{"ab" * 32}"\n')
    secrets.chmod(0o600)
    entries = [(TOKEN, [*SERVICES, "DiceService"]), (NO_DICE, SERVICES)]
    tokens.write_text(
        "".join(
            f'[[token]]\nname = "{number}"\nsha256 = "{sha256(token.encode()).hexdigest()}"\nservices = {services}\n'
            for number, (token, services) in enumerate(entries)
        )
    )
    with running("--dice.secrets", str(secrets), "--tokens", str(tokens)) as daemon:
        yield daemon.address


def conformance(*arguments: str, token: str = TOKEN) -> subprocess.CompletedProcess[str]:
    """Run the program as its users do."""
    environment = {**os.environ, "BGBOT_TOKEN": token}
    return subprocess.run([PROGRAM, *arguments], env=environment, capture_output=True, text=True, check=False)


def test_the_daemon_conforms(address: str) -> None:
    """Every case of every area, none left out."""
    outcome = conformance("--address", address, "--json")
    report = json.loads(outcome.stdout)
    assert [] == [case for case in report if not case["conforms"] or case["left_out"]]
    assert (0, "") == (outcome.returncode, outcome.stderr)
    assert len(report) == len([*read_cases()])


def test_the_report_of_an_area_says_how_many_conform(address: str) -> None:
    """A person reads a table and a verdict."""
    outcome = conformance("--address", address, "--area", "cube")
    cases = len([*read_cases(areas=["cube"])])
    assert ["cube", str(cases), str(cases), "0", "0"] == outcome.stdout.splitlines()[1].split()
    assert f"All {cases} cases conform to bgbot.v1." == outcome.stdout.splitlines()[-1]


def test_dice_are_left_out_for_who_may_not_roll_them(address: str) -> None:
    """A player's token is no game server's, and what needs none is compared all the same."""
    report = json.loads(conformance("--address", address, "--area", "dice", "--json", token=NO_DICE).stdout)
    assert [] == [case for case in report if not case["conforms"]]
    needs = [case.needs for case in read_cases(areas=["dice"])]
    assert [need == "dice_role" for need in needs] == [case["left_out"] for case in report]


def test_a_dead_address_is_said(tmp_path: Path) -> None:
    """Nobody there is not a failed examination."""
    outcome = conformance("--address", f"unix:{tmp_path}/nobody")
    assert (2, f"bgbotd-conformance: nobody answers at unix:{tmp_path}/nobody\n") == (
        outcome.returncode,
        outcome.stderr,
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--root-certificates", "{folder}/none.pem"], "No such file"),
        (["--cases", "{folder}"], "no cases in {folder}"),
    ],
)
def test_files_that_are_not_there_fail_no_case(tmp_path: Path, arguments: list[str], said: str) -> None:
    """A slip on the command line neither passes nor looks like an implementation that does not conform."""
    outcome = conformance(*(argument.format(folder=tmp_path) for argument in arguments))
    assert (2, "") == (outcome.returncode, outcome.stdout)
    assert said.format(folder=tmp_path) in outcome.stderr
    assert 1 == len(outcome.stderr.splitlines())


def test_cases_that_were_all_left_out_are_no_success() -> None:
    """A server that knows nothing of DiceService has not passed its cases."""
    server = grpc.server(ThreadPoolExecutor(1))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    outcome = conformance("--address", f"127.0.0.1:{port}", "--area", "dice", "--area", "dice")
    server.stop(None).wait()
    cases = str(len([*read_cases(areas=["dice"])]))
    assert 2 == outcome.returncode
    assert ["dice", cases, "0", "0", cases] == outcome.stdout.splitlines()[1].split()
    assert "Nothing was compared." == outcome.stdout.splitlines()[-1]


class Silent(Peer):
    """An implementation that hangs after some answers."""

    def __init__(self, answers: int) -> None:
        """Answer so often."""
        self._before = answers
        self.asked = 0

    def ask(self, case: Case) -> dict[str, Any] | Refused:  # noqa: ARG002 - whatever is asked
        """Answer, or do not."""
        self.asked += 1
        return {} if self.asked <= self._before else Refused("DEADLINE_EXCEEDED", "", {})


def test_an_implementation_that_hangs_is_not_asked_to_the_end() -> None:
    """Three cases without an answer are enough, whatever came before."""
    peer = Silent(answers=5)
    cases = [*read_cases(areas=["legal_plays"])]
    with pytest.raises(TimeoutError, match=r"3 cases in a row were not answered, .* legal plays 8"):
        list(examine(peer, cases))
    assert 8 == peer.asked


class Between(grpc.GenericRpcHandler):
    """Hands calls on to the daemon and breaks its answers on the way back."""

    def __init__(self, channel: grpc.Channel, breaking: Callable[[Message], object]) -> None:
        """Break every answer in one way; a refusal is broken as its status."""
        self._channel = channel
        self._breaking = breaking

    def service(self, details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler[bytes, bytes]:
        """Hand on any method."""
        path = details.method
        service, name = path[1:].split("/")
        method = v1.BulkItem.DESCRIPTOR.file.pool.FindServiceByName(service).methods_by_name[name]
        answer_class = message_factory.GetMessageClass(method.output_type)

        def hand_on(requests: Any, context: grpc.ServicerContext) -> Iterator[bytes]:  # noqa: ANN401 - bytes or several
            stream = requests if method.client_streaming else iter([requests])
            try:
                call: Any = self._channel.stream_stream(path)
                for answer in call(stream, metadata=(("authorization", f"Bearer {TOKEN}"),)):
                    broken = answer_class.FromString(answer)
                    self._breaking(broken)
                    yield broken.SerializeToString()
            except grpc.RpcError as error:
                status = rpc_status.from_call(error)  # type: ignore[arg-type] # it is a call as well
                assert status is not None
                self._breaking(status)
                context.abort_with_status(rpc_status.to_status(status))

        if method.client_streaming:
            return grpc.stream_stream_rpc_method_handler(hand_on)
        if method.server_streaming:
            return grpc.unary_stream_rpc_method_handler(hand_on)
        return grpc.unary_unary_rpc_method_handler(lambda request, context: next(hand_on(request, context)))


def broken_details(status: Status, kind: type[Any], breaking: Callable[[Any], object]) -> None:
    """Break one kind of detail of a status."""
    for number, packed in enumerate(status.details):
        detail = kind()
        if packed.Unpack(detail):
            breaking(detail)
            again = PackedMessage()
            again.Pack(detail)
            status.details[number].CopyFrom(again)


class Counter:
    """Answers that differ from call to call."""

    def __init__(self) -> None:
        """Begin with the first."""
        self.calls = 0

    def __call__(self, answer: Message) -> None:
        """Say another seed each time."""
        self.calls += 1
        if isinstance(answer, v1.ChoosePlayResponse):
            answer.stamp.engine_version = str(self.calls)


def set_fields(*messages: Any, **fields: object) -> None:  # noqa: ANN401 - messages of any kind
    """Set the same fields of some messages."""
    for message in messages:
        for name, value in fields.items():
            setattr(message, name, value)


def changed(kind: type[Any], **fields: object) -> Callable[[Message], object]:
    """Set fields of messages of one kind."""
    return only(kind, lambda answer: set_fields(answer, **fields))


def only(kind: type[Any], breaking: Callable[[Any], object]) -> Callable[[Message], object]:
    """Break only messages of one kind."""
    return lambda answer: breaking(answer) if isinstance(answer, kind) else None


def with_ids_swapped(answer: v1.BulkResponse) -> None:
    """Give every answer of Bulk the next one's id."""
    for result in answer.results:
        result.id += 1


WAYS: dict[str, tuple[str, Callable[[Message], object], str]] = {
    "a step too few": (
        "legal_steps",
        only(v1.ListLegalStepsResponse, lambda answer: answer.steps and answer.steps.pop()),
        "answer.steps has",
    ),
    "a turn that never ends": ("legal_steps", changed(v1.ListLegalStepsResponse, turn_complete=False), "turnComplete"),
    "a hit not said": (
        "legal_steps",
        only(v1.ListLegalStepsResponse, lambda answer: set_fields(*answer.steps, hit=False)),
        "hit",
    ),
    "dice left that are not": (
        "legal_steps",
        only(v1.ListLegalStepsResponse, lambda answer: answer.remaining_dice.append(6)),
        "remainingDice",
    ),
    "nothing lost anywhere": (
        "notations",
        only(v1.ConvertPositionResponse, lambda answer: answer.ClearField("lost")),
        "lost",
    ),
    "another thing lost": (
        "notations",
        only(v1.ConvertPositionResponse, lambda answer: set_fields(*answer.lost, field="match.length")),
        "lost has no",
    ),
    "the worst play first": (
        "rankings",
        only(v1.RankPlaysResponse, lambda answer: answer.plays.sort(key=lambda play: -play.rank)),
        "plays[0].rank",
    ),
    "a play in other words": (
        "rankings",
        only(v1.RankPlaysResponse, lambda answer: set_fields(*(each.play for each in answer.plays), notation="best")),
        "notation",
    ),
    "a play not ranked": (
        "rankings",
        only(v1.RankPlaysResponse, lambda answer: answer.plays.pop()),
        "answer.plays has",
    ),
    "a ranking without losses": (
        "rankings",
        only(v1.RankPlaysResponse, lambda answer: set_fields(*answer.plays, loss=0)),
        "loss",
    ),
    "another commitment": ("dice", changed(v1.CommitDiceResponse, commitment=bytes(32)), "commitmentValid"),
    "another seed": ("dice", changed(v1.RevealDiceResponse, secret_seed=bytes(32)), "commitmentValid"),
    "a double to begin with": (
        "dice",
        only(v1.RollDiceResponse, lambda answer: set_fields(answer.dice, die1=answer.dice.die2)),
        "dice",
    ),
    "dice that were not sealed": (
        "dice",
        only(v1.RollDiceResponse, lambda answer: set_fields(answer.dice, die1=7 - answer.dice.die1)),
        "answer.valid",
    ),
    "a wrong ID": (
        "notations",
        changed(v1.ConvertPositionResponse, gnubg_position_id="4HPwATDgc/ABMB"),
        "gnubgPositionId",
    ),
    "an XGID seen by the other side": (
        "notations",
        only(v1.ConvertPositionResponse, lambda answer: set_fields(answer, xgid=answer.xgid.replace(":1:", ":-1:"))),
        "xgid",
    ),
    "dice that are not read": (
        "notations",
        only(v1.ConvertPositionResponse, lambda answer: answer.ClearField("dice")),
        "dice",
    ),
    "pips of the other side": ("match", changed(v1.CountPipsResponse, player_pips=1), "playerPips"),
    "points that carry": ("match", changed(v1.ScoreGameResponse, points=9), "points"),
    "a cube nobody owns": (
        "cube",
        only(v1.ApplyCubeActionResponse, lambda answer: answer.next_match.cube.ClearField("owner")),
        "owner",
    ),
    "a button shown too often": (
        "cube",
        only(v1.ListCubeActionsResponse, lambda answer: set_fields(*answer.actions, allowed=True)),
        "allowed",
    ),
    "another status": ("refusals", changed(Status, code=13), "code"),
    "another reason": (
        "refusals",
        only(Status, lambda status: broken_details(status, ErrorInfo, lambda info: info.ClearField("reason"))),
        "reason",
    ),
    "a field not named": (
        "refusals",
        only(Status, lambda status: broken_details(status, BadRequest, lambda bad: bad.ClearField("field_violations"))),
        "fields",
    ),
    "answers with another's id": ("bulk", only(v1.BulkResponse, with_ids_swapped), "id"),
    "another answer each time": ("repeated", Counter(), "different answers"),
}
"""The area it concerns, how answers are broken, and what the problem names."""


def problems_of_broken(address: str, breaking: Callable[[Message], object], *areas: str) -> list[str]:
    """Examine a daemon whose answers are broken on the way."""
    with grpc.insecure_channel(address) as behind:
        server = grpc.server(ThreadPoolExecutor(4), handlers=[Between(behind, breaking)])
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
            cases = [case for case in read_cases(areas=areas) if case.needs != "engine" or case.area == "rankings"]
            problems = [problem for finding in examine(Peer(channel), cases) for problem in finding.problems]
        server.stop(None).wait()
    return problems


@pytest.mark.parametrize("way", WAYS)
def test_a_broken_answer_is_caught(address: str, way: str) -> None:
    """Each way to break the answers is seen, at its place."""
    area, breaking, place = WAYS[way]
    assert any(place in problem for problem in problems_of_broken(address, breaking, area))


def test_unbroken_answers_pass_the_same_way(address: str) -> None:
    """What is between changes nothing by itself, so that each break above is what was seen."""
    areas = {area for area, _, _ in WAYS.values()}
    assert [] == problems_of_broken(address, lambda _: None, *areas)
