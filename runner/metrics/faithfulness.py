from __future__ import annotations

from runner.metrics._claims import supported
from runner.metrics._declare import metric
from runner.metrics._tasks import CLAIMS, SUPPORT
from runner.model import Explained, Judge, Passage, Unscored


@metric(layer="grounding", tasks=(CLAIMS, SUPPORT))
def faithfulness(
    question: str, answer: str, passages: tuple[Passage, ...], judge: Judge
) -> float | Unscored:
    """Share of the answer's claims that follow from the retrieved passages.

    A judge takes the answer apart into claims, then says of each, by its number,
    whether it follows from the passages and from which. What the judge knows itself
    does not count, and a claim that is made twice counts once. Nothing retrieved is 0.
    Unscored, and less coverage, where the judge finds no claim in the answer, or a
    passage came without text.

    Source: Es and others, Ragas: Automated Evaluation of Retrieval Augmented Generation
    (EACL 2024).

    >>> from runner.metrics import Scripted
    >>> answer = "It is 299, with a guarantee."
    >>> price = Passage(text="The price is 299.")
    >>> judge = Scripted(
    ...     claims={answer: ["It is 299.", "It has a guarantee."]},
    ...     support={"It is 299.": [price.text], "It has a guarantee.": []},
    ... )
    >>> faithfulness("What does it cost?", answer, (price,), judge)
    0.5
    """
    found = supported(judge, question, answer, "answer", passages)
    if isinstance(found, Unscored):
        return found
    if not found.missed:
        return found.share
    evidence = f"{found.missed[0]!r} follows from no passage"
    return Explained(found.share, "grounding.unsupported", evidence)
