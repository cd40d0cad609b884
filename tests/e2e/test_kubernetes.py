"""deploy/kubernetes: it fits Kubernetes' schemas, its parts fit each other, and the service fits it."""

import copy
import os
import re
import shutil
import subprocess
import tomllib

import pytest
import yaml

from support.database import role_of
from support.manifests import FOLDER, PARTS, faults, generated, install_schemas, kustomization, objects, one
from support.service import SOURCE, binary, jobs_drain


@pytest.fixture(scope="module")
def schemas():
    install_schemas()


def pod():
    return one("Deployment")["spec"]["template"]["spec"]


def migrating_pod():
    return one("Job", "exportd-migrate")["spec"]["template"]["spec"]


def containers(own=None):
    return [*(own or pod())["initContainers"], *(own or pod())["containers"]]


def mounted_secrets(own):
    return {each["secret"]["secretName"] for each in own["volumes"] if "secret" in each}


def ports():
    return {port["name"]: port["containerPort"] for each in containers() for port in each.get("ports", [])}


def settings():
    return tomllib.loads((FOLDER / "exportd.toml").read_text(encoding="utf-8"))


def seconds(text):
    number, unit = re.fullmatch(r"(\d+)(s|m|h)", text).groups()
    return int(number) * {"s": 1, "m": 60, "h": 3600}[unit]


# Schemas

def test_every_object_fits_its_schema(schemas):
    checked = objects()
    found = dict(zip((f"{file}: {each['kind']}" for file, each in checked),
                     faults([each for _, each in checked])))
    assert found == {name: [] for name in found}


def set_in(path, value):
    def change(deployment):
        *parents, last = path
        for key in parents:
            deployment = deployment[key]
        deployment[last] = value
    return change


@pytest.mark.parametrize("change, fault", [
    (set_in(["spec", "template", "spec", "containers", 0, "livenesProbe"], {}),
     "unknown key: /spec/template/spec/containers/0/livenesProbe"),
    (set_in(["metadata", "lables"], {"a": "b"}), "unknown key: /metadata/lables"),
    (set_in(["sepc"], {}), "unknown key: /sepc"),
    (set_in(["spec", "revisionHistoryLimit"], "five"), "revisionHistoryLimit"),
    (set_in(["kind"], "Deploiment"), "no such kind"),
    (set_in(["spec", "selector"], None), "selector"),
], ids=["in a container", "in the metadata", "at the top", "wrong type", "wrong kind", "missing"])
def test_a_wrong_object_is_seen(schemas, change, fault):
    wrong = copy.deepcopy(one("Deployment"))
    change(wrong)
    [found] = faults([wrong])
    assert any(fault in each for each in found), found


# kustomization.yaml

def test_every_file_is_listed_and_there():
    for part in PARTS:
        own = kustomization(part)
        listed = [*own["resources"], *(patch["path"] for patch in own.get("patches", []))]
        files = {path.name for path in (FOLDER / part).glob("*.yaml")} - {"kustomization.yaml", "secret.example.yaml"}
        assert (len(listed), set(listed)) == (len(files), files)
    inputs = {path for files in generated().values() for path in files.values()}
    assert all(path.is_file() for path in inputs)
    assert inputs == {path for path in FOLDER.rglob("*") if path.is_file() and path.suffix != ".yaml"}


def test_the_exports_are_the_ones_of_the_service():
    for name, files in (("exportd-exports", "config/exports"), ("exportd-sql", "sql/exports")):
        for key, path in generated()[name].items():
            assert path.read_text() == (SOURCE / files / key).read_text(), path


# The parts fit each other

