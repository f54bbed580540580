"""The manifests are what Kubernetes takes, and fit the program that they run."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import grpc
import kubernetes_validate
import pytest
import yaml
from bgbot import position_source, v1
from grpc_health.v1 import health_pb2

from tests.deploy.settings import ROOT, in_force, port
from tests.service.certificates import Authority
from tests.service.running import BGBOTD, running

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.service.running import Running

FOLDER = ROOT / "deploy/kubernetes"
KUSTOMIZATION = yaml.safe_load((FOLDER / "kustomization.yaml").read_text(encoding="utf-8"))
MANIFESTS = {path.name: yaml.safe_load(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.yaml"))}
del MANIFESTS["kustomization.yaml"]
POD = MANIFESTS["deployment.yaml"]["spec"]["template"]
[CONTAINER] = POD["spec"]["containers"]
SETTINGS = MANIFESTS["settings.yaml"]["data"]["bgbotd.toml"]
PAGE = (FOLDER / "README.md").read_text(encoding="utf-8")
PORTS = {each["name"]: each["containerPort"] for each in CONTAINER["ports"]}
OLDEST, NEWEST = "1.30.0", "1.37.0"
"""The page names the one; of the other there are schemas."""


def variables() -> dict[str, str]:
    """Give what the Deployment sets."""
    return {each["name"]: each["value"] for each in CONTAINER["env"]}


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory, image_environment: dict[str, str]) -> dict[str, Any]:
    """Give the settings in force in a pod."""
    file = tmp_path_factory.mktemp("settings") / "bgbotd.toml"
    file.write_text(SETTINGS)
    *arguments, place = CONTAINER["args"]
    assert "/etc/bgbotd/settings/bgbotd.toml" == place
    return in_force([*arguments, str(file)], {**image_environment, **variables()})


@pytest.mark.parametrize("version", [OLDEST, NEWEST])
@pytest.mark.parametrize("name", MANIFESTS)
def test_every_manifest_is_of_its_schema(name: str, version: str) -> None:
    """No field is unknown or of the wrong kind, in the oldest version that is named and in the newest."""
    assert version.rpartition(".")[0] in kubernetes_validate.validate(MANIFESTS[name], version, strict=True)


def test_the_page_names_the_oldest_version() -> None:
    """It is the one that is checked."""
    assert f"For version {OLDEST.rpartition('.')[0]} or newer." in PAGE


def test_every_manifest_is_applied() -> None:
    """The kustomization lists what there is."""
    assert sorted(MANIFESTS) == sorted(KUSTOMIZATION["resources"])


def test_everything_selects_the_pods() -> None:
    """By a label that they have."""
    [label] = KUSTOMIZATION["labels"]
    wanted = label["pairs"]
    selectors = [
        MANIFESTS["deployment.yaml"]["spec"]["selector"]["matchLabels"],
        MANIFESTS["service.yaml"]["spec"]["selector"],
        MANIFESTS["disruption-budget.yaml"]["spec"]["selector"]["matchLabels"],
        MANIFESTS["network-policy.yaml"]["spec"]["podSelector"]["matchLabels"],
        *(each["labelSelector"]["matchLabels"] for each in POD["spec"]["topologySpreadConstraints"]),
    ]
    assert [wanted] * len(selectors) == selectors
    assert wanted == POD["metadata"]["labels"]
    scaled = MANIFESTS["autoscaler.yaml"]["spec"]["scaleTargetRef"]
    assert ("Deployment", MANIFESTS["deployment.yaml"]["metadata"]["name"]) == (scaled["kind"], scaled["name"])


def test_ports_are_those_that_the_program_listens_on(settings: dict[str, Any]) -> None:
    """For every kind of caller, on an address that the pod's network reaches."""
    listening = {"grpc": settings["listen"], "health": settings["health_listen"], "metrics": settings["metrics_listen"]}
    assert PORTS == {name: port(address) for name, address in listening.items()}
    assert {"0.0.0.0"} == {address.rpartition(":")[0] for address in listening.values()}  # noqa: S104 - not bound here


def test_ports_that_are_named_exist() -> None:
    """In the Service, the NetworkPolicy, the annotations and the probes."""
    service = MANIFESTS["service.yaml"]["spec"]
    assert "None" == service["clusterIP"]
    assert {each["targetPort"]: each["port"] for each in service["ports"]}.items() <= PORTS.items()
    rules = MANIFESTS["network-policy.yaml"]["spec"]["ingress"]
    assert {"grpc", "metrics"} == {each["port"] for rule in rules for each in rule["ports"]}
    assert str(PORTS["metrics"]) == POD["metadata"]["annotations"]["prometheus.io/port"]
    assert {PORTS["health"]} == {
        CONTAINER[f"{kind}Probe"]["grpc"]["port"] for kind in ("startup", "readiness", "liveness")
    }


def test_a_pod_is_given_longer_than_its_drain_takes(settings: dict[str, Any]) -> None:
    """And than the supervisor, were there one, would wait."""
    before = CONTAINER["lifecycle"]["preStop"]["sleep"]["seconds"]
    assert POD["spec"]["terminationGracePeriodSeconds"] > before + settings["grace_seconds"] + 10


