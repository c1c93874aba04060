"""Expressions of the spec that read foreign data: JMESPath, and RE2 for the regex.

Both are compiled once, and what is wrong with them is an error of the spec at its key.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import chain, zip_longest
from typing import Any

import jmespath
import re2
from jmespath.exceptions import (
    IncompleteExpressionError,
    JMESPathError,
    ParseError,
)
from jmespath.functions import Functions, signature
from jmespath.visitor import Options, TreeInterpreter
from pydantic_core import from_json

from runner.errors import InputError, Place, did_you_mean
from runner.text.shorten import excerpt
from runner.units import count

Find = Callable[[Any], Any]
_BRACKETED = re.compile(r"""\[['"]([^'"\]]+)['"]\]""")
_INDEX = re.compile(r"\.(\d+)(?=[.\[]|$)")
_WORDS = re.compile(r"[\w-]+(?: [\w-]+)*")
_KEY = re.compile(r"[^.\[\]]+(?![^\[]*\])")


def find_by(expression: str, where: Place) -> Find:
    """Compile a JMESPath expression; the function gives None where it finds nothing.

    Paths of plain names are looked up directly, which is what most mappings are.

    Raises:
        InputError: Its syntax, a function or the number of arguments is wrong; the
            function raises it where a value has a type that the expression cannot take.
    """
    try:
        tree: Any = jmespath.compile(expression).parsed
    except (JMESPathError, RecursionError) as error:
        what, hint = f"{expression!r} is no JMESPath expression", _hint(expression)
        what = what if hint else f"{what}: {_stumble(expression, error)}"
        raise InputError(what, where=where, hint=hint) from error
    for node in _nodes(tree):
        if node["type"] == "function_expression":
            _check_call(node, where)
    names = _plain_names(tree)
    return _path(names) if names is not None else _search(expression, tree, where)


def truth(value: Any) -> bool:
    """Whether JMESPath takes a value as true: 0 is, everything empty is not."""
    return not (value is None or value is False or value in ("", [], {}))


def regex(pattern: str, where: Place) -> Any:
    """Compile a regular expression that runs in linear time; a dot matches newlines.

    Raises:
        InputError: RE2 cannot take it.
    """
    options = re2.Options()
    options.dot_nl = True
    options.log_errors = False
    try:
        return re2.compile(pattern, options)
    except (re2.error, UnicodeError) as error:
        reason = error.args[0] if error.args else error
        text = reason.decode(errors="replace") if isinstance(reason, bytes) else reason
        raise InputError(
            f"{pattern!r} is no regular expression: {text}",
            where=where,
            hint="RE2 syntax: no look-around and no back references",
        ) from error


def plain_name(expression: str | None) -> str | None:
    """Give the field that an expression names, None where it is anything else."""
    if expression is None:
        return None
    tree: Any = jmespath.compile(expression).parsed
    return tree["value"] if tree["type"] == "field" else None


def _hint(expression: str) -> str:
    """Give the JMESPath of a path in another notation, as a hint.

    Others are JSONPath (``$.a['b']``), jq (``.a``), JSON Pointer (``/a/b``), an index
    behind a dot, and keys that JMESPath takes in quotes only.

    >>> _hint("$.data['reply']"), _hint("choices.0.text"), _hint("a-b.c")
    ('write data.reply', 'write choices[0].text', 'write "a-b".c')
    """
    path = expression.strip().removeprefix("$")
    if "{{" in path:
        return "it is no template: write the path alone"
    if ".." in path:
        return "there is no .. here: write the whole path"
    if path.startswith("/"):
        path = path.replace("/", ".")
    path = _BRACKETED.sub(r".\1", path)
    path = _INDEX.sub(r"[\1]", path.strip("."))
    path = _KEY.sub(lambda key: _quote(key[0]), path) or "@"
    try:
        jmespath.compile(path)
    except (JMESPathError, RecursionError):
        return ""
    return f"write {path}"


def _quote(key: str) -> str:
    plain = key.isidentifier() and key.isascii()
    return key if plain or not _WORDS.fullmatch(key) else f'"{key}"'


def _stumble(expression: str, error: Exception) -> str:
    """Say at which characters the parser could not go on."""
    if isinstance(error, IncompleteExpressionError):
        return "it breaks off"
    if not isinstance(error, ParseError):
        return "it is nested too deeply"
    rest = expression[error.lex_position :]
    return f"it cannot go on with {excerpt(rest, 20)!r}"


def _nodes(tree: Any) -> Iterator[Any]:
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            yield node
            waiting += node.get("children", ())


def _plain_names(tree: Any) -> tuple[str, ...] | None:
    """Give the names of ``a.b.c``, none for ``@``, None for any other expression."""
    match tree:
        case {"type": "current" | "identity"}:
            return ()
        case {"type": "field", "value": name}:
            return (name,)
        case {"type": "subexpression", "children": children}:
            fields = [_plain_names(child) for child in children]
            return tuple(chain(*filter(None, fields))) if all(fields) else None
    return None


def _path(names: tuple[str, ...]) -> Find:
    if len(names) == 1:
        only = names[0]
        return lambda value: value.get(only) if isinstance(value, dict) else None

    def find(value: Any) -> Any:
        for name in names:
            if not isinstance(value, dict):
                return None
            value = value.get(name)
        return value

    return find


def _search(expression: str, tree: Any, where: Place) -> Find:
    visit = TreeInterpreter(Options(custom_functions=_Functions())).visit

    def find(value: Any) -> Any:
        try:
            return visit(tree, value)
        except InputError as error:
            raise InputError(error.what, where=where, hint=error.hint) from error
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            told = excerpt(str(error))
            raise InputError(
                f"{expression!r} cannot take what the reply holds: {told}",
                where=where,
                hint="where a value may be null, write value || '' or value || `[]`",
            ) from error

    return find


def _check_call(node: Any, where: Place) -> None:
    name, given = node["value"], len(node["children"])
    known = _Functions.FUNCTION_TABLE
    if name not in known:
        raise InputError(
            f"unknown function {name}()", where=where, hint=did_you_mean(name, known)
        )
    wanted = known[name]["signature"]
    open_ended = bool(wanted) and wanted[-1].get("variadic", False)
    if given < len(wanted) or (given > len(wanted) and not open_ended):
        raise InputError(
            f"{name}() takes {count(len(wanted), 'argument')}, not {given}",
            where=where,
        )
    literal = node["children"][1] if name == "capture" else {}
    if literal.get("type") == "literal":
        _compile(literal["value"], where)


@lru_cache(maxsize=64)
def _compile(pattern: str, where: Place | None = None) -> Any:
    return regex(pattern, where or Place("capture"))


class _Functions(Functions):
    """The functions of JMESPath and the three that real servers force."""

    @signature({"types": ["string", "null"]})
    def _func_from_json(self, text: str | None) -> Any:
        """Give the value that a string holds as JSON, None where it holds none."""
        try:
            return None if text is None else from_json(text, allow_inf_nan=False)
        except ValueError:
            return None

    @signature({"types": ["string", "null"]}, {"types": ["string"]})
    def _func_capture(self, text: str | None, pattern: str) -> str | None:
        """Give the first group that matched, the whole match where there is none."""
        found = None if text is None else _compile(pattern).search(text)
        return first_group(found) if found else None

    @signature({"types": ["array", "null"], "variadic": True})
    def _func_zip(self, *columns: list[Any] | None) -> list[list[Any]] | None:
        """Give rows of parallel arrays, a short or absent one filled with null."""
        if all(column is None for column in columns):
            return None
        return [list(row) for row in zip_longest(*(column or () for column in columns))]


def first_group(found: Any) -> str:
    """Give the first group that took part in a match, else the whole match."""
    groups = (group for group in found.groups() if group)
    return str(next(groups, found.group()))
