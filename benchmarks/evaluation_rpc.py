"""Evaluate over gRPC beside the same call in process, in turns in one run.

Every position is asked for once, so that no cache answers. Prints medians in milliseconds and what the
way over the wire adds.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

from bgbot import Client, v1

from bgbotd.bots import MEDIUM
from bgbotd.bots.contest import rolls
from bgbotd.evaluation import Depth, Evaluator
from bgbotd.rules import STARTING_POSITION, MatchState, Position
from bgbotd.service import render

CALLS = {Depth.STATIC: 1000, Depth.PLY2: 200, Depth.PLY3: 40}


def positions(count: int) -> list[Position]:
    """Give positions with contact from games that Medium plays with itself."""
    found: list[Position] = []
    position = STARTING_POSITION
    for dice in rolls(3):
        position = MEDIUM.choose_play(position, dice).play.result.mirrored()
        if position.is_race():
            position = STARTING_POSITION
        elif position not in found:
            found.append(position)
        if len(found) == count:
            break
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="machine-readable output")
    arguments = parser.parse_args()
    command = [str(Path(sys.executable).with_name("bgbotd")), "serve", "--listen", "127.0.0.1:0", "--log-level", "info"]
    figures = {}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as daemon:
        assert daemon.stderr is not None  # noqa: S101 - a pipe was asked for
        address = json.loads(daemon.stderr.readline())["listen"]
        evaluator = Evaluator()
        with Client(address) as client:
            for depth, count in CALLS.items():
                figures[depth.name] = _compare(client, evaluator, depth, positions(count))
        evaluator.close()
        daemon.terminate()
        daemon.stderr.read()
    if arguments.json:
        print(json.dumps(figures))
        return
    print(f"{'':<8}{'gRPC, ms':>10}{'here, ms':>10}{'added, ms':>10}{'times':>8}")
    for name, (over_wire, in_process) in figures.items():
        added = over_wire - in_process
        print(f"{name:<8}{over_wire:>10.3f}{in_process:>10.3f}{added:>10.3f}{over_wire / in_process:>8.2f}")


def _compare(client: Client, evaluator: Evaluator, depth: Depth, asked: list[Position]) -> tuple[float, float]:
    """Give the median milliseconds of a call over gRPC and in process."""
    over_wire, in_process = [], []
    for position in asked:
        request = v1.EvaluateRequest(
            position=v1.PositionSource(position=render.position(position)),
            depth=v1.Depth.Value(f"DEPTH_{depth.name}"),
        )
        started = time.perf_counter()
        client.evaluation.Evaluate(request)
        between = time.perf_counter()
        evaluator.evaluate(position, MatchState(), depth).result()
        over_wire.append(between - started)
        in_process.append(time.perf_counter() - between)
    return 1000 * statistics.median(over_wire), 1000 * statistics.median(in_process)


if __name__ == "__main__":
    main()
