"""The last line of a comment, which @-mentions the owners of what failed, each once.

Owners whom an earlier version of the comment mentioned stand in code, so that GitHub
does not notify them again. The names were checked to be accounts (see ``spec``).
"""

from __future__ import annotations

from collections.abc import Collection

_HEAD = "Owners of what failed: "


def mention_line(owners: Collection[str], known: Collection[str]) -> str:
    """Give the line after an empty one; empty where there is no owner."""
    if not owners:
        return ""
    said = [f"`@{name}`" if name in known else f"@{name}" for name in owners]
    return f"\n{_HEAD}{', '.join(said)}\n"


def without_mentions(text: str) -> str:
    """Remove such a line from the end of a comment."""
    before, _, last = text.rstrip().rpartition("\n")
    return f"{before.rstrip()}\n" if last.startswith(_HEAD) else text
