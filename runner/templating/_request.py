"""A case becomes one HTTP request, through the templates of the spec."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, Protocol

from runner.errors import InputError, KeyPath, Problems
from runner.model import Case
from runner.templating._leaf import (
    Leaf,
    Locate,
    Names,
    Render,
    by_path,
    compile_leaf,
)


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
    def url(self) -> str | None: ...
    @property
    def method(self) -> str | None: ...
    @property
    def headers(self) -> Mapping[str, str]: ...
    @property
    def query(self) -> Mapping[str, Any]: ...
    @property
    def body(self) -> Any: ...


class RequestTemplate:
    """The request of a spec, compiled once and rendered for each case.

    Raises:
        Problems: Every template that cannot be compiled.
    """

    def __init__(
        self, form: Form, variables: Mapping[str, str], *, place: Locate = by_path
    ) -> None:
        compiler = Compiler(variables, place)
        self._method = (form.method or ("GET" if form.body is None else "POST")).upper()
        self._url = compiler.url(form.url or "")
        self._query = compiler.tree(form.query, "endpoint", "query")
        self._headers = compiler.tree(form.headers, "endpoint", "headers")
        self._body = compiler.tree(form.body, "endpoint", "body")
        self._place = place
        if compiler.problems:
            raise Problems(compiler.problems)

    def render(self, case: Case, uuid: str) -> Request:
        """Give the request for a case; ``uuid`` is what ``{{ uuid }}`` stands for.

        An absent value leaves its header or URL parameter out, and is null in the body.

        Raises:
            InputError: A template fails for this case, at its key.
        """
        names = names_of(case, uuid)
        return Request(
            self._method,
            self._url(names),
            self._parameters(rendered(self._query, names)),
            self._header_lines(rendered(self._headers, names)),
            rendered(self._body, names),
        )

    def urls(self, cases: Iterable[Case]) -> Iterator[str]:
        """Give the URL of each case, without the parameters; once where all share it.

        Raises:
            InputError: The template fails for a case.
        """
        if self._url.render is None:
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
                    where=self._place("endpoint", "headers", name),
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
            where=self._place("endpoint", key, name),
            hint="a string or a number can; write {{ name | tojson }} for JSON",
        )


def names_of(case: Case, uuid: str) -> dict[str, Any]:
    """Give what a template may read of a case."""
    return {
        "id": case.id,
        "question": case.question,
        "tenant": case.tenant,
        "type": case.type,
        "tags": list(case.tags),
        "meta": dict(case.meta),
        "uuid": uuid,
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

    def __init__(self, variables: Mapping[str, str], place: Locate) -> None:
        self.problems: list[InputError] = []
        self._variables = variables
        self._place = place

    def url(self, text: str) -> Leaf:
        """Compile the URL, which must say where to before any expression."""
        leaf = self._leaf(text, ("endpoint", "url"), url=True)
        if not leaf.start.lower().startswith(("http://", "https://")):
            what = f"{leaf.start or text!r} does not begin with http:// or https://"
            self.problems.append(InputError(what, where=leaf.where))
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
            return compile_leaf(text, self._variables, place, url=url)
        except InputError as error:
            self.problems.append(error)
            return Leaf(place, text)


def _filler(fixed: Any, varying: list[tuple[Any, Callable[[Names], Any]]]) -> Render:
    def fill(names: Names) -> Any:
        filled = fixed.copy()
        for key, render in varying:
            filled[key] = render(names)
        return filled

    return fill
