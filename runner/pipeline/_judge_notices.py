"""Notices about a judge: it gave no score, or another one when it was asked again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from runner.model import JudgeAccount, Measure, Summary
from runner.pipeline._rating import UNEQUAL
from runner.units import count, plain

_UNSTEADY = 0.1  # share of scores that may differ without a notice
_FEW = 3  # differing scores below which there is none: a single one proves nothing


def judge_notices(
    account: JudgeAccount | None,
    measures: Iterable[Measure],
    summaries: Mapping[str, Summary],
) -> Iterator[str]:
    """Give the notices; none where no judge was asked."""
    if account is None:
        return
    for measure in measures:
        found = summaries[measure.label]
        if measure.metric.judged and found.failed:
            why = next(iter(found.reasons))
            yield (
                f"THE JUDGE GAVE NO SCORE: {measure.label} in {found.failed} of "
                f"{count(found.due, 'case')}: {why}"
            )
    drift = account.drift
    if drift and drift.flips >= _FEW and (drift.share or 0) > _UNSTEADY:
        yield (
            f"THE JUDGE IS NOT STEADY: {drift.flips} of {drift.items} scores came out "
            f"otherwise by {plain(UNEQUAL)} or more when it was asked again"
        )
