"""A container engine and an executor of workflows, where this machine can have them.

The base image is made of Debian's packages, so that no registry of images is needed.
The engine's storage is in the user's cache: nothing of it shows up among the machine's
own images.
"""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import pytest

TOOLS = (
    *("podman", "runc", "buildah", "debootstrap", "act", "git"),
    *("iptables", "ip"),  # of the engine's bridge, and of networks of the tests' own
)
PODMAN = shutil.which("podman") or "podman"
BASE = "docker.io/library/python:3.13-slim"
PACKAGES = "python3,python3-pip,python3-venv,ca-certificates"
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
ROOT = Path(__file__).parents[2]
PARTS = ("action.yml", "Dockerfile", ".dockerignore", "requirements", "runner")


class Engine(NamedTuple):
    environ: dict
    action: Path

    def run(self, *words, **options):
        return subprocess.run(
            [str(word) for word in words],
            env=self.environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=600,
            check=False,
            **options,
        )

    def must(self, *words, **options):
        done = self.run(*words, **options)
        assert done.returncode == 0, done.stdout
        return done.stdout


def lacking(path):
    if sys.platform != "linux" or os.geteuid() != 0:
        return "they need Linux and root"
    missing = [tool for tool in TOOLS if shutil.which(tool, path=path) is None]
    return f"not installed: {', '.join(missing)}" if missing else ""


@pytest.fixture(scope="session")
def engine(tmp_path_factory):
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    if why := lacking(path):
        end = pytest.fail if os.environ.get("CI") else pytest.skip
        end(f"workflows cannot be run here: {why}")
    folder = tmp_path_factory.mktemp("engine")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    made = Engine(
        {**os.environ, "PATH": path, **settings(folder, cache / "rag-eval-action")},
        copied(folder / "action"),
    )
    # A run that was killed leaves containers whose names the next one wants.
    made.run("podman", "rm", "--all", "--force", "--volumes")
    if made.run("podman", "image", "exists", BASE).returncode:
        import_base(made, folder / "base")
    service = subprocess.Popen(
        [PODMAN, "system", "service", "--time=0", made.environ["DOCKER_HOST"]],
        env=made.environ,
    )
    wait_for(folder / "podman.sock")
    yield made
    service.terminate()
    service.wait(30)


@pytest.fixture(scope="session")
def image(engine):
    """The name of the action's image."""
    engine.must("podman", "build", "-q", "-t", "rag-eval", engine.action)
    return "rag-eval"


def settings(folder, cache):
    (folder / "containers.conf").write_text(
        "[containers]\n"
        'default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]\n'
        'netns = "host"\n'
        "[engine]\n"
        'runtime = "runc"\n'
        'cgroup_manager = "cgroupfs"\n'
    )
    (folder / "storage.conf").write_text(
        "[storage]\n"
        'driver = "overlay"\n'
        # Side by side, since the engine keeps to the first run root that it is told.
        f'graphroot = "{cache}/engine/storage"\n'
        f'runroot = "{cache}/engine/run"\n'
    )
    return {
        "CONTAINERS_CONF": str(folder / "containers.conf"),
        "CONTAINERS_STORAGE_CONF": str(folder / "storage.conf"),
        "DOCKER_HOST": f"unix://{folder}/podman.sock",
    }


def import_base(engine, tree):
    engine.must(
        *("debootstrap", "--variant=minbase", f"--include={PACKAGES}", "trixie", tree)
    )
    (tree / "usr/local/bin/python").symlink_to("/usr/bin/python3")
    for marker in tree.glob("usr/lib/python3*/EXTERNALLY-MANAGED"):
        marker.unlink()
    if CERTIFICATES.exists():  # a network may have an authority of its own
        shutil.copy(CERTIFICATES, tree / CERTIFICATES.relative_to("/"))
        (tree / "etc/pip.conf").write_text(f"[global]\ncert = {CERTIFICATES}\n")
    packed = tree.with_suffix(".tar")
    engine.must("tar", "-C", tree, "-cf", packed, ".")
    engine.must("podman", "import", "-q", "-c", 'CMD ["python3"]', packed, BASE)
    packed.unlink()
    shutil.rmtree(tree)


def copied(folder):
    """Give the action as a checkout of it has it, without what is made later."""
    folder.mkdir()
    for part in (*PARTS, "templates"):
        if (ROOT / part).is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / part, folder / part, ignore=ignored)
        else:
            shutil.copy(ROOT / part, folder / part)
    return folder


def wait_for(path, seconds=20):
    until = time.monotonic() + seconds
    while not path.exists():
        assert time.monotonic() < until, f"{path} did not appear"
        time.sleep(0.1)
