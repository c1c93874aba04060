"""The entries of a list in a reply become passages, by expressions or plain keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from runner.endpoints._expressions import Find
from runner.endpoints._values import Malformed, kind, number, word
from runner.model import Passage

Build = Callable[[list[Any]], list[Passage]]

_new = tuple.__new__


def from_found(finds: list[Find | None]) -> Build:
    """Give how passages are made by any expressions."""

    def build(entries: list[Any]) -> list[Passage]:
        return [
            _passage(
                *(find(_not_null(entry, entry)) if find else None for find in finds)
            )
            for entry in entries
        ]

    return build


def from_keys(names: list[str | None]) -> Build:
    """Give how passages are made from five plain keys; no reply has the key None."""
    first, second, third, fourth, fifth = names
    absent: dict[str, Any] = {}

    def build(entries: list[Any]) -> list[Passage]:
        made = []
        for entry in entries:
            get = entry.get if type(entry) is dict else _not_null(entry, absent).get
            name, text, score = get(first), get(second), get(third)
            document, tenant = get(fourth), get(fifth)
            if type(name) is type(text) is str and document is tenant is None:
                # What Passage(...) does, at half its price: ten come in a reply.
                score = score if type(score) is float else number(score)
                made.append(_new(Passage, (name, text, score, None, None)))
            else:
                made.append(_passage(name, text, score, document, tenant))
        return made

    return build


def _not_null(entry: Any, instead: Any) -> Any:
    if entry is None:
        raise Malformed("contexts[] is null where a passage should be")
    return instead


def _passage(name: Any, text: Any, score: Any, document: Any, tenant: Any) -> Passage:
    id_ = word(name, "contexts[].id")
    if text is not None and not isinstance(text, str):
        raise Malformed(f"contexts[].text is {kind(text)}, not a string")
    return Passage(
        id_,
        text,
        number(score),
        word(document, "contexts[].document"),
        word(tenant, "contexts[].tenant"),
    )
