"""The retrieved list held against the judgments, once for all rank metrics."""

from __future__ import annotations

from collections.abc import Iterable

from runner.model import Match, Passage, Qrels, Ranking


def document_of(passage: Passage) -> str | None:
    """Give the document of a passage: its field, or its id before the last ``#``."""
    if passage.document is not None:
        return passage.document
    return passage.id.rpartition("#")[0] or passage.id if passage.id else None


def rank(passages: Iterable[Passage], qrels: Qrels, match: Match = "chunk") -> Ranking:
    """Give the grade at each rank.

    A repeated id keeps its position and gains nothing. Under ``match: document`` the
    first passage of a document gains its grade, and each further one only counts as a
    hit. A passage without id is irrelevant, and so is a grade below 1.
    """
    by_document = match == "document"
    gains: list[int] = []
    hits: list[int] = []
    seen: set[str | None] = set()
    known: set[str | None] = set()
    for passage in passages:
        name = document_of(passage) if by_document else passage.id
        grade = qrels.get(name, 0) if name is not None else 0
        if grade <= 0:
            gains.append(0)
            hits.append(0)
        elif name not in seen:
            seen.add(name)
            known.add(passage.id)
            gains.append(grade)
            hits.append(1)
        else:
            gains.append(0)
            hits.append(int(by_document and _is_new(passage, name, known)))
    ideal = sorted((grade for grade in qrels.values() if grade > 0), reverse=True)
    return Ranking(tuple(gains), tuple(hits), tuple(ideal))


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
