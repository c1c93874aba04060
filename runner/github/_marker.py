"""The marker in the first line of a comment, by which later runs find it.

Nobody sees it, and no text of others can come before it. It is the one home of the
form: what is written here is found by later runs.
"""

from __future__ import annotations

import hashlib
import re
from typing import NamedTuple, Self

_FORM = re.compile(
    r"<!-- rag-eval-action v1 key=([0-9a-f]{16}) run=([0-9]{1,15}) "
    r"attempt=([0-9]{1,9}) head=([0-9a-f]{7,64}|none)"
    r"(?: owners=([A-Za-z0-9_./,-]{1,999}))? -->[ \r]*(?:\n|\Z)"
)
_COMMIT = re.compile("[0-9a-f]{7,64}")


class Marker(NamedTuple):
    """The content of the first line of a comment."""

    key: str
    """Of 16 hexadecimal digits; see ``key_of``."""
    run: int
    attempt: int
    head: str = ""
    """The commit of the pull request; empty where it is not known."""
    owners: tuple[str, ...] = ()
    """Accounts that the comment mentions."""

    def __str__(self) -> str:
        """Give the line."""
        owners = f" owners={','.join(self.owners)}" if self.owners else ""
        head = self.head if _COMMIT.fullmatch(self.head) else "none"
        return (
            f"<!-- rag-eval-action v1 key={self.key} run={self.run} "
            f"attempt={self.attempt} head={head}{owners} -->"
        )

    @property
    def age(self) -> tuple[int, int]:
        """A key that is greater for a later run."""
        return self.run, self.attempt

    @classmethod
    def read(cls, body: str) -> Self | None:
        """Give the marker of a comment; None where its first line is none."""
        found = _FORM.match(body)
        if not found:
            return None
        key, run, attempt, head, owners = found.groups()
        named = tuple(owners.split(",")) if owners else ()
        head = "" if head == "none" else head
        return cls(key, int(run), int(attempt), head, named)


def after(body: str) -> str:
    """Give the body of a comment without its marker."""
    return body.partition("\n")[2].replace("\r\n", "\n")


def key_of(*parts: str) -> str:
    """Hash some names into a key; other parts give another key.

    >>> key_of("a", "bc") == key_of("ab", "c")
    False
    """
    lengths = "\0".join(f"{len(part)}:{part}" for part in parts)
    return hashlib.sha256(lengths.encode()).hexdigest()[:16]
