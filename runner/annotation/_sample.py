"""Draws a stratified sample of replies for a sheet, the same for the same seed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import blake2b
from itertools import islice, zip_longest
from typing import Any, NamedTuple

from runner.labels import Item

_BANDS = 3  # of the judge's scores


class Candidate(NamedTuple):
    """A reply that people may be asked about, and what a run found of it."""

    item: Item
    outcome: str
    score: float | None = None
    """The judge's, from 0 to 1; None where it was not asked or failed."""

    @property
    def kind(self) -> tuple[str, int]:
        """Its stratum within its language: the outcome, and a band of the score."""
        band = -1 if self.score is None else min(_BANDS - 1, int(self.score * _BANDS))
        return self.outcome, band


def sample(candidates: Iterable[Candidate], size: int, seed: int) -> list[Item]:
    """Give at most so many items of each metric, stratified as evenly as can be.

    First over languages; within one over outcomes of the case and thirds of the judge's
    scores. What is drawn depends on the seed and on the cases alone: a case that is
    added moves the others little. The items of one case follow each other, and the
    cases stand in no order that tells anything.
    """
    given = list(candidates)
    metrics = list(dict.fromkeys(one.item.metric for one in given))
    every = sorted(given, key=lambda one: _random_key(one.item, seed))
    chosen: list[Item] = []
    for metric in metrics:
        ours = [one for one in every if one.item.metric == metric]
        by_language = _split(ours, lambda one: one.item.language)
        turns = _in_turn([_evenly(group) for group in by_language])
        chosen += [one.item for one in islice(turns, size)]
    return sorted(
        chosen, key=lambda item: (_random_key(item, seed), metrics.index(item.metric))
    )


def _evenly(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Give all of one language, those of each kind in turn."""
    return list(_in_turn(_split(candidates, lambda one: one.kind)))


def _split(
    candidates: Iterable[Candidate], key: Callable[[Candidate], Any]
) -> list[list[Candidate]]:
    """Give groups of one key each, ordered by it; within one the order stays."""
    groups: dict[Any, list[Candidate]] = {}
    for candidate in candidates:
        groups.setdefault(key(candidate), []).append(candidate)
    return [groups[value] for value in sorted(groups)]


def _in_turn(groups: Sequence[Sequence[Candidate]]) -> Iterator[Candidate]:
    """Give one of each group, then the next of each, until all are given."""
    return (one for turn in zip_longest(*groups) for one in turn if one)


def _random_key(item: Item, seed: int) -> bytes:
    """Give a sort key that depends on the seed and the case."""
    return blake2b(f"{seed}\0{item.case.id}".encode(), digest_size=8).digest()
