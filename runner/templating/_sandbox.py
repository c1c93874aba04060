"""A smaller sandbox of Jinja2, in which nothing can reach Python or multiply text.

A spec cannot exhaust the machine that judges it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any
from urllib.parse import quote

from jinja2 import StrictUndefined, pass_context
from jinja2.exceptions import SecurityError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from runner.errors import InputError

LOOP_LIMIT = 1_000
"""Rounds of one ``{% for %}``; two may be nested."""

ALL_LOOPS_LIMIT = 10_000
"""Rounds of all loops in one string, however they are nested."""

TEXT_LIMIT = 10 * 2**20
"""Characters that one string of a request may grow to."""

FILTERS = frozenset(
    """abs capitalize count d default first float int items join last length list lower
    map max min reject rejectattr replace reverse select selectattr sort string title
    tojson trim truncate unique upper urlencode""".split()
)
_METHODS = frozenset(
    """capitalize count endswith find get index items keys lower lstrip removeprefix
    removesuffix rstrip split startswith strip title upper values""".split()
)


class _Encoded(str):
    """Text that is percent-encoded already."""

    __slots__ = ()


class Sandbox(ImmutableSandboxedEnvironment):
    """Jinja2 without the globals, filters and operators that can multiply text."""

    intercepted_binops = frozenset({"*", "**", "%"})

    def __init__(self, finalize: Callable[[Any], str]) -> None:
        super().__init__(
            undefined=StrictUndefined, finalize=finalize, keep_trailing_newline=True
        )
        self.globals.clear()
        self.filters = {n: f for n, f in self.filters.items() if n in FILTERS}
        self.filters |= {
            "_limited": _limited,
            "join": _join,
            "replace": _replace,
            "tojson": _tojson,
            "urlencode": lambda value: _Encoded(quote(_written(value), safe="")),
        }

    def is_safe_callable(self, obj: Any) -> bool:
        """Allow only the methods of text and collections that cannot multiply them."""
        return getattr(obj, "__name__", "") in _METHODS

    def getattr(self, obj: Any, attribute: str) -> Any:
        """Give what stands under a key, also where a mapping has a method of its name.

        Replies have keys such as ``items`` and ``values``.
        """
        if isinstance(obj, dict) and attribute in obj:
            return obj[attribute]
        return super().getattr(obj, attribute)

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        """Compute with numbers only: text times a number is how memory runs out."""
        numbers = isinstance(left, int | float) and isinstance(right, int | float)
        if operator == "**" or not numbers:
            limit = "not available" if operator == "**" else "for numbers only"
            raise SecurityError(f"{operator} is {limit}")
        return super().call_binop(context, operator, left, right)


@pass_context
def _limited(context: Any, items: Iterable[Any]) -> list[Any]:
    taken = list(islice(items, LOOP_LIMIT + 1))
    if len(taken) > LOOP_LIMIT:
        raise SecurityError(f"a loop has more than {LOOP_LIMIT} rounds")
    # One context lasts for one rendering of one string.
    context.rounds = getattr(context, "rounds", 0) + len(taken)
    if context.rounds > ALL_LOOPS_LIMIT:
        raise SecurityError(f"loops have more than {ALL_LOOPS_LIMIT} rounds together")
    return taken


def check_size(size: int) -> None:
    if size > TEXT_LIMIT:
        raise SecurityError(f"the text has more than {TEXT_LIMIT} characters")


def _join(value: Iterable[Any], d: str = "", attribute: str | None = None) -> str:
    if attribute is not None:
        value = (item[attribute] for item in value)
    parts = [_written(item) for item in value]
    check_size(sum(map(len, parts)) + len(d) * len(parts))
    return d.join(parts)


def _replace(value: str, old: str, new: str) -> str:
    check_size(len(value) + value.count(old) * len(new))
    return value.replace(old, new)


def _tojson(value: Any) -> str:
    # Jinja2's own escapes for HTML, and its result escapes whatever is added to it.
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _written(value: Any) -> str:
    if value is None:
        raise InputError(
            "a value inside a longer string is absent",
            hint="write {{ name or '' }}, or make the whole value one {{ }}",
        )
    return str(value)


def _written_in_url(value: Any) -> str:
    return value if isinstance(value, _Encoded) else quote(_written(value), safe="")


TEXT = Sandbox(_written)
URL = Sandbox(_written_in_url)
