"""Guesses the mapping of a reply from its shape, for ``probe`` of a URL."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from json import dumps
from typing import Any, NamedTuple

from runner.endpoints._events import FRAMINGS, Lines, together

_ANSWERS = (
    *("answer", "response", "output_text", "textResponse", "result", "generation"),
    *("completion", "reply", "replies", "summary", "text", "content", "output"),
    *("delta", "chunk", "token", "message"),
)
_PASSAGES = (
    *("text", "content", "page_content", "pageContent", "chunk", "snippet", "passage"),
    *("body", "document", "quote", "excerpt"),
)
_IDS = (
    *("chunk_id", "chunkId", "id", "_id", "passage_id", "doc_id", "document_id"),
    *("docKey", "source", "file_name", "filename", "title", "name"),
)
_SCORES = ("score", "_score", "similarity", "relevance_score", "rerank_score")
_DEEP = 6
_MARKS = (r"\[(\d+)\]", r"\[\^(\d+)\^?\]", r"【(\d+)】", r"\[(?:doc|ID:)\s*(\d+)\]")
_KEYED = re.compile(rb"\w{1,3}:\s*[\"\[{]")

Block = dict[str, Any]
"""A ``response`` block."""


class _Leaf(NamedTuple):
    path: str
    key: str
    value: Any


def framing(body: bytes) -> str | None:
    """Give the framing that a body looks like, None where it looks like none."""
    lines = [line for line in body.splitlines() if line.strip()]
    if any(line.startswith(b"data:") for line in lines):
        return "sse"
    if lines and all(line.lstrip().startswith(b"{") for line in lines):
        return "ndjson"
    return "prefixed" if lines and all(map(_KEYED.match, lines)) else None


def collected(body: bytes, name: str) -> dict[str, Any]:
    """Give the events of a whole body."""
    lines, frame = Lines(), FRAMINGS[name]()
    events = [frame.line(line) for line in lines.split(body)]
    events += [frame.line(lines.last()), frame.end()]
    return together(event for event in events if event)


def guess(reply: Any, name: str | None = None) -> Block | None:
    """Propose a mapping for a reply, None where nothing in it looks like an answer.

    Args:
        reply: Parsed; of a stream, its events.
        name: The framing of a stream.
    """
    leaves = _of_events(reply["events"]) if name else list(_walk(reply, ""))
    lists = [leaf for leaf in leaves if _is_passages(leaf.value)]
    texts = [
        leaf
        for leaf in leaves
        if isinstance(leaf.value, str)
        and not any(leaf.path.startswith(f"{each.path}[0]") for each in lists)
    ]
    said = _best(texts, _ANSWERS)
    if said is None and not lists:
        return None
    block: Block = {"stream": name} if name else {}
    block["answer"] = _answer(said, texts, name)
    if not lists:
        return {**block, "contexts": None} if not name else block
    found = min(lists, key=lambda leaf: leaf.path.count("."))
    block["contexts"] = f"events[].{found.path}[]" if name else found.path
    first = found.value[0]
    fields = {"id": _IDS, "text": _PASSAGES, "score": _SCORES}
    block["context"] = {key: _field(first, names) for key, names in fields.items()}
    if said and (form := marks(said.value)):
        block["citations"] = form
    return block


def marks(answer: str) -> dict[str, Any] | None:
    """Give the form of the marks in an answer, None where it has none.

    >>> marks("Within 30 days [1], unopened [2].")["first"]
    1
    """
    for pattern in _MARKS:
        numbers = re.findall(pattern, answer)
        if numbers:
            return {"pattern": pattern, "first": 0 if "0" in numbers else 1}
    return None


def _answer(said: _Leaf | None, texts: list[_Leaf], name: str | None) -> str | None:
    if said is None or not name:
        return said and said.path
    values = [leaf.value for leaf in texts if leaf.path == said.path]
    grows = all(later.startswith(early) for early, later in pairwise(values))
    if len(values) > 1 and grows:
        return f"events[].{said.path} | [-1]"
    return f"join('', events[].{said.path})"


def _best(leaves: list[_Leaf], names: Sequence[str]) -> _Leaf | None:
    """Give the leaf with the likeliest name, the shallowest of several."""
    named = [leaf for leaf in leaves if leaf.key in names and leaf.value.strip()]
    return min(
        named,
        key=lambda leaf: (names.index(leaf.key), leaf.path.count(".")),
        default=None,
    )


def _of_events(events: list[Any]) -> list[_Leaf]:
    return [leaf for event in events for leaf in _walk(event["data"], "data")]


def _walk(value: Any, path: str, key: str = "", depth: int = 0) -> Iterator[_Leaf]:
    """Give each text and each list in a reply, with the path that leads there."""
    if isinstance(value, str | list):
        yield _Leaf(path or "@", key, value)
    if depth == _DEEP:
        return
    if isinstance(value, dict):
        for name, item in value.items():
            plain = name if name.isidentifier() and name.isascii() else dumps(name)
            inner = f"{path}.{plain}" if path else plain
            yield from _walk(item, inner, name, depth + 1)
    elif isinstance(value, list) and value:
        yield from _walk(value[0], f"{path}[0]", key, depth + 1)


def _is_passages(value: Any) -> bool:
    if not isinstance(value, list) or not value or not isinstance(value[0], dict):
        return False
    keys = {leaf.key for leaf in _leaves_of(value[0])}
    named = keys & {*_IDS, *_SCORES} or "metadata" in value[0]
    return bool(keys & set(_PASSAGES)) and bool(named)


def _field(entry: dict[str, Any], names: Sequence[str]) -> str | None:
    """Give the path of the likeliest name within a passage."""
    paths = {leaf.key: leaf.path for leaf in reversed([*_leaves_of(entry)]) if leaf.key}
    return next((paths[name] for name in names if name in paths), None)


def _leaves_of(entry: dict[str, Any]) -> Iterator[_Leaf]:
    """Give what in a passage is a text or a number, the nearest first."""
    for key, item in entry.items():
        if isinstance(item, str | int | float) and not isinstance(item, bool):
            yield _Leaf(key, key, item)
    for key, item in entry.items():
        if isinstance(item, dict):
            for leaf in _leaves_of(item):
                yield _Leaf(f"{key}.{leaf.path}", leaf.key, leaf.value)
