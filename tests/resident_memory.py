"""How much memory processes hold, from Linux's /proc."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path


def resident_megabytes(process: int) -> float:
    """Give the resident memory of a process and all its descendants."""
    total = 0.0
    children = set[int]()
    with suppress(FileNotFoundError, ProcessLookupError):  # whatever has ended meanwhile holds nothing
        status = Path(f"/proc/{process}/status").read_text()
        total += sum(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS:")) / 1024
        for thread in Path(f"/proc/{process}/task").iterdir():
            with suppress(FileNotFoundError, ProcessLookupError):
                children.update(map(int, (thread / "children").read_text().split()))
    return total + sum(map(resident_megabytes, children))
