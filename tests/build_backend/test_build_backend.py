"""Which compiler builds the kernel."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sysconfig
from typing import TYPE_CHECKING

import pytest
from scikit_build_core import build as scikit

from build_backend import build_backend

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make an empty directory the whole search path, and name no compiler."""
    monkeypatch.setenv("PATH", str(tmp_path))
    for variable in ("CC", "CXX"):
        monkeypatch.setenv(variable, "")
        monkeypatch.delenv(variable)
    return tmp_path


def add_program(directory: Path, name: str) -> None:
    """Put an executable that does nothing into a directory."""
    program = directory / name
    program.write_text("#!/bin/sh\n", encoding="ascii")
    program.chmod(0o755)


@pytest.mark.parametrize("requirements", ["get_requires_for_build_wheel", "get_requires_for_build_editable"])
def test_zig_is_required_where_there_is_no_compiler(path: Path, requirements: str) -> None:
    """A machine without a compiler gets one from the package index."""
    assert path.is_dir()
    assert build_backend.ZIG_REQUIREMENT in getattr(build_backend, requirements)()


@pytest.mark.parametrize("name", build_backend.COMPILERS)
def test_compiler_on_the_path_is_preferred(path: Path, name: str) -> None:
    """Any of the usual names will do."""
    add_program(path, name)
    assert build_backend.ZIG_REQUIREMENT not in build_backend.get_requires_for_build_wheel()


def test_named_compiler_is_preferred(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """CXX decides, even where its program is not on the path."""
    assert path.is_dir()
    monkeypatch.setenv("CXX", "/opt/compiler/c++")
    assert build_backend.ZIG_REQUIREMENT not in build_backend.get_requires_for_build_wheel()


def test_wheel_without_compiler_is_built_by_zig(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """CMake is pointed at wrappers that hand their arguments to Zig."""
    package = path / "ziglang"
    package.mkdir()
    (package / "__init__.py").touch()
    add_program(package, "zig")
    (package / "zig").write_text('#!/bin/sh\necho "$@"\n', encoding="ascii")
    monkeypatch.syspath_prepend(path)
    monkeypatch.chdir(path)
    compilers: list[str] = []

    def build_wheel(*_: object) -> str:
        compilers.extend(
            subprocess.run([os.environ[variable], "a b"], capture_output=True, text=True, check=True).stdout
            for variable in ("CC", "CXX")
        )
        return "wheel"

    monkeypatch.setattr(scikit, "build_wheel", build_wheel)
    assert "wheel" == build_backend.build_wheel("wheels")
    assert ["cc -mcpu=baseline a b\n", "c++ -mcpu=baseline a b\n"] == compilers


def test_missing_headers_are_named(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python without its headers is refused in one sentence, before CMake's pages."""
    monkeypatch.setattr(sysconfig, "get_path", lambda _: str(path))
    with pytest.raises(RuntimeError, match="no headers"):
        build_backend.build_wheel("wheels")


def test_missing_zig_is_named(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A build without isolation says what it lacks."""
    assert path.is_dir()
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(RuntimeError, match="no C\\+\\+ compiler found"):
        build_backend.build_editable("wheels")
