"""What processes and their descendants hold, from Linux's /proc."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

_GONE = (FileNotFoundError, ProcessLookupError)
"""Whatever has ended meanwhile holds nothing."""


def family(process: int) -> list[int]:
    """Give a process and all its descendants."""
    children = set[int]()
    with suppress(*_GONE):
        for thread in Path(f"/proc/{process}/task").iterdir():
            with suppress(*_GONE):
                children.update(map(int, (thread / "children").read_text().split()))
    return [process, *(each for child in sorted(children) for each in family(child))]


def resident_megabytes(process: int) -> float:
    """Give the resident memory of a process and all its descendants."""
    return sum(map(_resident_kilobytes, family(process))) / 1024


def open_files(process: int) -> int:
    """Count the files and sockets that a process and all its descendants have open."""
    return sum(map(_open_files, family(process)))


def open_sockets(process: int) -> int:
    """Count the sockets among them."""
    count = 0
    for each in family(process):
        with suppress(*_GONE):
            for file in Path(f"/proc/{each}/fd").iterdir():
                with suppress(*_GONE):
                    count += str(file.readlink()).startswith("socket:")
    return count


def _resident_kilobytes(process: int) -> int:
    """Give the resident memory of one process."""
    with suppress(*_GONE):
        status = Path(f"/proc/{process}/status").read_text()
        return sum(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS:"))
    return 0


def _open_files(process: int) -> int:
    """Count those of one process."""
    with suppress(*_GONE):
        return len(list(Path(f"/proc/{process}/fd").iterdir()))
    return 0
