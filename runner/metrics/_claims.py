"""Which claims a judge finds in a text, and which of them follow from others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from runner.metrics._evidence import NO_TEXT
from runner.metrics._tasks import CLAIMS, SUPPORT, batches
from runner.model import Absent, Judge, Passage, Unscored


def claims(judge: Judge, question: str, text: str) -> list[str]:
    """Give what a text claims, in its order.

    Raises:
        Unrated: The judge could not tell.
    """
    return judge.rate(CLAIMS, question=question, text=text).claims


def no_claim(of: str) -> Absent:
    """Give why there is no number where a judge finds no claim.

    It lowers the coverage: were it only unscored, a judge that finds none where rating
    is hard would raise the mean.
    """
    return Absent(f"the judge finds no claim in the {of}")


def unsupported(
    judge: Judge, question: str, made: Sequence[str], passages: Sequence[str]
) -> list[str]:
    """Give those of some claims that do not follow from the passages, in their order.

    Raises:
        Unrated: The judge could not tell.
    """
    wrong = []
    for batch in batches(made):
        reply = judge.rate(SUPPORT, question=question, passages=passages, claims=batch)
        rated = zip(batch, reply.verdicts, strict=True)
        wrong += [claim for claim, verdict in rated if not verdict.supported]
    return wrong


class Support(NamedTuple):
    """How far passages support what a text claims."""

    share: float
    """Of the claims, those that follow from the passages."""
    missed: list[str]
    """The others, in their order; none is named where no passage came."""


def supported(
    judge: Judge, question: str, text: str, of: str, passages: Sequence[Passage]
) -> Support | Unscored:
    """Give the share of a text's claims that follow from passages; 0 without passages.

    Args:
        judge: Who finds the claims and rates them.
        question: What was asked.
        text: Whose claims are meant.
        of: What the text is called, where no claim is found in it.
        passages: The retrieved ones.

    Raises:
        Unrated: The judge could not tell.
    """
    found = texts(passages)
    if found is None:
        return NO_TEXT
    if not any(found):
        return Support(0.0, [])
    made = claims(judge, question, text)
    if not made:
        return no_claim(of)
    missed = unsupported(judge, question, made, found)
    return Support(1 - len(missed) / len(made), missed)


def texts(passages: Sequence[Passage]) -> list[str] | None:
    """Give the texts of passages by their rank; None where one came without."""
    found = [passage.text for passage in passages if passage.text is not None]
    return found if len(found) == len(passages) else None
