from __future__ import annotations

from runner.metrics._claims import claims, no_claim, unsupported
from runner.metrics._declare import metric
from runner.metrics._tasks import CLAIMS, SUPPORT
from runner.model import Explained, Judge, Unscored


@metric(layer="answer", tasks=(CLAIMS, CLAIMS, SUPPORT, SUPPORT))
def answer_correctness(
    question: str, answer: str, reference: str, judge: Judge
) -> float | Unscored:
    """Agreement of the answer's claims with the reference's, as F1.

    The harmonic mean of two shares: of the answer's claims that follow from the
    reference, and of the reference's that follow from the answer. So it is lowered by
    what is wrong, by what is missing, and by what is right and was not asked for. It
    counts claims and no words: how alike the wording is, ``answer_similarity`` tells.
    Unscored where the reply declined or should have; and, with less coverage, where the
    judge finds no claim in the answer or the reference.

    Source: precision, recall and F1 of claims in Ru and others, RAGChecker (NeurIPS
    2024). Ragas adds a similarity of embeddings, and counts what both say in claims of
    the answer alone.

    >>> from runner.metrics import Scripted
    >>> judge = Scripted(
    ...     claims={"It is 299.": ["It is 299."], "299, tax included": ["299", "tax"]},
    ...     support={
    ...         "It is 299.": ["299, tax included"],
    ...         "299": ["It is 299."],
    ...         "tax": [],
    ...     },
    ... )
    >>> answer_correctness("Price?", "It is 299.", "299, tax included", judge)
    0.6666666666666666
    """
    said, wanted = (claims(judge, question, text) for text in (answer, reference))
    if not said or not wanted:
        return no_claim("reference" if said else "answer")
    wrong = unsupported(judge, question, said, [reference])
    missing = unsupported(judge, question, wanted, [answer])
    right, told = 1 - len(wrong) / len(said), 1 - len(missing) / len(wanted)
    agreement = 2 * right * told / (right + told) if right and told else 0.0
    if missing:
        return Explained(
            agreement, "answer.incorrect", f"{missing[0]!r} is not answered"
        )
    evidence = f"{wrong[0]!r} is not in the reference" if wrong else ""
    return Explained(agreement, "answer.incorrect", evidence) if wrong else 1.0
