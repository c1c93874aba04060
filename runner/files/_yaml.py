"""YAML with the line of every key, and without the traps of YAML 1.1.

Values are read from libyaml's events and not through its constructors: ``no``, ``on``,
``1:30``, ``010`` and dates stay the text that was written, keys are always text, tags
run nothing, and nothing recurses.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

import yaml

from runner.errors import Document, InputError, KeyPath, Place, Problems
from runner.files._text import name_of, read_text
from runner.files._yaml_errors import DEPTH, QUOTE, explained

YAML_LIMIT = 64 * 2**20  # bytes
_VALUES = 3_000_000  # in one file; a hundred thousand cases have fewer
_ALIASED = 100_000  # values that aliases may add
_ALL_LINES = 2 * DEPTH

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_CONSTANTS: Mapping[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,17})")  # longer ones are ids
_DECIMAL = re.compile(
    r"[-+]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
)
_PLAIN_TAGS = frozenset(
    {None, "!", *(f"tag:yaml.org,2002:{kind}" for kind in ("str", "map", "seq"))}
)


def read_document(path: Path, *, root: Path) -> Document:
    """Read a YAML file of the workspace, with the line of every key.

    Raises:
        InputError: It is not there, lies outside ``root``, or is no YAML that is
            accepted here: says where and what to write instead.
    """
    file = name_of(path, root)
    text = read_text(path, file=file, limit=YAML_LIMIT).text
    return parse_yaml(text, file)


def parse_yaml(text: str, file: str, *, depth: int = _ALL_LINES) -> Document:
    """Parse a YAML text.

    Args:
        text: One document.
        file: What errors call it.
        depth: Length of the key paths up to which lines are kept.

    Raises:
        InputError: It is empty, or no YAML, or YAML that is not accepted here.
    """
    tree = _Tree(file, depth)
    try:
        for event in yaml.parse(text, Loader=_Loader):
            tree.take(event)
    except yaml.YAMLError as error:
        raise explained(error, text, file) from None
    if tree.problems:
        raise Problems(tree.problems)
    if not tree.done:
        raise InputError("is empty", where=Place(file))
    return Document(tree.root, tree.lines, file)


def resolve(text: str) -> Any:
    """Give the value of a plain scalar: null, a boolean, a number, or its text.

    >>> [resolve(word) for word in ("12", "-0.5", "true", "no", "010", "1:30", "1e400")]
    [12, -0.5, True, 'no', '010', '1:30', '1e400']
    """
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    if _DECIMAL.fullmatch(text) and not text.lstrip("+-").isdigit():
        number = float(text)
        return text if math.isinf(number) else number
    return text


class _Open:
    """A mapping or list that is being read."""

    def __init__(self, value: Any, path: KeyPath, event: Any) -> None:
        self.value = value
        self.path = path
        self.anchor: str | None = event.anchor
        self.key: str | None = None
        self.merge = False
        self.merged: list[Any] = []
        self.keys: dict[str, int] = {}
        self.before = 0


class _Tree:
    """Builds the values of one document from its events."""

    def __init__(self, file: str, depth: int) -> None:
        self.file = file
        self.depth = depth
        self.root: Any = None
        self.done = False
        self.lines: dict[KeyPath, int] = {(): 1}
        self.problems: list[InputError] = []
        self.stack: list[_Open] = []
        self.anchors: dict[str, tuple[Any, int]] = {}
        self.count = 0
        self.aliased = 0

    def take(self, event: Any) -> None:
        """Take the next event."""
        if isinstance(event, yaml.ScalarEvent):
            self.scalar(event)
        elif isinstance(event, yaml.CollectionStartEvent):
            self.open(event)
        elif isinstance(event, yaml.CollectionEndEvent):
            self.close()
        elif isinstance(event, yaml.AliasEvent):
            self.alias(event)
        elif isinstance(event, yaml.DocumentStartEvent) and self.done:
            self.refuse(event, "holds a second document", "keep one, without ---")

    def scalar(self, event: Any) -> None:
        """Take a scalar: a key where a mapping waits for one, else a value."""
        self.tagged(event)
        top = self.stack[-1] if self.stack else None
        if top is not None and isinstance(top.value, dict) and top.key is None:
            self.key(top, event)
            return
        plain = event.implicit[0] and event.tag is None
        value = resolve(event.value) if plain else event.value
        self.place(value, event)
        if event.anchor:
            self.anchors[event.anchor] = (value, 1)

    def key(self, top: _Open, event: Any) -> None:
        """Note the key that the next value belongs to."""
        name, line = event.value, event.start_mark.line + 1
        top.key = name
        top.merge = name == "<<" and event.implicit[0]
        if name in top.keys and not top.merge:
            where = self.spot(line, (*top.path, name))
            what = f"stands twice, first in line {top.keys[name]}"
            self.problems.append(InputError(what, where=where))
        top.keys[name] = line

    def open(self, event: Any) -> None:
        """Begin a mapping or a list."""
        self.tagged(event)
        if len(self.stack) >= DEPTH:
            self.refuse(event, f"is nested more than {DEPTH} levels deep")
        if self.waits_for_key():
            self.refuse(
                event,
                "a mapping or list stands where a key should",
                'put a template in quotes: "{{ question }}"',
            )
        value: Any = {} if isinstance(event, yaml.MappingStartEvent) else []
        path = self.place(value, event)
        opened = _Open(value, path, event)
        opened.before = self.count + self.aliased
        self.stack.append(opened)

    def close(self) -> None:
        """End a mapping or a list, and let its merge keys fill what it left open."""
        closed = self.stack.pop()
        for source in closed.merged:
            for mapping in source if isinstance(source, list) else [source]:
                if not isinstance(mapping, dict):
                    where = Place(self.file, closed.keys["<<"])
                    what = "<< takes a mapping, or a list of mappings"
                    raise InputError(what, where=where)
                for key, value in mapping.items():
                    closed.value.setdefault(key, value)
        if closed.anchor:
            size = self.count + self.aliased - closed.before + 1
            self.anchors[closed.anchor] = (closed.value, size)

    def alias(self, event: Any) -> None:
        """Insert the value of an anchor."""
        if event.anchor not in self.anchors:
            hint = f"{QUOTE} where it begins with *"
            self.refuse(event, f"*{event.anchor} names no finished value", hint)
        if self.waits_for_key():
            self.refuse(event, "an alias stands where a key should", QUOTE)
        value, size = self.anchors[event.anchor]
        self.aliased += size
        if self.aliased > _ALIASED:
            self.refuse(event, f"aliases expand to more than {_ALIASED:,} values")
        self.place(value, event)

    def waits_for_key(self) -> bool:
        """Whether the next event must be the key of a mapping."""
        top = self.stack[-1] if self.stack else None
        return top is not None and isinstance(top.value, dict) and top.key is None

    def place(self, value: Any, event: Any) -> KeyPath:
        """Insert a value into the open collection, and give its path."""
        self.count += 1
        if self.count > _VALUES:
            hint = "JSON Lines have no such limit"
            self.refuse(event, f"holds more than {_VALUES:,} values", hint)
        if not self.stack:
            self.root, self.done = value, True
            self.lines[()] = event.start_mark.line + 1
            return ()
        top = self.stack[-1]
        if isinstance(top.value, list):
            top.value.append(value)
            path = (*top.path, len(top.value) - 1)
            return self.marked(path, event.start_mark.line + 1)
        name, top.key = top.key or "", None
        path = (*top.path, name)
        if top.merge:
            top.merged.append(value)
        else:
            top.value[name] = value
        return self.marked(path, top.keys[name])

    def marked(self, path: KeyPath, line: int) -> KeyPath:
        """Remember the line of a path."""
        if len(path) <= self.depth:
            self.lines[path] = line
        return path

    def tagged(self, event: Any) -> None:
        """Refuse a tag other than those of plain data."""
        if event.tag not in _PLAIN_TAGS:
            short = event.tag.replace("tag:yaml.org,2002:", "!!")
            self.refuse(event, f"the tag {short} is not read", "leave it out")

    def spot(self, line: int, path: KeyPath = ()) -> Place:
        """Give the place of a path in this file."""
        return Document(None, {path: line}, self.file).place(*path)

    def refuse(self, event: Any, what: str, hint: str = "") -> NoReturn:
        """Raise an error at the line of an event."""
        where = Place(self.file, event.start_mark.line + 1)
        raise InputError(what, where=where, hint=hint)
