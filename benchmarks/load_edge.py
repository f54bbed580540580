"""Measure three times the calls that the web edge lets in: those beyond are refused by Envoy, not by the daemon.

Sender, Envoy and daemon share the cores. The limit is what leaves the first two enough of them to send and refuse twice
as many calls.
"""

from __future__ import annotations

import argparse
from dataclasses import replace

from benchmarks import results
from benchmarks.load import HARD, LOAD_CLIENT, UNCACHED, daemon, saturate, withstood
from benchmarks.results import CannotMeasure, Figure, Part

WEB = ("--workers", "1", "--web", "--web.listen", "127.0.0.1:0", *UNCACHED)
SECONDS = 60.0
"""How long there is too much load: in less, what the limit lets in at once at first would be the slowest hundredth."""
SHARE = 0.4
"""The limit, of what can be answered through the edge: there HARD takes 230 µs of the daemon's time and 100 of Envoy's,
a refusal 16 of Envoy's, and each 45 of the sender's."""


def measure(seconds: float = SECONDS) -> list[Figure]:
    """Measure it, by HARD, with health asked through the edge as well.

    Raises:
        CannotMeasure: if the load client is not built.

    """
    if not LOAD_CLIENT.exists():
        raise CannotMeasure("the load client is not built; make load-client does that, with g++ and gRPC for C++")
    with daemon(*WEB) as running:
        through, past = (saturate(address, HARD)["ok_a_second"] for address in (running.web, running.address))
    most = round(SHARE * through)
    with daemon(*WEB, "--web.most-calls-a-second", str(most)) as running:
        limited = replace(HARD, name="HARD through a limited edge")
        figures = withstood(running, limited, seconds, address=running.web, health=running.web)
    return [
        Figure("HARD through the edge", through, "a second", "past it", past, through / past),
        Figure("limit of the edge", most, "a second", "what it can answer", through, most / through),
        *figures,
    ]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=SECONDS, help="of too much load (default: %(default)s)")
    figures = measure(parser.parse_args().seconds)
    print(results.table("load_edge/*", {"load_edge": Part("python -m benchmarks.load_edge", figures)}))


if __name__ == "__main__":
    main()
