"""The calls a second that the edge lets in, and what those are told who come beyond them."""

from __future__ import annotations

import base64
import json
from itertools import count, takewhile
from typing import TYPE_CHECKING

import grpc
import pytest
from bgbot import position_source, v1
from google.protobuf.json_format import MessageToDict
from google.rpc.code_pb2 import Code
from google.rpc.error_details_pb2 import ErrorInfo, RetryInfo
from google.rpc.status_pb2 import Status
from grpc_health.v1 import health_pb2
from grpc_status import rpc_status

from bgbotd.config import Settings, Web
from bgbotd.web import bootstrap
from tests.service.running import running
from tests.web.asking import START, ask
from tests.web.conftest import ALLOWED
from tests.web.own_envoy import problems, write
from tests.web.test_grpc_web import call
from tests.web.test_json import ROLLOUT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from typing import Any

    from tests.service.running import Running
    from tests.web.asking import Answer

COUNT_PIPS = v1.CountPipsRequest(position=position_source())
BURST = 10
"""Calls that may come at once, where only few may come in a second."""


@pytest.fixture(scope="module")
def daemon() -> Iterator[Running]:
    """Run a daemon whose edge lets in one call a second."""
    web = ("--web", "--web.listen", "127.0.0.1:0", "--web.most-calls-a-second", "1", "--web.origins", ALLOWED)
    with running(*web, "--metrics-listen", "127.0.0.1:0") as started:
        yield started


@pytest.fixture(scope="module")
def channel(daemon: Running) -> Iterator[grpc.Channel]:
    """Speak gRPC with the edge."""
    with grpc.insecure_channel(daemon.serving["web"]) as opened:
        yield opened


@pytest.fixture(scope="module")
def let_in(channel: grpc.Channel) -> int:
    """Call until a call is refused, and give how many were answered before."""
    stub = v1.EvaluationServiceStub(channel)
    return sum(1 for _ in takewhile(lambda _: by_grpc(stub.CountPips, COUNT_PIPS) is None, count()))


def refused(ask_once: Callable[[], Status | None]) -> Status:
    """Ask until it is refused: a call is let in again after a second."""
    return next(status for status in (ask_once() for _ in count()) if status is not None)


def by_grpc(method: Callable[..., Any], request: object) -> Status | None:
    """Call by gRPC, and give how it has failed."""
    try:
        answer = method(request, timeout=20)
        if isinstance(answer, grpc.RpcContext):  # a stream's
            list(answer)  # type: ignore[call-overload] # it has messages as well
    except grpc.RpcError as error:
        status: Status | None = rpc_status.from_call(error)  # type: ignore[arg-type] # it is a call as well
        return status
    return None


def by_grpc_web(web: str) -> Status | None:
    """Call as pages do, and give how it has failed."""
    messages, trailers = call(web, "EvaluationService/CountPips", COUNT_PIPS)
    if messages:
        return None
    encoded = trailers["grpc-status-details-bin"]
    status = Status.FromString(base64.b64decode(encoded + "=" * (-len(encoded) % 4)))
    assert (str(status.code), status.message) == (trailers["grpc-status"], trailers["grpc-message"])
    return status


def in_json(web: str, path: str, origin: str = "") -> Answer:
    """Call in JSON until that is refused."""
    asked = {"position": START, "settings": {"trials": 36}} if path == ROLLOUT else {"position": START}
    answers = (ask(web, path, asked, {"origin": origin} if origin else {}) for _ in count())
    return next(answer for answer in answers if answer.status != 200)


def test_a_burst_is_let_in(let_in: int) -> None:
    """A page that opens asks more than once; a call more if the burst has taken a second."""
    assert BURST <= let_in <= 2 * BURST


@pytest.mark.usefixtures("let_in")
def test_who_comes_beyond_it_is_told_so_as_by_the_daemon(channel: grpc.Channel) -> None:
    """Code, reason and when to come again, by calls of each kind."""
    evaluation, bulk = v1.EvaluationServiceStub(channel), v1.BulkServiceStub(channel)
    settings = v1.RolloutSettings(trials=36, truncate_after_plies=1)
    rollout = v1.RolloutRequest(position=position_source(), settings=settings)
    told = [
        refused(lambda: by_grpc(evaluation.CountPips, COUNT_PIPS)),
        refused(lambda: by_grpc(evaluation.Rollout, rollout)),
        refused(lambda: by_grpc(bulk.Process, iter([v1.BulkRequest()]))),
    ]
    assert told == [told[0]] * 3
    info, retry = ErrorInfo(), RetryInfo()
    assert [True, True] == [told[0].details[0].Unpack(info), told[0].details[1].Unpack(retry)]
    assert (Code.RESOURCE_EXHAUSTED, "RATE_LIMITED", "bgbot") == (told[0].code, info.reason, info.domain)
    assert (1, 2) == (retry.retry_delay.seconds, len(told[0].details))
    assert "All callers of this address together may begin 1 call a second." == told[0].message


