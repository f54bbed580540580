"""The configuration for an Envoy, ours or somebody else's."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

import pytest

from bgbotd.config import Settings
from bgbotd.web.methods import methods
from tests.service.certificates import Authority
from tests.service.running import BGBOTD, running
from tests.web.asking import START, ask
from tests.web.own_envoy import free_address, own_envoy, problems

if TYPE_CHECKING:
    from pathlib import Path


def printed(tmp_path: Path, *arguments: str) -> Path:
    """Have the program print a configuration into a file."""
    command = [BGBOTD, "config", "--envoy", *arguments]
    file = tmp_path / "printed.json"
    file.write_text(subprocess.run(command, capture_output=True, text=True, timeout=30, check=True).stdout)
    return file


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    """Make up an authority."""
    return Authority(tmp_path_factory.mktemp("tls") / "ours")


def test_envoy_has_nothing_against_what_is_printed(tmp_path: Path, authority: Authority) -> None:
    """Not even a warning, with everything there is to set."""
    pair = authority.sign("web")
    files = [str(pair.certificate), str(pair.key)]
    everything = [
        *("--listen", "0.0.0.0:50051", "--tls.certificate", files[0], "--tls.key", files[1]),
        *("--web", "--web.listen", "[::]:8443", "--web.certificate", files[0], "--web.key", files[1]),
        *("--web.origins", "https://board.example", "--web.origins", "*", "--web.trusted-hops", "1"),
    ]
    assert "" == problems(printed(tmp_path))
    assert "" == problems(printed(tmp_path, *everything))


def test_an_envoy_of_ones_own_serves_with_what_is_printed(tmp_path: Path) -> None:
    """Before a daemon that knows nothing of it."""
    with (
        free_address() as address,
        running() as daemon,
        own_envoy(printed(tmp_path, "--listen", daemon.address, "--web.listen", address), address),
    ):
        assert 200 == ask(address, "/healthz").status
        assert 167 == ask(address, "/v1/evaluation:countPips", {"position": START}).json["playerPips"]


def test_an_envoy_of_ones_own_calls_a_daemon_with_tls(tmp_path: Path, authority: Authority) -> None:
    """It trusts what is in the file of the daemon's certificate, and nothing else."""
    pair, other = authority.sign("daemon"), Authority(tmp_path / "theirs").sign("other")
    tls = ("--tls.certificate", str(pair.certificate), "--tls.key", str(pair.key))
    with free_address() as address, running(*tls) as daemon:
        for trusted, status in ((pair, 200), (other, 503)):
            files = ("--tls.certificate", str(trusted.certificate), "--tls.key", str(trusted.key))
            configuration = printed(tmp_path, "--listen", daemon.address, "--web.listen", address, *files)
            with own_envoy(configuration, address):
                assert status == ask(address, "/v1/evaluation:countPips", {"position": START}).status


def test_limits_at_the_edge_are_those_of_the_daemon(tmp_path: Path) -> None:
    """Explicit, for no default of Envoy's is meant."""
    limits = ("--limits.deadline-seconds", "7", "--limits.stream-deadline-seconds", "70", "--web.most-connections", "9")
    configuration = json.loads(printed(tmp_path, *limits).read_text())
    [listener] = configuration["static_resources"]["listeners"]
    http = listener["filter_chains"][0]["filters"][0]["typed_config"]
    routes = {
        route["match"].get("path"): route["route"]
        for route in http["route_config"]["virtual_hosts"][0]["routes"]
        if "route" in route
    }
    assert ("17.000s", "80.000s") == (
        routes["/v1/evaluation:evaluate"]["max_stream_duration"]["max_stream_duration"],
        routes["/v1/evaluation:rollout"]["max_stream_duration"]["max_stream_duration"],
    )
    most = Settings().connections
    assert (most.most_header_bytes // 1024, most.most_streams) == (
        http["max_request_headers_kb"],
        http["http2_protocol_options"]["max_concurrent_streams"],
    )
    monitors = configuration["overload_manager"]["resource_monitors"]
    assert [9] == [each["typed_config"]["max_active_downstream_connections"] for each in monitors]
    assert "admin" not in configuration


def test_every_unary_method_and_rollouts_have_a_place_in_http() -> None:
    """Bulk streams in both directions, which HTTP does not."""
    assert ["Process"] == [method.name for method in methods() if not method.path]
    assert {"GET", "POST"} == {method.verb for method in methods() if method.path}
