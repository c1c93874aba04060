"""Text becomes the terms that are counted: Latin words, Chinese bigrams."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_CHINESE = "\u3400-\u9fff"
_RUN = re.compile(rf"[0-9]+(?:[.,:][0-9]+)*|[a-z]+|[{_CHINESE}]+")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])\s*")

_FUNCTION_WORDS = frozenset(
    """
    a an and any are as at be been by can could did do does each for from get has have
    how i if in is it its many me much must my need of on one or our per please so that
    the their them there they this to was we what when where which who will with would
    you your
    """.split()
)
# A bigram across one of these would be a word that nobody wrote.
_CHINESE_FUNCTION_WORDS = re.compile(
    "多少|什么|怎么|如何|哪些|哪个|哪里|几个|多久|多长|是否|能否|可以|需要|请问|我们|你们|"
    "一下|如果|以及|或者|之后|以后|[的了吗呢吧是在有和与及我您你请几]"
)


@lru_cache(maxsize=4096)
def terms(text: str) -> tuple[str, ...]:
    """Give the terms of a text in their order, function words left out.

    >>> terms("How many seats are paid?"), terms("年假有几天？"), terms("1,000 MB")
    (('seat', 'paid'), ('年假', '天'), ('1000', 'mb'))
    """
    found: list[str] = []
    for run in _RUN.findall(unicodedata.normalize("NFKC", text).casefold()):
        if run[0].isdigit():
            found.append(run.replace(",", ""))
        elif run[0].isascii():
            found += [] if run in _FUNCTION_WORDS else [_stem(run)]
        else:
            found += _bigrams(run)
    return tuple(found)


def sentences(text: str) -> list[str]:
    """Give the sentences of a text, their full stops included.

    >>> sentences("Seats cost $9. Ask us! 每天备份。保留60天。")
    ['Seats cost $9.', 'Ask us!', '每天备份。', '保留60天。']
    """
    return [part for part in _SENTENCE_END.split(text.strip()) if part]


def is_chinese(text: str) -> bool:
    """Tell whether any Chinese character occurs."""
    return re.search(f"[{_CHINESE}]", text) is not None


def _bigrams(run: str) -> list[str]:
    found: list[str] = []
    for piece in _CHINESE_FUNCTION_WORDS.split(run):
        if len(piece) == 1:
            found.append(piece)
        found += [piece[i : i + 2] for i in range(len(piece) - 1)]
    return found


_STEM = 3
"""Letters that are left of a word at least."""


def _stem(word: str) -> str:
    # Enough to let "refunds" meet "refunded"; a real stemmer would do more.
    for ending in ("ing", "ed", "es", "s"):
        stem = word.removesuffix(ending)
        if stem != word and len(stem) > _STEM and not stem.endswith("s"):
            return stem.removesuffix("e")
    return word.removesuffix("e") if len(word) > _STEM + 1 else word
