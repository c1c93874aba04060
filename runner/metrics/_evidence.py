"""What was retrieved, as one text that claims are held against."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from runner.model import Absent, Passage

NO_TEXT = Absent("a context has no text")
DIGITS = 30  # characters on either side of a seam within which a cut number stands


class Evidence(NamedTuple):
    """The passages' texts in one."""

    text: str
    """One passage a line."""
    glued: str | None
    """Without a break where a passage may be cut within a word or number and the next
    one goes on; None where no seam looks so."""
    seams: str
    """What stands around the seams where a number may be cut, glued."""


@lru_cache(8)
def evidence(passages: tuple[Passage, ...]) -> Evidence | None:
    """Give the passages as one text; None where a passage came without its text."""
    texts = [passage.text for passage in passages]
    parts = [text for text in texts if text]
    if None in texts:
        return None
    glued, seams, cut = parts[:1], [], False
    for left, right in pairwise(parts):
        goes_on = left[-1].isalnum() and right[0].isalnum()
        cut = cut or goes_on
        glued += [right] if goes_on else ["\n", right]
        if left[-1].isnumeric() and right[0].isnumeric():
            seams.append(left[-DIGITS:] + right[:DIGITS])
    return Evidence("\n".join(parts), "".join(glued) if cut else None, "\n".join(seams))
