"""What was retrieved, as one text that claims are held against."""

from __future__ import annotations

import itertools
from functools import lru_cache
from typing import NamedTuple

from runner.model import Passage, Unscored

NO_TEXT = Unscored("a context has no text")


class Evidence(NamedTuple):
    """The passages' texts in one, in two readings."""

    text: str
    """One passage a paragraph."""
    glued: str | None
    """Without a break where a passage seems to be cut in mid-word or mid-number and
    the next one goes on; None where no seam looks so."""


@lru_cache(8)
def evidence(passages: tuple[Passage, ...]) -> Evidence | None:
    """Give the passages as one text; None where a passage came without its text."""
    texts = [passage.text for passage in passages]
    known = [text for text in texts if text is not None]
    if len(known) < len(texts):
        return None
    parts = [text for text in known if text]
    seams = [
        "" if left[-1].isalnum() and right[0].isalnum() else "\n"
        for left, right in itertools.pairwise(parts)
    ]
    glued = "".join(map("".join, zip(parts, [*seams, ""], strict=False)))
    return Evidence("\n".join(parts), glued if "" in seams else None)
