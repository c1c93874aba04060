"""What the README shows of the demo is what the demo shows."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")
SECONDS = re.compile(r"[−+]?[0-9.]+(?:&nbsp;|\s)s\b")


def demo(out: Path, *options: str) -> str:
    """Evaluate the demo; give what was printed."""
    command = [sys.executable, "-m", "demo.quickstart", "--out", str(out), "--quiet"]
    ended = subprocess.run(
        [*command, *options], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ended.returncode in (0, 1), ended.stderr
    return ended.stdout


def lines(text: str) -> list[str]:
    """Give the lines of a text; seconds and what aligns columns are left out."""
    found = (SECONDS.sub("", line) for line in text.splitlines())
    kept = (re.sub(r"[ -]+", " ", line).strip() for line in found)
    return [line for line in kept if line and not line.startswith("Results:")]


@pytest.fixture
def out():
    """Give a folder in the workspace, where results and baselines have to be."""
    with tempfile.TemporaryDirectory(prefix=".readme-", dir=ROOT) as made:
        yield Path(made)


def test_the_table_is_the_one_that_the_demo_prints(out):
    shown = README.partition("```text\nRAG eval helpdesk")[2].partition("```")[0]

    assert lines(f"RAG eval helpdesk{shown}") == lines(demo(out / "results"))


def test_the_comment_is_the_one_that_a_fault_gets(out):
    quoted = re.findall("^> ?(.*)", README, re.MULTILINE)
    excerpt = [line.removeprefix("#") for line in quoted if line]
    demo(out / "results")
    save = ["baseline", "save", str(out / "results"), "--to", str(out / "baseline")]
    subprocess.run(
        [sys.executable, "-m", "runner", *save],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    demo(out / "results", "--fault", "drop-gold", "--baseline", str(out / "baseline"))
    comment = (out / "results/comment.md").read_text("utf-8").splitlines()

    assert len(excerpt) > 10
    assert [line for line in excerpt if line not in comment] == []
