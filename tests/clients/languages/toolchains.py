"""Builds each client as its users do, with its examples and a probe, from the Debian packages of packages.txt."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

ROOT = Path(__file__).parents[3]
CLIENTS = ROOT / "clients"
GENERATED = ROOT / "build/clients"
BUILT = ROOT / "build/client-programs"
PROBES = Path(__file__).parent / "probes"
EXAMPLE_ADDRESS = "127.0.0.1:50051"
"""Where the shortest example of each client looks for a daemon."""

_JARS = (
    *("grpc-api", "grpc-context", "grpc-core", "grpc-netty", "grpc-protobuf", "grpc-protobuf-lite", "grpc-stub"),
    *("netty-buffer", "netty-codec", "netty-codec-http", "netty-codec-http2", "netty-codec-socks", "netty-common"),
    *("netty-handler", "netty-handler-proxy", "netty-resolver", "netty-transport"),
    *("netty-tcnative", "netty-transport-native-unix-common"),
    *("geronimo-annotation-1.3-spec", "guava", "perfmark-api", "protobuf"),
)


@dataclass(frozen=True)
class Client:
    """A client's programs, ready to be run."""

    programs: Mapping[str, tuple[str, ...]]
    """The commands of `choose_play`, `play_game` and `probe`."""
    environment: Mapping[str, str] = field(default_factory=dict)

    def run(self, program: str, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a program to its end."""
        # A plain locale: what a program says in UTF-8 must not depend on where it runs.
        environment = {**os.environ, "LC_ALL": "C", **self.environment}
        return subprocess.run(
            [*self.programs[program], *words], check=False, capture_output=True, env=environment, encoding="utf-8"
        )


def build_go(address: str) -> Client:
    """Build in a workspace of its own, beside Debian's sources; vet and format are part of it."""
    module = BUILT / "go/path/src/github.com/bgbotd/bgbotd/clients/go"
    _copy(CLIENTS / "go", module, address)
    _copy_file(PROBES / "probe.go", module / "examples/probe/main.go")
    environment = {"GO111MODULE": "off", "GOFLAGS": "", "GOPATH": f"{BUILT}/go/path:/usr/share/gocode"}
    unformatted = _run(["gofmt", "-l", CLIENTS / "go", PROBES]).split()
    assert [] == unformatted
    _run(["go", "vet", "./..."], folder=module, environment=environment)
    _run(["go", "build", "-o", f"{BUILT}/go/bin/", "./examples/..."], folder=module, environment=environment)
    programs = {"choose_play": "chooseplay", "play_game": "playgame", "probe": "probe"}
    # gRPC for Go tries again by itself since 1.40; Debian's is older.
    return Client({name: (f"{BUILT}/go/bin/{program}",) for name, program in programs.items()}, {"GRPC_GO_RETRY": "on"})


def build_cpp(address: str) -> Client:
    """Build and install the library, then the examples against what was installed."""
    cmake = str(Path(sys.executable).with_name("cmake"))
    library, source, examples = GENERATED / "cpp", BUILT / "cpp/source", BUILT / "cpp/built"
    _run([cmake, "--build", library])
    _run([cmake, "--install", library])
    _copy(CLIENTS / "cpp/examples", source, address)
    _copy_file(PROBES / "probe.cc", source / "probe.cc")
    with (source / "CMakeLists.txt").open("a") as listed:
        listed.write("add_executable(probe probe.cc)\ntarget_link_libraries(probe PRIVATE bgbot::bgbot)\n")
    flags = ["-G", "Ninja", f"-DCMAKE_PREFIX_PATH={library}/installed", "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror"]
    _run([cmake, "-S", source, "-B", examples, *flags])
    _run([cmake, "--build", examples])
    return Client({name: (f"{examples}/{name}",) for name in ("choose_play", "play_game", "probe")})


def build_java(address: str) -> Client:
    """Compile what was generated, then what was written, without a warning."""
    java, classes = BUILT / "java", BUILT / "java/classes"
    classpath = ":".join([str(classes), *(f"/usr/share/java/{jar}.jar" for jar in _JARS)])
    compiler: list[str | Path] = ["javac", "-encoding", "UTF-8", "--release", "17", "-cp", classpath, "-d", classes]
    classes.mkdir(parents=True, exist_ok=True)
    _run([*compiler, "-nowarn", *sorted((GENERATED / "java/source").rglob("*.java"))])
    _copy(CLIENTS / "java/examples", java / "examples", address)
    written = [*(CLIENTS / "java/src").rglob("*.java"), *(java / "examples").glob("*.java"), PROBES / "Probe.java"]
    _run([*compiler, "-Xlint:all,-processing", "-Werror", *sorted(written)])
    # Debian's Netty has TLS for HTTP/2 only by OpenSSL, and does not find Debian's library by its name.
    [library] = Path("/usr/lib").glob("*/jni/libnetty-tcnative.so")
    _copy_file(library, java / "native/libnetty_tcnative.so")
    names = {"choose_play": "ChoosePlay", "play_game": "PlayGame", "probe": "Probe"}
    machine = ("java", f"-Djava.library.path={java}/native", "-cp", classpath)
    return Client({name: (*machine, main) for name, main in names.items()})


def build_ruby(address: str) -> Client:
    """Build the gem, install it, and run the examples with what was installed."""
    ruby = BUILT / "ruby"
    ruby.mkdir(parents=True, exist_ok=True)
    _run(["gem", "build", "--quiet", "bgbot.gemspec", "--output", f"{ruby}/bgbot.gem"], folder=CLIENTS / "ruby")
    install = ["gem", "install", "--local", "--ignore-dependencies", "--no-document", "--install-dir", f"{ruby}/gems"]
    _run([*install, f"{ruby}/bgbot.gem"])
    _copy(CLIENTS / "ruby/examples", ruby / "examples", address)
    gems = _run(["ruby", "-e", "print Gem.default_path.join(':')"])
    programs = {"choose_play": ruby / "examples/choose_play.rb", "play_game": ruby / "examples/play_game.rb"}
    return Client(
        {name: ("ruby", str(path)) for name, path in {**programs, "probe": PROBES / "probe.rb"}.items()},
        {"GEM_PATH": f"{ruby}/gems:{gems}"},
    )


def build_typescript(address: str) -> Client:
    """Pack the package, put it where Node looks for it, and run the examples with what was packed."""
    typescript = BUILT / "typescript"
    modules = typescript / "node_modules"
    shutil.rmtree(typescript, ignore_errors=True)
    typescript.mkdir(parents=True)
    _run(["npm", "pack", "--silent", "--pack-destination", typescript], folder=CLIENTS / "typescript")
    [package] = typescript.glob("*.tgz")
    modules.mkdir()
    shutil.unpack_archive(package, typescript)
    (typescript / "package").rename(modules / "bgbot")
    for scope in ("@bufbuild", "@connectrpc"):
        (modules / scope).symlink_to(ROOT / "node_modules" / scope)
    (typescript / "package.json").write_text('{"type": "module"}')
    _copy(CLIENTS / "typescript/examples", typescript / "examples", address)
    _copy_file(PROBES / "probe.ts", typescript / "probe.ts")
    programs = {"choose_play": "examples/choose-play.ts", "play_game": "examples/play-game.ts", "probe": "probe.ts"}
    run = str(ROOT / "node_modules/.bin/tsx")
    return Client({name: (run, str(typescript / program)) for name, program in programs.items()})


BUILDERS: Mapping[str, Callable[[str], Client]] = {
    "go": build_go,
    "cpp": build_cpp,
    "java": build_java,
    "ruby": build_ruby,
    "typescript": build_typescript,
}


def _run(command: list[str | Path], folder: Path = ROOT, environment: Mapping[str, str] | None = None) -> str:
    """Run a build's step and give what it prints; a failure shows what it said."""
    done = subprocess.run(
        command, check=False, cwd=folder, env={**os.environ, **(environment or {})}, capture_output=True, text=True
    )
    assert 0 == done.returncode, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


def _copy(source: Path, target: Path, address: str) -> None:
    """Copy a folder; its examples look for the daemon at this address."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target)
    for file in target.rglob("*"):
        if file.suffix in {".cc", ".go", ".java", ".rb", ".ts"} and EXAMPLE_ADDRESS in (
            text := file.read_text("utf-8")
        ):
            file.write_text(text.replace(EXAMPLE_ADDRESS, address), "utf-8")


def _copy_file(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
