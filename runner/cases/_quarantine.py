"""The field ``quarantine`` of a case: until when it does not gate, and why."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from runner.cases._values import text
from runner.errors import did_you_mean, kind_of
from runner.model import Quarantine

_EXAMPLE = "{until: 2026-12-31, why: ...}"
_KEYS = ("until", "why", "owner")


def quarantine(value: object) -> Quarantine:
    """Read a mapping with the last day, the reason and, where there is one, an owner.

    Raises:
        ValueError: With the end of a sentence that begins with the field's name.
    """
    if not isinstance(value, Mapping):
        raise ValueError(f"must be written {_EXAMPLE}, and is {kind_of(value)}")
    for key in value:
        if key not in _KEYS:
            hint = did_you_mean(str(key), _KEYS) or f"it has {', '.join(_KEYS)}"
            raise ValueError(f"has the unknown key {key} ({hint})")
    for key in ("until", "why"):
        if value.get(key) is None:
            raise ValueError(f"has no {key}; write {_EXAMPLE}")
    return Quarantine(
        _day(value["until"]),
        _part(value, "why"),
        None if value.get("owner") is None else _part(value, "owner"),
    )


def _part(value: Mapping[str, object], key: str) -> str:
    try:
        return text(value[key])
    except ValueError as error:
        raise ValueError(f"has {key}, which {error}") from None


def _day(value: object) -> date:
    try:
        return date.fromisoformat(value.strip() if isinstance(value, str) else "")
    except ValueError:
        what = "has until, which must be a day such as 2026-12-31, and is "
        raise ValueError(what + kind_of(value)) from None
