"""Finds passages: SQLite's full-text search with BM25, behind a tenant's wall."""

from __future__ import annotations

import json
import math
import sqlite3
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from threading import Lock
from typing import NamedTuple
from weakref import finalize

from demo.tokens import terms

KNOWLEDGE = Path(__file__).with_name("knowledge.jsonl")
SHARED = "public"
TITLE_WEIGHT = 2.0  # a word in the title counts as much as two in the text

_SCHEMA = """
CREATE VIRTUAL TABLE passages USING fts5(
    title, text, place UNINDEXED, tenant UNINDEXED,
    tokenize = "unicode61 tokenchars '.:'"
)
"""
_SEARCH = """
SELECT place, -bm25(passages, ?, 1.0) AS score FROM passages
WHERE passages MATCH ? AND (? OR tenant IN (?, ?)) ORDER BY score DESC, place LIMIT ?
"""


class Passage(NamedTuple):
    """A piece of a document that one tenant, or everybody, may read."""

    id: str
    title: str
    text: str
    tenant: str

    @property
    def document(self) -> str:
        """The part of the id before the ``#``."""
        return self.id.partition("#")[0]


class Hit(NamedTuple):
    """A passage with its BM25 score, higher is better."""

    passage: Passage
    score: float


def load(path: Path = KNOWLEDGE) -> tuple[Passage, ...]:
    """Read a knowledge base: one JSON object a line, with the fields of a passage."""
    lines = path.read_text("utf-8").splitlines()
    return tuple(Passage(**json.loads(line)) for line in lines if line)


class Index:
    """A knowledge base that can be searched from several threads."""

    def __init__(self, passages: Iterable[Passage]) -> None:
        self.passages = tuple(passages)
        self._lock = Lock()  # one connection for all threads: a query takes 0.2 ms
        self._database = sqlite3.connect(":memory:", check_same_thread=False)
        finalize(self, self._database.close)
        self._database.execute(_SCHEMA)
        self._seen_in: Counter[str] = Counter()
        for place, passage in enumerate(self.passages):
            title, text = terms(passage.title), terms(passage.text)
            self._seen_in.update({*title, *text})
            row = (" ".join(title), " ".join(text), place, passage.tenant)
            self._database.execute("INSERT INTO passages VALUES (?, ?, ?, ?)", row)

    def search(
        self, question: str, tenant: str | None, limit: int, *, walls: bool = True
    ) -> list[Hit]:
        """Give the passages that share a term with the question, best first.

        The tenant's wall is part of the query, so that what is behind it takes no place
        in the list. A tenant of None sees what is shared. Ties keep the file's order.
        """
        wanted = " OR ".join(f'"{term}"' for term in dict.fromkeys(terms(question)))
        if not wanted:
            return []
        values = (TITLE_WEIGHT, wanted, not walls, tenant, SHARED, limit)
        with self._lock:
            rows = self._database.execute(_SEARCH, values).fetchall()
        return [Hit(self.passages[place], score) for place, score in rows]

    def visible(self, tenant: str | None) -> list[Passage]:
        """Give every passage on the tenant's side of the wall."""
        return [p for p in self.passages if p.tenant in (tenant, SHARED)]

    def coverage(self, question: str, text: str) -> float:
        """Give the share of the question's terms that the text has, weighted by rarity.

        A term that no passage has counts most: nothing can be known about it.
        """
        weights = {term: self._rarity(term) for term in terms(question)}
        covered = sum(weights[term] for term in weights.keys() & set(terms(text)))
        return covered / sum(weights.values()) if weights else 0.0

    def _rarity(self, term: str) -> float:
        return math.log(1 + len(self.passages) / (0.5 + self._seen_in[term]))