@pytest.mark.parametrize("spec", [pod, migrating_pod])
def test_volumes_are_there(spec):
    secrets = {each["metadata"]["name"]: each for _, each in objects() if each["kind"] == "Secret"}
    volumes = {each["name"]: each for each in spec()["volumes"]}
    for volume in volumes.values():
        if "configMap" in volume:
            assert volume["configMap"]["name"] in generated()
        if "secret" in volume:
            known = secrets[volume["secret"]["secretName"]]["stringData"]
            assert {item["key"] for item in volume["secret"].get("items", [])} <= set(known)
    mounted = {mount["name"] for each in containers(spec()) for mount in each["volumeMounts"]}
    assert mounted == set(volumes)
    for each in containers(spec()):
        for variable in each.get("env", []):
            if "valueFrom" in variable:
                source = variable["valueFrom"]["secretKeyRef"]
                assert source["key"] in secrets[source["name"]]["stringData"]


def test_the_owner_of_the_schema_stays_out_of_the_service():
    assert mounted_secrets(migrating_pod()) == {"exportd-owner"}
    assert mounted_secrets(pod()).isdisjoint({"exportd-owner"})
    assert "migrate" not in str([each.get("args") for each in containers()])
    labels = one("Job", "exportd-migrate")["spec"]["template"]["metadata"]["labels"]
    for selector in (one("Service")["spec"]["selector"], one("NetworkPolicy")["spec"]["podSelector"]["matchLabels"]):
        assert not selector.items() <= labels.items()
    own = one("NetworkPolicy", "exportd-migrate")["spec"]
    assert own["podSelector"]["matchLabels"] == labels
    assert (own["policyTypes"], own.get("ingress", [])) == (["Ingress", "Egress"], [])


def test_each_pod_may_reach_what_it_needs_and_nothing_else():
    def reached(name):
        return [(port["port"], port["protocol"]) for rule in one("NetworkPolicy", name)["spec"]["egress"]
                for port in rule["ports"] if rule["to"]]
    names = [(53, "UDP"), (53, "TCP")]
    assert reached("exportd") == [*names, (5432, "TCP"), (443, "TCP")]
    assert reached("exportd-migrate") == [*names, (5432, "TCP")]
    assert reached("exportd-mail") == [(587, "TCP")]


def test_grants_are_the_ones_of_the_repository():
    [copied] = generated()["exportd-grants"].values()
    assert copied.read_text() == (SOURCE / "sql/grants/jobs.sql").read_text()


def test_ports_and_labels_lead_to_the_pod():
    labels = one("Deployment")["spec"]["template"]["metadata"]["labels"]
    selectors = [one("Deployment")["spec"]["selector"]["matchLabels"],
                 one("PodDisruptionBudget")["spec"]["selector"]["matchLabels"],
                 one("NetworkPolicy")["spec"]["podSelector"]["matchLabels"],
                 one("NetworkPolicy", "exportd-mail")["spec"]["podSelector"]["matchLabels"],
                 one("Service")["spec"]["selector"], one("Service", "exportd-ops")["spec"]["selector"],
                 *(each["labelSelector"]["matchLabels"] for each in pod()["topologySpreadConstraints"])]
    for selector in selectors:
        assert selector.items() <= labels.items()
    used = [port["targetPort"] for name in ("exportd", "exportd-ops") for port in one("Service", name)["spec"]["ports"]]
    used += [port["port"] for rule in one("NetworkPolicy")["spec"]["ingress"] for port in rule["ports"]]
    used += [each[probe][way]["port"] for each in containers() for probe in each if probe.endswith("Probe")
             for way in each[probe] if way in ("httpGet", "tcpSocket")]
    assert set(used) == set(ports()) == {"http", "ops"}


def test_prometheus_finds_the_ops_port():
    monitor, service = one("ServiceMonitor")["spec"], one("Service", "exportd-ops")
    assert monitor["selector"]["matchLabels"].items() <= service["metadata"]["labels"].items()
    assert not monitor["selector"]["matchLabels"].items() <= one("Service")["metadata"]["labels"].items()
    assert [each["port"] for each in monitor["endpoints"]] == [each["name"] for each in service["spec"]["ports"]]
    assert service["metadata"]["labels"][monitor["jobLabel"]] == "exportd"


