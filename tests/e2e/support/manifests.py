"""The files of deploy/kubernetes, and the schemas that they have to fit."""

import json
import subprocess

import yaml

from . import npm
from .service import SOURCE

FOLDER = SOURCE / "deploy" / "kubernetes"
_CHECK = SOURCE / "tests" / "e2e" / "deploy"
_BUILT = SOURCE / "build" / "tests" / "manifests"


# The service, what comes before it, and what an overlay may add.
PARTS = (".", "migrate", "mail")


def load(name):
    return list(yaml.safe_load_all((FOLDER / name).read_text(encoding="utf-8")))


def kustomization(part="."):
    return load(f"{part}/kustomization.yaml")[0]


def objects():
    """(file, object) of everything that is applied, and of the example of the Secrets."""
    names = [f"{part}/{name}" for part in PARTS for name in kustomization(part)["resources"]]
    return [(name, each) for name in [*names, "secret.example.yaml"] for each in load(name)]


def one(kind, name="exportd"):
    found = [each for _, each in objects() if (each["kind"], each["metadata"]["name"]) == (kind, name)]
    assert len(found) == 1, f"{kind} {name}: {len(found)} of them"
    return found[0]


def generated():
    """The files of each generated ConfigMap: {name: {key: path}}."""
    return {each["name"]: {file.rpartition("/")[2]: FOLDER / part / file for file in each["files"]}
            for part in PARTS for each in kustomization(part).get("configMapGenerator", [])}


def install_schemas():
    """npm's packages of the lock file, below build/."""
    npm.install(_CHECK, _BUILT)


def faults(checked):
    """One list of faults for each object; install_schemas() comes first."""
    done = subprocess.run(["node", str(_BUILT / "check_manifests.mjs")], input=json.dumps(checked),
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
