from __future__ import annotations

from runner.metrics._declare import metric
from runner.metrics._tasks import INTENTS
from runner.model import Explained, Judge


@metric(layer="answer", tasks=(INTENTS,))
def intent_completion(
    question: str, answer: str, intents: tuple[str, ...], judge: Judge
) -> float:
    """Share of the question's intents that the answer settles completely.

    A question such as *my unit is loud, am I still covered, and what does a repair
    cost?* asks for several things; the case lists them as ``intents``. A judge says of
    each whether the answer settles it completely, in part or not at all; a part counts
    as not. That what is answered is true, ``faithfulness`` and ``answer_correctness``
    tell. Unscored where the reply declined or should have.

    Source: the multi-intent completion rate (MICR) in RAG 评测体系：构建可归因、
    可迭代的生产级评估框架.

    >>> from runner.metrics import Scripted
    >>> asked = ("is it still covered", "what does a repair cost")
    >>> judge = Scripted(intents={asked[0]: "complete", asked[1]: "partial"})
    >>> intent_completion("Covered? Cost?", "Yes, until May.", asked, judge)
    0.5
    """
    verdicts = judge.rate(
        INTENTS, question=question, answer=answer, intents=intents
    ).verdicts
    rated = zip(intents, verdicts, strict=True)
    left = [(intent, v.status) for intent, v in rated if v.status != "complete"]
    if not left:
        return 1.0
    intent, status = left[0]
    how = "only in part" if status == "partial" else "not"
    share = 1 - len(left) / len(intents)
    return Explained(share, "answer.omission", f"{intent!r} is {how} answered")
