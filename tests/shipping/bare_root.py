"""Bare Debian roots: a stand-in for the images that a Dockerfile begins with, and commands that run within.

What the stand-in for `python:3.13-slim-trixie` replaces: Debian's own `python3.13`, with a virtual environment at
`/usr/local` for its `python` and `pip`, and its headers, for the Python that the image has compiled for itself
there. The release of Debian, the version of Python and the absence of a compiler are the same.
"""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

KEPT = Path(__file__).parents[2] / "build" / "roots"
"""Where bare roots are kept between runs."""
BASE_ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
"""What the images set."""

# Python's headers alone, for the image has none of C, and within them what Debian keeps beside them.
_HEADERS = """
cd /tmp
apt-get update --quiet=2
apt-get download --quiet=2 lib{0}-dev
dpkg --extract lib{0}-dev_*.deb /
rm lib{0}-dev_*.deb
ln -s ../"$(uname -m)"-linux-gnu /usr/include/{0}
"""
_IMAGE = re.compile(r"python:(?P<python>\d+\.\d+)-slim-(?P<release>[a-z]+)\Z")
_ENTER = Path(__file__).with_name("enter.sh")
_PROXIES = ("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")


@dataclass(frozen=True, slots=True)
class Place:
    """How a command runs within a root."""

    root: Path
    environment: Mapping[str, str]
    folder: str = "/"
    user: str = "0:0"
    read_only: bool = False
    """Whether nothing can be written, not even in /tmp."""
    writable: tuple[str, ...] = ()
    """Folders that can be written all the same."""
    bound: tuple[Path, ...] = ()
    """Files and folders of this machine that are there as well, to be read."""

    def command(self, *words: str) -> list[str]:
        """Give the command that enters the root, within a new mount namespace, and becomes `words`."""
        variables = [f"{name}={value}" for name, value in {"HOME": self._home, **self.environment}.items()]
        mode = "ro" if self.read_only else "rw"
        bound = ":".join(map(str, self.bound))
        place = [str(self.root), mode, bound, ":".join(self.writable), self.user, self.folder]
        return ["sh", "-eu", str(_ENTER), *place, "env", "--ignore-environment", *variables, *words]

    @property
    def _home(self) -> str:
        """Give what container engines set: users without an entry have no home."""
        return "/root" if self.user.startswith("0:") else "/"


def bare_root(image: str) -> Path:
    """Give the root that stands in for an image, making it where it is not kept."""
    wanted = _IMAGE.match(image)
    assert wanted, f"no stand-in is known for {image}"
    root = KEPT / image.replace(":", "-")
    if root.exists():
        return root
    unfinished = root.with_suffix(".new")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    python = f"python{wanted['python']}"
    packages = f"{python}-venv,ca-certificates"
    run(["debootstrap", "--variant=minbase", f"--include={packages}", wanted["release"], str(unfinished), _mirror()])
    variables, files = network()
    place = Place(unfinished, {**variables, **BASE_ENVIRONMENT}, bound=files)
    for step in (f"{python} -m venv /usr/local", _HEADERS.format(python)):
        run(["unshare", "--mount", *place.command("sh", "-ec", step)])
    unfinished.rename(root)
    return root


def network() -> tuple[dict[str, str], tuple[Path, ...]]:
    """Give the variables and files that pip needs to fetch as this machine does, however it is set up."""
    variables = {name: os.environ[name] for name in _PROXIES if name in os.environ}
    files = {Path("/etc/resolv.conf"), Path("/etc/hosts")}
    listed = run([sys.executable, "-m", "pip", "config", "list"])
    # What the environment says comes last, for it wins.
    for line in sorted(listed.splitlines(), key=lambda line: line.startswith(":env:")):
        key, _, written = line.partition("=")
        value = str(ast.literal_eval(written))
        variables["PIP_" + key.rpartition(".")[2].replace("-", "_").upper()] = value
        # The pages of an index that is a folder point to the files beside it.
        files.update(Path(word[7:]).parent if word.startswith("file://") else Path(word) for word in value.split())
    return variables, tuple(sorted(file for file in files if file.is_absolute() and file.exists()))


def run(command: Sequence[str], **more: str) -> str:
    """Run a command and give what it prints; where it fails, the end of that is the failure."""
    done = subprocess.run(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        env={**os.environ, **more} if more else None,
    )
    assert 0 == done.returncode, f"{command[0]} ended with {done.returncode}:\n{done.stdout[-4000:]}"
    return done.stdout


def _mirror() -> str:
    """Give the place of Debian's packages that this machine has its own from."""
    listed = run(["apt-get", "indextargets", "--format", "$(REPO_URI) $(ORIGIN) $(CODENAME)", "Created-By: Packages"])
    mirrors = [line.split() for line in listed.splitlines() if line.count(" ") == 2]
    found = [uri for uri, origin, codename in mirrors if origin == "Debian" and "-" not in codename]
    assert found, "this machine has no apt source of Debian's; run apt-get update"
    return found[0]
