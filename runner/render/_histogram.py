"""Latencies as bars of text."""

from __future__ import annotations

from collections.abc import Sequence

_WIDTH = 40


def histogram(bins: Sequence[tuple[float, int]]) -> str:
    """Give a line a bin: its upper edge in seconds, the number of calls, and a bar.

    A bin that holds anything has a bar of one sign at least. What is behind the edge of
    a narrow page is the end of the bars, and no number.

    >>> print(histogram([(0.5, 40), (1.0, 10)]))
      ≤ 0.5 s  40  ████████████████████████████████████████
        ≤ 1 s  10  ██████████
    """
    most = max((calls for _, calls in bins), default=0)
    wide = len(f"{most:,}")
    lines = []
    for edge, calls in bins:
        signs = max(1, round(_WIDTH * calls / most)) if calls else 0
        line = f"{f'≤ {edge:g} s':>9}  {calls:>{wide},}  {'█' * signs}"
        lines.append(line.rstrip())
    return "\n".join(lines)
