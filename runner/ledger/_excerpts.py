"""What the report quotes of a failing case: its texts, shortened."""

from __future__ import annotations

from runner.model import Case, Failure, Finding, Response
from runner.report import FailedCase, shortened


def ids(result: Response | Failure) -> tuple[str | None, ...] | None:
    """Give the ids of what was retrieved; None where the reply does not show it."""
    if isinstance(result, Failure) or result.passages is None:
        return None
    return tuple([passage.id for passage in result.passages])


def failed_case(case: Case, result: Response | Failure, finding: Finding) -> FailedCase:
    """Give a failing or erroneous case as the report quotes it."""
    answer = None if isinstance(result, Failure) else result.answer
    return FailedCase(
        id=case.id,
        type=case.type,
        outcome=finding.outcome,
        layer=finding.layer,
        cause=finding.cause,
        evidence=shortened(finding.evidence, 500),
        also=finding.also,
        question=shortened(case.question),
        answer=None if answer is None else shortened(answer, evidence=finding.evidence),
        expected=case.relevant,
        retrieved=ids(result),
        file=case.place.file if case.place else None,
        line=case.place.line if case.place else None,
    )
