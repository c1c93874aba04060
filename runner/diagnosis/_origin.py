"""Which passages an answer was drawn from, as far as its words tell.

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


class SplitTexts(NamedTuple):
    """The texts of retrieved passages, by relevance."""

    relevant: tuple[str, ...]
    others: tuple[str, ...]


def split_texts(passages: tuple[Passage, ...], ranking: Ranking) -> SplitTexts | None:
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
    return SplitTexts(tuple(relevant), tuple(others))


def origin(answer: str, question: str, texts: SplitTexts) -> Origin:
    """Give where an answer comes from: the passage that holds most of its words.

    The question's own words tell nothing. A relevant passage that holds as many as any
    other counts as the source; where none holds a fair share, it is unknown.
    """
    said = own_words(answer, question)
    ours, theirs = (
        max((len(said.intersection(content(text))) for text in side), default=0)
        for side in texts
    )
    if max(ours, theirs) < max(DRAWN * len(said), 1):
        return "unknown"
    return "relevant" if ours >= theirs else "others"


def own_words(answer: str, question: str) -> set[str]:
    """Give the words of an answer that carry content and are not the question's."""
    return set(content(answer)).difference(content(question))


def others_are_off_topic(question: str, texts: SplitTexts) -> bool:
    """Whether most of the other passages share no word with the question.

    Those that share one are what a search that works retrieves too.
    """
    asked = set(content(question))
    off = sum(asked.isdisjoint(content(text)) for text in texts.others)
    return off * 2 > len(texts.others)
