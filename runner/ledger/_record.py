"""What was found of a case as its line in ``cases.jsonl``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from runner.cases import case_hash, labels_hash
from runner.model import Absent, Case, Failed, Finding, Record, Score


class Came(NamedTuple):
    """What was retrieved for a case."""

    ids: tuple[str | None, ...] | None = None
    hits: tuple[int, ...] | None = None


def record_of(
    case: Case,
    finding: Finding,
    labels: Sequence[str],
    scores: Sequence[Score],
    came: Came | None,
) -> Record:
    """Give the line of a case; ``labels`` name its scores."""
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
        retrieved=came.ids if came else None,
        hits=came.hits if came else None,
        failed=tuple(failed),
        absent=tuple(absent),
        trials=finding.trials,
        would_be=finding.would_be,
    )
