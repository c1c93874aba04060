"""The lines of ``rag-eval calibrate`` on one measure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from runner.agreement import Contingency
from runner.calibration import Agreement, Entry, Flips
from runner.inference import FEW
from runner.labels import AnnotatorPair
from runner.meta_evaluation._compare import RatedItem
from runner.meta_evaluation._result import MeasureResult
from runner.model import Explained
from runner.text.shorten import cells, cut
from runner.units import count

_SHOWN = 20  # items that differ, slices, and reasons that are told one by one
_QUESTION, _NAME, _EVIDENCE = 80, 30, 120  # characters
_ROW = "  {}  {}  {:>6}  {:<21}  {}"


def lines(
    found: MeasureResult, annotator_pairs: Sequence[AnnotatorPair], standing: str
) -> Iterator[str]:
    """Give the lines on one measure: how far judge and people agree, and where not.

    Args:
        found: The measure beside people.
        annotator_pairs: Of its labels.
        standing: Whether it may block.
    """
    entry, label = found.entry, found.of.measure.label
    side = "from" if entry.better == "higher" else "up to"
    said = {"option": "--good", "pass": "the spec's pass mark"}[entry.mark_from]
    yield f"{label}: good is {side} {entry.mark:g}, by {said}"
    yield from _parts(entry)
    yield from _table(entry.whole)
    yield from _gaps(found)
    yield from (_people(pair) for pair in annotator_pairs)
    yield from _flips(entry.flips)
    yield from _differing(found.differing)
    yield f"  {standing}"


def _parts(entry: Entry) -> Iterator[str]:
    named = {"all": entry.whole, **entry.languages, **entry.slices}
    parts = dict(list(named.items())[:_SHOWN])
    width = max(cells(_short(name)) for name in parts)
    scored = {name: _scored(found) for name, found in parts.items()}
    wide = max(map(len, ("labels", *scored.values())))
    head = "labels".rjust(wide)
    yield _ROW.format(" " * width, head, "agree", "kappa", "AUROC").rstrip()
    for name, found in parts.items():
        padded = _short(name) + " " * (width - cells(_short(name)))
        yield _ROW.format(padded, scored[name].rjust(wide), *_figures(found)).rstrip()
    if len(named) > len(parts):
        yield f"  and {len(named) - len(parts):,} more slices, in the file"


def _short(name: str) -> str:
    return cut(" ".join(name.split()), _NAME)


def _scored(found: Agreement) -> str:
    """Give how many labels there are, and how many of them have a score beside them."""
    total = found.table.total
    of = f"{total:,} of " if total != found.labels else ""
    return f"{of}{found.labels:,}"


def _figures(found: Agreement) -> tuple[str, str, str]:
    share = found.table.share
    agree = "-" if share is None else f"{share:.0%}"
    says = found.auroc is not None and found.table.total >= FEW
    area = f"{found.auroc:.2f}" if says else ""
    few = found.table.total < FEW <= found.labels
    return agree, "too few scores to say" if few else kappa(found.table), area


def kappa(table: Contingency) -> str:
    """Give kappa with its interval, or why there is nothing to say."""
    if table.total < FEW:
        return "too few labels to say"
    if table.kappa is None or table.interval is None:
        return "not defined: all alike"
    low, high = table.interval
    return f"{table.kappa:.2f} ({low:.2f} to {high:.2f})"


def _table(whole: Agreement) -> Iterator[str]:
    yield "              people good   bad"
    yield f"  judge good  {whole.both_good:>11,} {whole.judge_alone:>5,}"
    yield f"  judge bad   {whole.people_alone:>11,} {whole.both_bad:>5,}"


def _gaps(found: MeasureResult) -> Iterator[str]:
    """Say on which items there is nothing to compare, and why."""
    reasons = Counter(
        row.score.reason for row in found.rows if not isinstance(row.score, float)
    )
    for reason, times in reasons.most_common(3):
        yield f"  no score on {count(times, 'item')}: {cut(_line(reason), 200)}"
    if found.of.disputed:
        divided = count(found.of.disputed, "item")
        yield f"  left out, as people are divided: {divided}"


def _people(pair: AnnotatorPair) -> str:
    names = f"{_short(pair.first)} and {_short(pair.second)}"
    return f"  {names} among themselves: kappa {kappa(pair.table)}"


def _flips(found: Mapping[str, Flips]) -> Iterator[str]:
    if found:
        yield "  changed copies, and how often the judge then decides otherwise:"
    for name, flips in found.items():
        if flips.rate is None or flips.interval is None:
            yield f"  {name:<10} no item could be changed"
            continue
        low, high = flips.interval
        failed = f", {flips.failed} failed" if flips.failed else ""
        share = f"{flips.rate:.1%} ({low:.1%} to {high:.1%}) of {flips.items:,}"
        moved = f"{flips.to_good} to good, {flips.to_bad} to bad{failed}"
        yield f"  {name:<10} {share}: {moved}"


def _differing(rows: Sequence[RatedItem]) -> Iterator[str]:
    if rows:
        items = count(len(rows), "item")
        yield f"  they differ on {items}, the judge's surest first:"
    for row in rows[:_SHOWN]:
        people = "good" if row.people else "bad"
        score = f"{row.score:.2f}" if isinstance(row.score, float) else "none"
        question = cut(_line(row.item.case.question), _QUESTION)
        said = f"people {people}, judge {score}"
        yield f"  - {_short(row.item.case.id)}: {said}: {question}"
        if isinstance(row.score, Explained):
            yield f"    {cut(_line(row.score.evidence), _EVIDENCE)}"
    if len(rows) > _SHOWN:
        yield f"  - and {len(rows) - _SHOWN:,} more"


def _line(text: str) -> str:
    return " ".join(text.split())
