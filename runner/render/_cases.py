"""The failing cases: counts by layer, advice by cause, and each case in full."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from runner.advice import ADVICE
from runner.model import LAYERS, Layer
from runner.render._links import Links
from runner.render._sentence import Sentence, join, quote, say
from runner.render._table import NOTHING, layer_name
from runner.report import FailedCase, Report
from runner.search_regression import search_regression
from runner.text.shorten import cut_around, cut_middle, finds

_LABELS = ("question", "expected", "retrieved", "answer", "evidence")
_WIDTH = max(map(len, _LABELS)) + 1


class Charge(NamedTuple):
    """A row on a layer: how many cases fail there first, and how many also."""

    layer: str
    first: int
    also: str
    before: str
    """First failures in the baseline."""
    cause: Sentence


class Hint(NamedTuple):
    """What to do about a cause."""

    cause: str
    cases: int
    remedy: str


class Detail(NamedTuple):
    """A failing case in full."""

    id: Sentence
    about: Sentence
    text: str
    """Labelled lines of foreign text."""


def failing(report: Report) -> int:
    """Give how many cases fail or got no usable reply."""
    return report.totals.failed + report.totals.errors


def charges(report: Report) -> list[Charge]:
    """Give a row for each layer in which cases fail; cases without a layer last."""
    before = report.comparison.layers if report.comparison else {}
    table = []
    for layer in LAYERS:
        count = report.layers.get(layer)
        first, also = (count.first, count.also) if count else (0, 0)
        if first or also or before.get(layer):
            also_text = f"{also:,}" if layer != LAYERS[-1] else NOTHING
            cause = _common(count.causes) if count else ()
            then = f"{before.get(layer, 0):,}"
            table.append(Charge(layer_name(layer), first, also_text, then, cause))
    rest = failing(report) - sum(charge.first for charge in table)
    if rest > 0:
        said = say("no test names one")
        table.append(Charge("no layer", rest, NOTHING, NOTHING, said))
    return table


def _common(causes: dict[str, int]) -> Sentence:
    if not causes:
        return ()
    cause, number = next(iter(causes.items()))
    return say(cause_name(cause), f" ({number:,})")


def cause_name(cause: str | None) -> Sentence:
    """Give a cause as its code and in words."""
    if not cause:
        return ()
    meaning = ADVICE[cause].meaning if cause in ADVICE else ""
    return say(quote(cause), f": {meaning}" if meaning else "")


def hints(report: Report) -> list[Hint]:
    """Give a line of advice for each first cause, the most frequent first."""
    counted = [
        Hint(cause, number, _search_first(report, layer) + ADVICE[cause].remedy)
        for layer in LAYERS
        if layer in report.layers
        for cause, number in report.layers[layer].causes.items()
        if cause in ADVICE
    ]
    return sorted(counted, key=lambda hint: -hint.cases)


def _search_first(report: Report, layer: Layer) -> str:
    """Give the advice that precedes that on a layer where the search got worse."""
    found = search_regression(report.comparison, report.summaries, layer)
    return "First see why the passages of these cases fell or went. " if found else ""


def details(report: Report, cases: int, limit: int, links: Links) -> list[Detail]:
    """Give the worst failing cases with their texts, each text cut to ``limit``."""
    said = []
    for case, weight in worst_first(report)[:cases]:
        url = links.line_url(case.file or "", case.line)
        about = [say(weight), *_details(case, linked=bool(url))]
        text = case_text(case, limit)
        said.append(Detail(say(quote(case.id, url)), join(" · ", about), text))
    return said


_WEIGHTS = ("red line", "regressed", "")


def worst_first(report: Report) -> list[tuple[FailedCase, str]]:
    """Give failing cases: what crossed a red line, what regressed, then the rest."""
    lines = [gate for gate in report.gates if gate.blocks and gate.rule == "red_line"]
    broken = {name for gate in lines for name in gate.cases}
    flipped = set(report.comparison.regressed if report.comparison else ())
    weighed = [(case, _weight(case, broken, flipped)) for case in report.failures]
    return sorted(weighed, key=lambda pair: _WEIGHTS.index(pair[1]))


def _weight(case: FailedCase, broken: set[str], flipped: set[str]) -> str:
    if case.id in broken:
        return "red line"
    # What got no reply shows nothing that could have become worse.
    return "regressed" if case.id in flipped and case.outcome != "error" else ""


def _details(case: FailedCase, *, linked: bool) -> list[Sentence]:
    where = f"{case.file}:{case.line}" if case.line else case.file
    also = join(", ", [say(quote(cause)) for cause in case.also])
    return [
        say(cause_name(case.cause) or case.outcome),
        say("also ", also) if also else (),
        say(quote(where)) if where and not linked else (),
    ]


def case_text(case: FailedCase, limit: int) -> str:
    """Give a case as labelled lines; unknown fields are left out."""
    return "\n".join(_lines(case, limit))


def _lines(case: FailedCase, limit: int) -> Iterator[str]:
    retrieved = case.retrieved
    came = None if retrieved is None else ", ".join(name or "?" for name in retrieved)
    values = (case.question, ", ".join(case.expected), came, case.answer)
    found = finds(case.evidence)
    shown = [value and cut_around(value, found, limit) for value in values]
    shown.append(cut_middle(case.evidence, limit))
    for label, value in zip(_LABELS, shown, strict=True):
        if value is None or (value == "" and label in ("expected", "evidence")):
            continue
        first, *more = (value or "(nothing)").split("\n")
        yield f"{label:{_WIDTH}}{first}"
        for line in more:
            yield f"{'':{_WIDTH}}{line}"
