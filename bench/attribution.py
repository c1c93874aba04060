"""Which cause seeded faults are charged to, on data that people labelled.

    python -m bench.attribution [FOLDER]

FOLDER is the labelled data (RAG_EVAL_SHARED in tests/README.md). How cases, healthy
replies and faults are made is told in tests/contract/_labelled.py and _seeded.py.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.contract._attribution import Tally, alarms, attribute, judge
from tests.contract._labelled import collections, mtrag_right
from tests.contract._seeded import FAULTS

LINE = "{:12} {:14} {:>6} {:>7} {:>6}  {}"


def main() -> None:
    """Print one line a fault and collection, then the false alarms."""
    beside = Path(__file__).resolve().parents[2] / "shared"
    folder = Path([*sys.argv[1:], os.environ.get("RAG_EVAL_SHARED") or beside][0])
    print(LINE.format("data", "fault", "seeded", "failing", "right", "charged instead"))
    found = collections(folder)
    for name, pairs in found.items():
        healthy = judge(pairs)
        passed = sum(record.outcome == "passed" for record in healthy.values())
        print(LINE.format(name, "none", len(pairs), len(pairs) - passed, "-", ""))
        for fault in FAULTS:
            tally = attribute(pairs, healthy, fault)
            if tally.seeded:
                print(line(name, fault, tally))
    print("\nRight answers that fail for an omission alone, and what else is charged:")
    right = list(mtrag_right(folder / "data/runs/mtrag_en.jsonl"))
    labelled = {name: [p for p in pairs if p.points] for name, pairs in found.items()}
    for name, pairs in {"mtrag-en, all": right, **labelled}.items():
        print(f"{name:14} {len(pairs):4}  {listed(alarms(pairs)) or 'nothing'}")


def line(name: str, fault: str, tally: Tally) -> str:
    """Give one fault's figures in one collection."""
    share = f"{tally.right / tally.failing:.1%}" if tally.failing else "-"
    causes = FAULTS[fault].causes
    instead = {cause: n for cause, n in tally.causes.items() if cause not in causes}
    return LINE.format(name, fault, tally.seeded, tally.failing, share, listed(instead))


def listed(causes: Mapping[str, int]) -> str:
    """Give causes with their counts."""
    return ", ".join(f"{cause} {count}" for cause, count in sorted(causes.items()))


if __name__ == "__main__":
    main()
