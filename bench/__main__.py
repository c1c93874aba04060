"""``python -m bench``: every measurement of speed, one after the other."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPTS = (
    "starting",
    "asking",
    "streaming",
    "whole",
    "rating",
    "rescoring",
    "comparing",
    "tokenising",
)


def main() -> None:
    """Run each script in a process of its own, as ratios within one run."""
    here = Path(__file__).resolve().parent
    for name in SCRIPTS:
        print(f"\n== {name}", flush=True)
        subprocess.run([sys.executable, str(here / f"{name}.py")], check=True)


if __name__ == "__main__":
    main()
