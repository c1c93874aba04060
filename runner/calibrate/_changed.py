"""Copies of a reply on which a fair judge decides as on the reply itself.

Each changes one thing that must not count: the order of the passages, the length of the
answer, the position of what is judged one by one.
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
"""What says nothing about anything; it makes an answer longer and more polite."""


class Change(NamedTuple):
    """One kind of changed copy."""

    applies: Callable[[Metric], bool]
    """Whether a metric must give the same on it."""
    response: Callable[[Item, int], Response | None] = lambda item, _: item.response
    """Given an item and a seed, its changed reply; None where it cannot be changed."""
    judge: Callable[[Judge], Judge] = lambda judge: judge
    """How the judge is asked."""


def _order_is_free(metric: Metric) -> bool:
    """Whether passages come in, and their ranks are not what it measures."""
    ranked = metric.layer in ("retrieval", "context")
    return "passages" in metric.inputs and not ranked


def _reordered(item: Item, seed: int) -> Response | None:
    """Give the reply with its passages in another order; None where there is none."""
    passages = item.response.passages or ()

    def drawn(position: int) -> bytes:
        return blake2b(f"{seed}\0{item.key}\0{position}".encode()).digest()

    order = sorted(range(len(passages)), key=drawn)
    if order == sorted(order):
        order = order[1:] + order[:1]
    mixed = tuple(passages[position] for position in order)
    return None if mixed == passages else item.response._replace(passages=mixed)


def _padded(item: Item, _: int) -> Response | None:
    """Give the reply with sentences that say nothing behind its answer."""
    answer = item.response.answer
    if not answer:
        return None
    longer = f"{answer.rstrip()}\n\n{FILLER[item.language]}"
    return item.response._replace(answer=longer)


class _Turned:
    """A judge that is shown what it judges one by one from the last to the first."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge

    def rate(self, task: Task[Reply], /, **texts: Any) -> Reply:
        """Give the reply as if nothing had been turned."""
        if not task.numbered:
            return self._judge.rate(task, **texts)
        turned = {**texts, task.numbered: list(reversed(texts[task.numbered]))}
        reply = self._judge.rate(task, **turned)
        verdicts = list(reversed(getattr(reply, "verdicts")))  # noqa: B009 - a task that numbers has it
        back = [
            verdict.model_copy(update={"number": number})
            for number, verdict in enumerate(verdicts, 1)
        ]
        return reply.model_copy(update={"verdicts": back})

    def embed(self, texts: Sequence[str], /) -> Sequence[Sequence[float]]:
        """Give the vectors of the judge."""
        return self._judge.embed(texts)


CHANGES: Mapping[str, Change] = {
    "reordered": Change(_order_is_free, _reordered),
    "padded": Change(lambda metric: "answer" in metric.inputs, _padded),
    "swapped": Change(
        lambda metric: any(task.numbered for task in metric.tasks), judge=_Turned
    ),
}
"""``reordered``: the passages in another order. ``padded``: an answer with sentences
that say nothing. ``swapped``: claims, passages or points from the last to the first."""
