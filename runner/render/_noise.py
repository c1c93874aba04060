"""Whether chance alone explains a comparison: its flips, and each change of a score."""

from __future__ import annotations

from runner.inference import CONFIDENCE, FEW
from runner.model import Comparison, Delta
from runner.render._numbers import STILL, change
from runner.render._sentence import Sentence, quote, say
from runner.report import Report
from runner.units import count, rough

_NOISE = "within noise"
_SMALL = 0.0001  # a probability that is not told more exactly


def flips(report: Report) -> Sentence:
    """Say whether chance explains the flips; empty where no case flipped.

    Calls that failed are no flips of answers, and chance is not asked about them.
    """
    compared = report.comparison
    if compared is None or not compared.worse + compared.better:
        return ()
    word = "more than noise"
    if compared.p is None:
        word = f"nothing is told from noise with fewer than {FEW} pairs"
    elif compared.p > 1 - CONFIDENCE:
        word = _NOISE
    # By the commit of the baseline: what came since may have done it.
    since = say(" since ", quote(compared.commit[:7])) if compared.commit else ()
    chance = f": {word}{_p(compared.p)}"
    reach = _reach(compared) if word == _NOISE else ""
    return say(_flipped(compared), since, chance, reach and f"; {reach}", ".")


def _flipped(compared: Comparison) -> str:
    parts = {"regressed": compared.worse, "fixed": compared.better}
    return ", ".join(f"{number:,} {name}" for name, number in parts.items() if number)


def _p(value: float | None) -> str:
    if value is None:
        return ""
    return f" (p = {value:.2g})" if value >= _SMALL else f" (p < {_SMALL})"


def reach(report: Report) -> Sentence:
    """Say how small a drop of accuracy the pairs can show; empty where flips say it."""
    compared = report.comparison
    told = _reach(compared) if compared and not flips(report) else ""
    return say(told[:1].upper(), told[1:], "." if told else "")


def _reach(compared: Comparison) -> str:
    if compared.detectable is None:
        return ""
    least = f"{rough(100 * compared.detectable)} points"
    pairs = count(compared.pairs, "pair")
    return f"with {pairs}, only a drop of accuracy by {least} or more stands out"


def is_noise(delta: Delta) -> bool:
    """Whether chance alone explains a change, by the test of a confident gate.

    >>> kept = {"now": 0, "baseline": 1, "delta": -1, "pairs": 80}
    >>> fell = Delta(**kept, interval=(-1.1, -0.1), p=0.06)
    >>> is_noise(fell), is_noise(fell.model_copy(update={"p": 0.03}))
    (True, False)
    """
    if delta.interval is None or delta.p is None:
        return False
    low, high = delta.interval
    return low <= 0 <= high or 1 - CONFIDENCE < delta.p < CONFIDENCE


def between(delta: Delta, unit: str) -> str:
    """Give the confidence interval of a change; empty where there is none.

    >>> between(Delta(now=1, baseline=1, delta=0, pairs=9, interval=(-0.1, 0.02)), "")
    '−0.10 to +0.02'
    """
    if delta.interval is None:
        return ""
    edges = [change(edge, 0, unit) for edge in delta.interval]
    return " to ".join("0" if edge == STILL else edge for edge in edges)
