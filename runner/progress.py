"""Shows progress on standard error: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

from runner.model import Record
from runner.units import count

BAR_EVERY = 0.25  # seconds; drawing more often costs more than it tells
LINE_EVERY = 10.0  # seconds


@contextmanager
def silent(_total: int, _done: str) -> Iterator[Callable[[Record], None]]:
    """Show nothing."""
    yield lambda _record: None


@contextmanager
def shown(
    total: int,
    done: str,
    stream: TextIO,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[Callable[[Record], None]]:
    """Show progress; gives the function to call with the record of each case.

    Args:
        total: How many there are.
        done: What was done to a case before it was judged, ``asked`` or ``replayed``.
        stream: Where it is shown.
        clock: Seconds.
    """
    if stream.isatty():
        with _bar(total, stream, clock) as advance:
            yield advance
    else:
        yield _lines(total, done, stream, clock)


@contextmanager
def _bar(
    total: int, stream: TextIO, clock: Callable[[], float]
) -> Iterator[Callable[[Record], None]]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.description}"),
        TimeRemainingColumn(),
    )
    drawn = Progress(
        *columns, console=Console(file=stream), auto_refresh=False, transient=True
    )
    with drawn:
        task = drawn.add_task("", total=total)
        counts: Counter[str] = Counter()
        last = clock()

        def advance(record: Record) -> None:
            nonlocal last
            counts[record.outcome] += 1
            if clock() - last >= BAR_EVERY:
                last = clock()
                far = counts.total()
                drawn.update(task, completed=far, description=_outcomes(counts))
                drawn.refresh()

        yield advance


def _lines(
    total: int, done: str, stream: TextIO, clock: Callable[[], float]
) -> Callable[[Record], None]:
    counts: Counter[str] = Counter()
    last = clock()

    def advance(record: Record) -> None:
        nonlocal last
        counts[record.outcome] += 1
        if clock() - last >= LINE_EVERY or counts.total() == total:
            last = clock()
            far = f"{done} {counts.total()} of {count(total, 'case')}"
            _write(stream, f"{far}: {_outcomes(counts)}")

    return advance


def counting(
    total: int,
    done: str,
    stream: TextIO | None,
    clock: Callable[[], float] = time.monotonic,
) -> Callable[[], None]:
    """Give a function to call for each of many things, which shows how far they are.

    Args:
        total: How many there are at most.
        done: What is done to each, such as ``rated``.
        stream: Where a line is written every ten seconds; nowhere for None.
        clock: Seconds.
    """
    far, last = 0, clock()

    def tick() -> None:
        nonlocal far, last
        far += 1
        if stream and clock() - last >= LINE_EVERY:
            last = clock()
            _write(stream, f"{done} {far:,} of {total:,}")

    return tick


def _write(stream: TextIO, line: str) -> None:
    with suppress(OSError, ValueError):  # whoever reads it may have left
        stream.write(f"{line}\n")
        stream.flush()


def _outcomes(counts: Counter[str]) -> str:
    said = [f"{counts[name]} {name}" for name in ("passed", "failed")]
    if counts["undetermined"]:
        said.append(f"{counts['undetermined']} undetermined")
    if counts["quarantined"]:
        said.append(f"{counts['quarantined']} in quarantine")
    if errors := counts["error"]:
        said.append(count(errors, "error"))
    return ", ".join(said)
