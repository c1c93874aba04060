"""Accumulates the results of a run: columns of scores, findings, excerpts.

Replies come in any order and are not kept: a case leaves its scores, its finding and,
for the first failing ones, an excerpt.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import NamedTuple

from runner.aggregate import Slice, ceiling, histogram, run_level, summarise
from runner.comparison import SHIFTS, worsened
from runner.gates import Judged
from runner.ledger._excerpts import failed_case, ids
from runner.ledger._first_cases import FirstCases
from runner.ledger._id_mismatch import IdMismatch
from runner.ledger._lucky_passes import lucky_passes
from runner.ledger._record import Retrieved, record_of
from runner.ledger._slices import slices_of
from runner.ledger._suspicious import SuspiciousReplies
from runner.model import (
    LAYERS,
    NOTHING,
    Case,
    Exchange,
    Finding,
    Layer,
    Measure,
    Outcome,
    Record,
    Score,
    Summary,
    Unscored,
)
from runner.report import EXCERPTS, FailedCase, LayerCount, Totals
from runner.scores import Column

__all__ = ["Entry", "Ledger", "slices_of"]

NOT_ASKED = Finding("not_asked")
_UNASKED = Unscored("the case was not asked")
_QUARANTINED = Unscored("the case is in quarantine")
_NO_LATENCY = -1.0
_HASHES = 12
"""Bytes of a case's two hashes."""


class Entry(NamedTuple):
    """The results of one case."""

    exchange: Exchange
    scores: Sequence[Score]
    finding: Finding
    has_hit: bool | None = None
    """Whether a relevant passage was retrieved; None where case or reply cannot say."""
    hits: tuple[int, ...] | None = None
    """The ranks of relevant passages, from 1; None as above."""
    layers_shown: frozenset[Layer] = frozenset()
    """Layers that the reply holds evidence of, whether or not they are measured."""


