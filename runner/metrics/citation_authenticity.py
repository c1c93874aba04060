from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from runner.metrics._declare import metric
from runner.metrics._evidence import NO_TEXT
from runner.metrics._ranking import document_of
from runner.metrics._tasks import CITATIONS, Cited, batches
from runner.metrics.citation_validity import fabricated
from runner.model import Explained, Judge, Passage, Unscored
from runner.text import sentences

Marks = tuple[tuple[int, str], ...]

MOST = 100  # citations of an answer that are looked up


@metric(layer="grounding", tasks=(CITATIONS,))
def citation_authenticity(
    question: str,
    answer: str,
    passages: tuple[Passage, ...],
    citations: tuple[str, ...],
    marks: Marks | None,
    judge: Judge,
) -> float | Unscored:
    """Share of the citations whose passage says what it is cited for.

    A citation is a mark in the answer with the sentence in which, or after which, it
    stands; an id that is cited without a mark is cited for the whole answer. A judge
    says of each whether the passage, or the document, states the sentence or the part
    of it for which it is cited. A cited id that was not retrieved is not authentic,
    whatever the judge thinks. The same sentence and id count once; of a reply that
    cites without end, the first hundred do. Unscored where the reply cites nothing, or
    a cited passage came without text.

    ``citation_validity`` asks only whether the id was retrieved, ``citation_support``
    whether quoted words stand there.

    Source: citation precision in Gao and others, Enabling Large Language Models to
    Generate Text with Citations (EMNLP 2023), here of one citation at a time.

    >>> from runner.metrics import Scripted
    >>> price, term = Passage("d#1", "Price: 299."), Passage("d#2", "Open until 6.")
    >>> judge = Scripted(citations={"It is 299.": ["Price: 299."], "Return it.": []})
    >>> marks = ((10, "d#1"), (21, "d#2"))
    >>> cited = ("d#1", "d#2")
    >>> answer = "It is 299. Return it."
    >>> citation_authenticity("Price?", answer, (price, term), cited, marks, judge)
    0.5
    """
    if not citations:
        return Unscored("the reply cites nothing")
    if not any(map(str.isalnum, answer)):
        return Unscored("the answer has no word")
    made = list(islice(dict.fromkeys(_cited(answer, citations, marks or ())), MOST))
    invented = fabricated(tuple(cited for _, cited in made), passages)
    real = [(said, cited) for said, cited in made if cited not in invented]
    places = {cited: n for n, cited in enumerate(dict.fromkeys(c for _, c in real), 1)}
    found = [_text(cited, passages) for cited in places]
    if None in found:
        return NO_TEXT
    said_of = [f"passage {places[cited]}: {said}" for said, cited in real]
    wrong = _wrong(judge, question, found, said_of)
    if invented:
        cause = "grounding.citation_fabricated"
        evidence = f"{invented[0]} was cited and not retrieved"
    elif wrong:
        said, cited = real[wrong[0]]
        cause, evidence = (
            "grounding.citation_mismatch",
            f"{cited} does not say {said!r}",
        )
    else:
        return 1.0
    return Explained((len(real) - len(wrong)) / len(made), cause, evidence)


def _wrong(
    judge: Judge, question: str, passages: Sequence[str | None], citations: list[str]
) -> list[int]:
    """Give the positions of the citations that the judge does not find in a passage."""
    verdicts: list[Cited] = []
    for batch in batches(citations):
        verdicts += judge.rate(
            CITATIONS, question=question, passages=passages, citations=batch
        ).verdicts
    return [at for at, verdict in enumerate(verdicts) if not verdict.says]


def _cited(
    answer: str, citations: Sequence[str], marks: Marks
) -> Iterator[tuple[str, str]]:
    """Give each statement with an id that is cited for it, in the answer's order."""
    spans = list(_placed(answer))
    for offset, cited in sorted(marks):
        before = [said for start, said in spans if start < offset]
        yield (before or [spans[0][1]])[-1], cited
    marked = {cited for _, cited in marks}
    for cited in citations:
        if cited not in marked:
            yield answer.strip(), cited


def _placed(answer: str) -> Iterator[tuple[int, str]]:
    """Give the sentences with where they begin."""
    end = 0
    for said in sentences(answer):
        start = answer.index(said, end)
        end = start + len(said)
        yield start, said


def _text(cited: str, passages: Sequence[Passage]) -> str | None:
    """Give what a citation leads to; None where a passage came without text."""
    texts = [p.text for p in passages if cited in (p.id, document_of(p))]
    kept = [text for text in texts if text is not None]
    return "\n".join(kept) if len(kept) == len(texts) else None
