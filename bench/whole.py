"""The whole program against an endpoint that is no bottleneck, beside bare requests.

`rag-eval run` is a process of its own, from start to exit, scoring and all files
included: wall time over ideal (cases x latency / concurrency) and CPU time a case.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from asking import Load
from stub import running

LOADS = (Load(1_000, 0.05, 16), Load(10_000, 0.0, 32))
SPEC = """\
name: whole
endpoint:
  url: {url}
  body: {{query: "{{{{ question }}}}", top_k: 8}}
  concurrency: {concurrency}
cases: cases.jsonl
thresholds: {{recall@5: {{min: 0}}}}
"""


class Cost(NamedTuple):
    """Seconds, all of the process included."""

    wall: float
    cpu: float


def children(command: list[str], folder: Path) -> Cost:
    """Run a command; give what it cost from start to exit."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.monotonic()
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    wall = time.monotonic() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1):
        raise SystemExit(done.stderr.decode())
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(wall, cpu)


def ours(url: str, load: Load) -> Cost:
    """Run the program over cases with ids, key points and forbidden text."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        spec = SPEC.format(url=url, concurrency=load.concurrency)
        (folder / "spec.yaml").write_text(spec)
        with (folder / "cases.jsonl").open("w") as file:
            for number in range(load.cases):
                case = {
                    "id": f"qa-{number}",
                    "question": f"question {number}",
                    "expected_doc_ids": ["doc-1#1"],
                    "must_include": ["30 days"],
                }
                file.write(json.dumps(case) + "\n")
        run = [sys.executable, "-m", "runner", "run", "spec.yaml"]
        return children(run, folder)


def main() -> None:
    """Print one line per load; the endpoint is a process of its own."""
    print(
        f"{'cases':>7} {'latency':>8} {'threads':>7} {'':>9} {'wall/ideal':>10} "
        f"{'ms CPU a case':>13} {'over bare':>9}"
    )
    here = Path(__file__).resolve().parent
    for load in LOADS:
        with running(load.latency) as url:
            code = (
                f"import sys; sys.path.insert(0, {str(here)!r})\n"
                f"from asking import Load, bare\nbare({url!r}, Load{tuple(load)!r})"
            )
            costs = {
                "bare": children([sys.executable, "-c", code], here),
                "rag-eval": ours(url, load),
            }
        ideal = load.cases * load.latency / load.concurrency
        for name, cost in costs.items():
            wall = f"{cost.wall / ideal:.3f}" if ideal else f"{cost.wall:.1f} s"
            print(
                f"{load.cases:>7} {load.latency:>8} {load.concurrency:>7} {name:>9} "
                f"{wall:>10} {1000 * cost.cpu / load.cases:>13.3f} "
                f"{cost.cpu / costs['bare'].cpu:>9.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
