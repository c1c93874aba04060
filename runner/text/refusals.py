"""Whether an answer declines to answer, in English and Chinese, without a phrase list."""

from __future__ import annotations

import re
from collections.abc import Iterable

from runner.text.words import contains, fold

_UNABLE = re.compile(
    r"\b(?:i|we)(?:'m| am| are| was|'re)? (?:sorry|afraid|unable|not able|cannot|can't|could not|couldn't|do not have|don't have)"
    r"|unable to (?:answer|find|provide)|(?:do|does) not (?:contain|mention|provide|specify)"
    r"|(?:无法|不能|不会|没有|未)(?:找到|提供|回答|提及|提到|包含|相关)"
)
_OPENING = 200


def declines(answer: str, phrases: Iterable[str] = ()) -> bool:
    """Whether the answer declines.

    >>> declines("I'm sorry, but I can't help with that."), declines("It takes 5 days.")
    (True, False)
    """
    if any(contains(answer, phrase) for phrase in phrases):
        return True
    return _UNABLE.search(fold(answer[:_OPENING])) is not None
