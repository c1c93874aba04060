"""Which names at the top of a value a JMESPath expression reads."""

from __future__ import annotations

from typing import Any

import jmespath
from jmespath.exceptions import JMESPathError

_FIRST_ALONE = frozenset(
    {"subexpression", "index_expression", "projection", "value_projection", "pipe"}
)
"""Nodes of which only the first child is held against the value itself."""


def roots(expression: str | None) -> frozenset[str]:
    """Give the names; none for an expression that cannot be compiled, or for None.

    >>> sorted(roots("join('', reply.events[].data) || chat.reply"))
    ['chat', 'reply']
    """
    if expression is None:
        return frozenset()
    try:
        return frozenset(_fields_of(jmespath.compile(expression).parsed))
    except (JMESPathError, RecursionError):
        return frozenset()


def _fields_of(node: Any) -> set[str]:
    kind, children = node["type"], node["children"]
    if kind == "field":
        return {node["value"]}
    if kind == "expref":
        return set()
    if kind in _FIRST_ALONE or kind == "filter_projection":
        children = children[:1]
    return set().union(*map(_fields_of, children))
