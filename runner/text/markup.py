"""Reduces Markdown and HTML to the text that a reader sees."""

from __future__ import annotations

import html
import re
from functools import cache

from runner.text.words import DENSE, remembered

_ANY = "&<*_~`\\"
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_ESCAPED = re.compile(r"\\(?=[!-/:-@\[-`{-~])")
_MARKS = re.compile("[*_~`]+")


def marked(text: str) -> bool:
    """Whether a text may contain markup that ``rendered`` removes."""
    return any(map(text.__contains__, _ANY))  # a tenth of what a class takes


@remembered
def rendered(text: str) -> str:
    r"""Give a text without emphasis marks, tags and backslash escapes.

    Character references are replaced. It is one more reading beside
    the text as it stands, not a replacement: what looks like markup may be text.

    >>> rendered("in **30** d&amp;n \\[1\\]"), rendered("<b>a</b> 5*30 snake_case")
    ('in 30 d&n [1]', 'a 5*30 snake_case')
    """
    if "<" in text:
        text = _TAG.sub("", text)
    text = _MARKS.sub(_outside, _ESCAPED.sub("", text))
    return html.unescape(text) if "&" in text else text


@cache  # for the first mark: the class takes long to compile
def _in_word() -> re.Pattern[str]:
    """Match two characters of one word, where words stand apart."""
    return re.compile(rf"[^\W_{DENSE}]{{2}}")


def _outside(marks: re.Match[str]) -> str:
    """Give nothing for marks beside a word; those inside of one stay."""
    text, (start, end) = marks.string, marks.span()
    before, after = text[max(start - 1, 0) : start], text[end : end + 1]
    return marks[0] if _in_word().fullmatch(before + after) else ""
