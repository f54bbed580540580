"""The folder that a daemon and its Envoy share, which is taken away even where the daemon could not do so itself."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_PREFIX = "bgbotd-edge-"


@contextmanager
def own_folder() -> Iterator[Path]:
    """Give a folder that nobody else can look into; those of daemons that were killed are taken away.

    Its owner holds a lock on it, which ends with the owner however that ends: a process id could be another's by
    then, or one of another container that shares the folder for temporary files.
    """
    for left in Path(tempfile.gettempdir()).glob(_PREFIX + "*"):
        _remove_if_left(left)
    while True:
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
        with suppress(FileNotFoundError):  # somebody who starts as well has taken it for one that was left
            held = _locked(folder, wait=True)
            if folder.exists():
                break
            os.close(held)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(held)


def _remove_if_left(folder: Path) -> None:
    """Remove a folder of ours that nobody holds."""
    with suppress(OSError):
        held = _locked(folder, wait=False)
        if os.fstat(held).st_uid == os.geteuid():
            shutil.rmtree(folder, ignore_errors=True)
        os.close(held)


def _locked(folder: Path, *, wait: bool) -> int:
    """Lock a folder until what is given is closed.

    Raises:
        OSError: if it is none, or somebody else has locked it and is not waited for.

    """
    import fcntl  # noqa: PLC0415 - Windows has none, and no Envoy

    held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        os.close(held)
        raise
    return held
