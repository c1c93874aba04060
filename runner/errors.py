"""The exceptions that can stop a run, each with its exit code.

    RagEvalError
    ├── InputError          2   the spec, a case file or an option is wrong
    │   ├── MissingVariable 2   an environment variable of the spec is empty
    │   └── Problems        2   several of them, reported at once
    ├── Unavailable         3   the run could not be judged: nobody answered
    └── Cancelled         130   the user or the machine said stop

What goes wrong with one case or one metric raises nothing: it is a value, a
``Failure`` or a score whose status is failed (see ``model``).
"""

from __future__ import annotations

import errno
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Any, NamedTuple

NAMED = 40
"""Characters of a value that an error shows."""

LISTED = 200
"""Mistakes that are told one by one before the rest is only counted."""

_SAID = 600  # characters of what one mistake is; the longest of our own have 200
_BREAKS = re.compile(r"\r\n?|[\n\x0b\x0c\x85\u2028\u2029]")


KeyPath = tuple[str | int, ...]
"""Where in a parsed file a value stands: keys of mappings, positions in lists."""


def dotted(path: KeyPath) -> str:
    """Write a key path as people do.

    >>> dotted(("endpoint", "steps", 0, "url"))
    'endpoint.steps[0].url'
    """
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return "".join(steps).removeprefix(".")


class Place(NamedTuple):
    """Where in the user's files something stands."""

    file: str
    line: int | None = None
    path: str = ""

    def __str__(self) -> str:
        """Give ``file:line key.path``, leaving out what is not known."""
        spot = f"{self.file}:{self.line}" if self.line else self.file
        return f"{spot} {self.path}".strip()


class Document(NamedTuple):
    """A parsed file with the line of every key, so that errors can point at it."""

    data: Any
    lines: Mapping[KeyPath, int]
    """Each counted from 1; ``()`` is the top."""
    file: str

    def place(self, *path: str | int) -> Place:
        """Give where a key path stands, or its nearest ancestor that has a line."""
        known = path
        while known and known not in self.lines:
            known = known[:-1]
        return Place(self.file, self.lines.get(known), dotted(path))


class RagEvalError(Exception):
    """The run cannot be judged; ``exit_code`` says why to the shell."""

    exit_code = 1

    def __init__(
        self, what: str, *, where: Place | None = None, hint: str = ""
    ) -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.hint = hint

    def __str__(self) -> str:
        """Give ``where: what (hint)`` in one line, whatever others wrote in it."""
        where, what, hint = (
            _line(str(part or "")) for part in (self.where, self.what, self.hint)
        )
        text = f"{where}: {what}" if where else what
        return f"{text} ({hint})" if hint else text

    def mask(self, change: Callable[[str], str]) -> None:
        """Pass every text of it through ``change``, such as one that hides secrets."""
        self.what, self.hint = change(self.what), change(self.hint)
        if self.where:
            self.where = self.where._replace(path=change(self.where.path))
        self.args = (self.what,)


class InputError(RagEvalError):
    """The reader must change something: spec, case file, option."""

    exit_code = 2

    def __iter__(self) -> Iterator[InputError]:
        """Give the mistakes that it tells: itself alone, but for ``Problems``."""
        yield self


class MissingVariable(InputError):
    """The spec reads an environment variable that is missing or empty.

    A pull request from a fork gets no secrets: where this is all that is wrong, the
    run can be skipped.
    """

    def __init__(self, name: str, *, where: Place | None = None) -> None:
        super().__init__(
            f"the environment variable {name} is missing or empty",
            where=where,
            hint=f"set it, or write ${{{name}:-default}}",
        )
        self.name = name


class Problems(InputError):
    """Every mistake found in one reading, in the order of the files."""

    def __init__(self, problems: Iterable[InputError]) -> None:
        self.problems = tuple(problems)
        super().__init__(self._lines())

    def __str__(self) -> str:
        """Give a line for each."""
        return self.what

    def _lines(self) -> str:
        told = [str(problem) for problem in self.problems[:LISTED]]
        rest = len(self.problems) - len(told)
        return "\n".join([*told, *([f"and {rest:,} more"] if rest else [])])

    def mask(self, change: Callable[[str], str]) -> None:
        """Pass every text of each of them through ``change``."""
        for problem in self.problems:
            problem.mask(change)
        self.what = self._lines()
        self.args = (self.what,)

    def __iter__(self) -> Iterator[InputError]:
        """Give the mistakes one by one."""
        yield from self.problems


class Unavailable(RagEvalError):
    """The world must change something: nobody answers, or nothing can be written."""

    exit_code = 3


class Cancelled(RagEvalError):
    """Stopped from outside; what was finished is on disk."""

    exit_code = 130


def _line(text: str) -> str:
    text = _BREAKS.sub(" ", text)
    if len(text) <= _SAID:
        return text
    return f"{text[: _SAID // 2]}…{text[-_SAID // 2 :]}"


@contextmanager
def masking(change: Callable[[str], str]) -> Iterator[None]:
    """Pass the texts of whatever is raised within through ``change``."""
    try:
        yield
    except RagEvalError as error:
        error.mask(change)
        raise


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Give the nearest known word as a hint, or nothing where none is near.

    Capitals make no difference.

    >>> did_you_mean("recal", ["recall", "mrr"]), did_you_mean("MRR", ["recall", "mrr"])
    ('did you mean recall?', 'did you mean mrr?')
    """
    folded = {each.casefold(): each for each in known}
    near = get_close_matches(word.casefold(), folded, n=1, cutoff=0.6)
    return f"did you mean {folded[near[0]]}?" if near else ""


def named(word: str) -> str:
    """Give a word of the user's as it stands in a sentence, in quotes where it must.

    >>> named("recall"), named(""), named(" a")
    ('recall', "''", "' a'")
    """
    return word if word and word == word.strip() else repr(word)


def reason(error: Exception) -> str:
    """Give why a file cannot be had, in the system's words and without its path.

    >>> reason(PermissionError(13, "Permission denied", "/a")), reason(ValueError("x"))
    ('Permission denied', 'x')
    """
    return getattr(error, "strerror", None) or str(error)


_EXHAUSTED = frozenset(
    {
        *(errno.ENOMEM, errno.EAGAIN, errno.EMFILE, errno.ENFILE),
        *(errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS),
    }
)


def exhausted(error: Exception) -> str:
    """Give what the machine lacks, where that is all that an error says.

    >>> exhausted(OSError(28, "No space left on device", "/a")), exhausted(KeyError())
    ('No space left on device: /a', '')
    """
    if isinstance(error, OSError) and error.errno in _EXHAUSTED:
        name = f": {error.filename}" if error.filename else ""
        return f"{error.strerror}{name}"
    if isinstance(error, MemoryError):
        return "memory"
    return "threads, or memory for them" if "new thread" in str(error) else ""


def kind_of(value: object) -> str:
    """Name a value of a file as its author would.

    >>> [kind_of(value) for value in (None, True, 3, "x", [], {})]
    ['null', 'true', 'the number 3', "the text 'x'", 'a list', 'a mapping']
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f"the text {value if len(value) <= NAMED else value[:NAMED] + '…'!r}"
    if isinstance(value, int | float):
        return f"the number {value!r:.40}"
    return "a mapping" if isinstance(value, Mapping) else "a list"
