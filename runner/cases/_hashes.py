"""Hashes of a case, by which two runs tell that its question or labels changed."""

from __future__ import annotations

from hashlib import blake2b

from pydantic_core import to_json

from runner.model import Case

# Looked up once: a hundred thousand cases are hashed in a run.
_LABELS = tuple(
    (name, Case._fields.index(name))
    for name in (
        "reference",
        "key_points",
        "must_not_include",
        "expect_refusal",
        "refusal_phrases",
        "forbidden_doc_ids",
        "canaries",
        "anchors",
        "intents",
    )
)


def case_hash(case: Case) -> str:
    """Give 12 hex digits of question, tenant and turns, the same in every process."""
    text = f"{case.question}\0{case.tenant}" if case.tenant else case.question
    if case.turns:
        text = f"{text}\0\0{to_json(case.turns).decode()}"
    return blake2b(text.encode(), digest_size=6).hexdigest()


def labels_hash(case: Case) -> str:
    """Give 12 hex digits of everything the case is judged by.

    The order of the expected ids is no label, and a label that is absent leaves no
    trace: a field that is added to the format later moves no hash of today's cases.
    """
    kept: list[object] = [(name, case[at]) for name, at in _LABELS if case[at]]
    if case.qrels:
        kept.append(sorted(case.qrels.items()))
    return blake2b(to_json(kept), digest_size=6).hexdigest()
