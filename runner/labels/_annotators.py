"""How far annotators agree among themselves: an upper bound on any judge."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from typing import NamedTuple

from runner.agreement import Contingency, tally
from runner.labels._item import Item, Label


class AnnotatorPair(NamedTuple):
    """Two annotators on the items that both labelled, by one metric."""

    metric: str
    first: str
    second: str
    table: Contingency
    differing: tuple[Item, ...]
    """The items that one calls good and the other bad."""


def annotator_pairs(labels: Iterable[Label]) -> Iterator[AnnotatorPair]:
    """Give each pair of annotators, by metric, where they labelled the same items.

    What one of the two could not tell is left out.
    """
    said: dict[str, dict[str, dict[str, Label]]] = {}
    for label in labels:
        by_person = said.setdefault(label.item.metric, {})
        if label.good is not None:
            by_person.setdefault(label.annotator, {})[label.item.key] = label
    for metric, by_person in said.items():
        for (first, one), (second, other) in combinations(by_person.items(), 2):
            pair = _pair(one, other)
            if pair:
                differing = tuple(a.item for a, b in pair if a.good != b.good)
                table = tally((bool(a.good), bool(b.good)) for a, b in pair)
                yield AnnotatorPair(metric, first, second, table, differing)


def _pair(
    one: Mapping[str, Label], other: Mapping[str, Label]
) -> list[tuple[Label, Label]]:
    return [(label, other[key]) for key, label in one.items() if key in other]
