"""Where an answer was drawn from, as far as its words tell.

That few of the passages are relevant, or that they come late, is no fault by itself:
where one passage a question is labelled and ten come, it is so in every case. It is
one where the reader went astray, which the answer shows.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from runner.metrics import content
from runner.model import Passage, Ranking

DRAWN = 0.3  # share of an answer's words that its source holds: most are paraphrased

Origin = Literal["relevant", "others", "unknown"]


class Parted(NamedTuple):
    """The texts that came, by whether the case wants their passages."""

    relevant: tuple[str, ...]
    others: tuple[str, ...]


def part(passages: tuple[Passage, ...], ranking: Ranking) -> Parted | None:
    """Give the texts of the passages; None where one came without.

    A relevant passage that came twice is relevant both times.
    """
    relevant: list[str] = []
    others: list[str] = []
    hits = [p for p, hit in zip(passages, ranking.hits, strict=True) if hit]
    wanted = {passage.id for passage in hits}
    for passage in passages:
        if passage.text is None:
            return None
        side = relevant if passage.id in wanted or passage in hits else others
        side.append(passage.text)
    return Parted(tuple(relevant), tuple(others))


def origin(answer: str, question: str, parted: Parted) -> Origin:
    """Give where an answer comes from: the passage that holds most of its words.

    The question's own words tell nothing. A relevant passage that holds as many as any
    other counts as the source; where none holds a fair share, it is unknown.
    """
    said = own_words(answer, question)
    ours, theirs = (
        max((len(said.intersection(content(text))) for text in texts), default=0)
        for texts in parted
    )
    if max(ours, theirs) < max(DRAWN * len(said), 1):
        return "unknown"
    return "relevant" if ours >= theirs else "others"


def own_words(answer: str, question: str) -> set[str]:
    """Give the words of an answer that carry content and are not the question's."""
    return set(content(answer)).difference(content(question))


def strays(question: str, parted: Parted) -> bool:
    """Whether most of the other passages do not even share a word with the question.

    Those that do are what a search brings up in good health.
    """
    asked = set(content(question))
    off = sum(asked.isdisjoint(content(text)) for text in parted.others)
    return off * 2 > len(parted.others)
