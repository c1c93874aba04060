"""Sentences of ours that name what others wrote: the names in code, the words not.

A message such as ``red line tag=x: 2 of 9 cases failed: qa-7`` comes as one text. Only
what can be no markup, mention, link, emoji or command stays outside of code.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from runner.render._clean import clean
from runner.render._escape import NAME, cell, few_ticks
from runner.text.shorten import cut

_BEFORE, _AFTER = "(\"'“‘（《", ",.;:!?)\"'”’…%，。；：！？）》"
# Full-width signs have no meaning in Markdown, and no spaces around them.
_LETTERS = "[^\\W\\d_]"
_WORD = rf"{_LETTERS}+(?:['’‐-]{_LETTERS}+)*"
_NUMBER = "[−±+]?[0-9]{1,6}(?:[.,][0-9]{1,6})*"
_CHINESE = "[\u3001-\u3011\u3400-\u9fff\uff01-\uff5e]+"
_SIGN = "[–—·…≥≤±→Δ]"
_HASH = "(?![0-9a-fA-F]{7,40}$)"  # which GitHub would link as a commit
_PLAIN = re.compile(rf"{_HASH}(?:{_WORD}|{_NUMBER}|{_CHINESE}|{_SIGN}|{NAME})")
_LISTS = re.compile("[0-9]+[.)]")  # at the start of a line a list
_SHELL = re.compile(rf"([{_BEFORE}]*)(.*?)([{_AFTER}]*)", re.DOTALL)
_OPENS, _CLOSES = frozenset("{[<"), frozenset("}]>")


def prose(text: str, code: Callable[[str], str] = cell, limit: int = 300) -> str:
    """Put every word of a line that is not plain into code spans.

    Args:
        text: A sentence; its ends of line become spaces.
        code: Makes a code span of what others wrote.
        limit: The most characters of it.
    """
    line = " ".join(clean(text).split()).replace(" -> ", " → ")
    words = cut(few_ticks(line), limit).split(" ")
    return " ".join(_spans(words, code)).strip()


def _spans(words: list[str], code: Callable[[str], str]) -> Iterator[str]:
    odd = [not _is_plain(word) for word in words]
    odd[0] = odd[0] or bool(_LISTS.fullmatch(words[0]))
    _fill_brackets(words, odd)
    start = 0
    for place in range(1, len(words) + 1):
        if place == len(words) or odd[place] != odd[start]:
            run = " ".join(words[start:place])
            yield _in_code(run, code) if odd[start] else run
            start = place


def _fill_brackets(words: list[str], odd: list[bool]) -> None:
    """Make one code span of text in brackets, such as JSON of a server."""
    opens = [place for place, word in enumerate(words) if _OPENS & set(word)]
    closes = [place for place, word in enumerate(words) if _CLOSES & set(word)]
    if opens and closes and opens[0] < closes[-1]:
        odd[opens[0] : closes[-1] + 1] = [True] * (closes[-1] + 1 - opens[0])


def _is_plain(word: str) -> bool:
    found = None if "::" in word else _SHELL.fullmatch(word)
    return bool(found and (not found[2] or _PLAIN.fullmatch(found[2])))


def _in_code(run: str, code: Callable[[str], str]) -> str:
    found = _SHELL.fullmatch(run)
    before, core, after = found.groups() if found else ("", run, "")
    return f"{before}{code(core)}{after}" if core else code(run)
