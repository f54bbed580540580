"""Builds the daemon's wheel and brings a C++ compiler along where the machine has none.

A thin layer over scikit-build-core, which itself asks for CMake and Ninja where they are missing.
Where no C++ compiler is found, the ``ziglang`` wheel joins the build requirements and its Clang
compiles the kernel. A compiler that is on the path, or named in ``CXX``, is always preferred.
"""

import importlib.util
import os
import shutil
import stat
import sysconfig
from pathlib import Path

from scikit_build_core import build as scikit
from scikit_build_core.build import (
    build_sdist,
    get_requires_for_build_sdist,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "lacks_compiler",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

Settings = dict[str, list[str] | str] | None

COMPILERS = ("c++", "g++", "clang++")
ZIG_REQUIREMENT = "ziglang>=0.17"
# CMake looks for the archiver beside the compiler.
# Zig compiles for the very processor it runs on unless told otherwise; a later -march still wins.
ZIG_TOOLS = {
    "cc": "cc -mcpu=baseline",
    "c++": "c++ -mcpu=baseline",
    "ar": "ar",
    "ranlib": "ranlib",
}


def get_requires_for_build_wheel(config_settings: Settings = None) -> list[str]:
    """Return what the build of a wheel needs beyond ``build-system.requires``."""
    return scikit.get_requires_for_build_wheel(config_settings) + _compiler_requirement()


def get_requires_for_build_editable(config_settings: Settings = None) -> list[str]:
    """Return what an editable install needs beyond ``build-system.requires``."""
    return scikit.get_requires_for_build_editable(config_settings) + _compiler_requirement()


def build_wheel(
    wheel_directory: str,
    config_settings: Settings = None,
    metadata_directory: str | None = None,
) -> str:
    """Build a wheel into ``wheel_directory`` and return its file name."""
    _provide_compiler()
    return scikit.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(
    wheel_directory: str,
    config_settings: Settings = None,
    metadata_directory: str | None = None,
) -> str:
    """Build an editable wheel into ``wheel_directory`` and return its file name."""
    _provide_compiler()
    return scikit.build_editable(wheel_directory, config_settings, metadata_directory)


def lacks_compiler() -> bool:
    """Tell whether the machine has no C++ compiler of its own; on Windows CMake looks itself."""
    return os.name != "nt" and "CXX" not in os.environ and not any(map(shutil.which, COMPILERS))


def _compiler_requirement() -> list[str]:
    return [ZIG_REQUIREMENT] if lacks_compiler() else []


def _provide_compiler() -> None:
    """Point CMake at Zig's compiler and archiver where there is no other compiler.

    Raises:
        RuntimeError: Python's headers are missing, or both a compiler and ``ziglang`` are.

    """
    if not Path(sysconfig.get_path("include"), "Python.h").exists():
        raise RuntimeError("this Python has no headers: install them (Debian's package python3-dev)")
    if not lacks_compiler():
        return
    package = importlib.util.find_spec("ziglang")
    if package is None or package.origin is None:
        raise RuntimeError(f"no C++ compiler found: install one, or the package {ZIG_REQUIREMENT}")
    zig = Path(package.origin).with_name("zig")
    wrappers = Path("build/zig").absolute()
    wrappers.mkdir(parents=True, exist_ok=True)
    for tool, command in ZIG_TOOLS.items():
        wrapper = wrappers / tool
        wrapper.write_text(f'#!/bin/sh\nexec "{zig}" {command} "$@"\n', encoding="utf-8")
        wrapper.chmod(wrapper.stat().st_mode | stat.S_IXUSR)
    os.environ |= {"CC": str(wrappers / "cc"), "CXX": str(wrappers / "c++")}
