"""Runs a command as a process of its own and tells what it cost.

Python is run as an installed package runs: compiled once, and not again at each start.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
_bytecode = tempfile.TemporaryDirectory(prefix="bench-")


class Cost(NamedTuple):
    """What a process took from start to exit."""

    wall: float
    cpu: float
    peak: float
    """Megabytes."""


def python(arguments: Sequence[str], folder: Path) -> Cost:
    """Run Python with these arguments in a folder; stop where it fails.

    An exit status of 1 is no failure: gates that were not met give it.
    """
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    found = {
        "PYTHONPATH": os.pathsep.join(map(str, (ROOT, ROOT / "bench"))),
        "PYTHONPYCACHEPREFIX": _bytecode.name,
    }
    with tempfile.TemporaryFile() as said:
        started = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, *arguments],
            cwd=folder,
            env=kept | found,
            stdout=subprocess.DEVNULL,
            stderr=said,
        )
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in (0, 1):
            said.seek(0)
            raise SystemExit(said.read().decode())
    return Cost(wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def least(costs: Sequence[Cost]) -> Cost:
    """Give the least of each, over runs of the same: other work only ever adds."""
    return Cost(*(min(figures) for figures in zip(*costs, strict=True)))
