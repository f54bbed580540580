"""How much one request may ask for, and how many may be in flight on Bulk streams."""

from __future__ import annotations

import itertools
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

import grpc
import pytest
from bgbot import position_source, v1
from google.protobuf.message import Message

from bgbotd.config import DEPTHS, Limits
from bgbotd.evaluation import Depth
from bgbotd.evaluation.engine import MOST_TRIALS
from bgbotd.service.bounds import Gate, calling
from bgbotd.service.bulk import MOST_HELD
from bgbotd.service.errors import CallFailed
from bgbotd.service.tokens import Caller, Token
from tests.service.bulk_streams import PIPS, cancel, item, reason
from tests.service.guarded import called_by, guarded
from tests.service.refusals import Refusal, refusal_of
from tests.service.running import running

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SOURCE = position_source()
DICE = v1.Dice(die1=3, die2=1)
PLY3 = v1.EvaluateRequest(position=SOURCE, depth=v1.DEPTH_PLY3)
DEEP = v1.EvaluateRequest(position=SOURCE, depth=v1.DEPTH_TRUNCATED_ROLLOUT)
"""Work for longer than a test takes."""

BEYOND_PLY2: dict[str, tuple[Callable[[grpc.Channel], Callable[..., Any]], Message, str]] = {
    "Evaluate": (lambda channel: v1.EvaluationServiceStub(channel).Evaluate, PLY3, "depth"),
    "RankPlays": (
        lambda channel: v1.EvaluationServiceStub(channel).RankPlays,
        v1.RankPlaysRequest(position=SOURCE, dice=DICE, depth=v1.DEPTH_TRUNCATED_ROLLOUT),
        "depth",
    ),
    "ChoosePlay": (
        lambda channel: v1.BotServiceStub(channel).ChoosePlay,
        v1.ChoosePlayRequest(position=SOURCE, dice=DICE, level=v1.LEVEL_GRANDMASTER),
        "level",
    ),
    "ChooseCubeAction": (
        lambda channel: v1.BotServiceStub(channel).ChooseCubeAction,
        v1.ChooseCubeActionRequest(position=SOURCE, level=v1.LEVEL_GRANDMASTER),
        "level",
    ),
    "ChooseResignation": (
        lambda channel: v1.BotServiceStub(channel).ChooseResignation,
        v1.ChooseResignationRequest(position=SOURCE, level=v1.LEVEL_GRANDMASTER),
        "level",
    ),
    "Rollout": (
        lambda channel: v1.EvaluationServiceStub(channel).Rollout,
        v1.RolloutRequest(position=SOURCE, settings=v1.RolloutSettings(trials=36, depth=v1.DEPTH_PLY3)),
        "settings.depth",
    ),
}
"""For each method that looks deep how it is called, a request beyond PLY2, and the field that says so."""
TOO_LONG = v1.RolloutRequest(position=SOURCE)
"""The default number of trials."""
SHORT = v1.RolloutRequest(position=SOURCE, settings=v1.RolloutSettings(trials=36, truncate_after_plies=1))
WITHIN = (
    v1.ChoosePlayRequest(position=SOURCE, dice=DICE, level=v1.LEVEL_MASTER),
    v1.ChoosePlayRequest(position=SOURCE, dice=DICE, level=v1.LEVEL_HARD),
)


@pytest.fixture(scope="module")
def bounded() -> Iterator[grpc.Channel]:
    """Run a daemon whose settings hold requests off."""
    limits = {"deepest-depth": "PLY2", "most-trials": "100", "most-bulk-in-flight": "2"}
    with (
        running(*(word for name, value in limits.items() for word in (f"--limits.{name}", value))) as daemon,
        grpc.insecure_channel(daemon.address) as channel,
    ):
        yield channel


