from __future__ import annotations

from itertools import accumulate

from runner.metrics._claims import texts
from runner.metrics._declare import metric
from runner.metrics._evidence import NO_TEXT
from runner.metrics._tasks import USEFULNESS, batches
from runner.model import Explained, Judge, Passage, Unscored
from runner.units import count


@metric(layer="context", tasks=(USEFULNESS,))
def context_precision(
    question: str, reference: str, passages: tuple[Passage, ...], judge: Judge
) -> float | Unscored:
    """How near to the top the useful passages stand, by precision at each of them.

    A judge says of each passage whether it helps to arrive at the reference; the number
    is the mean, over the useful passages, of the share of useful ones from the first
    rank to theirs. 1 where all of them stand before all others, however many those are;
    one useful passage at rank 3 is 0.33. It is average precision over what came: what
    did not come is seen by ``context_recall``. No useful passage is 0, and so is
    nothing retrieved. Unscored where a passage came without text.

    Source: context precision in the documentation of Ragas (docs.ragas.io).

    >>> from runner.metrics import Scripted
    >>> came = (Passage(text="Opening hours"), Passage(text="Price: 299."))
    >>> judge = Scripted(usefulness={"Opening hours": False, "Price: 299.": True})
    >>> context_precision("What does it cost?", "299", came, judge)
    0.5
    """
    found = texts(passages)
    if found is None:
        return NO_TEXT
    if not any(found):
        return 0.0
    useful: list[bool] = []
    for batch in batches(found):
        reply = judge.rate(
            USEFULNESS, question=question, reference=reference, passages=batch
        )
        useful += [verdict.useful for verdict in reply.verdicts]
    ranked = zip(useful, accumulate(useful), range(1, len(useful) + 1), strict=True)
    precisions = [hits / rank for is_useful, hits, rank in ranked if is_useful]
    mean = sum(precisions) / len(precisions) if precisions else 0.0
    if not useful[0] and precisions:
        best = useful.index(True) + 1
        return Explained(
            mean, "context.buried", f"the best passage of use ranks {best}"
        )
    evidence = f"{len(precisions)} of {count(len(found), 'passage')} are of use"
    return Explained(mean, "context.noisy", evidence) if mean < 1 else 1.0
