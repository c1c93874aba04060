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
    hit. A passage without id is irrelevant.
    """
    by_document = match == "document"
    gains: list[int] = []
    hits: list[int] = []
    seen: set[str] = set()
    for passage in passages:
        name = document_of(passage) if by_document else passage.id
        grade = qrels.get(name, 0) if name is not None else 0
        if grade <= 0 or name is None:
            gains.append(0)
            hits.append(0)
        elif name in seen:
            gains.append(0)
            hits.append(int(by_document))
        else:
            seen.add(name)
            gains.append(grade)
            hits.append(1)
    ideal = sorted((grade for grade in qrels.values() if grade > 0), reverse=True)
    return Ranking(tuple(gains), tuple(hits), tuple(ideal))
