from __future__ import annotations

from collections.abc import Sequence
from math import hypot, inf
from statistics import fmean

from runner.metrics._declare import metric
from runner.metrics._tasks import QUESTIONS
from runner.model import Explained, Judge, Unrated, Unscored

_OFF = "answer.off_topic"


@metric(layer="answer", tasks=(QUESTIONS,), embeds=True)
def answer_relevancy(question: str, answer: str, judge: Judge) -> float | Unscored:
    """How near the questions that the answer answers are to the one that was asked.

    A judge that does not know the question writes three that the answer answers; the
    number is the mean cosine of their embeddings and the question's, and 0 where that
    is negative. An answer that commits itself to nothing is 0. It tells whether the
    answer is on the subject, not whether it is right. How high it is depends on the
    model of the embeddings: two of them are not comparable. Unscored where the reply
    declined or should have, and where the answer has no word.

    Source: Es and others, Ragas: Automated Evaluation of Retrieval Augmented Generation
    (EACL 2024).

    >>> from runner.metrics import Scripted
    >>> judge = Scripted(
    ...     questions={"It is 299.": ["Its price?", "How much?", "How dear?"]},
    ...     vectors={
    ...         "What does it cost?": [1, 0],
    ...         "Its price?": [4, 0],
    ...         "How much?": [3, 4],
    ...         "How dear?": [3, -4],
    ...     },
    ... )
    >>> round(answer_relevancy("What does it cost?", "It is 299.", judge), 4)
    0.7333
    """
    if not any(map(str.isalnum, answer)):
        return Unscored("the answer has no word")
    back = judge.rate(QUESTIONS, answer=answer)
    if back.noncommittal:
        return Explained(0.0, _OFF, "the answer commits itself to nothing")
    asked, *others = judge.embed([question, *back.questions])
    nearness = [_cosine(asked, other) for other in others]
    far = back.questions[nearness.index(min(nearness))]
    mean = max(0.0, min(1.0, fmean(nearness)))
    return Explained(mean, _OFF, f"it answers {far!r}") if mean < 1 else 1.0


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    lengths = hypot(*one) * hypot(*other)
    if len(one) != len(other) or not 0 < lengths < inf:
        raise Unrated("the embeddings have no direction that can be compared")
    return sum(a * b for a, b in zip(one, other, strict=True)) / lengths
