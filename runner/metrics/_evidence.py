"""The retrieved passages as one text, against which an answer is checked."""

from __future__ import annotations

from functools import cached_property, lru_cache
from itertools import pairwise

from runner.model import Absent, Passage

NO_PASSAGES = Absent("the reply does not show its passages")
NO_TEXT = Absent("a context has no text")
DIGITS = 30  # characters on either side of a seam within which a cut number stands


class Evidence:
    """The passages' texts in one, as each may go on where the one before was cut.

    What stands over their seams is read when it is asked for.
    """

    def __init__(self, texts: list[str]) -> None:
        self._texts = texts
        self.text = "\n".join(texts)
        """One passage a line."""

    @cached_property
    def glued(self) -> str | None:
        """Give the text without a break where a passage may be cut within a word.

        Or within a number, and the next one goes on. None where no seam looks so.
        """
        joined, cut = self._texts[:1], False
        for left, right in pairwise(self._texts):
            goes_on = left[-1].isalnum() and right[0].isalnum()
            cut = cut or goes_on
            joined += [right] if goes_on else ["\n", right]
        return "".join(joined) if cut else None

    @cached_property
    def seams(self) -> str:
        """Give what stands around the seams where a number may be cut, glued."""
        return "\n".join(
            left[-DIGITS:] + right[:DIGITS]
            for left, right in pairwise(self._texts)
            if left[-1].isnumeric() and right[0].isnumeric()
        )


@lru_cache(8)
def evidence(passages: tuple[Passage, ...] | None) -> Evidence | None:
    """Give the passages as one text; None where ``unread`` says why there is none."""
    if passages is None:
        return None
    texts = [passage.text for passage in passages]
    if None in texts:
        return None
    return Evidence([text for text in texts if text])


def unread(passages: tuple[Passage, ...] | None) -> Absent:
    """Give why there is no evidence: no passages are shown, or one has no text."""
    return NO_PASSAGES if passages is None else NO_TEXT