@pytest.mark.usefixtures("let_in")
def test_all_forms_of_a_call_are_told_the_same(daemon: Running, channel: grpc.Channel) -> None:
    """One limit for them all, and a program needs to know one refusal only."""
    web = daemon.serving["web"]
    status = refused(lambda: by_grpc(v1.EvaluationServiceStub(channel).CountPips, COUNT_PIPS))
    assert status == refused(lambda: by_grpc_web(web))
    for path in ("/v1/evaluation:countPips", ROLLOUT):
        answer = in_json(web, path)
        assert (429, "application/json") == (answer.status, answer.headers["content-type"])
        assert MessageToDict(status) == answer.json


@pytest.mark.usefixtures("let_in")
def test_pages_of_allowed_origins_may_read_why(daemon: Running) -> None:
    """Without the header a browser would say only that it could not call."""
    answer = in_json(daemon.serving["web"], "/v1/evaluation:countPips", ALLOWED)
    assert ALLOWED == answer.headers["access-control-allow-origin"]


@pytest.mark.usefixtures("let_in")
def test_health_and_pages_are_never_refused(daemon: Running, channel: grpc.Channel) -> None:
    """They cost next to nothing, and whoever asks needs to know."""
    web = daemon.serving["web"]
    kinds = health_pb2.HealthCheckRequest.SerializeToString, health_pb2.HealthCheckResponse.FromString
    check = channel.unary_unary("/grpc.health.v1.Health/Check", *kinds)
    watch = channel.unary_stream("/grpc.health.v1.Health/Watch", *kinds)
    asked = health_pb2.HealthCheckRequest(service="bgbot.v1.BotService")
    serving = health_pb2.HealthCheckResponse.SERVING
    assert [serving] * 3 * BURST == [check(asked, timeout=20).status for _ in range(3 * BURST)]
    news = watch(asked, timeout=20)
    assert serving == next(news).status
    news.cancel()
    for path in ("/healthz", "/", "/openapi.json"):
        assert {200} == {ask(web, path).status for _ in range(2 * BURST)}


@pytest.mark.usefixtures("let_in")
def test_refusals_are_counted(daemon: Running) -> None:
    """The daemon never hears of them, and tells them all the same."""
    metrics = ask(daemon.serving["metrics"], "/metrics").body.decode()
    [counted] = [line.split()[1] for line in metrics.splitlines() if line.startswith("bgbotd_web_refusals_total ")]
    assert float(counted) >= 1


def test_without_a_limit_nothing_is_limited() -> None:
    """That is the default."""
    assert "ratelimit" not in json.dumps(bootstrap(Settings()))


@pytest.mark.parametrize(
    ("most", "at_once", "fill", "interval"),
    [
        (1, 10, 1, 1),
        (20, 10, 1, 0.05),
        (30, 10, 2, 1 / 15),
        (5_000, 500, 250, 0.05),
        (1_000_000, 100_000, 50_000, 0.05),
    ],
)
def test_a_bucket_of_a_tenth_of_a_second_is_filled_as_often_as_envoy_can(
    tmp_path: Path, most: int, at_once: int, fill: int, interval: float
) -> None:
    """Twenty times a second, in whole calls; Envoy has nothing against it."""
    configuration = bootstrap(Settings(web=Web(most_calls_a_second=most)))
    [listener] = configuration["static_resources"]["listeners"]
    filters = listener["filter_chains"][0]["filters"][0]["typed_config"]["http_filters"]
    [limit] = [each["typed_config"] for each in filters if each["name"] == "envoy.filters.http.local_ratelimit"]
    bucket = limit["token_bucket"]
    assert (at_once, fill) == (bucket["max_tokens"], bucket["tokens_per_fill"])
    assert interval == pytest.approx(float(bucket["fill_interval"].removesuffix("s")))
    assert "" == problems(write(configuration, tmp_path))
