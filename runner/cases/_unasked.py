"""Reports rows without a question: each, or once where a whole file has none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from runner.cases._fields import CANONICAL, near_field
from runner.cases._plan import Mistakes
from runner.errors import Place
from runner.units import listed

COLUMNS = 12  # columns that are named
_TELLING = ("quest", "prompt", "query", "input", "问", "utterance", "message", "text")


class Unasked:
    """The rows of one source that have no question."""

    def __init__(self) -> None:
        self._rows: dict[str, list[Place]] = {}
        self._keys: dict[str, dict[str, None]] = {}
        self._asking: set[str] = set()

    def see(self, file: str, keys: Iterable[str], *, asks: bool) -> None:
        """Note the keys of rows, and whether one of them is the question."""
        self._keys.setdefault(file, {}).update(dict.fromkeys(keys))
        if asks:
            self._asking.add(file)

    def add(self, row: Place) -> None:
        """Note a row that has no question."""
        self._rows.setdefault(row.file, []).append(row)

    def tell(self, mistakes: Mistakes, *, mapped: bool) -> None:
        """Report the rows, or the files; a key that was told of already is enough.

        Args:
            mistakes: Where to; keys of files that nearly are fields are in it.
            mapped: The spec says which key is the question, and is told where no file
                has that key.
        """
        told = mapped and not self._asking
        named = {file for file, key in mistakes.of_files if _is_nearly(key)}
        for file, rows in self._rows.items():
            if file in self._asking:
                for row in rows:
                    mistakes.add("has no question", row)
            elif not told and file not in named:
                keys = list(self._keys[file])
                have = listed(keys, COLUMNS) or "no keys"
                what = f"no record has a question; they have {have}"
                mistakes.add(what, Place(file), hint=_mapping(keys))


def _is_nearly(key: str) -> bool:
    return CANONICAL.get(near_field(key) or "") == "question"


def _mapping(keys: list[str]) -> str:
    """Say what to write in the spec, with the likeliest key."""
    likely = next(_likely(keys), "NAME")
    return f"say which it is, beside the path: fields: {{question: {likely}}}"


def _likely(keys: list[str]) -> Iterator[str]:
    for word in _TELLING:
        yield from (key for key in keys if word in key.casefold())
