"""The action's image as it is built: how large it is, and how soon it speaks."""

import pytest

from tests.e2e.conftest import BASE

pytestmark = pytest.mark.e2e

MOST = 70_000_000  # bytes beyond the base
SOON = 1.0  # seconds until the first line of the log
ROUNDS = 3


def test_it_has_at_most_seventy_megabytes_beyond_its_base(engine, image):
    whole, base = (
        int(engine.must("podman", "image", "inspect", "--format", "{{.Size}}", name))
        for name in (image, BASE)
    )

    assert whole - base <= MOST


def test_nothing_in_it_compiles(engine, image):
    code = (
        "import importlib.util, shutil\n"
        "print([each for each in ('cc', 'gcc', 'make', 'ld') if shutil.which(each)])\n"
        "print([each for each in ('numpy', 'scipy') if importlib.util.find_spec(each)])"
    )

    found = engine.must(
        "podman", "run", "--rm", "--entrypoint=python", image, "-c", code
    )

    assert found.split("\n")[-3:-1] == ["[]", "[]"]


SPENT = """\
import resource, subprocess, sys
step = [sys.executable, "-m", "runner", "action"]
said = subprocess.run(step, capture_output=True, text=True).stdout
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print("none.yaml" in said, used.ru_utime + used.ru_stime)
"""


def test_the_log_begins_within_a_second(engine, image):
    step = ("podman", "run", "--rm", "-e", "INPUT_SPEC=none.yaml")
    own = ("--entrypoint=python", image, "-c", SPENT)

    found = [engine.must(*step, *own).split()[-2:] for _ in range(ROUNDS)]

    # Of the processor, which a busy machine does not stretch; to the end of a step
    # whose spec is not there, and which says so.
    assert {said for said, _ in found} == {"True"}
    assert min(float(seconds) for _, seconds in found) <= SOON
