"""Removes what no output may hold: control, bidirectional and hidden characters.

Escaping for a format comes after this and is the format's own; see ``_escape``.
"""

from __future__ import annotations

import re

from runner.report import Report, mapped

_LINE_ENDS = "\x0b\x0c\r\x85\u2028\u2029"
_HIDDEN = (
    "\xad\u180e\u200b-\u200d\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f"
)  # soft hyphen, zero-width characters, and tags, which no screen shows
_HARMFUL = (
    "\x7f-\x9f"  # the second set of controls
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # overrides of direction
    "\ud800-\udfff\ufffe\uffff"  # no characters
)
_UNCLEAN = re.compile(f"[\x00-\x08\x0e-\x1f{_LINE_ENDS}{_HIDDEN}{_HARMFUL}]")
_HIDES = re.compile(f"[{_HIDDEN}]")
_COMMAND = re.compile(r"^([^\S\n]*):(?=:)", re.MULTILINE)
_PICTURES = 0x2400  # from here Unicode has a picture of each control


def clean(text: str) -> str:
    r"""Replace control, bidirectional and hidden characters in a text.

    Every line end is ``\n``; controls show as their pictures, so that an ANSI sequence
    is seen and does nothing; overrides of direction become U+FFFD; zero-width
    characters, which split words for no eye, go.

    >>> clean("a\x1b[31mb\r\nc\u202e")
    'a␛[31mb\nc�'
    """
    if not _UNCLEAN.search(text):
        return text
    return _UNCLEAN.sub(_instead, text.replace("\r\n", "\n"))


def inert(text: str) -> str:
    r"""Change lines that GitHub's runner would take as a command.

    >>> inert("a\n ::error::b ::c")
    'a\n : :error::b ::c'
    """
    return _COMMAND.sub(r"\1: ", text).replace("##[", "## [")


def inert_markup(text: str) -> str:
    r"""Do the same in HTML or XML, by character references.

    >>> inert_markup("<p>a\n::error::b ##[c]</p>")
    '<p>a\n&#58;:error::b ##&#91;c]</p>'
    """
    return _COMMAND.sub(r"\1&#58;", text).replace("##[", "##&#91;")


def _instead(found: re.Match[str]) -> str:
    sign = found[0]
    if sign in _LINE_ENDS:
        return "\n"
    if sign < " ":
        return chr(_PICTURES + ord(sign))
    return "" if _HIDES.match(sign) else "\ufffd"


def cleaned(report: Report) -> Report:
    """Clean every text of a Report, keys included."""
    return mapped(report, clean)
