"""The whole program against an endpoint that is no bottleneck, beside bare requests.

`rag-eval run` is a process of its own, from start to exit, scoring and all files
included: wall time over ideal (cases x latency / concurrency) and CPU time a case. Both
ways run in turn against the same stub; the best of each counts.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from asking import Load
from processes import Cost, least, python
from stub import running

ROUNDS = {Load(1_000, 0.05, 16): 5, Load(10_000, 0.0, 32): 2}
SPEC = """\
name: whole
endpoint:
  url: {url}
  body: {{query: "{{{{ question }}}}", top_k: 8}}
  concurrency: {concurrency}
cases: cases.jsonl
thresholds: {{recall@5: {{min: 0}}}}
"""


def prepared(folder: Path, url: str, load: Load) -> None:
    """Write a spec, and cases with ids, key points and forbidden text."""
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


def measured(url: str, load: Load, rounds: int) -> dict[str, Cost]:
    """Give the least that each way costs."""
    bare = f"from asking import Load, bare\nbare({url!r}, Load{tuple(load)!r})"
    ways = {
        "bare": ["-c", bare],
        "rag-eval": ["-m", "runner", "run", "spec.yaml", "--quiet"],
    }
    costs: dict[str, list[Cost]] = {name: [] for name in ways}
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        prepared(folder, url, load)
        for _ in range(rounds):
            for name, arguments in ways.items():
                costs[name].append(python(arguments, folder))
    return {name: least(each) for name, each in costs.items()}


def main() -> None:
    """Print one line per load and way; the endpoint is a process of its own."""
    print(
        f"{'cases':>7} {'latency':>8} {'threads':>7} {'':>9} {'wall/ideal':>10} "
        f"{'ms CPU a case':>13} {'over bare':>9}"
    )
    for load, rounds in ROUNDS.items():
        with running(load.latency) as url:
            costs = measured(url, load, rounds)
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
