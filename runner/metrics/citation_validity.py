from __future__ import annotations

from runner.metrics._declare import metric
from runner.metrics._evidence import NO_PASSAGES
from runner.metrics._ranking import document_of
from runner.model import Passage, Unscored


@metric(layer="grounding")
def citation_validity(
    citations: tuple[str, ...], passages: tuple[Passage, ...] | None
) -> float | Unscored:
    """Share of the cited ids that were retrieved.

    A citation names a passage or its document, in its own case. Each id counts once.
    Unscored where the reply cites nothing; where nothing was retrieved, 0.

    >>> citation_validity(("d#1", "x"), (Passage(id="d#1"), Passage(id="d#2")))
    0.5
    """
    if not citations:
        return Unscored("the reply cites nothing")
    if passages is None:
        return NO_PASSAGES
    return 1 - len(fabricated(citations, passages)) / len(set(citations))


def fabricated(citations: tuple[str, ...], passages: tuple[Passage, ...]) -> list[str]:
    """Give the cited ids that name nothing retrieved, each once, in their order."""
    known: set[str | None] = {passage.id for passage in passages}
    if not known.issuperset(citations):
        known.update(map(document_of, passages))
    return [cited for cited in dict.fromkeys(citations) if cited not in known]
