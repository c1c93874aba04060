"""Cases that pass without their documents, and what that says of the labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from runner.model import Case, Finding
from runner.units import count


def lucky(cases: Sequence[Case], findings: Sequence[Finding]) -> Iterator[str]:
    """Say how many cases pass without a relevant passage, and where labels may lack."""
    found = sum(finding.lucky for finding in findings)
    if not found:
        return
    yield (
        f"{count(found, 'passing case')} had no relevant passage: "
        "the model knew the answer, or a label is missing"
    )
    wasted = sum(map(_found_in_vain, cases, findings))
    if found > wasted:
        yield (
            "more labelled cases pass than had a relevant passage: retrieval "
            "bounds generation, so check the labels before you trust either number"
        )


def _found_in_vain(case: Case, finding: Finding) -> bool:
    """Whether a labelled case failed although a relevant passage came."""
    labelled = case.relevant and not case.expect_refusal
    if finding.outcome != "failed" or not labelled:
        return False
    return _NOTHING_RELEVANT.isdisjoint((finding.cause, *finding.also))


_NOTHING_RELEVANT = frozenset(
    {"retrieval.empty", "retrieval.missed", "retrieval.sibling"}
)
