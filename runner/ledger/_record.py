"""The record of a case: its line in ``cases.jsonl``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from runner.cases import case_hash, labels_hash
from runner.model import Absent, Case, Failed, Finding, Record, Score


class Retrieved(NamedTuple):
    """The ids of the passages in a reply, by rank, and the ranks of the relevant ones.

    Each is None where the reply does not show it.
    """

    ids: tuple[str | None, ...] | None = None
    hits: tuple[int, ...] | None = None


def record_of(
    case: Case,
    finding: Finding,
    labels: Sequence[str],
    scores: Sequence[Score],
    retrieved: Retrieved | None,
) -> Record:
    """Give the record of a case.

    Args:
        case: As the case file has it.
        finding: Its diagnosis.
        labels: Of the metrics, in the order of ``scores``.
        scores: One for each metric.
        retrieved: None where the case was not asked, or nothing was kept of its reply.
    """
    numbers: dict[str, float | None] = {}
    failed, absent = [], []
    for label, score in zip(labels, scores, strict=True):
        if isinstance(score, float):
            numbers[label] = score
            continue
        numbers[label] = None
        if isinstance(score, Failed):
            failed.append(label)
        elif isinstance(score, Absent):
            absent.append(label)
    return Record(
        id=case.id,
        outcome=finding.outcome,
        hash=case_hash(case),
        labels=labels_hash(case),
        scores=numbers,
        type=case.type,
        tags=case.tags,
        layer=finding.layer,
        cause=finding.cause,
        also=finding.also,
        lucky=finding.lucky,
        retrieved=retrieved.ids if retrieved else None,
        hits=retrieved.hits if retrieved else None,
        failed=tuple(failed),
        absent=tuple(absent),
        trials=finding.trials,
        would_be=finding.would_be,
    )
