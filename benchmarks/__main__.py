"""Measure how fast everything is: `make bench`.

Every part is a module of this package whose `measure` gives figures, each beside its reference in
the same run. The figures go to build/bench.json, and with --publish to benchmarks/results.json and
into the tables of docs/performance.md and README.md. A part that this machine cannot measure says
what is missing, and is left out.
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module

from benchmarks import results
from benchmarks.results import CannotMeasure, Part

PARTS = {
    "kernel": "legal plays, Medium's value and Hard's search on one thread",
    "evaluation": "evaluations and rankings in process, beside bgsage",
    "evaluation_rpc": "evaluations and rankings over the wire, and how soon cancelled work ends",
    "profile_calls": "where the processor time of a call goes",
    "cluster": "rollouts on a cluster of one and two workers beside one process",
    "wire": "calls beside an empty echo, Bulk beside calls and the kernel",
    "load": "workers, too much load, rollouts beside calls, memory",
    "load_edge": "too much load at the web edge, which refuses it",
}
RUN = results.REPOSITORY / "build" / "bench.json"


def main() -> None:
    """Measure the parts that were asked for."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    listed = "; ".join(f"{name}: {what}" for name, what in PARTS.items())
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"all unless named. {listed}")
    parser.add_argument("--publish", action="store_true", help="write the figures that the pages show")
    parser.add_argument("--render", action="store_true", help="measure nothing, only write the pages' tables anew")
    arguments = parser.parse_args()
    if unknown := set(arguments.parts) - set(PARTS):
        parser.error(f"no such part: {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    if not arguments.render:
        for name in arguments.parts or PARTS:
            _measure(name, publish=arguments.publish)
    if arguments.publish or arguments.render:
        for page in results.PAGES:
            page.write_text(results.rendered(page.read_text(), results.read()))


def _measure(name: str, *, publish: bool) -> None:
    """Measure one part, print its table and write its figures."""
    print(f"\n{name}: {PARTS[name]}", flush=True)
    try:
        figures = import_module(f"benchmarks.{name}").measure()
    except CannotMeasure as missing:
        print(f"left out: {missing}", file=sys.stderr)
        return
    measured = {name: Part(f"make bench ARGS={name}", figures)}
    for file in (RUN, results.PUBLISHED) if publish else (RUN,):
        results.write(measured, file)
    print(results.table(f"{name}/*", measured))


if __name__ == "__main__":
    main()
