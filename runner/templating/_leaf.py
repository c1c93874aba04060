"""Compiles one string of the spec into a function of the case.

The language is ``{{ }}``, ``{% if %}`` and ``{% for %}`` over the fields of a case, and
``${NAME}`` for values of the environment.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from itertools import takewhile
from operator import itemgetter
from types import GeneratorType
from typing import Any, NamedTuple

from jinja2 import Template, Undefined, meta, nodes
from jinja2.environment import TemplateExpression
from jinja2.exceptions import TemplateSyntaxError, UndefinedError

from runner.errors import InputError, Place, did_you_mean, dotted
from runner.templating._sandbox import FILTERS, TEXT, URL, Sandbox, check_size
from runner.variables import expand

NAMES = (
    "id",
    "question",
    "tenant",
    "type",
    "tags",
    "meta",
    "uuid",
    "history",
    "session",
)
"""What a template of the spec may read."""

_VARIES = re.compile(r"\{[{%#]|\$\{")
_STATEMENTS = (nodes.Template, nodes.Output, nodes.If, nodes.For)
_LANGUAGE = "{{ }}, {% if %} and {% for %}"
_VALUES = (str, int, float, list, tuple, dict, type(None))

Names = Mapping[str, Any]
Render = Callable[[Names], Any]
Locate = Callable[..., Place]
"""Key path to place: ``Document.place``, or ``by_path`` where no file is at hand."""


def by_path(*path: str | int) -> Place:
    """Give a place that is known by its key path alone.

    >>> str(by_path("endpoint", "body", "messages", 0))
    'endpoint.body.messages[0]'
    """
    return Place(dotted(path))


class Leaf(NamedTuple):
    """One string of the spec as a function of the case."""

    where: Place
    start: str
    """The text before the first expression; all of it where ``render`` is None."""
    render: Render | None = None
    reads: frozenset[str] = frozenset()
    """The names that its expressions read."""

    def __call__(self, names: Names) -> Any:
        """Give the value for one case: text, or a whole expression's own value.

        Raises:
            InputError: Whatever the template did wrong, at its key.
        """
        if self.render is None:
            return self.start
        with _explaining(self.where, f" for case {names['id']}"):
            return self.render(names)


def compile_leaf(
    text: str,
    variables: Mapping[str, str],
    where: Place,
    *,
    url: bool = False,
    earlier: tuple[str, ...] = (),
) -> Leaf:
    """Compile one string of the spec; in a URL each expression is percent-encoded.

    A string that is exactly one ``{{ }}`` gives the expression's own value, None where
    that is undefined; a URL always gives text. Environment values are inserted into the
    parsed template as constants, so that nothing in them is ever evaluated.

    Args:
        text: The string.
        variables: Environment values by name.
        where: Its place in the spec.
        url: Whether it is one.
        earlier: Names of replies that it may read besides the fields of a case. What is
            absent in one of these is an error, and never None.

    Raises:
        InputError: It cannot be parsed, or names what is not there.
    """
    if not _VARIES.search(text):
        return Leaf(where, text)
    sandbox = URL if url else TEXT
    with _explaining(where):
        tree = sandbox.parse(text)
        reads = _checked(tree, (*NAMES, *earlier))
        _insert(tree, variables)
        parts = [part for node in tree.body for part in getattr(node, "nodes", [node])]
        data = [*takewhile(lambda part: isinstance(part, nodes.TemplateData), parts)]
        start = "".join(part.data for part in data)
        if len(data) == len(parts):
            return Leaf(where, start)
        if len(parts) == 1 and isinstance(parts[0], nodes.Expr) and not url:
            needed = not reads.isdisjoint(earlier)
            return Leaf(where, start, _value(sandbox, parts[0], needed=needed), reads)
        return Leaf(where, start, _text(sandbox, tree), reads)


def _checked(tree: nodes.Template, known: tuple[str, ...]) -> frozenset[str]:
    """Give the names that a template reads.

    Raises:
        InputError: A statement, filter or name is not part of the language.
    """
    for node in tree.find_all(nodes.Node):
        _check_node(node)
    reads = frozenset(meta.find_undeclared_variables(tree))
    for name in sorted(reads):
        _check_known("name", name, known)
    for outer in tree.find_all(nodes.For):
        for inner in outer.find_all(nodes.For):
            if inner.find(nodes.For):
                raise InputError("loops may be nested twice, not deeper")
    return reads


def _check_node(node: nodes.Node) -> None:
    foreign = isinstance(node, nodes.Stmt) and not isinstance(node, _STATEMENTS)
    if foreign or isinstance(node, nodes.NSRef):
        what = type(node).__name__
        raise InputError(f"{what} is not available: there are {_LANGUAGE}")
    if isinstance(node, nodes.Getattr) and node.attr.startswith("_"):
        raise InputError(f"{node.attr} is not available")
    if isinstance(node, nodes.Filter):
        _check_known("filter", node.name, FILTERS)


def _check_known(kind: str, word: str, known: Collection[str]) -> None:
    if word not in known:
        listed = ", ".join(known if isinstance(known, tuple) else sorted(known))
        hint = f"{did_you_mean(word, known)} known: {listed}".strip()
        raise InputError(f"unknown {kind} {word!r}", hint=hint)


def _insert(tree: nodes.Template, variables: Mapping[str, str]) -> None:
    """Put environment values into the text and the literals of a parsed template."""
    for text in tree.find_all(nodes.TemplateData):
        text.data = expand(text.data, variables)
    for literal in tree.find_all(nodes.Const):
        if isinstance(literal.value, str):
            literal.value = expand(literal.value, variables)
    for loop in list(tree.find_all(nodes.For)):
        loop.iter = nodes.Filter(loop.iter, "_limited", [], [], None, None, lineno=1)


def _value(sandbox: Sandbox, expression: nodes.Expr, *, needed: bool) -> Render:
    if isinstance(expression, nodes.Name):
        return itemgetter(expression.name)
    store = nodes.Assign(nodes.Name("result", "store"), expression, lineno=1)
    template = sandbox.from_string(nodes.Template([store], lineno=1))
    evaluate = TemplateExpression(template, undefined_to_none=not needed)

    def render(names: Names) -> Any:
        value = evaluate(names)
        if isinstance(value, Undefined):
            str(value)  # which says what is absent
        if isinstance(value, GeneratorType):
            value = list(value)
        if not isinstance(value, _VALUES):
            raise TypeError(
                f"it gives a {type(value).__name__}, which JSON cannot hold"
            )
        return value

    return render


def _text(sandbox: Sandbox, tree: nodes.Template) -> Render:
    template: Template = sandbox.from_string(tree)
    if not tree.find(nodes.For):
        return template.render

    def render(names: Names) -> str:
        pieces = []
        size = 0
        for piece in template.generate(names):
            pieces.append(piece)
            size += len(piece)
            check_size(size)
        return "".join(pieces)

    return render


@contextmanager
def _explaining(where: Place, case: str = "") -> Iterator[None]:
    """Make whatever is raised within an error of the template at a place."""
    try:
        yield
    except Exception as error:
        hint = error.hint if isinstance(error, InputError) else ""
        reason = error.what if isinstance(error, InputError) else str(error)
        if isinstance(error, RecursionError):
            reason = "it is nested too deeply"
        elif isinstance(error, TemplateSyntaxError):
            reason = reason.removesuffix(".")
            hint = f"look at what opens and what closes in {_LANGUAGE}"
        elif isinstance(error, UndefinedError):
            hint = "write {{ name | default('') }} where it may be absent"
        what = f"the template fails{case}: {reason or type(error).__name__}"
        raise InputError(what, where=where, hint=hint) from error
