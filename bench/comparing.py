"""Comparing two results: time and memory, at 100,000 cases with 8 and 20 ids each.

`rag-eval compare OLD NEW` is a process of its own. The results are those of a real run
of some cases, whose lines are written again under other ids, with other passages and,
for one case in twenty, another outcome.
"""

from __future__ import annotations

import json
import random
import shutil
import tempfile
from pathlib import Path

from processes import least, python
from rescoring import ID_METRICS, TEXT_METRICS, write

SAMPLE, SIZE, ROUNDS = 500, 100_000, 2
REPLAY = ["run", "spec.yaml", "--replay", "replies.jsonl", "--out", "sample", "--quiet"]


def prepared(folder: Path) -> None:
    """Run some cases, by every metric."""
    write(folder, SAMPLE, f"{ID_METRICS}, {TEXT_METRICS}", "{}")
    python(["-m", "runner", *REPLAY], folder)


def grown(folder: Path, name: str, size: int, ids: int, seed: int) -> None:
    """Write results of many cases, made of the lines of a few."""
    chance, to = random.Random(seed), folder / name
    to.mkdir()
    report = json.loads((folder / "sample/results.json").read_text())
    report["totals"] = {**report["totals"], "cases": size}
    (to / "results.json").write_text(json.dumps(report))
    lines = (folder / "sample/cases.jsonl").read_text().splitlines()
    with (to / "cases.jsonl").open("w") as file:
        for number in range(size):
            case = json.loads(lines[number % len(lines)])
            case["id"] = f"qa-{number:06}"
            case["hash"], case["labels"] = f"{number:012x}", f"{number + size:012x}"
            case["retrieved"] = [
                f"doc-{chance.randrange(5000)}#{chance.randrange(9)}"
                for _ in range(ids)
            ]
            case["scores"]["latency"] = chance.random()
            case["scores"]["answer_similarity"] = chance.random()
            if chance.random() < 0.05:
                case["outcome"] = "failed"
                case["layer"], case["cause"] = "retrieval", "retrieval.missed"
            file.write(json.dumps(case, separators=(",", ":")) + "\n")


def main() -> None:
    """Print one line for each number of ids."""
    print(f"{'cases':>8} {'ids':>4} {'wall s':>7} {'CPU s':>6} {'peak MB':>8}")
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        prepared(folder)
        for ids in (8, 20):
            for seed, name in enumerate(("old", "new")):
                shutil.rmtree(folder / name, ignore_errors=True)
                grown(folder, name, SIZE, ids, seed)
            compare = ["-m", "runner", "compare", "old", "new"]
            cost = least([python(compare, folder) for _ in range(ROUNDS)])
            print(
                f"{SIZE:>8} {ids:>4} {cost.wall:>7.1f} {cost.cpu:>6.1f} "
                f"{cost.peak:>8.0f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