def test_the_listeners_are_where_the_pod_has_them():
    assert settings()["ops"]["listen"] == f"0.0.0.0:{ports()['ops']}"
    proxy = (FOLDER / "nginx.conf").read_text()
    assert f"proxy_pass http://{settings()['server']['listen']};" in proxy
    assert f"listen {ports()['http']};" in proxy


def test_the_proxys_callers_are_told_apart_and_each_has_the_usual_limits():
    defaults = tomllib.loads((SOURCE / "config/exportd.toml").read_text(encoding="utf-8"))
    assert settings()["auth"] == {"mode": "proxy", "file": "access.toml"}
    assert settings()["server"]["trusted_proxies"] == "127.0.0.1/32"
    assert "limits" not in settings() and "per_caller" not in settings()["jobs"]
    proxy = (FOLDER / "nginx.conf").read_text()
    assert f"limit_conn callers {defaults['limits']['exports_per_client']};" in proxy
    said = dict(re.findall(r"proxy_set_header (X-Forwarded-\w+) (\S+);", proxy))
    assert said == {defaults["auth"]["user_header"]: "$remote_user", defaults["auth"]["groups_header"]: '""',
                    defaults["auth"]["mail_header"]: '""', "X-Forwarded-For": "$remote_addr"}


def test_the_pod_has_time_to_drain():
    server = settings()["server"]
    drain = seconds(server["shutdown_delay"]) + seconds(server["drain_timeout"]) + jobs_drain()
    assert drain + 10 <= pod()["terminationGracePeriodSeconds"]


