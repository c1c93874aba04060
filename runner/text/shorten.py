"""Shortens text at its end, in its middle, or to the part around a match.

A length is a number of characters, or of cells: on a terminal a Chinese character or an
emoji takes two.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from runner.text.spelled import NUMERAL

Measure = Callable[[str], int]

_QUOTED = re.compile(r"'([^']+)'|\"([^\"]+)\"|“([^”]+)”")
_HOST = re.compile(r"https?://[^/\s]+(?=/)")
_CALL = re.compile(r"[\w ]*https?://")
_HINT = re.compile(r" \([^()]*\)")
_SPACE = re.compile("[ \t\n]+")  # without the no-break space
_SHORT = 2  # letters of a word that tells nothing
_DIGITS = frozenset("0123456789")
_LONGEST = 12  # characters of a number; a longer one is an id
_IN_NUMBER = re.compile(
    r"(?<=[0-9])[.,]?[0-9]|(?<=[0-9][.,])[0-9]"
    rf"|(?<={NUMERAL}){NUMERAL}"
)
_NUMBER_AT_END = re.compile(
    rf"(?<![a-zA-Z0-9_#.,-])[0-9][0-9.,]*$|(?<!{NUMERAL}){NUMERAL}+$"
)
_BETWEEN = re.compile(r"[\s,;:()'\"“”]+")


def cells(text: str) -> int:
    """Give the width of a text on a terminal, in cells.

    >>> cells("abc"), cells("退款"), cells("e\u0301")
    (3, 4, 1)
    """
    return len(text) if text.isascii() else sum(map(_cells, text))


def _cells(sign: str) -> int:
    if unicodedata.category(sign) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(sign) in "WF" else 1


def cut(text: str, limit: int, measure: Measure = len) -> str:
    """Give at most ``limit`` of a text from its start; an ellipsis marks the cut.

    A number is left out rather than cut in two, as it would be another one.

    >>> cut("price 1,280 yuan", 10), cut("共一千二百八十元", 5)
    ('price …', '共…')
    """
    if measure(text) <= limit:
        return text
    return _unbroken(_head(text, limit - 1, measure), text) + "…"


def cut_middle(text: str, limit: int, measure: Measure = len) -> str:
    """Give at most ``limit`` of a text, its middle left out: errors often end with why.

    >>> cut_middle("'a very long key point of the case' is not stated", 30)
    "'a very long key …s not stated"
    """
    if measure(text) <= limit:
        return text
    tail = limit * 2 // 5
    end = _head(text[::-1], tail, measure)[::-1]
    return _head(text, limit - 1 - measure(end), measure) + "…" + end


def cut_around(
    text: str, finds: Iterable[str], limit: int, measure: Measure = len
) -> str:
    """Give at most ``limit`` of a text around the first of the finds that it holds.

    >>> cut_around("It is long. It takes 37 days in all cases.", ["37"], 20)
    '…takes 37 days in a…'
    """
    if measure(text) <= limit:
        return text
    place = next((text.find(find) for find in finds if find and find in text), 0)
    if measure(text[:place]) < limit * 2 // 3:
        return cut(text, limit, measure)
    before = _head(text[:place][::-1], limit // 3, measure)[::-1]
    start = place - len(before)
    return "…" + cut(text[start:], limit - 1, measure)


def short_of_call(text: str) -> str:
    """Give what was wrong with a call without its host and the hint in brackets.

    Both are the same in every case, and stand in full where there is room.

    >>> short_of_call("http://127.0.0.1:9000/rag answered 401 (check it): bad key")
    '…/rag answered 401: bad key'
    >>> short_of_call("'see http://x/y (there)' is not stated")
    "'see …/y (there)' is not stated"
    """
    text = _HINT.sub("", text, count=1) if _CALL.match(text) else text
    return _HOST.sub("…", text)


def finds(evidence: str) -> list[str]:
    """Give the words to look for in a text, from a piece of evidence, best first.

    That is what it quotes, what has digits, and the words of what it quotes: an answer
    that does not state ``21 days`` may state another number of days.

    >>> finds("37, 38 is in no context"), finds("'21 days' is not stated")
    (['37', '38'], ['21 days', '21', 'days'])
    """
    quoted = ["".join(found) for found in _QUOTED.findall(evidence)]
    words = _BETWEEN.split(evidence)
    numbered = [word for word in words if not _DIGITS.isdisjoint(word)]
    named = _BETWEEN.split(" ".join(quoted))
    return [*quoted, *numbered, *(w for w in named if w.isalpha() and len(w) > _SHORT)]


def _head(text: str, limit: int, measure: Measure) -> str:
    """Give the longest prefix that measures at most ``limit``."""
    if measure is len:
        return text[: max(0, limit)]
    taken = 0
    for place, sign in enumerate(text):
        taken += measure(sign)
        if taken > limit:
            return text[:place]
    return text


def _unbroken(head: str, text: str) -> str:
    """Give the head of a text without a number that goes on behind it."""
    end = len(head)
    if not end or not _IN_NUMBER.match(text, end):
        return head
    start = _NUMBER_AT_END.search(head, max(0, end - _LONGEST))
    return head[: start.start()] if start and start.start() else head


def wrapped(text: str, width: int, indent: str = "") -> str:
    """Give a text in lines of at most ``width`` cells, broken at spaces if there are.

    Every line but the first begins with ``indent``.
    """
    lines, line = [], ""
    for word in _pieces(_SPACE.split(text.strip()), width - len(indent)):
        longer = f"{line} {word}" if line.strip() else line + word
        if line.strip() and cells(longer) > width:
            lines.append(line)
            longer = indent + word
        line = longer
    return "\n".join([*lines, line] if line.strip() else lines)


def _pieces(words: Iterable[str], width: int) -> Iterator[str]:
    for word in words:
        rest = word
        while cells(rest) > width:
            head = _head(rest, width, cells)
            yield head
            rest = rest[len(head) :]
        yield rest


def excerpt(value: Any, limit: int = 200) -> str:
    """Give the start of a value as JSON on one line; dots mark the cut."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    line = " ".join(text[: 4 * limit].split())
    whole = len(text) <= 4 * limit and len(line) <= limit
    return line if whole else f"{line[:limit]}..."
