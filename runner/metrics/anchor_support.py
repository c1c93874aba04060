from __future__ import annotations

from statistics import fmean

from runner.metrics._declare import metric
from runner.metrics._tasks import ANCHORS
from runner.metrics.citation_validity import fabricated
from runner.model import Explained, Judge, Passage


@metric(layer="answer", tasks=(ANCHORS,))
def anchor_support(
    question: str,
    answer: str,
    anchors: tuple[str, ...],
    passages: tuple[Passage, ...] | None,
    citations: tuple[str, ...] | None,
    judge: Judge,
) -> float:
    """Share of the case's fact anchors that the answer states or implies.

    An anchor is a fact that nobody disputes and that a right answer rests on: a date,
    an amount, a name, the number of a clause; three to five of them make a case. A
    judge says of each whether the answer states it, implies it, leaves it out or
    contradicts it. Stated and implied count alike, as the source has it: the line
    between the two is where people who label drift apart. One contradiction makes the
    whole 0, so that it fails the case at any mark: an answer that says the opposite of
    a fact is not partly right. One citation of what was not retrieved makes it 0 as
    well, without a judge: an answer that invents its sources is not believed where it
    names them. Unscored where the reply declined or should have.

    Source: the anchor support rate, and the check of citations that sets it to 0, in
    RAG 评测体系：构建可归因、可迭代的生产级评估框架. The 0 for a contradiction is ours.

    >>> from runner.metrics import Scripted
    >>> facts = ("2 years of guarantee", "from the day of delivery")
    >>> judge = Scripted(anchors={facts[0]: "explicit", facts[1]: "absent"})
    >>> anchor_support("How long?", "Two years.", facts, None, None, judge)
    0.5
    """
    invented = fabricated(citations or (), passages) if passages is not None else []
    if invented:
        what = f"{invented[0]} was cited and not retrieved"
        return Explained(0.0, "answer.incorrect", what)
    verdicts = judge.rate(
        ANCHORS, question=question, answer=answer, anchors=anchors
    ).verdicts
    found = {verdict.status: anchors[verdict.number - 1] for verdict in verdicts[::-1]}
    if against := found.get("contradicted"):
        return Explained(0.0, "answer.incorrect", f"the answer contradicts {against!r}")
    share = fmean(verdict.status != "absent" for verdict in verdicts)
    if share == 1:
        return 1.0
    return Explained(share, "answer.omission", f"{found['absent']!r} is not stated")
