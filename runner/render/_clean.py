"""What may stand in no output at all: controls, direction overrides, hidden characters.

Escaping for a format comes after this and is the format's own; see ``_escape``.
"""

from __future__ import annotations

from runner.report import Report, mapped

_LINE_ENDS = dict.fromkeys((0x0B, 0x0C, 0x0D, 0x85, 0x2028, 0x2029), "\n")
_CONTROLS = {code: chr(0x2400 + code) for code in range(0x20)} | {0x7F: "␡"}
_C1 = dict.fromkeys(range(0x80, 0xA0), "\ufffd")
_DIRECTION = dict.fromkeys(
    (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)), "\ufffd"
)
_HIDDEN: dict[int, str] = dict.fromkeys(
    (
        0x00AD,  # soft hyphen
        0x180E,
        *range(0x200B, 0x200E),  # zero width space, non-joiner and joiner
        *range(0x2060, 0x2066),  # word joiner and invisible operators
        *range(0x206A, 0x2070),
        0xFEFF,
        *range(0xFFF9, 0xFFFC),
        *range(0xE0000, 0xE0080),  # tags: text that no screen shows
    ),
    "",
)
_ILLEGAL = dict.fromkeys(
    (
        *range(0xD800, 0xE000),
        *(
            plane + end
            for plane in range(0, 0x110000, 0x10000)
            for end in (0xFFFE, 0xFFFF)
        ),
    ),
    "\ufffd",
)
_TABLE = (
    _CONTROLS | {0x09: "\t", 0x0A: "\n"} | _C1 | _DIRECTION | _HIDDEN | _ILLEGAL
) | _LINE_ENDS


def clean(text: str) -> str:
    r"""Give a text without what could rule a terminal, a parser or a reader's eye.

    Every line end is ``\n``; controls show as their pictures, so that an ANSI sequence
    is seen and does nothing; overrides of direction become U+FFFD; zero-width
    characters, which split words for no eye, go.

    >>> clean("a\x1b[31mb\r\nc\u202e")
    'a␛[31mb\nc�'
    """
    if text.isascii() and text.isprintable():
        return text
    return text.replace("\r\n", "\n").translate(_TABLE)


def cleaned(report: Report) -> Report:
    """Give a Report of which every text, also in keys, is clean."""
    return mapped(report, clean)
