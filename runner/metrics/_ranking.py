"""The grades of a retrieved list, read once for all rank metrics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from runner.model import Match, Passage, Qrels, Ranking


def document_of(passage: Passage) -> str | None:
    """Give the document of a passage: its field, or its id before the last ``#``."""
    if passage.document is not None:
        return passage.document
    return passage.id.rpartition("#")[0] or passage.id if passage.id else None


def rank(passages: Iterable[Passage], qrels: Qrels, match: Match = "chunk") -> Ranking:
    """Give the relevance grade at each rank of a retrieved list.

    A repeated id keeps its position and gains nothing. Under ``match: document`` the
    first passage of a document gains its grade, and each further one only counts as a
    hit. A passage without id is irrelevant, and so is a grade below 1.
    """
    relevant: dict[str | None, int] = {
        name: grade for name, grade in qrels.items() if grade > 0
    }
    ideal = tuple(sorted(relevant.values(), reverse=True))
    if match == "document":
        return Ranking(*_by_document(passages, relevant), ideal)
    # A grade is gained once: what is taken out is gone for an id that comes again.
    take = relevant.pop
    gains = tuple([take(passage.id, 0) for passage in passages])
    graded = ideal[:1] > (1,)
    hits = tuple([1 if gain else 0 for gain in gains]) if graded else gains
    return Ranking(gains, hits, ideal)


def _by_document(
    passages: Iterable[Passage], relevant: Mapping[str | None, int]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    gains: list[int] = []
    hits: list[int] = []
    seen: set[str | None] = set()
    known: set[str | None] = set()
    for passage in passages:
        document = document_of(passage)
        grade = relevant.get(document, 0)
        if not grade or document in seen:
            gains.append(0)
            hits.append(int(grade > 0 and _is_new(passage, document, known)))
        else:
            seen.add(document)
            known.add(passage.id)
            gains.append(grade)
            hits.append(1)
    return tuple(gains), tuple(hits)


def _is_new(passage: Passage, document: str | None, known: set[str | None]) -> bool:
    """Whether a further passage of a document is not one that came before.

    An id that only names the document does not tell its passages apart.
    """
    if passage.id in (None, document):
        return True
    if passage.id in known:
        return False
    known.add(passage.id)
    return True
