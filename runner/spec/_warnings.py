"""What a valid spec says that its author probably did not mean."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from runner.errors import KeyPath, Place
from runner.model import RUN_LEVEL, Better, split_statistic
from runner.spec._endpoint import EndpointSpec
from runner.spec._owners import account
from runner.spec._resolved import DEFAULT_MARKS, Limit, Spec
from runner.units import Amount, plain
from runner.variables import bare

Range = tuple[float | None, float | None]

_RIGHT: Mapping[Better, str] = {"higher": "min", "lower": "max"}
_WARNING = "warning: "
_SENT = ("url", "query", "headers", "body")
"""The templates of an endpoint; those that are null or empty have no text in them."""

_OF_TALK = re.compile(r"\{[{%][^{}]*\b(uuid|session|history)\b")
_ASKS = re.compile(r"\{[{%][^{}]*\b(?:question|id|meta)\b")


def warnings(
    spec: Spec,
    place: Callable[..., Place],
    *,
    compared: bool = False,
    asked: bool = True,
    talks: bool = False,
) -> list[str]:
    """Give a line beginning with ``warning:`` for each part that has no effect.

    That is a limit or a pass mark that every value satisfies, a limit on the wrong side
    (a ceiling on a metric that should be high, with no floor beside it), a ``max_drop``
    without a baseline, an owner that is no GitHub account although it begins with
    ``@``, a request that is the same for every case or ignores earlier turns, and
    ``$NAME`` without braces, which is sent as written.

    Args:
        spec: What was read.
        place: Gives the place of a key path in the file of the spec.
        compared: Whether a baseline is given besides the spec.
        asked: Whether requests are sent; else recorded replies are read.
        talks: Whether some cases have earlier turns.
    """
    found = [*_limits(spec), *_marks(spec, place), *_owners(spec)]
    if spec.baseline is None and not compared:
        found += _drops(spec)
    if asked:
        found += _requests(spec, place)
    if asked and talks:
        found += _alone(spec, place)
    return [_WARNING + line for line in found]


def _limits(spec: Spec) -> Iterator[str]:
    for limit in spec.limits:
        better, bounds = _declared(limit.name, spec)
        right = _RIGHT[better]
        if _holds_always(limit, right, bounds):
            yield f"{_at(limit, spec)}{_written(limit.amount)} can never be missed"
        elif limit.rule not in (right, "max_drop") and not _guarded(limit, spec, right):
            what = f"{better} is better, so {limit.rule} alone stops no worsening"
            yield f"{_at(limit, spec)}: {what}"


def _holds_always(limit: Limit, right: str, bounds: Range) -> bool:
    """Whether no number of the metric could break a limit."""
    low, high = bounds
    if limit.rule == right:
        return limit.amount.value == (low if right == "min" else high)
    if limit.rule != "max_drop" or low is None or high is None:
        return False
    return limit.amount.value >= high - low


def _at(limit: Limit, spec: Spec) -> str:
    part = f".slices.{limit.slice}" if limit.slice else ""
    path = f"thresholds.{limit.name}{part}.{limit.rule}"
    return str(Place(spec.file, limit.line, path))


def _written(amount: Amount) -> str:
    share = f"{plain(amount.value * 100)}%"
    return f": {share if amount.percent else plain(amount.value)}"


def _guarded(limit: Limit, spec: Spec, right: str) -> bool:
    """Whether a limit of the right side stands beside this one."""
    return any(
        (other.name, other.slice) == (limit.name, limit.slice)
        and other.rule in (right, "max_drop")
        for other in spec.limits
    )


def _declared(name: str, spec: Spec) -> tuple[Better, Range]:
    if name in RUN_LEVEL:
        return RUN_LEVEL[name]
    base, _ = split_statistic(name)
    metric = next(m.metric for m in spec.measures if m.label == base)
    return metric.better, metric.bounds


def _marks(spec: Spec, place: Callable[..., Place]) -> Iterator[str]:
    for label, mark in spec.marks.items():
        if DEFAULT_MARKS.get(label) == mark:
            continue
        better, (low, high) = _declared(label, spec)
        if mark == (low if better == "higher" else high):
            yield f"{place('pass', label)}: every case meets {plain(mark)}"


def _drops(spec: Spec) -> Iterator[str]:
    """Tell of limits on a drop where nothing says what from."""
    for limit in spec.limits:
        if limit.rule == "max_drop":
            yield (
                f"{_at(limit, spec)}: there is no baseline that anything could drop "
                "from (name one with baseline: {path: ...})"
            )


def _owners(spec: Spec) -> Iterator[str]:
    for limit in spec.limits:
        owner = limit.owner or ""
        if owner.startswith("@") and not account(owner):
            yield f"{_at(limit, spec)}: the owner {owner} is no @user and no @org/team"


def _requests(spec: Spec, place: Callable[..., Place]) -> Iterator[str]:
    endpoint = spec.endpoint
    sent = [*_sent(endpoint)]
    beside = [
        found
        for key, text in _differing(spec).items()
        for found in _texts(text, ("baseline", "endpoint", key))
    ]
    whole = not endpoint.requests and endpoint.body is None
    if not whole and not any(_ASKS.search(text) for _, text in sent):
        holding = "url" if endpoint.body is None else "body"
        holding = "steps" if endpoint.steps else holding
        yield (
            f"{place('endpoint', holding)}: nothing in the request reads "
            "{{ question }}, so every case asks the same"
        )
    for path, text in (*sent, *beside):
        for name in bare(text):
            yield f"{place(*path)}: ${name} is sent as it stands (write ${{{name}}})"


def _sent(endpoint: EndpointSpec) -> Iterator[tuple[KeyPath, str]]:
    """Give every template of an endpoint, and of each of its steps."""
    blocks: list[tuple[KeyPath, Any]] = [(("endpoint",), endpoint)]
    for index, step in enumerate(endpoint.steps):
        blocks.append((("endpoint", "steps", index), step))
    for path, block in blocks:
        for key in _SENT:
            yield from _texts(getattr(block, key), (*path, key))


def _differing(spec: Spec) -> Mapping[str, Any]:
    """Give what the endpoint that is the baseline is sent otherwise."""
    rival = spec.rival
    if rival is None:
        return {}
    own = {} if rival.headers == spec.endpoint.headers else rival.headers
    return {"url": rival.url, "headers": own}


def _alone(spec: Spec, place: Callable[..., Place]) -> Iterator[str]:
    """Tell where the system is asked the last question of a conversation alone."""
    endpoint = spec.endpoint
    if not endpoint.requests and endpoint.body is None:
        return
    texts = (text for _, text in _sent(endpoint))
    read = {name for text in texts for name in _OF_TALK.findall(text)}
    if endpoint.turns == "given" and "history" not in read:
        yield (
            f"{place('endpoint')}: cases have earlier turns, and nothing in the "
            "request reads {{ history }}, so the last question is asked alone (or "
            "write turns: live)"
        )
    elif not read and not endpoint.steps:
        yield (
            f"{place('endpoint', 'turns')}: nothing in the request reads "
            "{{ uuid }}, {{ session }} or {{ history }}, by which the server could "
            "tell that turns are of one conversation"
        )


def _texts(value: Any, path: KeyPath) -> Iterator[tuple[KeyPath, str]]:
    """Give every text of a tree with its key path."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _texts(inner, (*path, key))
    elif isinstance(value, list | tuple):
        for index, inner in enumerate(value):
            yield from _texts(inner, (*path, index))
