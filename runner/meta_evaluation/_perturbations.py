"""Perturbed copies of a reply, on which an unbiased judge decides as on the original.

Each probes one known bias: of position (the order of the passages, or of the claims) or
of verbosity (a longer answer that says no more).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

from runner.labels import Item
from runner.model import Judge, Metric, Reply, Response, Task
from runner.text import Language

FILLER: Mapping[Language, str] = {
    "en": "I hope this is of help. Thank you for your question, and please do not "
    "hesitate to ask again at any time if something is still unclear.",
    "zh": "希望以上内容对您有所帮助。感谢您的提问，如果还有不清楚的地方，请随时再问。",
}
"""Sentences without content, which make an answer longer and more polite."""


class Perturbation(NamedTuple):
    """One way to perturb an item."""

    applies: Callable[[Metric], bool]
    """Whether it must not change the score of a metric."""
    response: Callable[[Item, int], Response | None] = lambda item, _: item.response
    """Gives the perturbed reply to an item, by a seed; None where there is none."""
    judge: Callable[[Judge], Judge] = lambda judge: judge
    """Gives the judge that is asked about the copy."""


def _order_is_free(metric: Metric) -> bool:
    """Whether a metric reads passages and does not measure their ranks."""
    ranked = metric.layer in ("retrieval", "context")
    return "passages" in metric.inputs and not ranked


def _reorder(item: Item, seed: int) -> Response | None:
    """Give the reply with its passages in another order; None without another."""
    passages = item.response.passages or ()

    def drawn(position: int) -> bytes:
        return blake2b(f"{seed}\0{item.key}\0{position}".encode()).digest()

    order = sorted(range(len(passages)), key=drawn)
    if order == sorted(order):
        order = order[1:] + order[:1]
    mixed = tuple(passages[position] for position in order)
    return None if mixed == passages else item.response._replace(passages=mixed)


def _pad(item: Item, _: int) -> Response | None:
    """Give the reply with the filler after its answer; None without an answer."""
    answer = item.response.answer
    if not answer:
        return None
    longer = f"{answer.rstrip()}\n\n{FILLER[item.language]}"
    return item.response._replace(answer=longer)


class _Reversed:
    """A judge that is asked about numbered things from the last to the first."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge

    def rate(self, task: Task[Reply], /, **texts: Any) -> Reply:
        """Give the reply with its verdicts in the original order."""
        if not task.numbered:
            return self._judge.rate(task, **texts)
        backwards = {**texts, task.numbered: list(reversed(texts[task.numbered]))}
        reply = self._judge.rate(task, **backwards)
        verdicts = list(reversed(getattr(reply, "verdicts")))  # noqa: B009 - a task that numbers has it
        back = [
            verdict.model_copy(update={"number": number})
            for number, verdict in enumerate(verdicts, 1)
        ]
        return reply.model_copy(update={"verdicts": back})

    def embed(self, texts: Sequence[str], /) -> Sequence[Sequence[float]]:
        """Give the vectors of the judge."""
        return self._judge.embed(texts)


PERTURBATIONS: Mapping[str, Perturbation] = {
    "reordered": Perturbation(_order_is_free, _reorder),
    "padded": Perturbation(lambda metric: "answer" in metric.inputs, _pad),
    "swapped": Perturbation(
        lambda metric: any(task.numbered for task in metric.tasks), judge=_Reversed
    ),
}
"""``reordered``: the passages in another order. ``padded``: an answer with sentences
that say nothing. ``swapped``: claims, passages or points from the last to the first."""
