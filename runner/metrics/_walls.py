"""What crossed a tenant's wall and where it shows, for metric and diagnosis."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from runner.metrics._ranking import document_of
from runner.model import Passage


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

    A passage crosses by its id or document (forbidden), by its tenant (neither the
    asker's nor shared; a passage without tenant does not) or by a canary in its text.
    A citation crosses by its own id, by a canary, or because its passage crossed.
    """
    passages, citations = passages or (), citations or ()
    canaries = [c for c in walls.canaries if not _holds(walls.question, c)]
    crossed = [(p, why) for p in passages if (why := _crossing(p, walls, canaries))]
    found = [Leak("context", why) for _, why in crossed]
    found += [Leak("answer", why) for why in _shown(answer, canaries)]
    ids = {passage.id for passage, _ in crossed}
    for cited in citations:
        if cited in ids:
            found.append(Leak("citation", f"{cited} is cited"))
        elif why := _crossing(Passage(id=cited, text=cited), walls, canaries):
            found.append(Leak("citation", why))
    return found


def _crossing(passage: Passage, walls: Walls, canaries: list[str]) -> str | None:
    tenant = passage.tenant
    if walls.tenant and tenant and tenant not in (walls.tenant, *walls.shared_tenants):
        return f"{passage.id} belongs to tenant {tenant}"
    if walls.forbidden_doc_ids:
        matches = _pattern(walls.forbidden_doc_ids).fullmatch
        if matches(passage.id or "") or matches(document_of(passage) or ""):
            return f"{passage.id} is forbidden"
    return next(_shown(passage.text, canaries), None)


def _shown(text: str | None, canaries: list[str]) -> Iterator[str]:
    return (f"canary {c!r}" for c in canaries if text and _holds(text, c))


def _holds(text: str, canary: str) -> bool:
    return canary.casefold() in text.casefold()


@lru_cache(maxsize=1024)
def _pattern(globs: tuple[str, ...]) -> re.Pattern[str]:
    written = (re.escape(g).replace(r"\*", ".*").replace(r"\?", ".") for g in globs)
    return re.compile("|".join(written), re.DOTALL)
