"""Which of the two languages of prompts and messages fits a text."""

from __future__ import annotations

import re
from functools import cache
from typing import Literal, get_args

Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = get_args(Language)

_HAN = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"


def language(*texts: str | None) -> Language:
    """Give ``zh`` where one of the texts is mostly Chinese, else ``en``.

    Mostly: it has at least as many Chinese characters as words of other scripts, since
    Chinese keeps names and terms in Latin letters.

    >>> language("如何用 GitHub Actions 部署？"), language("What does 退货 mean?")
    ('zh', 'en')
    """
    return "zh" if any(text and _is_chinese(text) for text in texts) else "en"


@cache  # for the first text: most runs ask for none
def _unit() -> re.Pattern[str]:
    return re.compile(rf"([{_HAN}])|[^\W\d_{_HAN}]+")


def _is_chinese(text: str) -> bool:
    units = [found[1] for found in _unit().finditer(text)]
    chinese = len(units) - units.count(None)
    return chinese > 0 and 2 * chinese >= len(units)
