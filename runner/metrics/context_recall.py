from __future__ import annotations

from runner.metrics._claims import supported
from runner.metrics._declare import metric
from runner.metrics._tasks import CLAIMS, SUPPORT
from runner.model import Explained, Judge, Passage, Unscored


@metric(layer="retrieval", tasks=(CLAIMS, SUPPORT))
def context_recall(
    question: str, reference: str, passages: tuple[Passage, ...], judge: Judge
) -> float | Unscored:
    """Share of the reference's claims that follow from the retrieved passages.

    What the right answer needs and no passage holds did not come: it asks for no
    labelled documents, as ``recall`` does, but for a reference that says all that a
    good answer says and no more. A judge takes the reference apart into claims and says
    of each whether it follows from the passages. Nothing retrieved is 0. Unscored, and
    less coverage, where the judge finds no claim in the reference, or a passage came
    without text.

    Source: context recall in the documentation of Ragas (docs.ragas.io).

    >>> from runner.metrics import Scripted
    >>> right, price = "It is 299 and has a guarantee.", Passage(text="Price: 299.")
    >>> judge = Scripted(
    ...     claims={right: ["It is 299.", "It has a guarantee."]},
    ...     support={"It is 299.": [price.text], "It has a guarantee.": []},
    ... )
    >>> context_recall("What does it cost?", right, (price,), judge)
    0.5
    """
    found = supported(judge, question, reference, "reference", passages)
    if isinstance(found, Unscored):
        return found
    if not found.missed:
        return found.share
    cause = "retrieval.partial" if found.share else "retrieval.missed"
    evidence = f"{found.missed[0]!r} of the reference is in no passage"
    return Explained(found.share, cause, evidence)
