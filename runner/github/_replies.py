"""What a reply of GitHub's API holds, taken out of it without trust in its shape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from runner.github._refusals import Reason, Refused

Value = TypeVar("Value")


def text(data: Any, *path: str) -> str:
    """Give the text at a path of keys, an empty one where there is none."""
    value = _value_at(data, path)
    return value if isinstance(value, str) else ""


def found(kind: type[Value], data: Any, *path: str) -> Value:
    """Give the value at a path of keys.

    Raises:
        Refused: It is not there, or of another kind.
    """
    value = _value_at(data, path)
    if not isinstance(value, kind):
        raise odd()
    return value


def odd() -> Refused:
    """Make the error for a reply of an undocumented shape."""
    return Refused(Reason("what GitHub answered is not what it documents"))


def _value_at(data: Any, path: Sequence[str]) -> Any:
    for key in path:
        data = data.get(key) if isinstance(data, dict) else None
    return data