@pytest.fixture(scope="module")
def of_tokens(tmp_path_factory: pytest.TempPathFactory) -> Iterator[grpc.Channel]:
    """Run a daemon whose tokens hold requests off."""
    tokens = {
        "shallow": 'deepest_depth = "PLY2"\nmost_trials = 100',
        "impatient": "most_trials = 0",
        "rules": 'services = ["RulesService", "BulkService"]',
        "busy": "most_bulk_in_flight = 2",
        "free": "",
    }
    with guarded(tmp_path_factory.mktemp("tokens"), tokens) as channel:
        yield channel


def refusal(call: Callable[..., Any], request: Message, token: str = "") -> Refusal:
    """Make a call that must be refused, of whatever kind."""

    def made() -> object:
        answer = call(request, **called_by(token))
        return answer if isinstance(answer, Message) else list(answer)

    return refusal_of(made)


@pytest.mark.parametrize("method", BEYOND_PLY2)
def test_what_looks_deeper_than_the_settings_allow_is_refused_by_its_field(bounded: grpc.Channel, method: str) -> None:
    """However the depth is asked for."""
    call, request, field = BEYOND_PLY2[method]
    refused = refusal(call(bounded), request)
    assert (grpc.StatusCode.INVALID_ARGUMENT, "OUT_OF_RANGE", {field: "OUT_OF_RANGE"}) == (
        refused.code,
        refused.reason,
        refused.fields,
    )
    assert "at most DEPTH_PLY2 here" in refused.text


@pytest.mark.parametrize("method", BEYOND_PLY2)
def test_what_looks_deeper_than_the_token_allows_is_refused_by_its_field(of_tokens: grpc.Channel, method: str) -> None:
    """Another token's caller is not held off."""
    call, request, field = BEYOND_PLY2[method]
    refused = refusal(call(of_tokens), request, "shallow")
    assert (grpc.StatusCode.PERMISSION_DENIED, "TOKEN_LIMIT_EXCEEDED", {field: "TOKEN_LIMIT_EXCEEDED"}) == (
        refused.code,
        refused.reason,
        refused.fields,
    )
    assert "at most DEPTH_PLY2 with this token" in refused.text


def test_a_level_that_looks_deeper_than_the_settings_allow_is_listed_as_unavailable(bounded: grpc.Channel) -> None:
    """With the reason, so that no page offers what would be refused."""
    bots = v1.BotServiceStub(bounded).ListBots(v1.ListBotsRequest(), timeout=20).bots
    assert [v1.LEVEL_GRANDMASTER] == [bot.level for bot in bots if not bot.available]
    [bot] = (bot for bot in bots if not bot.available)
    expected = "It looks as deep as DEPTH_PLY3, and DEPTH_PLY2 is the most that is allowed here."
    assert (expected, False) == (bot.unavailable_because, bot.decides_cube)


def test_more_trials_than_allowed_are_refused(bounded: grpc.Channel, of_tokens: grpc.Channel) -> None:
    """The default counts as well, and a token may allow none at all."""
    for channel, token, expected, allowed in (
        (bounded, "", "OUT_OF_RANGE", "100 here"),
        (of_tokens, "shallow", "TOKEN_LIMIT_EXCEEDED", "100 with this token"),
        (of_tokens, "impatient", "TOKEN_LIMIT_EXCEEDED", "0 with this token"),
    ):
        refused = refusal(v1.EvaluationServiceStub(channel).Rollout, TOO_LONG, token)
        assert {"settings.trials": expected} == refused.fields
        assert f"1296; allowed: at most {allowed}" in refused.text


def test_what_is_within_the_bounds_is_answered(bounded: grpc.Channel, of_tokens: grpc.Channel) -> None:
    """By the level's depth and by the number of trials."""
    for channel, token in ((bounded, ""), (of_tokens, "shallow")):
        for request in WITHIN:
            assert v1.BotServiceStub(channel).ChoosePlay(request, **called_by(token)).play.notation
        assert list(v1.EvaluationServiceStub(channel).Rollout(SHORT, **called_by(token)))
    assert v1.EvaluationServiceStub(of_tokens).Evaluate(PLY3, **called_by("free")).stamp.depth == v1.DEPTH_PLY3


