"""The retrieved passages as one text, against which an answer is checked."""

from __future__ import annotations

from functools import cached_property, lru_cache
from itertools import pairwise

from runner.model import Absent, Passage

NO_PASSAGES = Absent("the reply does not show its passages")
NO_TEXT = Absent("a context has no text")
DIGITS = 30  # characters on either side of a seam within which a cut number stands


class Evidence:
    """The texts of the passages as one.

    A chunk may end within a word or a number that the next one continues, so that there
    are readings across the seams beside the plain text.
    """

    def __init__(self, texts: list[str]) -> None:
        self._texts = texts
        self.text = "\n".join(texts)
        """The passages, each on a line of its own."""

    @cached_property
    def glued(self) -> str | None:
        """The text with passages joined where a word or number may continue.

        None where no seam looks like that.
        """
        joined, cut = self._texts[:1], False
        for left, right in pairwise(self._texts):
            goes_on = left[-1].isalnum() and right[0].isalnum()
            cut = cut or goes_on
            joined += [right] if goes_on else ["\n", right]
        return "".join(joined) if cut else None

    @cached_property
    def seams(self) -> str:
        """The text around each seam where a number may continue, joined."""
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
