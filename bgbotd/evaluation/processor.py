"""Whether this machine's processor can run the engine, asked before loading it.

The engine's builds for x86-64 use AVX2 without asking; on a processor without it the process
would be killed.
"""

from __future__ import annotations

import ctypes
import platform
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_WINDOWS_AVX2_AVAILABLE = 40
"""PF_AVX2_INSTRUCTIONS_AVAILABLE of processthreadsapi.h."""


def why_unable() -> str | None:
    """Say in one line why this processor cannot run the engine; None if it can."""
    if platform.machine().lower() not in {"x86_64", "amd64"} or _HAS_AVX2[platform.system()]():
        return None
    return "the engine bgsage needs a processor with AVX2, and this one has none"


def lists_avx2(cpuinfo: str) -> bool:
    """Tell whether every processor in the text of Linux's /proc/cpuinfo has AVX2."""
    flags = [line.partition(":")[2].split() for line in cpuinfo.splitlines() if line.startswith("flags")]
    return bool(flags) and all("avx2" in of_one for of_one in flags)


def _linux_has_avx2() -> bool:
    return lists_avx2(Path("/proc/cpuinfo").read_text())


def _macos_has_avx2() -> bool:
    features = subprocess.run(
        ["/usr/sbin/sysctl", "-n", "machdep.cpu.leaf7_features"], capture_output=True, text=True, check=False
    )
    return "AVX2" in features.stdout.split()


def _windows_has_avx2() -> bool:
    kernel32 = getattr(ctypes, "windll").kernel32  # noqa: B009 - the type checker knows it on Windows only
    return bool(kernel32.IsProcessorFeaturePresent(_WINDOWS_AVX2_AVAILABLE))


_HAS_AVX2: dict[str, Callable[[], bool]] = {
    "Linux": _linux_has_avx2,
    "Darwin": _macos_has_avx2,
    "Windows": _windows_has_avx2,
}
