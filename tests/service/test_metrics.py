"""What Prometheus gets to see."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from pathlib import Path

import grpc
import pytest
from bgbot import position_source, v1
from prometheus_client.parser import text_string_to_metric_families

BGBOTD = str(Path(sys.executable).with_name("bgbotd"))


def scrape(address: str) -> dict[str, float]:
    """Read every sample, by its name and the values of its labels."""
    with urllib.request.urlopen(f"http://{address}/metrics", timeout=10) as answer:
        text = answer.read().decode()
    return {
        " ".join([sample.name, *sample.labels.values()]): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_calls_and_the_engines_cache_are_counted() -> None:
    """A call is counted by method and code, and an evaluation asked for twice is a hit of the cache."""
    command = [BGBOTD, "serve", "--listen", "127.0.0.1:0", "--metrics-listen", "127.0.0.1:0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        serving = json.loads(process.stderr.readline())
        with grpc.insecure_channel(serving["listen"]) as channel:
            stub = v1.EvaluationServiceStub(channel)
            for _ in range(2):
                stub.Evaluate(v1.EvaluateRequest(position=position_source(), depth=v1.DEPTH_PLY2), timeout=20)
        samples = scrape(serving["metrics"])
        process.terminate()
        process.stderr.read()
        assert 0 == process.wait(timeout=30)
    assert 2 == samples["bgbotd_calls_total OK /bgbot.v1.EvaluationService/Evaluate"]
    assert 2 == samples["bgbotd_call_seconds_count PLY2 /bgbot.v1.EvaluationService/Evaluate"]
    assert 0 < samples["bgbotd_engine_seconds_total"]
    assert {"engine": 0, "rollout": 0, "bulk": 0} == {
        name.partition(" ")[2]: value for name, value in samples.items() if name.startswith("bgbotd_in_flight ")
    }
    assert any(name.startswith("bgbotd_build_info ") for name in samples)
    assert (1, 1) == (
        samples["bgbotd_cache_lookups_total evaluations hit"],
        samples["bgbotd_cache_lookups_total evaluations miss"],
    )
    assert (1, 0, 0) == (
        samples["bgbotd_engine_up"],
        samples["bgbotd_engine_waiting"],
        samples["bgbotd_engine_workers abandoned"],
    )


@pytest.mark.parametrize(
    ("name", "labels"),
    [
        ("bgbotd_calls_total", {"method": "/bgbot.v1.BotService/ChoosePlay", "code": "OK"}),
        ("bgbotd_call_seconds_count", {"method": "/bgbot.v1.EvaluationService/Rollout", "level": "STATIC"}),
        ("bgbotd_call_seconds_count", {"method": "/bgbot.v1.BotService/ChoosePlay", "level": "HARD"}),
        ("bgbotd_engine_wait_seconds_count", {"method": "/bgbot.v1.EvaluationService/Evaluate", "level": "PLY2"}),
        ("bgbotd_engine_work_seconds_count", {"method": "/bgbot.v1.EvaluationService/Rollout", "level": "STATIC"}),
        ("bgbotd_refusals_total", {"method": "/bgbot.v1.EvaluationService/Evaluate", "reason": "DEPTH_UNSPECIFIED"}),
        ("bgbotd_bulk_items_total", {"kind": "choose_play", "code": "OK"}),
        ("bgbotd_bulk_items_total", {"kind": "count_pips", "code": "INVALID_ARGUMENT"}),
    ],
)
def test_what_was_done_once_is_counted_once(metrics_text: str, name: str, labels: dict[str, str]) -> None:
    """By method and level or depth, those of rollouts and Bulk requests as well; by one of the workers."""
    counts = [
        sample.value
        for family in text_string_to_metric_families(metrics_text)
        for sample in family.samples
        if sample.name == name and labels.items() <= sample.labels.items()
    ]
    assert [1] == counts


def test_a_taken_metrics_port_is_a_loud_error(daemon: str) -> None:
    """What cannot be scraped must not look as if it could."""
    command = [BGBOTD, "serve", "--listen", "127.0.0.1:0", "--metrics-listen", daemon]
    failed = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert 1 == failed.returncode
    assert f"cannot serve metrics on {daemon}" in failed.stderr
