"""Renders a case as an HTTP request, by the templates of the spec."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple, Protocol

from runner.errors import InputError, KeyPath, Problems
from runner.model import NOTHING, Case
from runner.templating._leaf import (
    Leaf,
    Locate,
    Names,
    Render,
    by_path,
    compile_leaf,
)

_HOST = re.compile(r"(?i)https?://[^/?#{]+[/?]")


class Request(NamedTuple):
    """One call, ready to be sent."""

    method: str
    url: str
    query: tuple[tuple[str, str], ...] = ()
    """Parameters to add to the URL, not yet encoded."""
    headers: Mapping[str, str] = {}
    body: Any = None
    """A string is sent as it is, anything else as JSON; None is no body."""


class Form(Protocol):
    """The part of an endpoint's spec that holds templates."""

    @property
    def url(self) -> str: ...
    @property
    def method(self) -> str | None: ...
    @property
    def headers(self) -> Mapping[str, str]: ...
    @property
    def query(self) -> Mapping[str, Any]: ...
    @property
    def body(self) -> Any: ...


_OF_ENDPOINT: Locate = partial(by_path, "endpoint")


class RequestTemplate:
    """The request of a spec, compiled once and rendered for each case.

    ``reads`` holds the names that its expressions read.

    Args:
        form: Its parts.
        variables: Environment values by name.
        place: Where a key of the form stands, such as ``body`` or ``headers``, ``X-A``.
        earlier: Names of replies to requests before it, which it may read too.

    Raises:
        Problems: Every template that cannot be compiled.
    """

    def __init__(
        self,
        form: Form,
        variables: Mapping[str, str],
        *,
        place: Locate = _OF_ENDPOINT,
        earlier: tuple[str, ...] = (),
    ) -> None:
        compiler = Compiler(variables, place, earlier)
        self._method = (form.method or ("GET" if form.body is None else "POST")).upper()
        self._url = compiler.url(form.url)
        self._query = compiler.tree(form.query, "query")
        self._headers = compiler.tree(form.headers, "headers")
        self._body = compiler.tree(form.body, "body")
        self._place = place
        self._earlier = earlier
        self.reads = frozenset(compiler.reads)
        if compiler.problems:
            raise Problems(compiler.problems)

    def render(
        self, case: Case, uuid: str, earlier: Mapping[str, Any] = NOTHING
    ) -> Request:
        """Give the request for a case.

        An absent value leaves its header or URL parameter out, and is null in the body.

        Args:
            case: What is asked.
            uuid: What ``{{ uuid }}`` stands for.
            earlier: The replies to requests before it, by name.

        Raises:
            InputError: A template fails for this case, at its key.
        """
        names = {**names_of(case, uuid), **earlier}
        return Request(
            self._method,
            self._url(names),
            self._parameters(rendered(self._query, names)),
            self._header_lines(rendered(self._headers, names)),
            rendered(self._body, names),
        )

    def urls(self, cases: Iterable[Case]) -> Iterator[str]:
        """Give the URL of each case, without the parameters; once where all share it.

        Of one that reads earlier replies its beginning is given, with the host.

        Raises:
            InputError: The template fails for a case.
        """
        if self._url.render is None or not self._url.reads.isdisjoint(self._earlier):
            yield self._url.start
            return
        for case in cases:
            yield self._url(names_of(case, "0" * 32))

    def _parameters(self, query: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
        return tuple(
            (name, self._word(item, "query", name))
            for name, value in query.items()
            for item in (value if isinstance(value, list | tuple) else (value,))
            if item is not None
        )

    def _header_lines(self, headers: Mapping[str, Any]) -> Mapping[str, str]:
        lines = {
            name: self._word(value, "headers", name)
            for name, value in headers.items()
            if value is not None
        }
        for name, line in lines.items():
            if not line.isprintable() or not line.isascii():
                raise InputError(
                    "a header holds one line of printable ASCII characters",
                    where=self._place("headers", name),
                    hint="write {{ name | urlencode }} for any other text",
                )
        return lines

    def _word(self, value: Any, key: str, name: str) -> str:
        if isinstance(value, str):
            return value
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, int | float):
            return str(value)
        raise InputError(
            f"a {type(value).__name__} cannot stand here",
            where=self._place(key, name),
            hint="a string or a number can; write {{ name | tojson }} for JSON",
        )


def names_of(case: Case, uuid: str, session: Any = None) -> dict[str, Any]:
    """Give what a template may read of a case, and of the conversation it is in."""
    return {
        "id": case.id,
        "question": case.question,
        "tenant": case.tenant,
        "type": case.type,
        "tags": list(case.tags),
        "meta": dict(case.meta),
        "uuid": uuid,
        "history": [turn._asdict() for turn in case.turns],
        "session": session,
    }


class Compiled(NamedTuple):
    """A tree of the spec: what is fixed in it, and how to fill in the rest."""

    fixed: Any
    render: Render | None = None


def rendered(tree: Compiled, names: Names) -> Any:
    """Give a tree for one case."""
    return tree.fixed if tree.render is None else tree.render(names)


class Compiler:
    """Compiles the strings of a tree and keeps every mistake."""

    def __init__(
        self,
        variables: Mapping[str, str],
        place: Locate,
        earlier: tuple[str, ...] = (),
    ) -> None:
        self.problems: list[InputError] = []
        self.reads: set[str] = set()
        self._variables = variables
        self._place = place
        self._earlier = earlier

    def url(self, text: str) -> Leaf:
        """Compile the URL, which must say where to before any expression.

        Earlier replies may not even say the host: they come from outside, and the
        request may carry a key.
        """
        before = len(self.problems)
        leaf = self._leaf(text, ("url",), url=True)
        if len(self.problems) > before:
            return leaf
        if not leaf.start.lower().startswith(("http://", "https://")):
            what = f"{leaf.start or text!r} does not begin with http:// or https://"
            self.problems.append(InputError(what, where=leaf.where))
        elif not leaf.reads.isdisjoint(self._earlier) and not _HOST.match(leaf.start):
            what = "an earlier reply is read before the host is written out"
            hint = "write scheme, host and a / before the first {{ }}"
            self.problems.append(InputError(what, where=leaf.where, hint=hint))
        return leaf

    def tree(self, value: Any, *path: str | int) -> Compiled:
        """Compile every string of a tree of mappings and lists."""
        if isinstance(value, str):
            leaf = self._leaf(value, path)
            return Compiled(leaf.start, leaf.__call__ if leaf.render else None)
        if isinstance(value, Mapping):
            fixed: Any = dict(value)
            items = list(value.items())
        elif isinstance(value, list | tuple):
            fixed = list(value)
            items = list(enumerate(value))
        else:
            return Compiled(value)
        varying = []
        for key, item in items:
            compiled = self.tree(item, *path, key)
            fixed[key] = compiled.fixed
            if compiled.render:
                varying.append((key, compiled.render))
        return Compiled(fixed, _filler(fixed, varying) if varying else None)

    def _leaf(self, text: str, path: KeyPath, *, url: bool = False) -> Leaf:
        place = self._place(*path)
        try:
            leaf = compile_leaf(
                text, self._variables, place, url=url, earlier=self._earlier
            )
        except InputError as error:
            self.problems.append(error)
            return Leaf(place, text)
        self.reads |= leaf.reads
        return leaf


def _filler(fixed: Any, varying: list[tuple[Any, Callable[[Names], Any]]]) -> Render:
    def fill(names: Names) -> Any:
        filled = fixed.copy()
        for key, render in varying:
            filled[key] = render(names)
        return filled

    return fill
