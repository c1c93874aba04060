"""References to environment variables in a text: ``${NAME}``, ``${NAME:-default}``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from runner.errors import MissingVariable

_USE = re.compile(r"\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}|\$\{\{|\$\{")
_MEANT = re.compile(r"\$\{[A-Za-z_{]")
_BARE = re.compile(r"(?<![\w$\\])\$([A-Z][A-Z0-9_]+)\b")


class Use(NamedTuple):
    """One reference; ``name`` is None where it is not closed or names nothing."""

    written: str
    name: str | None
    default: str | None
    """Empty for ``${NAME:-}``, None where there is none."""


def substituted(text: str, value: Callable[[Use], str]) -> str:
    """Replace each reference in a text by what ``value`` gives; ``$${`` becomes ``${``.

    >>> substituted("$${A} ${B:-c} ${", lambda use: use.default or "?")
    '${A} c ?'
    """

    def one(found: re.Match[str]) -> str:
        if found[0] == "$${":
            return "${"
        return value(Use(found[0], found[1], found[2]))

    return _USE.sub(one, text)


def expand(text: str, variables: Mapping[str, str]) -> str:
    """Replace each reference by the value of the variable, or by its default.

    A ``${...}`` inside a value is not expanded again.

    Raises:
        MissingVariable: A variable without default is missing or empty.

    >>> expand("${HOST:-localhost}/$${x}", {"HOST": "rag"})
    'rag/${x}'
    """

    def value(use: Use) -> str:
        if use.name is None:
            return use.written
        given = variables.get(use.name) or use.default
        if given is None:
            raise MissingVariable(use.name)
        return given

    return substituted(text, value)


def names_in(text: str) -> list[str]:
    """Give the names of the variables that a text uses, in their order.

    >>> names_in("${HOST}/${PATH:-x}/$${A}")
    ['HOST', 'PATH']
    """
    return [name for name, _ in _USE.findall(text) if name]


def is_meant(text: str) -> bool:
    """Whether a text certainly contains a reference, or a ``${{`` of GitHub."""
    return bool(_MEANT.search(text))


def bare(text: str) -> list[str]:
    """Give the names in ``$NAME`` without braces, which is never expanded.

    >>> bare("Bearer $API_KEY, ${HOST}, $5, $x")
    ['API_KEY']
    """
    return _BARE.findall(text)
