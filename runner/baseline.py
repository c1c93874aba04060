"""Makes a results folder a baseline, without texts, and reads either back to compare.

A baseline is a results folder of two files, ``results.json`` and ``cases.jsonl``, in
the same format: what a comparison needs stays, what was asked and answered does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from pydantic import ConfigDict, TypeAdapter

from runner.comparison import DEPTH, Results
from runner.errors import InputError, Place
from runner.model import Record, Table
from runner.readback import checked
from runner.report import Report
from runner.units import count

RESULTS, CASES = "results.json", "cases.jsonl"
"""The files of a baseline; a results folder has them, and others."""

_DAMAGED = "the file is damaged or half written; save the baseline again"


def stripped(report: Report) -> Report:
    """Give the Report that a baseline keeps: no texts, messages, gates or comparison.

    Raises:
        InputError: The run asked only a part of the cases, or got no reply to some, so
            that later runs would be held against less than they should.
    """
    if report.filters:
        raise InputError(
            f"these results cover only {' '.join(report.filters)}",
            hint="a baseline needs every case; run again without the filter",
        )
    if report.totals.not_asked:
        raise InputError(
            f"these results lack {count(report.totals.not_asked, 'case')} that a "
            "stopped run did not ask",
            hint="a baseline needs every case; run again",
        )
    if report.verdict in ("error", "skipped"):
        raise InputError(
            f"these results have the verdict {report.verdict}",
            hint="a baseline needs a run that could be judged; run again",
        )
    return Report(
        name=report.name,
        verdict=report.verdict,
        totals=report.totals,
        summaries={
            label: summary.model_copy(update={"reasons": {}})
            for label, summary in report.summaries.items()
        },
        layers=report.layers,
        fingerprints=report.fingerprints,
        commit=report.commit,
        started=report.started,
        spec=report.spec,
        version=report.version,
    )


def stripped_record(record: Record) -> Record:
    """Give the line that a baseline keeps of a case: all but the last retrieved ids."""
    ids, hits = record.retrieved, record.hits
    return record._replace(
        retrieved=None if ids is None else ids[:DEPTH],
        hits=None if hits is None else tuple(rank for rank in hits if rank <= DEPTH),
    )


def read_results(
    report: Report,
    lines: Iterable[tuple[int, Any]],
    file: str,
    needs_ids: Callable[[Record], bool] = lambda _: True,
) -> Results:
    """Give a run as a comparison needs it.

    Args:
        report: What ``results.json`` holds.
        lines: Line number and parsed value of each line of ``cases.jsonl``.
        file: The name of ``cases.jsonl``, for errors.
        needs_ids: Says of which cases the retrieved ids are kept.

    Raises:
        InputError: A line is not what the format says, an id comes twice, or there are
            not as many lines as the Report counts cases.
    """
    records: dict[str, Record] = {}
    pool = _Pool()
    for number, value in lines:
        place = Place(file, number)
        record = read_record(value, place)
        if record.id in records:
            what = f"the id {record.id} comes twice"
            raise InputError(what, where=place, hint=_DAMAGED)
        records[record.id] = pool.kept(record, with_ids=needs_ids(record))
    if len(records) != report.totals.cases:
        there = count(len(records), "case")
        raise InputError(
            f"{there}, but results.json counts {report.totals.cases}",
            where=Place(file),
            hint=_DAMAGED,
        )
    return Results(
        records,
        report.summaries,
        report.fingerprints,
        report.commit,
        report.started,
        report.filters,
    )


class _Pool:
    """Stores equal values of many cases once: words, ids, and scores in one table."""

    def __init__(self) -> None:
        self._known: dict[Any, Any] = {}
        self._tables: dict[tuple[str, ...], Table] = {}

    def kept(self, record: Record, *, with_ids: bool) -> Record:
        """Give a case as it is kept."""
        one, labels = self._one, tuple(record.scores)
        table = self._tables.get(labels) or self._tables.setdefault(
            labels, Table(labels)
        )
        ids = record.retrieved if with_ids else None
        return Record(
            record.id,
            one(record.outcome),
            record.hash,
            record.labels,
            table.add(record.scores.values()),
            one(record.type),
            one(record.tags),
            one(record.layer),
            one(record.cause),
            one(record.also),
            record.lucky,
            None if ids is None else tuple(map(one, ids)),
            one(record.hits) if with_ids else None,
            one(record.failed),
            one(record.absent),
            one(record.trials),
            one(record.would_be),
        )

    def _one(self, value: Any) -> Any:
        return self._known.setdefault(value, value)


def read_record(value: Any, place: Place) -> Record:
    """Give the case that a parsed line of ``cases.jsonl`` holds.

    Raises:
        InputError: A key is unknown or missing, or a value is not what it should be; a
            score that is no finite number among them.
    """
    if not isinstance(value, dict):
        raise InputError("this is no object", where=place, hint=_DAMAGED)
    data = {key: tuple(v) if type(v) is list else v for key, v in value.items()}
    return checked(data, _adapter().validate_python, place, hint=_DAMAGED)


@cache  # built when results are first read back
def _adapter() -> TypeAdapter[Record]:
    return TypeAdapter(Record, config=ConfigDict(strict=True, allow_inf_nan=False))
