"""Reports rows without a question: each, or once where a whole file has none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from runner.cases._fields import CANONICAL, near_field
from runner.cases._plan import Mistakes
from runner.errors import Place
from runner.units import listed

COLUMNS = 12  # columns that an error names
_LIKELY = ("quest", "prompt", "query", "input", "问", "utterance", "message", "text")


class RowsWithoutQuestion:
    """Collects them over the files of one source."""

    def __init__(self) -> None:
        self._rows: dict[str, list[Place]] = {}
        self._keys: dict[str, dict[str, None]] = {}
        self._with_question: set[str] = set()

    def note_keys(self, file: str, keys: Iterable[str], *, has_question: bool) -> None:
        """Note keys that rows of a file have, and whether one is the question."""
        self._keys.setdefault(file, {}).update(dict.fromkeys(keys))
        if has_question:
            self._with_question.add(file)

    def add(self, row: Place) -> None:
        """Note a row that has no question."""
        self._rows.setdefault(row.file, []).append(row)

    def report(self, mistakes: Mistakes, *, mapped: bool) -> None:
        """Report each row, or each file once in which no row has a question.

        A file of which a misspelled key for the question was reported is left out.

        Args:
            mistakes: Takes the reports; it holds the misspelled keys already.
            mapped: Whether the spec names the key of the question. That no file has
                this key is reported elsewhere.
        """
        reported = mapped and not self._with_question
        named = {file for file, key in mistakes.of_files if _is_nearly(key)}
        for file, rows in self._rows.items():
            if file in self._with_question:
                for row in rows:
                    mistakes.add("has no question", row)
            elif not reported and file not in named:
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
    for word in _LIKELY:
        yield from (key for key in keys if word in key.casefold())
