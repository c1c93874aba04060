"""Where a judge gave nothing, or other scores when it was asked again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from runner.model import JudgeAccount, Measure, Summary
from runner.pipeline._rating import APART
from runner.units import count, plain

_UNSTEADY = 0.1  # share of scores that come out otherwise above which it is told
_FEW = 3  # flips below which nothing is told: a single one proves nothing


def judge_told(
    account: JudgeAccount | None,
    measures: Iterable[Measure],
    summaries: Mapping[str, Summary],
) -> Iterator[str]:
    """Give notices on a judge; none where none was asked."""
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
            f"otherwise by {plain(APART)} or more when it was asked again"
        )
