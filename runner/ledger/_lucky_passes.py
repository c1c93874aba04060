"""Notices about cases that pass although no relevant passage was retrieved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from runner.model import Case, Finding
from runner.units import count


def lucky_passes(cases: Sequence[Case], findings: Sequence[Finding]) -> Iterator[str]:
    """Say how many there are, and whether labels seem to be missing."""
    found = sum(finding.lucky for finding in findings)
    if not found:
        return
    yield (
        f"{count(found, 'passing case')} had no relevant passage: "
        "the model knew the answer, or a label is missing"
    )
    with_hit = sum(map(_failed_with_hit, cases, findings))
    if found > with_hit:
        yield (
            "more labelled cases pass than had a relevant passage: retrieval "
            "bounds generation, so check the labels before you trust either number"
        )


def _failed_with_hit(case: Case, finding: Finding) -> bool:
    """Whether a labelled case failed although a relevant passage was retrieved."""
    labelled = case.relevant and not case.expect_refusal
    if finding.outcome != "failed" or not labelled:
        return False
    return _NOTHING_RELEVANT.isdisjoint((finding.cause, *finding.also))


_NOTHING_RELEVANT = frozenset(
    {"retrieval.empty", "retrieval.missed", "retrieval.sibling"}
)