class Stream:
    """A Bulk stream on which a test sends and reads by turns."""

    def __init__(self, channel: grpc.Channel, token: str = "") -> None:
        """Open it."""
        self._asked: SimpleQueue[v1.BulkRequest | None] = SimpleQueue()
        self._call = v1.BulkServiceStub(channel).Process(iter(self._asked.get, None), **called_by(token))
        self._results = (result for response in self._call for result in response.results)

    def send(self, *items: v1.BulkItem) -> None:
        """Ask."""
        self._asked.put(v1.BulkRequest(items=items))

    def read(self, count: int) -> dict[int, str]:
        """Read so many answers: the reason of a failure, or nothing."""
        found = itertools.islice(self._results, count)
        return {each.id: reason(each.error) if each.HasField("error") else "" for each in found}

    def close(self) -> None:
        """Say that nothing more is asked, and wait for the end."""
        self._asked.put(None)
        assert grpc.StatusCode.OK == self._call.code()


def test_a_stream_has_no_more_requests_in_flight_than_the_settings_allow(bounded: grpc.Channel) -> None:
    """Each beyond is refused by itself; an answer makes room for another."""
    stream = Stream(bounded)
    stream.send(*(item(number, PIPS) for number in range(4)))
    assert {0: "", 1: "", 2: "ENGINE_BUSY", 3: "ENGINE_BUSY"} == stream.read(4)
    stream.send(item(2, PIPS))
    assert {2: ""} == stream.read(1)
    stream.close()


def test_a_token_has_no_more_requests_in_flight_than_it_allows_on_all_its_streams(of_tokens: grpc.Channel) -> None:
    """What is answered or cancelled on one makes room on another."""
    first, second = Stream(of_tokens, "busy"), Stream(of_tokens, "busy")
    first.send(item(1, DEEP), item(2, DEEP), item(3, PIPS))
    assert {3: "RATE_LIMITED"} == first.read(1)
    second.send(item(1, PIPS))
    assert {1: "RATE_LIMITED"} == second.read(1)
    first.send(cancel(1))
    assert {1: "CALLER_CANCELLED"} == first.read(1)
    second.send(item(1, PIPS))
    assert {1: ""} == second.read(1)
    first.send(cancel(2))
    assert {2: "CALLER_CANCELLED"} == first.read(1)
    second.send(item(1, PIPS), item(2, PIPS))
    assert {1: "", 2: ""} == second.read(2)
    first.close()
    second.close()


def test_a_stream_that_is_left_makes_room() -> None:
    """What still ends afterwards is not counted again."""
    caller = Caller(Token("busy", "", most_bulk_in_flight=2))
    calling.set(caller)
    gate = Gate(4000)
    gate.begin("count_pips")
    gate.begin("count_pips")
    with pytest.raises(CallFailed, match="2 Bulk requests"):
        gate.begin("count_pips")
    gate.close()
    gate.end()
    assert 0 == caller.bulk_in_flight


def test_a_bulk_request_is_held_to_what_its_own_service_and_depth_are(of_tokens: grpc.Channel) -> None:
    """A stream is no way round a token."""
    for token, request, expected in (
        ("rules", PIPS, "PERMISSION_DENIED"),
        ("rules", v1.StartGameRequest(), ""),
        ("shallow", PLY3, "TOKEN_LIMIT_EXCEEDED"),
        ("shallow", PIPS, ""),
    ):
        stream = Stream(of_tokens, token)
        stream.send(item(1, request))
        assert {1: expected} == stream.read(1)
        stream.close()


def test_the_settings_know_the_depths_and_trials_there_are() -> None:
    """They name them by themselves, for they must not load the engine."""
    assert [depth.name for depth in sorted(Depth)] == list(DEPTHS)
    assert Limits().most_trials == MOST_TRIALS
    assert Limits().most_bulk_in_flight == MOST_HELD
