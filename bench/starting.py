"""How long the short commands take as processes; and what the progress bar costs."""

from __future__ import annotations

import io
import time
from statistics import median

from processes import ROOT, least, python

from runner.model import Record
from runner.progress import shown

COMMANDS = (["--version"], ["--help"], ["validate", "specs/quickstart.yaml"])


def main() -> None:
    """Print seconds of wall time for each command, and the bar's share of CPU."""
    for command in COMMANDS:
        print(f"rag-eval {' '.join(command):<40} {best(command):.3f} s", flush=True)
    print(f"progress bar: {share():+.2%} of CPU, median of nine", flush=True)


def best(command: list[str]) -> float:
    """Give the least wall time of nine runs, in seconds."""
    run = ["-m", "runner", *command]
    return least([python(run, ROOT) for _ in range(9)]).wall


class Terminal(io.StringIO):
    """A stream that says it is a terminal, so that the bar is drawn."""

    def isatty(self) -> bool:
        """Say so."""
        return True


def share() -> float:
    """Give the CPU of drawing over that of a run of 1,000 cases of 1.5 ms each."""
    record = Record("qa-1", "passed", "", "", {})

    def once() -> float:
        clock = iter(n * 0.003 for n in range(10_000_000))
        started = time.process_time()
        with shown(1_000, "asked", Terminal(), lambda: next(clock)) as advance:
            for _ in range(1_000):
                advance(record)
        return time.process_time() - started

    return median(once() for _ in range(9)) / (1_000 * 0.0015)


if __name__ == "__main__":
    main()
