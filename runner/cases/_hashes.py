"""Rows of a case file become cases; all problems are reported at once."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from runner.errors import InputError, Place, Problems
from runner.model import NOTHING, Case

_ALIASES = {
    "case_id": "id",
    "qid": "id",
    "query_id": "id",
    "query": "question",
    "user_input": "question",
    "input": "question",
    "category": "type",
    "labels": "tags",
    **dict.fromkeys(
        (
            "relevant_doc_ids",
            "relevantDocIds",
            "reference_context_ids",
            "reference_docs",
            "expected_docs",
            "gold_doc_ids",
        ),
        "expected_doc_ids",
    ),
    "expected_answer": "reference",
    "expectedAnswer": "reference",
    "ground_truth": "reference",
    "reference_answer": "reference",
    "key_points": "must_include",
    "keywords": "must_include",
    "fact_anchors": "anchors",
}


class Row(NamedTuple):
    """One record of a case file, as it was parsed."""

    data: Mapping[str, Any]
    place: Place
    cells: bool = False
    """Every value is the text of a cell."""


class Loaded(NamedTuple):
    """The cases of one source, and what its author should know."""

    cases: tuple[Case, ...]
    notices: tuple[str, ...] = ()


def _split(value: Any) -> list[str]:
    if isinstance(value, str):
        return [
            p.strip() for p in value.split("|" if "|" in value else ",") if p.strip()
        ]
    return [v if isinstance(v, str) else str(v) for v in value or ()]


def load(
    rows: Iterable[Row], *, fields: Mapping[str, str], defaults: Mapping[str, Any]
) -> Loaded:
    """Give the cases that the rows of one source hold."""
    columns = {column: field for field, column in fields.items()}
    cases = []
    for row in rows:
        data = dict(defaults)
        for key, value in row.data.items():
            name = columns.get(key) or _ALIASES.get(key, key)
            data[name] = value
        qrels = data.get("expected_doc_ids") or ()
        if not isinstance(qrels, dict):
            qrels = dict.fromkeys(_split(qrels), 1)
        points = data.get("must_include") or ()
        points = _split(points) if isinstance(points, str) else points
        case = Case(
            id=str(data.get("id", "")),
            question=data["question"],
            type=data.get("type"),
            tags=tuple(_split(data.get("tags"))),
            qrels=qrels or NOTHING,
            reference=data.get("reference"),
            key_points=tuple(
                tuple(map(str, p)) if isinstance(p, list) else (str(p),) for p in points
            ),
            must_not_include=tuple(_split(data.get("must_not_include"))),
            expect_refusal=bool(
                data.get("expect_refusal", data.get("type") == "refusal")
            ),
            refusal_phrases=tuple(_split(data.get("refusal_phrases"))),
            forbidden_doc_ids=tuple(_split(data.get("forbidden_doc_ids"))),
            tenant=data.get("tenant"),
            canaries=tuple(_split(data.get("canaries"))),
            owner=data.get("owner"),
            meta=data.get("meta", NOTHING),
            place=row.place,
        )
        cases.append(case if case.id else case._replace(id=case_hash(case)))
    return Loaded(tuple(cases))


def check_unique(cases: Iterable[Case]) -> None:
    """Raise with both places where an id stands twice."""
    seen: dict[str, Place | None] = {}
    problems = []
    for case in cases:
        if case.id in seen:
            what = f"id {case.id} stands twice, first at {seen[case.id]}"
            problems.append(InputError(what, where=case.place))
        else:
            seen[case.id] = case.place
    if problems:
        raise Problems(problems)


def case_hash(case: Case) -> str:
    """Give 12 hex digits for question and tenant."""
    text = f"{case.question}\0{case.tenant or ''}"
    return hashlib.blake2b(text.encode(), digest_size=6).hexdigest()


def labels_hash(case: Case) -> str:
    """Give 12 hex digits for everything the case is judged by."""
    kept = (
        sorted(case.qrels.items()),
        case.reference,
        case.key_points,
        case.must_not_include,
        case.expect_refusal,
        case.refusal_phrases,
        case.forbidden_doc_ids,
        case.canaries,
        case.anchors,
        case.intents,
    )
    return hashlib.blake2b(repr(kept).encode(), digest_size=6).hexdigest()
