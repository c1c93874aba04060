"""What a change does to how the system is asked and how its replies are read."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from runner.model import Moved, YardstickChange
from runner.redact import Redactor
from runner.spec import Spec
from runner.text.shorten import cut
from runner.units import plain
from runner.yardstick._moved import NONE, change, presence, sets, step

_LONGEST = 80  # characters of a value that is shown
_HIDDEN = frozenset({"headers", "api_key"})
"""What is hardly there but for secrets, also where they are written out."""

_Path = tuple[str, ...]
_Compare = Callable[[Any, Any], Moved | None]


def reading(now: Spec, then: Spec) -> Iterator[YardstickChange]:
    """Give every part of endpoint, diagnosis and judge that is another one.

    By each of them any number may move. It loosens where less is seen of a reply, where
    more is forgiven (a longer wait, a further attempt), or more may be shown to all.
    """
    new, old = _parts(now), _parts(then)
    show = Redactor((*now.secrets, *then.secrets)).text
    for path, after, before in _differing(new, old, ()):
        was = show(_shown(path, before, "as it was"))
        is_now = show(_shown(path, after, "other"))
        moved = _compare(path)(after, before) or "changed"
        yield from change(".".join(path), was, is_now, moved)
    if gone := _unmeasured(now, then):
        yield from change("metrics", ", ".join(gone), "not measured", "changed")


def _parts(spec: Spec) -> dict[str, Any]:
    return {
        "endpoint": spec.endpoint.model_dump(),
        "diagnosis": spec.diagnosis.model_dump(),
        "judge": spec.judge and spec.judge.model_dump(),
        # Of an endpoint that is the baseline the rest is said elsewhere.
        "baseline.endpoint": {"headers": spec.rival.headers if spec.rival else {}},
    }


def _differing(now: Any, then: Any, path: _Path) -> Iterator[tuple[_Path, Any, Any]]:
    """Give the smallest parts that differ, each with its key path."""
    if isinstance(now, Mapping) and isinstance(then, Mapping):
        for key in dict.fromkeys((*then, *now)):
            yield from _differing(now.get(key), then.get(key), (*path, str(key)))
    elif now != then:
        yield path, now, then


def _shown(path: _Path, value: Any, instead: str) -> str:
    if value is None or value == ():
        return NONE
    if not _HIDDEN.isdisjoint(path):
        return instead
    if isinstance(value, str):
        return cut(value, _LONGEST)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return plain(value)
    return cut(json.dumps(value, ensure_ascii=False), _LONGEST)


def _compare(path: _Path) -> _Compare:
    if found := _WAYS.get(path):
        return found
    return presence if path[:2] == ("endpoint", "response") else lambda *_: None


def _more(now: float, then: float) -> Moved | None:
    return step(now, then, looser_up=True)


def _wider(now: tuple[str, ...], then: tuple[str, ...]) -> Moved | None:
    return sets(now, then, more="loosened")


def _up(looser: str) -> _Compare:
    return lambda now, _: "loosened" if now == looser else "tightened"


def _unclear(_now: object, _then: object) -> Moved:
    return "changed"


_WAYS: Mapping[_Path, _Compare] = {
    ("endpoint", "retries"): _more,
    ("endpoint", "timeout"): _more,
    ("endpoint", "max_response"): _more,
    ("endpoint", "shared_tenants"): _wider,
    ("endpoint", "match"): _up("document"),
    ("endpoint", "response", "scope"): _up("cited"),
    ("endpoint", "response", "strip"): _wider,
    ("endpoint", "response", "refused"): _unclear,
    ("endpoint", "response", "stream"): _unclear,
    ("judge", "uncalibrated"): _up("warn"),
    ("judge", "min_kappa"): lambda now, then: step(now, then, looser_up=False),
}
"""Which way a part moves; one of ``endpoint.response`` that is null sees nothing."""


def _unmeasured(now: Spec, then: Spec) -> list[str]:
    """Give the metrics that are measured no more, but for those that had a line."""
    kept = {measure.label for measure in now.measures}
    lined = {*then.marks, *(limit.name for limit in then.limits)}
    return [
        measure.label
        for measure in then.measures
        if measure.label not in kept and measure.label not in lined
    ]
