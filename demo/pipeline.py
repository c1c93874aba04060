"""Retrieve, then read: a question becomes an answer in the documents' own sentences."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from demo.search import Hit, Index, Passage
from demo.tokens import is_chinese, sentences, terms

KEEP = 0.35  # passages that score below this share of the best are not worth reading
WINDOW = 2  # passages that the reader takes in: a small reader
FLOOR = 0.5  # share of the question that a passage must cover to be answered from
ALSO = 0.1  # share of the question that one more sentence must add to be stated

REFUSAL = "The documents I have do not say; please contact support."
REFUSAL_CHINESE = "资料中没有相关信息，建议咨询人工客服。"


class Ask(NamedTuple):
    """What the client sent."""

    question: str
    tenant: str | None = None
    top_k: int = 5


class Draft(NamedTuple):
    """An answer with what it was made from, before it goes out."""

    ask: Ask
    found: tuple[Hit, ...]
    answer: str
    sources: tuple[str, ...] = ()
    """Ids of the passages that the answer cites."""
    refused: bool = False

    def reply(self) -> dict[str, Any]:
        """Give the JSON that the service promises."""
        window = " ".join(hit.passage.text for hit in self.found[:WINDOW])
        return {
            "answer": self.answer,
            "contexts": [_context(hit) for hit in self.found],
            "citations": list(self.sources),
            "refused": self.refused,
            "usage": {
                "input_tokens": len(terms(self.ask.question)) + len(terms(window)),
                "output_tokens": len(terms(self.answer)),
            },
        }


class Pipeline:
    """The helpdesk's mind: an index to search and a reader with a small window."""

    def __init__(self, index: Index) -> None:
        self.index = index

    def answer(self, ask: Ask) -> Draft:
        """Give the answer to a question, or a refusal in the question's language."""
        return self.read(ask, self.retrieve(ask))

    def retrieve(
        self, ask: Ask, *, walls: bool = True, lost: Collection[str] = ()
    ) -> list[Hit]:
        """Give the passages worth reading, best first, ``top_k`` at most.

        Two faults have their switches here: ``walls`` between the tenants, and the ids
        of passages that were ``lost`` on the way.
        """
        hits = self.index.search(ask.question, ask.tenant, ask.top_k, walls=walls)
        there = [hit for hit in hits if hit.passage.id not in lost]
        return [hit for hit in there if hit.score >= KEEP * there[0].score]

    def read(self, ask: Ask, found: Sequence[Hit], floor: float = FLOOR) -> Draft:
        """Give the sentences that fit best, from one of the first passages alone."""
        window = found[:WINDOW]
        known = [self._fit(ask, hit.passage.title, hit.passage.text) for hit in window]
        if not window or max(known) < floor:
            return refuse(ask, found)
        passage, chosen = self._choose(ask, window)
        text = ("" if is_chinese(chosen[0]) else " ").join(chosen)
        return Draft(ask, tuple(found), text, (passage.id,))

    def _choose(self, ask: Ask, window: Sequence[Hit]) -> tuple[Passage, list[str]]:
        candidates = [(h.passage, s) for h in window for s in sentences(h.passage.text)]
        passage, first = max(candidates, key=lambda c: self._fit(ask, c[0].title, c[1]))
        chosen = [
            sentence
            for sentence in sentences(passage.text)
            if sentence == first or self._gain(ask, passage, first, sentence) >= ALSO
        ]
        return passage, chosen

    def _gain(self, ask: Ask, passage: Passage, first: str, second: str) -> float:
        said = f"{passage.title} {first}"
        return self._fit(ask, said, second) - self._fit(ask, said)

    def _fit(self, ask: Ask, *texts: str) -> float:
        return self.index.coverage(ask.question, " ".join(texts))


def refuse(ask: Ask, found: Sequence[Hit]) -> Draft:
    """Give a refusal that still shows what was found."""
    words = REFUSAL_CHINESE if is_chinese(ask.question) else REFUSAL
    return Draft(ask, tuple(found), words, refused=True)


def _context(hit: Hit) -> dict[str, Any]:
    passage = hit.passage
    return {
        "id": passage.id,
        "text": passage.text,
        "score": round(hit.score, 4),
        "document": passage.document,
        "tenant": passage.tenant,
    }
