"""`bgbotd-conformance`: hold an implementation of `bgbot.v1` against the contract's answers."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path  # noqa: TC003 - cyclopts reads the annotations
from typing import Annotated

import cyclopts
import grpc

from bgbotd.conformance import report
from bgbotd.conformance.cases import FOLDER, read_cases
from bgbotd.conformance.examination import examine
from bgbotd.conformance.peer import Peer

app = cyclopts.App(name="bgbotd-conformance", version_flags=())


@app.default
def conformance(
    *,
    address: str = "127.0.0.1:50051",
    area: Annotated[tuple[str, ...], cyclopts.Parameter(negative="")] = (),
    root_certificates: Path | None = None,
    cases: Annotated[Path, cyclopts.Parameter(show_default=False)] = FOLDER,
    as_json: Annotated[bool, cyclopts.Parameter(name="--json", negative="")] = False,
) -> int:
    """Hold a running implementation of bgbot.v1 against the answers that the contract demands.

    A token goes with every call where BGBOT_TOKEN is set. The exit status is 0 if all cases conform,
    1 if some do not, 2 if nobody answers there or nothing could be compared.

    Args:
        address: HOST:PORT of the implementation.
        area: only these areas; may be given several times.
        root_certificates: PEM file of the authorities to trust, for TLS.
        cases: folder of the cases, by default those that come with the program.
        as_json: write the report as JSON.

    """
    options = [("grpc.max_receive_message_length", -1)]
    try:
        chosen = list(read_cases(cases, area))
        with (
            grpc.secure_channel(address, grpc.ssl_channel_credentials(root_certificates.read_bytes()), options)
            if root_certificates
            else grpc.insecure_channel(address, options)
        ) as channel:
            grpc.channel_ready_future(channel).result(timeout=5)
            peer = Peer(channel, os.environ.get("BGBOT_TOKEN"))
            findings = list(examine(peer, chosen))
    except grpc.FutureTimeoutError:
        sys.stderr.write(f"bgbotd-conformance: nobody answers at {address}\n")
        return 2
    except (OSError, ValueError) as wrong:  # a TimeoutError of the examination too
        sys.stderr.write(f"bgbotd-conformance: {wrong}\n")
        return 2
    text = json.dumps(report.as_json(findings), indent=1) if as_json else "\n".join(report.lines(findings))
    sys.stdout.write(f"{text}\n")
    if all(finding.left_out for finding in findings):
        return 2
    return 1 if any(finding.problems for finding in findings) else 0


def main() -> None:
    """Run the command line."""
    sys.exit(app())


if __name__ == "__main__":
    main()
