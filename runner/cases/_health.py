"""What a case set can and cannot measure, told before the first request."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from typing import Any

from runner.cases._needs import MAX_UNDETERMINED, asks_for, needs
from runner.model import Case, Match, Measure
from runner.text import normalise
from runner.units import count, listed, rough

_SCRIPTS = (  # the first that occurs names the question's language
    ("Japanese", "[\u3040-\u30ff]"),
    ("Korean", "[\uac00-\ud7af\u1100-\u11ff]"),
    ("Chinese", "[\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff]"),
    ("Latin script", "[A-Za-z\u00c0-\u024f]"),
)
_MANY = 12  # types or tags that are listed one by one
_NAMED = 5  # case ids that are shown for a warning
_SHORT = 4  # characters of a reference that any answer may resemble
_WARNING = "warning: "


def health(
    cases: Collection[Case],
    gated: Iterable[Measure] = (),
    marked: Iterable[Measure] = (),
    *,
    answers: bool = True,
    match: Match = "chunk",
) -> list[str]:
    """Give lines about a case set, what to mend beginning with ``warning:``.

    Args:
        cases: All cases, unfiltered.
        gated: What thresholds are on.
        marked: What has a pass mark.
        answers: Whether the system shows answers, and not only passages.
        match: What of an id is compared.
    """
    if not cases:
        return [f"{_WARNING}there is no case"]
    examining = [
        measure
        for measure in marked
        if (measure.layer == "retrieval" and not answers)
        or (measure.metric.examines and measure.layer == "answer" and answers)
    ]
    return [
        *_counts(cases),
        *_balance(cases),
        *_undetermined(cases, examining),
        *_doubts(cases),
        *_unmet(cases, match),
        *_mute(cases, gated),
    ]


def _counts(cases: Collection[Case]) -> Iterator[str]:
    types = Counter(case.type or "none" for case in cases)
    yield f"{count(len(cases), 'case')}, by type: {_numbers(types)}"
    tags = Counter(tag for case in cases for tag in case.tags)
    if tags:
        yield f"tags: {_numbers(tags)}"
    yield f"languages: {_numbers(Counter(_language(case.question) for case in cases))}"
    if talks := sum(bool(case.turns) for case in cases):
        yield f"with earlier turns: {talks} of {len(cases)}"
    points = rough(100 / len(cases))
    yield (
        f"one case that flips moves accuracy by {points} points; "
        "smaller changes cannot show"
    )


def _balance(cases: Collection[Case]) -> Iterator[str]:
    refusals = sum(case.expect_refusal for case in cases)
    share = f"{100 * refusals / len(cases):.0f} %"
    if refusals == 0:
        yield (
            f"{_WARNING}no case expects a refusal, so a system that makes answers up "
            "passes (add questions that the documents cannot answer)"
        )
    elif refusals == len(cases):
        yield f"{_WARNING}every case expects a refusal, so declining always passes"
    else:
        yield f"refusal cases: {refusals} of {len(cases)} ({share})"


def _undetermined(
    cases: Collection[Case], examining: Collection[Measure]
) -> Iterator[str]:
    """Tell which answerable cases no pass mark can ever judge."""
    blind = [
        case
        for case in cases
        if not case.expect_refusal
        and not any(asks_for(case, measure) for measure in examining)
    ]
    fields = sorted({label.field for measure in examining for label in needs(measure)})
    without = f"without {' or '.join(fields)}: " if fields else ""
    what = f"{without}no pass mark can judge the answer, so the outcome is undetermined"
    yield from _warn(blind, what)
    if len(blind) > MAX_UNDETERMINED * len(cases):
        most = f"{100 * MAX_UNDETERMINED:.0f} %"
        yield f"{_WARNING}over {most} undetermined: a gate on accuracy is unmeasured"


def _doubts(cases: Collection[Case]) -> Iterator[str]:
    yield from _warn(
        [case for case in cases if not (case.expect_refusal or case.relevant)],
        "without expected_doc_ids: retrieval is not measured there",
    )
    yield from _warn(
        [case for case in cases if case.expect_refusal and case.relevant],
        "expecting a refusal and documents: they are scored as refusals only",
    )
    yield from _warn(
        [case for case in cases if case.reference and len(case.reference) < _SHORT],
        f"with a reference under {_SHORT} characters: use must_include instead",
    )
    yield from _repeated(cases)


def _unmet(cases: Collection[Case], match: Match) -> Iterator[str]:
    """Tell of labels that nothing in a reply can meet."""
    yield from _warn(
        [case for case in cases if match == "document" and "#" in "".join(case.qrels)],
        "expecting an id with #: with match: document only what stands before it is "
        "compared, so write that",
    )
    yield from _warn(
        [case for case in cases if case.canaries and not _live_canaries(case)],
        "whose question says each of its canaries, so that none could be a leak",
    )


def _live_canaries(case: Case) -> list[str]:
    said = normalise(case.user_text)
    return [canary for canary in case.canaries if normalise(canary) not in said]


def _repeated(cases: Collection[Case]) -> Iterator[str]:
    asked: dict[tuple[Any, ...], list[Case]] = {}
    for case in cases:
        question = "".join(case.question.split()).casefold()
        asked.setdefault((question, case.tenant, case.turns), []).append(case)
    again = [case for same in asked.values() for case in same[1:]]
    yield from _warn(again, "repeating a question of another case of the same tenant")


def _mute(cases: Collection[Case], gated: Iterable[Measure]) -> Iterator[str]:
    """Warn of thresholds on metrics that no case of the set can score."""
    for measure in gated:
        for label in needs(measure):
            if not any(label.value(case) for case in cases):
                yield (
                    f"{_WARNING}the threshold on {measure.label} will be unmeasured, "
                    f"and fail: no case has {label.field}"
                )


def _warn(cases: list[Case], what: str) -> Iterator[str]:
    if cases:
        ids = listed([case.id for case in cases], _NAMED)
        yield f"{_WARNING}{count(len(cases), 'case')} {what} ({ids})"


def _numbers(counts: Counter[str]) -> str:
    return listed([f"{name} {found:,}" for name, found in counts.most_common()], _MANY)


def _language(text: str) -> str:
    return next(
        (name for name, letters in _SCRIPTS if re.search(letters, text)), "other"
    )
