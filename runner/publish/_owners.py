"""The last line of a comment, which calls the owners of what failed, each once.

Whom earlier versions of the comment have called stands in code, where GitHub calls
nobody. What is called has been checked to be an account; see ``spec``.
"""

from __future__ import annotations

from collections.abc import Collection

_HEAD = "Owners of what failed: "


def calling(owners: Collection[str], known: Collection[str]) -> str:
    """Give the line, with an empty one before it; nothing where there is no owner."""
    if not owners:
        return ""
    said = [f"`@{name}`" if name in known else f"@{name}" for name in owners]
    return f"\n{_HEAD}{', '.join(said)}\n"


def without(text: str) -> str:
    """Give the text of a comment without such a line at its end."""
    before, _, last = text.rstrip().rpartition("\n")
    return f"{before.rstrip()}\n" if last.startswith(_HEAD) else text