class Ledger:
    """Takes in entries in any order; gives everything back in case order.

    Args:
        cases: All of the run.
        measures: What each entry has a score of.
        before: The cases of the baseline, by id.
    """

    def __init__(
        self,
        cases: Sequence[Case],
        measures: Sequence[Measure],
        before: Mapping[str, Record] = NOTHING,
    ) -> None:
        self.cases = cases
        self._before = before
        self.columns = tuple(Column(measure, len(cases)) for measure in measures)
        self.findings = [NOT_ASKED] * len(cases)
        self.depth = 0
        self._shown: set[Layer | None] = set()
        self._labels = tuple(measure.label for measure in measures)
        named = "over_refusal"
        self._over = self._labels.index(named) if named in self._labels else None
        self._hashes = bytearray(_HASHES * len(cases))
        self._latency = array("d", [_NO_LATENCY]) * len(cases)
        self._excerpts: FirstCases[FailedCase] = FirstCases(EXCERPTS)
        self._worsened: FirstCases[Retrieved] = FirstCases(SHIFTS)
        self._id_mismatch = IdMismatch()
        self._suspicious = SuspiciousReplies()

    def enter(self, entry: Entry) -> Record:
        """Add the results of one case, and give its record for ``cases.jsonl``."""
        (position, result, *_), scores, finding, has_hit, hits, shown = entry
        self._shown |= shown
        counted = self._counted(scores, finding)
        for column, score in zip(self.columns, counted, strict=True):
            column.put(position, score)
        self.findings[position] = finding
        if result.latency is not None:
            self._latency[position] = result.latency
        case, retrieved = self.cases[position], Retrieved(ids(result), hits)
        self.depth = max(self.depth, len(retrieved.ids or ()))
        if has_hit is not None and retrieved.ids:
            self._id_mismatch.see(position, case, retrieved.ids, has_hit=has_hit)
        over_refusal = None if self._over is None else scores[self._over]
        self._suspicious.see(case, entry.exchange, over_refusal)
        if finding.outcome in ("failed", "error"):
            self._excerpts.offer(position, lambda: failed_case(case, result, finding))
        record = self._record(position, scores, retrieved)
        then = self._before.get(case.id)
        if then and worsened(record, then):
            self._worsened.offer(position, lambda: retrieved)
        self._add_hashes(position, record)
        return record

    def _counted(self, scores: Sequence[Score], finding: Finding) -> Sequence[Score]:
        """Give the scores that count; in quarantine only that of ``leakage`` does."""
        if finding.outcome != "quarantined":
            return scores
        rows = zip(self._labels, scores, strict=True)
        return [score if label == "leakage" else _QUARANTINED for label, score in rows]

    def retain(self, position: int, record: Record) -> None:
        """Keep what was retrieved for a case that is worse on one side of two."""
        self._worsened.offer(position, lambda: Retrieved(record.retrieved, record.hits))

    def _record(
        self, position: int, scores: Sequence[Score], retrieved: Retrieved | None
    ) -> Record:
        case, finding = self.cases[position], self.findings[position]
        return record_of(case, finding, self._labels, scores, retrieved)

    @property
    def fingerprint(self) -> str:
        """A hash of all cases and labels, in case order; final after ``close``."""
        return blake2b(self._hashes.hex().encode(), digest_size=6).hexdigest()

    def _add_hashes(self, position: int, record: Record) -> None:
        both = bytes.fromhex(record.hash + record.labels)
        self._hashes[position * _HASHES : (position + 1) * _HASHES] = both

    def close(self) -> Iterator[tuple[int, Record]]:
        """Enter every case that was not asked; give position and record of each."""
        scores = (_UNASKED,) * len(self.columns)
        for position, finding in enumerate(self.findings):
            if finding is NOT_ASKED:
                for column in self.columns:
                    column.put(position, _UNASKED)
                record = self._record(position, scores, None)
                self._add_hashes(position, record)
                yield position, record

    @property
    def excerpts(self) -> tuple[FailedCase, ...]:
        """The first failing and erroneous cases, with their texts."""
        return self._excerpts.items

    @property
    def outcomes(self) -> list[Outcome]:
        """One per case."""
        return [finding.outcome for finding in self.findings]

    @property
    def totals(self) -> Totals:
        """Cases by outcome."""
        found = Counter(self.outcomes)
        return Totals(
            cases=len(self.cases),
            passed=found["passed"],
            failed=found["failed"],
            undetermined=found["undetermined"],
            errors=found["error"],
            not_asked=found["not_asked"],
            quarantined=found["quarantined"],
        )

    def summaries(self, slices: Sequence[Slice]) -> dict[str, Summary]:
        """Give one Summary per measure in layer order, then the run-level ones."""
        found = {
            column.measure.label: summarise(
                column,
                slices,
                ceiling=self._ceiling(column.measure),
                depth=self.depth if _sees_all_ranks(column.measure) else None,
            )
            for column in sorted(self.columns, key=_layer_order)
        }
        # What decides nothing cannot lower the coverage that a limit may be on.
        advising = {c.measure.label for c in self.columns if c.measure.advises}
        counted = [found[label] for label in found.keys() - advising]
        return found | run_level(self.outcomes, counted, slices)

    def _ceiling(self, measure: Measure) -> float | None:
        k = measure.options.get("k")
        return ceiling(self.cases, k) if measure.metric.name == "recall" and k else None

    def layers(self, summaries: Iterable[Summary]) -> dict[Layer, LayerCount]:
        """Give per layer where cases collapse, and whether anything is known of it."""
        known = self._shown | {s.layer for s in summaries if s.scored}
        failing = [
            finding
            for finding in self.findings
            if finding.outcome in ("failed", "error")
        ]
        causes = Counter((f.layer, f.cause) for f in failing)
        also = Counter(cause.partition(".")[0] for f in failing for cause in f.also)
        counts = {}
        for layer in LAYERS:
            mine = {str(c): n for (at, c), n in causes.most_common() if at == layer}
            first = sum(mine.values())
            counts[layer] = LayerCount(
                first=first,
                also=also[layer],
                causes=mine,
                undetermined=not (
                    layer in known or layer == "service" or first or also[layer]
                ),
            )
        return counts

    def judged(self) -> Iterator[Judged]:
        """Give each case with its outcome and what leaked, for the gates."""
        leakage = next((c for c in self.columns if c.measure.label == "leakage"), None)
        for position, (case, finding) in enumerate(
            zip(self.cases, self.findings, strict=True)
        ):
            score = leakage.get(position) if leakage else Unscored("is not measured")
            yield Judged(case, finding.outcome, score, finding.trials, finding.would_be)

    def records(self) -> dict[str, Record]:
        """Give every case as a comparison needs it.

        What was retrieved is known of the first cases that are worse than before.
        """
        return {case.id: self._kept(n) for n, case in enumerate(self.cases)}

    def failed(self) -> Iterator[Record]:
        """Give every case that failed, as ``records`` does."""
        for position, finding in enumerate(self.findings):
            if finding.outcome == "failed":
                yield self._kept(position)

    def _kept(self, position: int) -> Record:
        row = tuple(column.get(position) for column in self.columns)
        return self._record(position, row, self._worsened.get(position))

    @property
    def failing(self) -> int:
        """Number of failed and erroneous cases."""
        return sum(finding.outcome in ("failed", "error") for finding in self.findings)

    def notices(self) -> Iterator[str]:
        """Say what a reader of the numbers should know."""
        mismatch = self._id_mismatch.notice()
        yield from [mismatch] if mismatch else lucky_passes(self.cases, self.findings)
        yield from self._suspicious.notices()

    def histogram(self) -> tuple[tuple[float, int], ...]:
        """Give the number of calls by latency."""
        return histogram(value for value in self._latency if value != _NO_LATENCY)


def _sees_all_ranks(measure: Measure) -> bool:
    return "ranking" in measure.metric.inputs and not measure.options.get("k")


def _layer_order(column: Column) -> int:
    return LAYERS.index(column.measure.layer)
