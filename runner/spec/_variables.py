"""``${NAME}`` in endpoint and judge: what the environment gives, and what is secret."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from runner.errors import InputError, KeyPath, MissingVariable, Place
from runner.redact import names_secret
from runner.variables import Use, is_meant, substituted

_FORBIDDEN = re.compile(r"GITHUB_TOKEN|(ACTIONS|INPUT)_.*", re.IGNORECASE)
_SECRET_KEYS = frozenset({"headers", "api_key"})
_BLOCKS = {("endpoint",), ("baseline", "endpoint"), ("judge",)}
_TEMPLATES = frozenset({"url", "headers", "query", "body"})
_WRITE = "write ${NAME} or ${NAME:-default}; a literal ${ is $${"


class Variables:
    """The environment as one spec may read it.

    ``asking`` says whether anybody will be asked: where nobody is, none has to be set.
    """

    def __init__(
        self,
        environ: Mapping[str, str],
        place: Callable[..., Place],
        *,
        asking: bool = True,
    ) -> None:
        self.environ = environ
        self.asking = asking
        self.place = place
        self.values: dict[str, str] = {}
        self.secret: dict[str, None] = {}
        self.problems: list[InputError] = []
        self.unfilled: set[KeyPath] = set()
        """Where a value is only what was left of it, and no mistake of its author."""

    def expand(self, block: Any, *at: str) -> Any:
        """Give a block, which stands at a key path, with its variables filled in.

        ``url``, ``headers``, ``query`` and ``body`` of the endpoint, and of its steps,
        are checked only: they are templates, and values are put in as data after these
        were parsed.
        """
        return self._filled(block, at) if isinstance(block, dict) else block

    def hide(self, value: str) -> None:
        """Treat a value that is written in the spec itself as a secret."""
        self.secret[value] = None

    def hide_inherited(self) -> None:
        """Treat as secrets what a program reads by itself, where the name says so."""
        for name, value in self.environ.items():
            if names_secret(name):
                self.hide(value)

    def plain(self, text: str) -> str:
        """Give a text with what is known of its variables, and report nothing."""
        return substituted(
            text, lambda use: self.values.get(use.name or "") or use.default or ""
        )

    def _filled(self, value: Any, path: KeyPath) -> Any:
        if isinstance(value, dict):
            each = value.items()
            return {key: self._filled(inner, (*path, key)) for key, inner in each}
        if isinstance(value, list):
            return [
                self._filled(inner, (*path, index)) for index, inner in enumerate(value)
            ]
        if not isinstance(value, str) or "${" not in value:
            return value
        filled = substituted(value, lambda use: self._use(use, path))
        return value if is_template(path) else filled

    def _use(self, use: Use, path: KeyPath) -> str:
        name = use.name
        if name is None:
            self.problems.append(_malformed(use.written, self.place(*path)))
        elif _FORBIDDEN.fullmatch(name):
            what = f"{name} may not be read: it belongs to the workflow"
            hint = "pass a token of your own under another name through env:"
            self.problems.append(InputError(what, where=self.place(*path), hint=hint))
        elif value := self.environ.get(name):
            self._keep(name, value, path)
            return value
        elif use.default is None:
            missing = MissingVariable(name, where=self.place(*path))
            self.problems += [missing] if self.asking else []
            self.unfilled.add(path)
        return use.default or ""

    def _keep(self, name: str, value: str, path: KeyPath) -> None:
        self.values[name] = value
        if names_secret(name) or not _SECRET_KEYS.isdisjoint(path):
            self.secret[value] = None


def is_template(path: KeyPath) -> bool:
    """Whether what stands at a key path is a template."""
    if "endpoint" not in path:
        return False
    below = path[path.index("endpoint") + 1 :]
    if below[0] == "steps":
        below = below[2:]
    return bool(below) and below[0] in _TEMPLATES


def _malformed(written: str, where: Place) -> InputError:
    if written == "${{":
        what = "GitHub expressions are not expanded here"
        return InputError(what, where=where, hint="pass it through env: as ${NAME}")
    return InputError(
        "a variable is not closed or has no name", where=where, hint=_WRITE
    )


def misplaced(data: Mapping[str, Any]) -> Iterator[KeyPath]:
    """Give the key paths of references where none is expanded."""
    left: list[tuple[KeyPath, Any]] = [((key,), value) for key, value in data.items()]
    while left:
        path, value = left.pop(0)
        if path in _BLOCKS:
            continue
        if isinstance(value, dict):
            left += [((*path, key), inner) for key, inner in value.items()]
        elif isinstance(value, list):
            left += [((*path, index), inner) for index, inner in enumerate(value)]
        elif isinstance(value, str) and is_meant(value):
            yield path
