"""What is reached from a container of its own, on networks as they really are."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from threading import Thread
from typing import NamedTuple

import pytest

from demo.pipeline import Pipeline
from demo.search import Index, load
from demo.server import Desk, Server

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parents[2]
SPEC = "specs/quickstart.yaml"
BRIDGE = (
    "podman"  # the engine's own network, which is a bridge as GitHub's runners have
)


class Done(NamedTuple):
    exit: int
    log: str
    report: dict

    @property
    def said(self):
        """The log as one line, since it is wrapped."""
        return " ".join(self.log.split())


@pytest.fixture
def serve():
    """Start the demo's service on an address of this machine; give its port."""
    desk, started = Desk(Pipeline(Index(load())), None, 0), []

    def start(host):
        server = Server(host, 0, desk)
        started.append(server)
        Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        return server.server_address[1]

    yield start
    for server in started:
        server.shutdown()
        server.server_close()


@pytest.fixture
def contained(engine, image, tmp_path):
    """Run the action in a container on the engine's bridge, with one spec."""
    shutil.copytree(ROOT / "specs", tmp_path / "specs")

    def run(url, *options, patience="30s", **inputs):
        text = (ROOT / SPEC).read_text("utf-8")
        assert "timeout: 30s" in text
        patient = text.replace("timeout: 30s", f"timeout: {patience}")
        (tmp_path / SPEC).write_text(patient, "utf-8")
        given = {"SPEC": SPEC, "ARGS": "--quiet --limit 10", **inputs}
        words = [f"-eINPUT_{name.replace('_', '-')}={given[name]}" for name in given]
        done = engine.run(
            # No name is asked for outside of this machine.
            *("podman", "run", "--rm", "--network", BRIDGE, "--dns", "127.0.0.1"),
            *("-w", "/github/workspace", *options),
            *("-v", f"{tmp_path}:/github/workspace", "-e", f"RAG_URL={url}"),
            *("-e", "GITHUB_WORKSPACE=/github/workspace", *words, image),
        )
        results = tmp_path / "rag-eval-results/results.json"
        report = json.loads(results.read_text("utf-8")) if results.exists() else {}
        return Done(done.returncode, done.stdout, report)

    return run


def local(port):
    return f"http://localhost:{port}"


def test_a_service_on_the_runner_s_localhost_is_reached(serve, contained):
    port = serve("0.0.0.0")  # noqa: S104 - as the documentation tells everybody to

    done = contained(local(port))

    [told] = [text for text in done.report["notices"] if "localhost" in text]
    totals = done.report["totals"]
    assert (totals["errors"], totals["not_asked"]) == (0, 0), done.log
    assert re.fullmatch(
        rf"localhost:{port} is not inside of the action's container; the service was "
        rf"reached at \d+\.\d+\.\d+\.\d+:{port}",
        told,
    )
    assert told in done.said


def test_a_service_on_loopback_alone_is_not_and_the_log_says_what_to_do(
    serve, contained
):
    port = serve("127.0.0.1")

    done = contained(local(port), patience="1s")

    assert done.exit == 3, done.log
    assert re.search(
        rf"port {port} was tried at localhost \(refused\), [\d.]+ \(\w[^)]*\), "
        r"host\.docker\.internal \([^)]+\)",
        done.said,
    )
    assert "let the service listen on 0.0.0.0" in done.said


def test_nothing_else_is_tried_where_that_is_off(serve, contained):
    port = serve("0.0.0.0")  # noqa: S104 - as above

    done = contained(local(port), patience="1s", HOST_GATEWAY="off")

    assert done.exit == 3, done.log
    assert f"nothing listens at {local(port)}/" in done.said
    assert "was tried" not in done.said


@pytest.fixture
def container(engine, image):
    """Start the demo's service in a container of its own; give its address."""
    name = f"rag-{os.getpid()}"
    everywhere = "0.0.0.0"  # noqa: S104 - in the container
    engine.must(
        *("podman", "run", "--rm", "-d", "--name", name, "--network", BRIDGE),
        *("-v", f"{ROOT / 'demo'}:/opt/rag-eval/demo:ro", "--entrypoint", "python"),
        *(image, "-m", "demo", "--host", everywhere, "--port", "9000"),
    )
    form = "{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}"
    yield engine.must("podman", "inspect", "-f", form, name).strip()
    engine.must("podman", "stop", "-t", "1", name)


def test_a_service_container_is_reached_by_its_name(container, contained):
    done = contained("http://rag:9000", "--add-host", f"rag:{container}")

    assert done.report["totals"]["errors"] == 0, done.log
    assert done.report["totals"]["not_asked"] == 0, done.log
    assert "action's container" not in done.said


# A network where there is a metadata service, as in a cloud.

ISOLATED = """\
set -e
mount --bind "$1" /etc/hosts
ip link set lo up
ip addr add 169.254.169.254/32 dev lo
ip addr add 100.100.100.200/32 dev lo
ip addr add fe80::1/64 dev lo nodad
shift
exec "$@"
"""
HOSTS = """\
127.0.0.1 localhost
169.254.169.254 cloud.test
::ffff:169.254.169.254 mapped.test
fe80::1 linked.test
"""
URLS = [
    "http://169.254.169.254/latest/meta-data",
    "http://0xa9fea9fe/",
    "http://2852039166/",
    "http://0251.0376.0251.0376/",
    "http://[::ffff:169.254.169.254]/",
    "http://[fe80::1%25lo]/",
    "http://100.100.100.200/",
    "http://cloud.test/",
    "http://mapped.test/",
]


@pytest.fixture
def isolated(tmp_path):
    """Run a program of the tests on a network of its own; give what it prints."""
    missing = [tool for tool in ("ip", "unshare") if shutil.which(tool) is None]
    if sys.platform != "linux" or os.geteuid() != 0 or missing:
        end = pytest.fail if os.environ.get("CI") else pytest.skip
        end(f"no network of its own: it needs Linux and root; not there: {missing}")
    (tmp_path / "hosts").write_text(HOSTS)

    def run(program, *words):
        done = subprocess.run(
            [
                *("unshare", "--net", "--mount", "sh", "-c", ISOLATED, "sh"),
                *(tmp_path / "hosts", sys.executable, program, *words),
            ],
            env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


def test_a_metadata_service_that_is_there_gets_no_connection(isolated):
    found = isolated(Path(__file__).with_name("metadata.py"), *URLS)

    refused = [url for url, told in found["told"].items() if "which is never" in told]
    assert found["before"] == found["after"] == 3
    assert refused == URLS
    assert "cloud.test (never asked)" in found["told"]["nearby"]


def test_a_redirect_to_a_metadata_service_goes_nowhere(isolated):
    url = "http://127.0.0.1:8000/rag"

    found = isolated(Path(__file__).with_name("metadata.py"), url)

    assert "which is another service; it was not followed" in found["told"][url]
    assert found["before"] == found["after"]
