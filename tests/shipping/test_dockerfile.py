"""The Dockerfile's own steps give an image that answers, as nobody and with nothing to write to."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.shipping.conftest import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.shipping.dockerfile import Stage
    from tests.shipping.image import Container, Image

COMPILERS = {"as", "c++", "cc", "clang", "cmake", "cpp", "g++", "gcc", "ld", "make", "ninja", "rustc", "zig"}
OPENING_31 = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"
GLIBC = "2_40"
"""At most that of Debian trixie, 2.41; the resolver knows none that is newer."""


@pytest.fixture(scope="module")
def container(image: Image) -> Iterator[Container]:
    """Run the image as it is."""
    with image.running() as container:
        yield container


def test_it_runs_as_nobody(image: Image, container: Container) -> None:
    """A number, and it is the one the process has."""
    status = Path(f"/proc/{container.first_process}").stat()
    assert image.user == f"{status.st_uid}:{status.st_gid}"
    assert status.st_uid > 0


def test_nothing_can_be_written(container: Container) -> None:
    """Neither where the program lies nor where programs usually write."""
    for folder in ("/opt/bgbotd/cache", "/tmp", "/var/tmp"):  # noqa: S108 - to see that they cannot be used
        assert "Read-only file system" in container.run("touch", f"{folder}/file").stderr


def test_it_answers_a_hard_move(container: Container) -> None:
    """The client that comes with it asks the address that both use unless told otherwise."""
    answer = container.run("python", "-m", "bgbot", "choose", OPENING_31, "--level", "hard")
    assert (0, "8/5 6/5") == (answer.returncode, answer.stdout.strip()), answer.stderr


def test_its_engine_evaluates(container: Container) -> None:
    """From its own processes, which have nothing to write to either."""
    answer = container.run("python", "-m", "bgbot", "evaluate", OPENING_31.replace(":31:", ":00:"), "--depth", "ply2")
    assert "by bgsage" in answer.stdout, answer.stderr


def test_its_health_check_passes(image: Image, container: Container) -> None:
    """And would not, were nobody there."""
    assert 0 == container.run(*image.health_check).returncode
    elsewhere = ["env", "BGBOTD_HEALTH_LISTEN=127.0.0.1:1", *image.health_check]
    assert 1 == container.run(*elsewhere).returncode


def test_it_brings_the_bear_off_table(container: Container) -> None:
    """Nothing is computed anew at each start."""
    examined = container.run("bgbotd", "doctor", "--listen", "127.0.0.1:0", "--health-listen", "").stdout
    assert re.search(r"^ok +bear-off", examined, re.MULTILINE), examined
    assert "BAD" not in examined


def test_no_compiler_is_in_it(image: Image) -> None:
    """Neither Debian's nor the one that the build stage brings, nor what drives them."""
    files = [path for folder in ("usr", "opt") for path in (image.root / folder).rglob("*") if not path.is_dir()]
    assert set() == COMPILERS & {path.name for path in files if path.is_symlink() or os.access(path, os.X_OK)}
    assert not [path for path in files if re.search(r"ziglang|nanobind|scikit.build", str(path))]


def test_it_says_what_it_is_and_where_it_listens(image: Image) -> None:
    """By the keys that registries read."""
    prefix = "org.opencontainers.image."
    assert ("bgbotd", "MIT") == (image.labels[f"{prefix}title"], image.labels[f"{prefix}licenses"])
    [port] = image.ports
    assert f"0.0.0.0:{port}" == image.arguments[image.arguments.index("--listen") + 1]


def test_as_process_1_it_drains_on_sigterm(image: Image) -> None:
    """With workers of its own it ends as well as without."""
    for workers in ("1", "2"):
        with image.running(*image.arguments, "--workers", workers) as container:
            os.kill(container.first_process, signal.SIGTERM)
            assert "stopped" == container.daemon.rest_of_log()[-1]["event"]
            assert 0 == container.daemon.process.wait(timeout=60)


def test_with_a_folder_for_temporary_files_it_serves_json_too(image: Image) -> None:
    """By the Envoy that it brings along."""
    ask = (
        "import sys, urllib.request as u; r = u.Request('http://127.0.0.1:8080/v1/evaluation:countPips', sys.argv[1]"
        ".encode(), {'content-type': 'application/json'}); print(u.urlopen(r, timeout=20).read().decode())"
    )
    with image.running(*image.arguments, "--web", writable=("/tmp",)) as container:  # noqa: S108 - of the container
        answer = container.run("python", "-c", ask, json.dumps({"position": {"xgid": OPENING_31}}))
        assert 167 == json.loads(answer.stdout)["playerPips"], answer.stderr


@pytest.mark.parametrize("lock", ["runtime.txt", "build.txt"])
def test_for_arm64_there_are_wheels_of_everything(lock: str, tmp_path: Path, dockerfile: list[Stage]) -> None:
    """Nobody has run it there; nothing would have to be compiled but the kernel, by the compiler that comes along."""
    [python] = {re.findall(r"python:([0-9.]+)-slim-trixie", stage.base)[0] for stage in dockerfile}
    resolve = [
        *(str(Path(sys.executable).with_name("uv")), "pip", "install", "--dry-run", "--only-binary", ":all:"),
        *("--python-platform", f"aarch64-manylinux_{GLIBC}", "--python-version", python, "--target", str(tmp_path)),
        *("--require-hashes", "--requirement", str(ROOT / "requirements" / lock)),
    ]
    resolved = subprocess.run(resolve, capture_output=True, text=True, timeout=100, check=False)
    assert 0 == resolved.returncode, resolved.stderr
    assert "bgsage" not in resolved.stderr
