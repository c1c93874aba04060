from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from itertools import islice, takewhile

from runner.metrics._declare import metric
from runner.metrics._evidence import evidence, unread
from runner.metrics._ranking import document_of
from runner.model import Passage, Unscored
from runner.text import contains, tokens

Marks = tuple[tuple[int, str], ...]

MOST = 100  # quoted spans of an answer that are looked up
SENTENCE = 300  # characters behind a span within which its sentence ends
LEAST = 2  # tokens of a quoted span; a single quoted word is a term, not a quotation
_QUOTED = re.compile(r"“([^“”\n]+)”|「([^「」\n]+)」|『([^『』\n]+)』|\"([^\"\n]+)\"")
_OMISSION = re.compile(r"\[?(?:\.{3,}|…+)\]?")
_CLOSING = " ,.;:!?，。；：！？、"  # marks of the sentence that quotes, put inside
_SENTENCE_END = re.compile(r"[。！？!?\n]|\.\s")


@metric(layer="grounding")
def citation_support(
    answer: str,
    passages: tuple[Passage, ...] | None,
    citations: tuple[str, ...],
    marks: Marks | None,
) -> float | Unscored:
    """Share of the answer's quoted spans that stand in a passage it cites.

    A span belongs to the citation marks that follow it in its sentence, and without
    such a mark to all cited passages. Quotation marks are “…”, "…", 「…」 and 『…』;
    《…》 is a title. Marks that close a span ("like this," he said) belong to the
    sentence that quotes; of a span with an omission (…) each part must stand in one
    passage. A quoted single word is a term and not judged; of a reply that quotes
    without end, the first hundred spans are. A quotation is word for word: its numbers
    match as they are written. Unscored where the reply cites or quotes nothing, or a
    passage came without text.

    >>> rule = Passage(id="d#1", text="Opened items cannot be returned.")
    >>> citation_support('It says "opened items".', (rule,), ("d#1",), None)
    1.0
    """
    if not citations:
        return Unscored("the reply cites nothing")
    spans = list(islice(_quotations(answer), MOST))
    if not spans:
        return Unscored("the answer quotes nothing")
    if passages is None or evidence(passages) is None:
        return unread(passages)
    return 1 - len(mismatched(answer, passages, citations, marks)) / len(spans)


def mismatched(
    answer: str,
    passages: tuple[Passage, ...],
    citations: tuple[str, ...],
    marks: Marks | None,
) -> list[str]:
    """Give the quoted spans that stand in no passage that is cited for them."""
    placed = sorted(marks or ())
    wrong = []
    for end, span in islice(_quotations(answer), MOST):
        cited = _cited_for(answer, end, placed) or set(citations)
        if not any(
            _stands(passage.text or "", span)
            for passage in passages
            if passage.id in cited or document_of(passage) in cited
        ):
            wrong.append(span)
    return wrong


def _stands(text: str, span: str) -> bool:
    parts = [part.rstrip(_CLOSING) for part in _OMISSION.split(span)]
    return all(contains(text, part) for part in parts if part)


def _quotations(answer: str) -> Iterator[tuple[int, str]]:
    """Give each quoted span with where it ends."""
    for match in _QUOTED.finditer(answer):
        span = match[match.lastindex or 0]
        if len(tokens(span)) >= LEAST:
            yield match.end(), span


def _cited_for(answer: str, end: int, marks: list[tuple[int, str]]) -> set[str]:
    """Give what the marks between a span's end and its sentence's end cite."""
    stop = _SENTENCE_END.search(answer, end, end + SENTENCE)
    last = stop.end() if stop else end + SENTENCE
    first = bisect_left(marks, (end, ""))
    return {cited for _, cited in takewhile(lambda m: m[0] <= last, marks[first:])}