def test_a_pod_has_the_memory_that_the_program_may_take(settings: dict[str, Any]) -> None:
    """As bgbotd doctor counts it."""
    engine = ["--workers", str(settings["workers"]), "--engine.processes", str(settings["engine"]["processes"])]
    command = [BGBOTD, "doctor", "--listen", "127.0.0.1:0", *engine]
    examined = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True).stdout
    [most] = re.findall(r"(\d+) MB at most", examined)
    assert float(most) < 1.05 * int(CONTAINER["resources"]["requests"]["memory"].removesuffix("Mi"))


def test_a_pod_runs_as_the_image_s_user_with_nothing_to_write_and_nothing_to_gain(image_user: str) -> None:
    """All that Kubernetes' restricted standard asks, and a read-only root."""
    of_pod, of_container = POD["spec"]["securityContext"], CONTAINER["securityContext"]
    assert image_user == f"{of_pod['runAsUser']}:{of_pod['runAsGroup']}"
    assert (True, "RuntimeDefault") == (of_pod["runAsNonRoot"], of_pod["seccompProfile"]["type"])
    assert (False, True) == (of_container["allowPrivilegeEscalation"], of_container["readOnlyRootFilesystem"])
    assert {"drop": ["ALL"]} == of_container["capabilities"]
    assert not POD["spec"]["automountServiceAccountToken"]


def test_variables_that_kubernetes_adds_are_kept_away() -> None:
    """Those of a Service of this name look like settings, and would stop the start."""
    assert POD["spec"]["enableServiceLinks"] is False


@pytest.fixture(scope="module")
def pod(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Run what a pod runs, with files made as the page says, where a pod has them mounted."""
    folder = tmp_path_factory.mktemp("pod")
    sources = {each["name"]: each for each in POD["spec"]["volumes"]}
    for mount in CONTAINER["volumeMounts"]:
        place = folder / Path(mount["mountPath"]).relative_to("/etc/bgbotd")
        place.mkdir()
        fill(place, sources[mount["name"]], folder)
    file = folder / "settings/bgbotd.toml"
    free = re.sub(r'listen = "0\.0\.0\.0:\d+"', 'listen = "127.0.0.1:0"', SETTINGS)
    file.write_text(free.replace("/etc/bgbotd", str(folder)))
    with running("--config", str(file), "--health-listen", "127.0.0.1:0") as daemon:
        yield daemon


def fill(place: Path, source: dict[str, Any], folder: Path) -> None:
    """Make the files of a volume by the page's own commands, but for a certificate."""
    if "configMap" in source:
        assert MANIFESTS["settings.yaml"]["metadata"]["name"] == source["configMap"]["name"]
        return
    name, mode = source["secret"]["secretName"], source["secret"]["defaultMode"]
    assert 0o440 == mode
    if f"create secret tls {name} --cert tls.crt --key tls.key" in PAGE:
        pair = Authority(folder / "authority").sign("server")
        (place / "tls.crt").write_bytes(pair.certificate.read_bytes())
        (place / "tls.key").write_bytes(pair.key.read_bytes())
        return
    [file] = re.findall(rf"create secret generic {name} --from-file (\S+)", PAGE)
    [made_by] = [line for line in PAGE.splitlines() if f"> {file}" in line]
    words = shlex.split(made_by.partition(">")[0])
    program = {"bgbotd": BGBOTD, "python3": sys.executable}[words[0]]
    text = subprocess.run([program, *words[1:]], capture_output=True, text=True, timeout=30, check=True).stdout
    (place / file).write_text(text)
    (place / file).chmod(0o400)


@pytest.mark.parametrize("kind", ["startup", "readiness", "liveness"])
def test_probes_are_answered(pod: Running, kind: str) -> None:
    """Without a certificate and without a token, for the service that each asks about."""
    asked = health_pb2.HealthCheckRequest(service=CONTAINER[f"{kind}Probe"]["grpc"].get("service", ""))
    with grpc.insecure_channel(pod.serving["health"]) as channel:
        check: grpc.UnaryUnaryMultiCallable[health_pb2.HealthCheckRequest, health_pb2.HealthCheckResponse] = (
            channel.unary_unary(
                "/grpc.health.v1.Health/Check",
                health_pb2.HealthCheckRequest.SerializeToString,
                health_pb2.HealthCheckResponse.FromString,
            )
        )
        assert health_pb2.HealthCheckResponse.SERVING == check(asked, timeout=20).status


def test_only_liveness_outlives_the_drain() -> None:
    """Readiness must not be asked of it, nor liveness of anything else."""
    services = {kind: CONTAINER[f"{kind}Probe"]["grpc"].get("service") for kind in ("readiness", "liveness")}
    assert {"readiness": None, "liveness": "liveness"} == services


def test_a_pod_s_calls_need_the_certificate_and_the_token(
    pod: Running, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Neither will do alone."""
    folder = next(tmp_path_factory.getbasetemp().glob("pod*"))
    secret = (folder / "tokens/tokens.toml").read_text().splitlines()[0].removeprefix("# ")
    authority = (folder / "authority/authority.pem").read_bytes()
    address = f"localhost:{port(pod.address)}"
    with grpc.secure_channel(address, grpc.ssl_channel_credentials(authority)) as channel:
        count = v1.EvaluationServiceStub(channel).CountPips
        request = v1.CountPipsRequest(position=position_source())
        assert 167 == count(request, timeout=20, metadata=(("authorization", f"Bearer {secret}"),)).player_pips
        with pytest.raises(grpc.RpcError) as refused:
            count(request, timeout=20)
    assert grpc.StatusCode.UNAUTHENTICATED == refused.value.code()
