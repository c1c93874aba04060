"""The ways of foreign text into Markdown: ``cell``, ``inline``, ``word``, ``block``.

What others wrote always stands in code, where GitHub makes no mention, issue link,
autolink, emoji, formula or HTML of it. The delimiter is longer than any run of
backticks in the text, so that nothing closes it early; runs of more than 20 are cut.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from runner.render._clean import clean, inert
from runner.text.shorten import cut

_TICKS = re.compile(r"`+")
_TICKS_KEPT = 20
_MANY_TICKS = re.compile(rf"`{{{_TICKS_KEPT},}}")
# No commit hash, which GitHub links, and no GH-1, which it takes for an issue.
NAME = r"(?![0-9a-f]{7,40}$)[a-z][a-z0-9]*(?:_[a-z0-9]+)*(?:@[0-9]{1,6})?"
_NAME = re.compile(NAME)


def inline(text: str, limit: int = 300) -> str:
    """Give one line of foreign text as a code span; nothing where there is no text."""
    line = " ".join(clean(text).split()).replace("##[", "## [")  # see ``inert``
    line = cut(few_ticks(line), limit)
    if not line:
        return ""
    ticks = _delimiter(line, 1)
    # A dollar beside the backticks would make a formula of the span on GitHub.
    pad = " " if line[0] in "`$" or line[-1] in "`$" else ""
    return f"{ticks}{pad}{line}{pad}{ticks}"


def cell(text: str, limit: int = 160) -> str:
    """Give one line of foreign text as a code span that cannot end a table's cell."""
    return inline(text, limit).replace("|", "\\|")  # which a table undoes, in code too


def word(text: str, code: Callable[[str], str] = cell, limit: int = 80) -> str:
    """Give a plain name such as ``recall@5`` as it is, anything else as ``code``."""
    plain = len(text) <= limit and _NAME.fullmatch(text)
    return text if plain else code(text)


def block(text: str, limit: int = 2_000) -> str:
    """Give foreign text as a fenced block; it needs a blank line before and after."""
    body = cut(few_ticks(inert(clean(text))), limit)
    fence = _delimiter(body, 4)
    return f"{fence}text\n{body}\n{fence}"


def few_ticks(text: str) -> str:
    """Shorten long runs of backticks, so that the delimiter stays short."""
    return _MANY_TICKS.sub("`" * _TICKS_KEPT, text)


def _delimiter(text: str, least: int) -> str:
    longest = max(map(len, _TICKS.findall(text)), default=0)
    return "`" * max(least, longest + 1)