@pytest.mark.parametrize("spec", [pod, migrating_pod])
def test_every_container_is_without_rights(spec):
    own = spec()
    assert own["securityContext"]["runAsNonRoot"] and own["securityContext"]["runAsUser"] > 0
    assert own["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert own["automountServiceAccountToken"] is False
    # The variables of a Service named exportd would look like misspelt keys, which are refused.
    assert own["enableServiceLinks"] is False
    for each in containers(own):
        assert each["securityContext"] == {
            "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "runAsNonRoot": True,
            "capabilities": {"drop": ["ALL"]}}
        assert {"cpu", "memory"} <= set(each["resources"]["requests"])
        assert "memory" in each["resources"]["limits"]


# The service fits it

def mount(directory, files):
    """As the kubelet mounts a ConfigMap: links to files in a folder whose name changes."""
    data = directory / "..2025_01_01_00_00_00.000000001"
    data.mkdir(parents=True)
    (directory / "..data").symlink_to(data.name)
    for key, path in files.items():
        (data / key).write_bytes(path.read_bytes())
        (directory / key).symlink_to(f"..data/{key}")


def test_the_service_takes_its_files_as_they_are_mounted(tmp_path, database):
    volumes = {each["name"]: each["configMap"]["name"] for each in pod()["volumes"] if "configMap" in each}
    own = pod()["containers"][0]
    for each in own["volumeMounts"]:
        if each["name"] in volumes:
            mount(tmp_path / each["mountPath"].lstrip("/"), generated()[volumes[each["name"]]])
    environment = {}
    for variable in own["env"]:
        held = database.url if "DATABASE" in variable["name"] else "a-key"
        if variable["name"].endswith("_FILE"):
            file = tmp_path / variable["value"].lstrip("/")
            file.parent.mkdir(parents=True)
            file.write_text(held)
            held = str(file)
        environment[variable["name"]] = held
    assert set(environment) == {"EXPORTD_DATABASE_URL_FILE", "EXPORTD_S3_ACCESS_KEY", "EXPORTD_S3_SECRET_KEY_FILE"}
    serve, option, file = own["args"]
    done = subprocess.run([binary(), "check", option, str(tmp_path / file.lstrip("/"))], text=True, timeout=30,
                          capture_output=True, env=environment)
    assert (serve, done.stderr, done.stdout) == ("serve", "", "1 exports are fit to be served\n")


def placed(text, directory, urls):
    """A container's words with its mounted paths below `directory`."""
    for path, held in urls.items():
        file = directory / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(held)
        text = text.replace(path, str(file))
    return text


def test_the_job_migrates_and_grants_as_another_role(tmp_path, database):
    owner, server = database.role(), database.role()
    database.execute("DROP SCHEMA IF EXISTS exportd CASCADE")
    database.execute(f"GRANT CREATE ON DATABASE {database.name} TO {role_of(owner)}")
    migrate, grant = containers(migrating_pod())
    [variable] = migrate["env"]
    files = {variable["value"]: owner, "/etc/exportd-grants/grants.sql": (FOLDER / "migrate/grants.sql").read_text()}
    placed("", tmp_path, files)
    for _ in range(2):
        done = subprocess.run([binary(), *migrate["args"]], text=True, timeout=30, capture_output=True, cwd=tmp_path,
                              env={variable["name"]: str(tmp_path / variable["value"].lstrip("/"))})
        assert (done.returncode, done.stderr) == (0, "")
        done = subprocess.run([*grant["command"], placed(grant["args"][0], tmp_path, files)], text=True, timeout=30,
                              capture_output=True, env={"PATH": os.environ["PATH"], "SERVICE_ROLE": role_of(server)})
        assert (done.returncode, done.stderr) == (0, "")
    assert database.value("SELECT relowner::regrole::text FROM pg_class WHERE oid = 'exportd.jobs'::regclass") == \
        role_of(owner)
    granted = database.rows("""
        SELECT table_name, string_agg(privilege_type, ' ' ORDER BY privilege_type)
        FROM information_schema.role_table_grants
        WHERE table_schema = 'exportd' AND grantee = %s GROUP BY table_name ORDER BY table_name""", (role_of(server),))
    assert granted == [("audit", "INSERT"), ("jobs", "DELETE INSERT SELECT UPDATE"), ("migrations", "SELECT")]
    database.execute("DROP SCHEMA exportd CASCADE")
    database.execute(f"REVOKE ALL ON DATABASE {database.name} FROM {role_of(owner)}")


@pytest.mark.skipif(not shutil.which("kubectl"), reason="kubectl is not installed")
def test_an_overlay_with_letters_fits_the_schemas(schemas, tmp_path):
    shutil.copytree(FOLDER, tmp_path / "base")
    overlay = tmp_path / "overlay"
    overlay.mkdir()
    (overlay / "exportd.toml").write_text("# the overlay's\n")
    (overlay / "kustomization.yaml").write_text(yaml.safe_dump({
        "namespace": "exportd", "resources": ["../base", "../base/migrate"], "components": ["../base/mail"],
        "configMapGenerator": [{"name": "exportd-config", "behavior": "merge", "files": ["exportd.toml"]}]}))
    done = subprocess.run(["kubectl", "kustomize", str(overlay)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    built = list(yaml.safe_load_all(done.stdout))
    assert faults(built) == [[]] * len(built)
    [deployment] = [each for each in built if each["kind"] == "Deployment"]
    own = deployment["spec"]["template"]["spec"]
    assert mounted_secrets(own) == {"exportd-database", "exportd-users", "exportd-s3", "exportd-mail"}
    names = {each["name"] for each in containers(own)[1]["env"]}
    assert {"EXPORTD_MAIL_PASSWORD_FILE", "EXPORTD_S3_SECRET_KEY_FILE", "EXPORTD_DATABASE_URL_FILE"} <= names
    [config] = [each["data"] for each in built if each["metadata"]["name"].startswith("exportd-config-")]
    assert config == {"exportd.toml": "# the overlay's\n", "access.toml": (FOLDER / "access.toml").read_text()}
