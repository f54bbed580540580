"""Builds an image as a Dockerfile says, each stage in a bare root, and runs it in namespaces of its own."""

from __future__ import annotations

import shutil
import subprocess
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from string import Template
from typing import TYPE_CHECKING

from docker.utils.build import exclude_paths

from tests.service.running import Running
from tests.shipping.bare_root import BASE_ENVIRONMENT, Place, bare_root, network, run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.shipping.dockerfile import Instruction, Stage

_OWN_NAMESPACES = ("unshare", "--mount", "--net", "--pid", "--fork", "--kill-child")


@dataclass(slots=True)
class Image:
    """A root, and what an image says beside it."""

    root: Path
    environment: dict[str, str] = field(default_factory=lambda: dict(BASE_ENVIRONMENT))
    folder: str = "/"
    user: str = "0:0"
    entry: list[str] = field(default_factory=list)
    arguments: list[str] = field(default_factory=list)
    health_check: list[str] = field(default_factory=list)
    labels: dict[str, str] = field(default_factory=dict)
    ports: list[str] = field(default_factory=list)

    @contextmanager
    def running(self, *arguments: str, writable: tuple[str, ...] = ()) -> Iterator[Container]:
        """Run it with its own arguments or others, on a read-only root, with a network that is only itself."""
        place = Place(self.root, self.environment, self.folder, self.user, read_only=True, writable=writable)
        loopback = ["sh", "-c", 'ip link set lo up && exec "$@"', "sh"]
        command = [*_OWN_NAMESPACES, *loopback, *place.command(*self.entry, *(arguments or self.arguments))]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
            try:
                yield Container(self, Running(process), process.pid)
            finally:
                process.kill()  # and with it, all within


@dataclass(frozen=True, slots=True)
class Container:
    """A running image."""

    image: Image
    daemon: Running
    outside: int
    """The process that waits for it."""

    @property
    def first_process(self) -> int:
        """Give the number of its process 1, as seen from without."""
        return int(Path(f"/proc/{self.outside}/task/{self.outside}/children").read_text())

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a command within, as `docker exec` does."""
        user, _, group = self.image.user.partition(":")
        variables = [f"{name}={value}" for name, value in self.image.environment.items()]
        inside = ["nsenter", f"--target={self.first_process}", "--mount", "--net", "--pid", "--root", "--wd"]
        inside += [f"--setuid={user}", f"--setgid={group}", "env", "--ignore-environment", *variables]
        return subprocess.run([*inside, *words], capture_output=True, text=True, timeout=30, check=False)


def build(stages: list[Stage], context: Path, folder: Path) -> Image:
    """Take every step of every stage, and give the last one's image."""
    built: dict[str | None, Image] = {}
    image = None
    for number, stage in enumerate(stages):
        image = Image(folder / str(number))
        run(["cp", "--archive", "--reflink=auto", str(bare_root(stage.base)), str(image.root)])
        for instruction in stage.instructions:
            _take(instruction, image, context, built)
        built[stage.name] = image
    assert image is not None
    return image


def _take(instruction: Instruction, image: Image, context: Path, built: dict[str | None, Image]) -> None:
    """Take one step."""
    match instruction.name:
        case "RUN":
            variables, files = network()
            place = Place(image.root, {**variables, **image.environment}, image.folder, image.user, bound=files)
            run(["unshare", "--mount", *place.command("/bin/sh", "-c", instruction.value)])
        case "COPY" if "from" in instruction.flags:
            *sources, target = instruction.words
            _copy([_within(built[instruction.flags["from"]], source) for source in sources], _within(image, target))
        case "COPY":
            _copy_from_context(instruction.words, image, context)
        case "WORKDIR":
            image.folder = instruction.value
            _within(image, instruction.value).mkdir(parents=True, exist_ok=True)
        case _:
            _say(instruction, image)


def _say(instruction: Instruction, image: Image) -> None:
    """Take a step that changes no file."""
    match instruction.name:
        case "ENV":
            pairs = instruction.pairs.items()
            image.environment |= {name: Template(value).substitute(image.environment) for name, value in pairs}
        case "LABEL":
            image.labels |= instruction.pairs
        case "USER":
            image.user = instruction.value
        case "EXPOSE":
            image.ports += instruction.words
        case "HEALTHCHECK":
            image.health_check = _instruction_within(instruction)
        case "ENTRYPOINT":
            image.entry = instruction.words
        case "CMD":
            image.arguments = instruction.words
        case unknown:
            raise AssertionError(f"the test does not know how to take {unknown}")


def _instruction_within(instruction: Instruction) -> list[str]:
    """Give the command of a health check."""
    kind, _, rest = instruction.value.partition(" ")
    assert "CMD" == kind
    return type(instruction)(kind, {}, rest.strip()).words


def _within(image: Image, path: str) -> Path:
    """Give where a path of the image is on this machine."""
    return image.root / str(PurePosixPath(image.folder, path)).lstrip("/")


def _copy(sources: list[Path], target: Path) -> None:
    """Copy as COPY does: of folders, what is in them."""
    for source in sources:
        run(["cp", "--archive", "--no-target-directory", str(source), str(target)])


def _copy_from_context(words: list[str], image: Image, context: Path) -> None:
    """Copy what .dockerignore leaves of the context."""
    *sources, target = words
    ignored = (context / ".dockerignore").read_text(encoding="utf-8").splitlines()
    sent = {path for path in exclude_paths(str(context), ignored) if not (context / path).is_dir()}
    for source in sources:
        of_source = [path for path in sent if path == source or path.startswith(f"{source}/")]
        assert of_source, f"COPY {source}: .dockerignore leaves nothing of it"
        for path in of_source:
            within = Path(path).relative_to(source) if path != source else Path(path).name
            place = _within(image, target) / within
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(context / path, place)
