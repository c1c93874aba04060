"""The fields of a case: names, other names, what they mean and how they are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from runner.cases import _cells, _values
from runner.cases._quarantine import quarantine
from runner.cases._turns import question, turns
from runner.model import Case


class Field(NamedTuple):
    """One field of a case file."""

    meaning: str
    read: Callable[[object], Any]
    aliases: tuple[str, ...] = ()
    attribute: str = ""
    """Its name in ``Case``, where that differs."""
    cell: Callable[[str], object] = str.strip
    """Makes the text of a cell into what ``read`` takes."""


FIELDS: Mapping[str, Field] = {
    "id": Field(
        "unique; derived from the hash of question and tenant where absent",
        _values.word,
        ("case_id", "qid", "query_id"),
    ),
    "question": Field(
        "what is asked; or a whole conversation, whose last message is it",
        question,
        ("query", "user_input", "input"),
    ),
    "turns": Field(
        "what was said before: `[{role: user, content: ...}, {role: assistant, ...}]`; "
        "without a question, the last message is it",
        turns,
        ("history", "chat_history", "messages", "conversation"),
        cell=_cells.json_cell,
    ),
    "type": Field(
        "`fact`, `policy`, `refusal`, or a word of the team's own",
        _values.word,
        ("category",),
    ),
    "tags": Field("list of words", _values.words, ("labels",), cell=_cells.names_cell),
    "expected_doc_ids": Field(
        "list, or map of id to grade (0-3)",
        _values.judgments,
        (
            "relevant_doc_ids",
            "relevantDocIds",
            "reference_context_ids",
            "reference_docs",
            "expected_docs",
            "gold_doc_ids",
        ),
        "qrels",
        _cells.names_cell,
    ),
    "reference": Field(
        "the right answer in words",
        _values.text,
        (
            "expected_answer",
            "expectedAnswer",
            "expected_output",
            "ground_truth",
            "reference_answer",
        ),
    ),
    "must_include": Field(
        "key points; an inner list means any one of these",
        _values.points,
        ("key_points", "keywords"),
        "key_points",
        _cells.texts_cell,
    ),
    "must_not_include": Field(
        "strings that must not appear", _values.phrases, cell=_cells.texts_cell
    ),
    "expect_refusal": Field(
        "true where the right behaviour is to decline", _values.flag
    ),
    "refusal_phrases": Field(
        "how this system declines, beyond the built-in detection",
        _values.phrases,
        cell=_cells.texts_cell,
    ),
    "forbidden_doc_ids": Field(
        "neither in contexts nor citations; `doc-tenant-b*` is a pattern",
        _values.words,
        cell=_cells.names_cell,
    ),
    "tenant": Field("who asks", _values.word),
    "canaries": Field(
        "strings that belong to somebody else", _values.phrases, cell=_cells.texts_cell
    ),
    "anchors": Field(
        "facts that a right answer rests on, for `anchor_support`",
        _values.phrases,
        ("fact_anchors", "anchor_points"),
        cell=_cells.texts_cell,
    ),
    "intents": Field(
        "the single things that the question asks for, for `intent_completion`",
        _values.phrases,
        cell=_cells.texts_cell,
    ),
    "owner": Field("who is asked when it fails", _values.word),
    "quarantine": Field(
        "`{until: 2026-12-31, why: ..., owner: ...}`: until that day it does not gate",
        quarantine,
        cell=_cells.json_cell,
    ),
    "meta": Field(
        "whatever the team keeps beside a case", _values.mapping, cell=_cells.json_cell
    ),
}

CANONICAL: Mapping[str, str] = {
    name: field
    for field, declared in FIELDS.items()
    for name in (field, *declared.aliases)
}
"""Every accepted name to the field's own."""

POSITION: Mapping[str, int] = {
    name: Case._fields.index(field.attribute or name) for name, field in FIELDS.items()
}

_NEIGHBOURS = frozenset({"reference_contexts", "referenceContexts"})
"""Names of other tools that look like a field of ours and mean something else."""

_LONGEST = 40  # characters; no field's name is near to a longer one
_SHORT = 3  # a name so short is near to too many
_ROBUST = 6  # from this length on, two slips still leave a name recognisable


def _plain(name: str) -> str:
    return "".join(char for char in name.casefold() if char not in "_- .")


_PLAIN = {name: _plain(name) for name in CANONICAL}


@lru_cache(maxsize=1024)
def near_field(name: str) -> str | None:
    """Give the accepted name that this one nearly is, or None.

    Near is one slip (a letter more, less, other or swapped), two in a long name, or
    another way to join the same words. A further word (``question_en``) is no slip.

    >>> near_field("expectedDocIds"), near_field("must_inclde"), near_field("notes")
    ('expected_doc_ids', 'must_include', None)
    """
    if name in _NEIGHBOURS or len(name) > _LONGEST:
        return None
    if any(name.startswith((f"{known}_", f"{known} ")) for known in CANONICAL):
        return None
    plain = _plain(name)
    return next((known for known, word in _PLAIN.items() if is_near(plain, word)), None)


def is_near(one: str, other: str) -> bool:
    """Whether two words without capitals and joints differ by one slip or two."""
    shorter, longer = sorted((len(one), len(other)))
    if shorter <= _SHORT:
        return one.rstrip("s") == other.rstrip("s")
    allowed = 1 if shorter < _ROBUST else 2
    return longer - shorter <= allowed and _slips(one, other) <= allowed


def _slips(one: str, other: str) -> int:
    """Give the Damerau-Levenshtein distance of two words (optimal string alignment)."""
    before: list[int] = []
    last = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        row = [i]
        for j, b in enumerate(other, 1):
            cost = min(last[j] + 1, row[-1] + 1, last[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        before, last = last, row
    return last[-1]
