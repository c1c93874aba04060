"""Compares metrics with scores that a team worked out by hand (``metrics --check``).

An example is a case and a reply in one record (see ``examples``), with the score that
it should get. It is scored as a run would score it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import NamedTuple

from runner import examples
from runner.cases import Row
from runner.endpoints import number
from runner.errors import InputError, Place, Problems, did_you_mean, kind_of
from runner.examples import wrong
from runner.metrics import Scripted
from runner.model import Measure, Metric, Score, Unscored
from runner.scores import Scope, Scorer
from runner.spec import bind

TOLERANCE = 1e-6
_OWN = ("metric", "value", "unscored", "match", "shared_tenants", "judge", "note")
_KNOWN = {*examples.KEYS, *_OWN}
_ROUNDED = 2  # digits after the point from which a value is read as rounded


class ExampleResult(NamedTuple):
    """An example, and the score that the metric gives it."""

    place: Place
    label: str
    """The metric with its options: ``recall@5``."""
    by_hand: float | None
    """None where it should be unscored."""
    score: Score

    @property
    def agrees(self) -> bool:
        """Whether the metric gives the value, to 1e-6 or to the digits written.

        A value with at least two digits after the point is taken as rounded to them:
        0.67 agrees with two thirds, and 0.7 does not.
        """
        if self.by_hand is None:
            return isinstance(self.score, Unscored)
        if not isinstance(self.score, float):
            return False
        apart = abs(self.score - self.by_hand)
        exponent = Decimal(repr(self.by_hand)).as_tuple().exponent
        digits = -exponent if isinstance(exponent, int) else 0
        half = 0.5 * 10.0**-digits if digits >= _ROUNDED else 0.0
        return apart <= max(TOLERANCE, half + 1e-12)

    def __str__(self) -> str:
        """Give its line: the verdict, and both values where they differ."""
        ours = _score_text(self.score)
        if self.agrees:
            return f"agrees   {self.place}  {self.label} = {ours}"
        by_hand = "unscored" if self.by_hand is None else repr(self.by_hand)
        return f"DIFFERS  {self.place}  {self.label} = {by_hand} by hand, here {ours}"


def check(rows: Iterable[Row], registry: Mapping[str, Metric]) -> list[ExampleResult]:
    """Give every example with the metric's own score, in their order.

    A record names its ``metric`` (as a spec does) and its ``value``, or
    ``unscored: true``. The fields of a case and the parts of a recorded reply stand
    beside them; ``retrieved`` is short for contexts that are ids alone, and a context
    may be its text alone. ``judge`` says what a judge answers, in the tables of
    ``Scripted``. What is left out is absent, but for the question.

    Raises:
        Problems: Everything that is wrong with the examples; or there are none.
    """
    found: list[ExampleResult] = []
    problems: list[InputError] = []
    for row in rows:
        try:
            found.append(_example(row, registry))
        except InputError as error:
            problems += error
    if not found and not problems:
        problems.append(InputError("there is no worked example"))
    if problems:
        raise Problems(problems)
    return found


def _score_text(score: Score) -> str:
    if isinstance(score, float):
        return f"{score:.9g}"
    return f"{type(score).__name__.lower()} ({score.reason})"


def _example(row: Row, registry: Mapping[str, Metric]) -> ExampleResult:
    if row.cells:
        raise InputError("examples are YAML, JSON or JSON Lines", where=row.place)
    unknown = [
        wrong(row, key, "is not known here", did_you_mean(key, _KNOWN))
        for key in row.data
        if key not in _KNOWN
    ]
    if unknown:
        raise Problems(unknown)
    measure, by_hand = _measure(row, registry), _by_hand(row)
    scorer = Scorer([measure], _scope(row))
    (score,) = scorer.row(scorer.asked(examples.case(row), examples.response(row)))
    return ExampleResult(row.place, measure.label, by_hand, score)


def _measure(row: Row, registry: Mapping[str, Metric]) -> Measure:
    named = row.data.get("metric")
    (name, options), *more = (
        named.items() if isinstance(named, Mapping) and named else [(named, {})]
    )
    if more or not isinstance(name, str) or not isinstance(options, Mapping):
        what = f"is {kind_of(named)}; write name, name@k or {{name: {{k: 5}}}}"
        raise wrong(row, "metric", what)
    try:
        return bind(name, registry, options)
    except ValueError as error:
        raise wrong(row, "metric", str(error)) from error


def _by_hand(row: Row) -> float | None:
    value, unscored = row.data.get("value"), row.data.get("unscored", False)
    if not isinstance(unscored, bool):
        raise wrong(row, "unscored", f"is true or false, not {kind_of(unscored)}")
    if unscored:
        if value is not None:
            raise wrong(row, "value", "an unscored example has no value")
        return None
    by_hand = number(value)
    if by_hand is None:
        what = f"is a number, not {kind_of(value)}"
        raise wrong(row, "value", what, "or write unscored: true")
    return by_hand


def _scope(row: Row) -> Scope:
    match, shared = row.data.get("match", "chunk"), row.data.get("shared_tenants", [])
    if match not in ("chunk", "document"):
        raise wrong(row, "match", "is chunk or document")
    tenants = tuple(map(str, examples.listed(row, "shared_tenants", shared)))
    return Scope(match, tenants, judge=_judge(row))


def _judge(row: Row) -> Scripted | None:
    tables = row.data.get("judge")
    if tables is None:
        return None
    if not isinstance(tables, Mapping):
        raise wrong(row, "judge", f"is a mapping, not {kind_of(tables)}")
    for name, table in tables.items():
        if name not in Scripted.TABLES:
            hint = did_you_mean(name, Scripted.TABLES)
            raise wrong(row, f"judge.{name}", "is not known here", hint)
        if not isinstance(table, Mapping):
            what = f"is a mapping, not {kind_of(table)}"
            raise wrong(row, f"judge.{name}", what)
    return Scripted(**tables)
