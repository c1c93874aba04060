"""Which files a glob names: the same in every version of Python."""

from __future__ import annotations

from pathlib import Path, PurePath

_BELOW = "**"


def matching(pattern: str, root: Path) -> list[Path]:
    """Give the files below a folder that a glob names, in order.

    ``**`` stands for any number of folders, and at the end for all files in them.

    Raises:
        ValueError: It is empty or absolute, or has ``**`` beside other characters; the
            message is the end of a sentence that begins with the pattern.
    """
    parts = PurePath(pattern).parts
    if not parts:
        raise ValueError("names no file")
    if PurePath(pattern).is_absolute():
        raise ValueError("is no path within the workspace")
    if any(_BELOW in part and part != _BELOW for part in parts):
        raise ValueError(f"{_BELOW} stands for folders, alone between two slashes")
    below = "/*" if parts[-1] == _BELOW else ""
    return sorted(path for path in root.glob(pattern + below) if not path.is_dir())
