"""One value of a row becomes one field of a case; each reader says what is wrong.

A reader raises ValueError with the end of a sentence that begins with the field's
name. The text of a cell (CSV, TSV) is first made into what JSON would hold there, in
``_cells``.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from sys import intern
from typing import Any

from runner.errors import kind_of
from runner.model import NOTHING, Qrels

_TRUE = frozenset({"true", "yes", "on", "1", "是"})
_FALSE = frozenset({"false", "no", "off", "0", "否"})
_GRADES = (0, 1, 2, 3)


@lru_cache(maxsize=4096)
def _shared(words: tuple[str, ...]) -> tuple[str, ...]:
    """Give the first tuple that was equal: thousands of cases have the same tags."""
    return words


def _not(wanted: str, value: object) -> ValueError:
    return ValueError(f"must be {wanted}, and is {kind_of(value)}")


def text(value: object) -> str:
    """Read text; integers become decimals, as ids of other systems are numbers."""
    if isinstance(value, str):
        # What is printable and begins with more than a space shows, at a glance.
        plain = value[:1] > " " and value.isprintable()
        if not plain and not any(map(_shows, value)):
            raise ValueError("is blank")
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:d}"
    quotable = isinstance(value, bool | float)
    raise _not("text in quotes" if quotable else "text", value)


def _shows(char: str) -> bool:
    # Of spaces only " " is printable; what has no width is not.
    return char != " " and char.isprintable()


def word(value: object) -> str:
    """Read an id, a type, a tenant: short, and often the same in many cases."""
    return intern(text(value))


def _items(value: object) -> list[Any]:
    if isinstance(value, list):
        return value
    if isinstance(value, str | int) and not isinstance(value, bool):
        return [value]
    raise _not("a list", value)


def phrases(value: object) -> tuple[str, ...]:
    """Read a list of strings; a string alone is a list of one."""
    return _shared(tuple([text(item) for item in _items(value)]))


def words(value: object) -> tuple[str, ...]:
    """Read a list of ids or tags; commas in a single string are refused."""
    return _shared(tuple(_words(value)))


def _words(value: object) -> list[str]:
    if isinstance(value, str) and ("," in value or "|" in value):
        raise _not("a list", value)
    return [word(item) for item in _items(value)]


def points(value: object) -> tuple[tuple[str, ...], ...]:
    """Read key points: an inner list holds spellings of one point."""
    return tuple([_point(item) for item in _items(value)])


def _point(item: object) -> tuple[str, ...]:
    if not isinstance(item, list):
        return (text(item),)
    if not item:
        raise ValueError("has an empty list in it, which no answer could state")
    return tuple([text(spelling) for spelling in item])


def judgments(value: object) -> Qrels:
    """Read expected ids: a list, or a map of id to grade."""
    if isinstance(value, dict):
        return {word(name): _grade(name, grade) for name, grade in value.items()}
    return dict.fromkeys(_words(value), 1) or NOTHING


def _grade(name: str, grade: object) -> int:
    if type(grade) is int and grade in _GRADES:
        return grade
    raise ValueError(f"gives {name} {kind_of(grade)} for a grade (one of 0, 1, 2, 3)")


def flag(value: object) -> bool:
    """Read true or false, which sheets and YAML write in several ways."""
    if isinstance(value, bool):
        return value
    folded = value.strip().casefold() if isinstance(value, str) else ""
    if folded in _TRUE or folded in _FALSE:
        return folded in _TRUE
    raise _not("true or false", value)


def mapping(value: object) -> Mapping[str, Any]:
    """Read what the team keeps beside a case for itself."""
    if not isinstance(value, Mapping):
        raise _not("a mapping", value)
    return value or NOTHING
