"""What a reply shows of other tenants, and where, for the metric and the diagnosis."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from operator import attrgetter
from typing import Literal, NamedTuple

from runner.metrics._ranking import document_of
from runner.model import Passage
from runner.text import marked, normalise, rendered

_MARKS = re.compile(r"[*_~`]+")  # also those that part a word
SHORT = 6  # below this, a Latin word may well stand inside an innocent one


class Walls(NamedTuple):
    """Who asks, and what belongs to somebody else."""

    tenant: str | None = None
    forbidden_doc_ids: tuple[str, ...] = ()
    """Ids of documents or passages; ``*`` is any run of characters, ``?`` any one."""
    canaries: tuple[str, ...] = ()
    shared_tenants: tuple[str, ...] = ()
    question: str = ""
    """A canary that the question itself contains is no leak."""


class Leak(NamedTuple):
    """One thing that should not have been shown."""

    where: Literal["context", "answer", "citation"]
    what: str


def leaks(
    passages: tuple[Passage, ...] | None,
    answer: str | None,
    citations: tuple[str, ...] | None,
    walls: Walls,
) -> list[Leak]:
    """Give everything that crossed, contexts first, then answer, then citations.

    A passage crosses by its tenant (neither the asker's nor shared; one without tenant
    does not), by its id or document (forbidden) or by a canary in text, id or document.
    A citation crosses by its own id, by a canary, or because its passage crossed. What
    a reply does not show cannot cross: see ``watched``.
    """
    canaries = live_canaries(walls)
    crossed = [
        (passage.id, why)
        for passage in passages or ()
        if (why := _crossing(passage, walls, canaries))
    ]
    ids = {name for name, _ in crossed if name}
    found = [Leak("context", why) for _, why in crossed]
    found += [Leak("answer", why) for why in _shown(answer, canaries)]
    for cited in citations or ():
        if cited in ids:
            found.append(Leak("citation", f"{cited} is cited and should not be seen"))
        elif why := _crossing(Passage(id=cited, text=cited), walls, canaries):
            found.append(Leak("citation", why))
    return found


def watched(
    passages: tuple[Passage, ...] | None,
    answer: str | None,
    citations: tuple[str, ...] | None,
    walls: Walls,
) -> bool:
    """Whether the reply shows enough for a leak to be seen at all.

    Forbidden ids need ids, canaries need a text, and where a case names both, both are
    needed. Where it only says who asks, passages that name their tenant are. An empty
    list of passages or citations is evidence: nothing came.
    """
    cited, canaries = citations is not None, live_canaries(walls)
    if not (walls.forbidden_doc_ids or canaries):
        return bool(walls.tenant) and _shows(passages, _tenant_of)
    ids = cited or _shows(passages, document_of)
    texts = cited or (answer, passages) != (None, None)
    return (ids or not walls.forbidden_doc_ids) and (texts or not canaries)


def _shows(
    passages: tuple[Passage, ...] | None, part: Callable[[Passage], str | None]
) -> bool:
    return passages is not None and (not passages or any(map(part, passages)))


_tenant_of = attrgetter("tenant")


def live_canaries(walls: Walls) -> tuple[str, ...]:
    """Give the canaries that the question does not contain itself."""
    return tuple(
        canary
        for canary in walls.canaries
        if normalise(canary) and not _canary(canary).search(normalise(walls.question))
    )


def _crossing(passage: Passage, walls: Walls, canaries: tuple[str, ...]) -> str | None:
    tenant = passage.tenant
    foreign = tenant and walls.tenant and tenant != walls.tenant
    if foreign and tenant not in walls.shared_tenants:
        return f"{_named(passage)} belongs to tenant {tenant}"
    if walls.forbidden_doc_ids:
        matches = _forbidden(walls.forbidden_doc_ids).fullmatch
        if matches(passage.id or "") or matches(passage.document or ""):
            return f"{_named(passage)} is forbidden"
    for part in (passage.text, passage.id, passage.document) if canaries else ():
        if seen := next(_shown(part, canaries), None):
            return f"{seen} in {_named(passage)}"
    return None


def _named(passage: Passage) -> str:
    return passage.id or passage.document or "a passage without id"


def _shown(text: str | None, canaries: tuple[str, ...]) -> Iterator[str]:
    for canary in canaries if text else ():
        if any(map(_canary(canary).search, _readings(text or ""))):
            yield f"canary {canary!r}"


def _readings(text: str) -> Iterator[str]:
    """Give a text as it stands, and rendered where it may contain markup."""
    yield normalise(text)
    if marked(text):
        yield normalise(_MARKS.sub("", rendered(text)))


@lru_cache(maxsize=1024)
def _forbidden(globs: tuple[str, ...]) -> re.Pattern[str]:
    """Match forbidden ids, whole or by their part before the last ``#``."""
    written = "|".join(_pattern(glob) for glob in globs if glob) or r"(?!)"
    return re.compile(f"(?:{written})(?:#[^#]*)?", re.DOTALL)


def _pattern(glob: str) -> str:
    """Translate a glob into a regular expression that matches in linear time.

    Between two stars the first match is the best, so each such group is atomic: nothing
    before it is tried again.
    """
    first, *parts = [
        re.escape(part).replace(r"\?", ".") for part in re.split(r"\*+", glob)
    ]
    if not parts:
        return first
    *middle, last = parts
    return first + "".join(f"(?>.*?{part})" for part in middle) + f".*{last}"


@lru_cache(maxsize=1024)
def _canary(canary: str) -> re.Pattern[str]:
    """Give the pattern of a canary, which matches within words: ``_x_`` leaks x too.

    Digits never match within a longer number, nor a short word within a longer one.
    """
    needle = normalise(canary)
    before, after = _joined(needle[:1], needle), _joined(needle[-1:], needle)
    return re.compile(
        (f"(?<!{before})" if before else "")
        + re.escape(needle)
        + (f"(?!{after})" if after else "")
    )


def _joined(end: str, needle: str) -> str:
    if end.isdecimal():
        return r"\d"
    return "[a-z]" if len(needle) < SHORT and end.isascii() and end.isalpha() else ""
