"""Rows to cases; every mistake of a source is reported at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from runner.cases._cells import Misread
from runner.cases._fields import POSITION
from runner.cases._hashes import case_hash
from runner.cases._no_question import COLUMNS, RowsWithoutQuestion
from runner.cases._plan import Mistakes, Plan, Row, columns, filled, plan
from runner.cases._turns import parted
from runner.errors import Place, did_you_mean, named
from runner.model import NOTHING, Case
from runner.units import listed

_ID, _QUESTION = POSITION["id"], POSITION["question"]
_TYPE, _REFUSE = POSITION["type"], POSITION["expect_refusal"]
_TURNS = POSITION["turns"]
_META, _PLACE = POSITION["meta"], Case._fields.index("place")
_DIFFERENT = 1000  # unknown keys in one source; no table has so many columns


class Loaded(NamedTuple):
    """The cases of one source, and what its author should know."""

    cases: tuple[Case, ...]
    notices: tuple[str, ...] = ()


def load(
    rows: Iterable[Row],
    *,
    fields: Mapping[str, str] = NOTHING,
    defaults: Mapping[str, Any] = NOTHING,
    source: Place | None = None,
) -> Loaded:
    """Give the cases that the rows of one source hold, in their order.

    A field that is null or absent takes its default; an id that is absent is the hash
    of question and tenant. Keys that are no field go to ``meta``, with one notice a
    file.

    Args:
        rows: The records; each is held only while it is read.
        fields: Field to the key that it has in these rows.
        defaults: Field to the value where a row has none.
        source: Where the spec declares ``fields`` and ``defaults``.

    Raises:
        Problems: Everything that is wrong, with its place.
    """
    loader = _Loader(fields, defaults, source or Place("spec"))
    cases = [case for row in rows if (case := loader.case(row))]
    loader.finish()
    return Loaded(tuple(cases), tuple(loader.notices()))


class _Loader:
    """Reads the rows of one source, and keeps what is known from earlier rows."""

    def __init__(
        self, fields: Mapping[str, str], given: Mapping[str, Any], source: Place
    ) -> None:
        self.source = source
        self.mistakes = Mistakes()
        self.mapped = columns(fields, source, self.mistakes)
        self.plans: dict[tuple[str, tuple[str, ...]], Plan] = {}
        self.misread = Misread()
        self.without_question = RowsWithoutQuestion()
        self.unknown: dict[str, dict[str, None]] = {}
        self.empty: list[Any] = [None, None, *Case._field_defaults.values()]
        self.empty[_REFUSE] = None  # false only where somebody said so
        for position, value in filled(given, source, self.mistakes).items():
            self.empty[position] = value

    def case(self, row: Row) -> Case | None:
        """Give the case of a row, or None where something in it was reported."""
        data, where, _ = row
        keys = (where.file, tuple(data))
        found = self.plans.get(keys) or self.plan(keys, row)
        values = self.empty.copy()
        before = self.mistakes.count
        for key, position, read in found.steps:
            value = data[key]
            if value is not None or position == _ID:
                try:
                    values[position] = read(value)
                except ValueError as error:
                    self.mistakes.add(str(error), where, key)
        self.split_turns(values, where)
        values[_REFUSE] = self.declines(values, where)
        if self.mistakes.count > before:
            return None
        if values[_QUESTION] is None:
            self.without_question.add(where)
            return None
        if found.unknown:
            rest = {key: data[key] for key in found.unknown if data[key] is not None}
            values[_META] = {**values[_META], **rest}
        values[_PLACE] = where
        if values[_ID] is None:
            values[_ID] = case_hash(Case._make(values))
        return Case._make(values)

    def split_turns(self, values: list[Any], where: Place) -> None:
        """Separate the question from earlier turns, where one list holds both."""
        asked, before = values[_QUESTION], values[_TURNS]
        if before or isinstance(asked, tuple):
            try:
                values[_QUESTION], values[_TURNS] = parted(asked, before)
            except ValueError as error:
                key = "turns" if before else "question"
                self.mistakes.add(str(error), where, key)

    def plan(self, keys: tuple[str, tuple[str, ...]], row: Row) -> Plan:
        """Make the plan for rows with these keys."""
        made = plan(row, self.mapped, self.mistakes, self.misread)
        file = row.place.file
        found = any(step.position in (_QUESTION, _TURNS) for step in made.steps)
        self.without_question.note_keys(file, row.data, has_question=found)
        unknown = self.unknown.setdefault(file, {})
        unknown |= dict.fromkeys(made.unknown)
        if len(unknown) > _DIFFERENT:
            what = f"has more than {_DIFFERENT:,} keys that are no fields of a case"
            self.mistakes.add(what, row.place)
            self.mistakes.stop()
        self.plans[keys] = made
        return made

    def declines(self, values: list[Any], where: Place) -> bool:
        """Give whether declining is right: said so, or implied by the type."""
        said: bool | None = values[_REFUSE]
        if values[_TYPE] == "refusal" and said is False:
            self.mistakes.add(
                "expect_refusal is false in a case of type refusal",
                where,
                "expect_refusal",
                "leave one of them out",
            )
        return values[_TYPE] == "refusal" if said is None else said

    def finish(self) -> None:
        """Raise everything that was wrong."""
        mapped = "question" in self.mapped.values()
        self.without_question.report(self.mistakes, mapped=mapped)
        seen = list(dict.fromkeys(key for _, keys in self.plans for key in keys))
        for column, field in self.mapped.items() if seen else ():
            if column not in seen:
                what = f"no record has {named(column)}"
                hint = (
                    did_you_mean(column, seen) or f"they have {listed(seen, COLUMNS)}"
                )
                self.mistakes.add(what, self.source, f"fields.{field}", hint)
        self.mistakes.stop()

    def notices(self) -> Iterable[str]:
        """Say which keys are no fields and were kept in ``meta``."""
        for file, unknown in self.unknown.items():
            if unknown:
                yield f"{file}: kept in meta, as no field has the name: " + ", ".join(
                    unknown
                )
        yield from self.misread.notices()


def check_unique(cases: Iterable[Case]) -> None:
    """See that no two cases have one id.

    Raises:
        Problems: Each repetition, with the place where the id stood first.
    """
    seen: dict[str, Case] = {}
    mistakes = Mistakes()
    for case in cases:
        first = seen.setdefault(case.id, case)
        if first is not case:
            what = f"id {case.id} stands twice, first at {first.place}"
            if case.id == case_hash(case):
                what = f"asks what {first.place} asks, and neither has an id"
            mistakes.add(what, case.place or Place("cases"))
    mistakes.stop()
