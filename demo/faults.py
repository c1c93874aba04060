"""Known faults, seeded on purpose: each breaks one step, as such a fault would in life.

No fault knows a label. It acts on what the pipeline itself holds, its own best source
above all, and where the retrieved list changes, the reader reads what is left.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from inspect import getdoc
from itertools import count
from zlib import crc32

from demo.pipeline import Ask, Draft, Pipeline, refuse
from demo.search import Hit
from demo.tokens import is_chinese, sentences, terms

STRANGERS_ON_TOP = 3  # what was found begins at rank 4
FLOOD = 16  # passages that reach the reader when nothing holds them back
SHARE = 20  # percent of the questions that meet a fault of the service
SLOW = 5.0  # seconds, beyond any time-out that a quick start would set

_NUMBER = re.compile(r"[0-9]+(?:[.,:][0-9]+)*")
_BLUFF = "Yes, that is included in your plan."
_BLUFF_CHINESE = "可以，您的套餐已经包含此项服务。"

Fault = Callable[[Pipeline, Draft, int], Draft]
"""Spoils a draft; the number is the seed."""
WireFault = Callable[[int, bytes], tuple[int, bytes]]
"""Spoils a reply on its way out: status and body."""


def drop_gold(pipeline: Pipeline, draft: Draft, seed: int) -> Draft:
    """The passages that the answer would have come from are not in the index."""
    del seed
    found = pipeline.retrieve(draft.ask, lost=draft.sources)
    return pipeline.read(draft.ask, found)


def bury(pipeline: Pipeline, draft: Draft, seed: int) -> Draft:
    """Ranking puts strangers on top, beyond which the reader does not look."""
    strangers = _strangers(pipeline, draft, seed)[:STRANGERS_ON_TOP]
    return pipeline.read(draft.ask, [*strangers, *draft.found][: draft.ask.top_k])


def noise(pipeline: Pipeline, draft: Draft, seed: int) -> Draft:
    """Nothing cuts the list: the best source comes third in a flood of strangers."""
    best = [hit for hit in draft.found if hit.passage.id in draft.sources]
    rest = [hit for hit in draft.found if hit not in best]
    strangers = _strangers(pipeline, draft, seed)
    flood = [*strangers[:2], *best, *rest, *strangers[2:]]
    return pipeline.read(draft.ask, flood[:FLOOD])


def wrong_number(pipeline: Pipeline, draft: Draft, seed: int) -> Draft:
    """Every number of the answer becomes one that stands in no passage."""
    del pipeline, seed
    read = " ".join([draft.ask.question, *(hit.passage.text for hit in draft.found)])
    known = set(terms(read))
    fresh = (str(number) for number in count(37) if str(number) not in known)
    return draft._replace(answer=_NUMBER.sub(lambda _: next(fresh), draft.answer))


def omit(pipeline: Pipeline, draft: Draft, seed: int) -> Draft:
    """The answer breaks off: its last sentence is missing, or half of its only one."""
    del pipeline, seed
    said = sentences(draft.answer)
    if draft.refused:
        return draft
    if len(said) > 1:
        return draft._replace(answer=draft.answer.removesuffix(said[-1]).rstrip())
    return draft._replace(answer=_first_half(draft.answer))


def over_refuse(pipeline: Pipeline, draft: Draft, seed: int) -> Draft:
    """Declines whatever is asked."""
    del pipeline, seed
    return refuse(draft.ask, draft.found)


def never_refuse(pipeline: Pipeline, draft: Draft, seed: int) -> Draft:
    """Answers whatever is asked: from the nearest passage, or out of thin air."""
    del seed
    if draft.found:
        return pipeline.read(draft.ask, draft.found, floor=0.0)
    bluff = _BLUFF_CHINESE if is_chinese(draft.ask.question) else _BLUFF
    return Draft(draft.ask, draft.found, bluff)


def leak(pipeline: Pipeline, draft: Draft, seed: int) -> Draft:
    """The search forgets who asks."""
    del seed
    return pipeline.read(draft.ask, pipeline.retrieve(draft.ask, walls=False))


def fake_citation(pipeline: Pipeline, draft: Draft, seed: int) -> Draft:
    """Cites a passage that the document does not have."""
    del pipeline
    fakes = (f"{source.partition('#')[0]}#{90 + seed % 10}" for source in draft.sources)
    return draft._replace(sources=tuple(fakes))


def slow(status: int, body: bytes) -> tuple[int, bytes]:
    """The reply is right and comes too late."""
    time.sleep(SLOW)
    return status, body


def http_500(status: int, body: bytes) -> tuple[int, bytes]:
    """The service breaks down."""
    del status, body
    return 500, b'{"error": "internal error"}'


def garbage(status: int, body: bytes) -> tuple[int, bytes]:
    """The reply is cut off in the middle and still calls itself a success."""
    return status, body[: len(body) // 2]


QUALITY: Mapping[str, Fault] = {
    "drop-gold": drop_gold,
    "bury": bury,
    "noise": noise,
    "wrong-number": wrong_number,
    "omit": omit,
    "over-refuse": over_refuse,
    "never-refuse": never_refuse,
    "leak": leak,
    "fake-citation": fake_citation,
}
SERVICE: Mapping[str, WireFault] = {
    "slow": slow,
    "http-500": http_500,
    "garbage": garbage,
}
NAMES = (*QUALITY, *SERVICE)


def listing() -> str:
    """Give the name of each fault beside what it does, a line each."""
    every: Mapping[str, Fault | WireFault] = {**QUALITY, **SERVICE}
    return "\n".join(f"  {name:15} {getdoc(fault)}" for name, fault in every.items())


def strikes(ask: Ask, seed: int) -> bool:
    """Tell whether a fault of the service meets this question, the same each time."""
    return _dice(seed, ask.tenant, ask.question) % 100 < SHARE


def _strangers(pipeline: Pipeline, draft: Draft, seed: int) -> list[Hit]:
    # Passages of the tenant's own that do not share a word with the question.
    near = pipeline.index.search(draft.ask.question, draft.ask.tenant, limit=1000)
    known = {hit.passage.id for hit in near}
    far = [p for p in pipeline.index.visible(draft.ask.tenant) if p.id not in known]
    far.sort(key=lambda passage: _dice(seed, draft.ask.question, passage.id))
    return [Hit(passage, 0.0) for passage in far]


def _dice(*what: object) -> int:
    return crc32(ascii(what).encode())  # the same in every process, unlike hash()


def _first_half(sentence: str) -> str:
    # Cut between words: a number cut in two would be a wrong number, not a missing one.
    middle = len(sentence) // 2
    if is_chinese(sentence):
        return re.sub(r"[0-9.,:]+$", "", sentence[:middle])
    return sentence[:middle].rpartition(" ")[0]
