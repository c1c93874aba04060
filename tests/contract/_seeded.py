"""Faults, seeded into recorded replies as life would make them, and their causes.

Each takes a pair and the world it may draw on, and gives the spoiled pair, or None
where the pair has nothing that the fault could spoil. Where the passages change, the
answer is what a reader would make of those that are left.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import count
from pathlib import Path
from typing import NamedTuple

from runner.text import contains, readings, sentences, tokens
from tests.contract._labelled import (
    Json,
    Pair,
    by_words_shared,
    dice,
    extract,
)
from tests.contract._points import is_chinese

ABOVE = 4  # passages that stand above a buried one
FLOOD = 9  # passages of other questions that drown each relevant one
SHORTEST = 4  # words of what is still said
_CLAUSE = re.compile(r"[^,，;；]+[,，;；]?")
OWN, FOREIGN = "acme", "globex"
REFUSALS = [
    (Path(__file__).parent / f"refusals-{language}.txt").read_text("utf-8").splitlines()
    for language in ("en", "zh")
]


class World(NamedTuple):
    """What else a system could have read: the passages of its other questions."""

    passages: list[Json]

    def strangers(self, pair: Pair, size: int) -> list[Json]:
        """Give passages that came for other questions, the same in every run."""
        known = {passage["id"] for passage in pair.reply["contexts"]}
        known.update(pair.case.get("expected_doc_ids", ()))
        unknown = [p for p in self.passages if p["id"] not in known]
        return sorted(unknown, key=lambda p: dice(pair.id, p["id"]))[:size]


def world(pairs: Iterable[Pair]) -> World:
    """Give the world of a collection, each passage once."""
    found = {p["id"]: p for pair in pairs for p in pair.reply["contexts"]}
    return World(list(found.values()))


Spoil = Callable[[Pair, World], Pair | None]


class Fault(NamedTuple):
    """A fault, and the causes of which any is right for it."""

    spoil: Spoil
    causes: frozenset[str]


def drop_gold(pair: Pair, world: World) -> Pair | None:
    """No relevant passage comes; the reader answers from the rest, or declines."""
    if not pair.points:
        return None
    left = pair.others or world.strangers(pair, 3)
    return _reread(pair, left, left)


def drop_some(pair: Pair, world: World) -> Pair | None:
    """One of several relevant passages does not come, nor what only it says."""
    del world
    for lost in pair.gold if len(pair.gold) > 1 else ():
        left = [p for p in pair.reply["contexts"] if p is not lost]
        gone = [p for p in pair.points if not any(contains(c["text"], p) for c in left)]
        if gone and (answer := _without(pair.reply["answer"], gone)):
            return pair.with_(contexts=left, answer=answer, citations=[left[0]["id"]])
    return None


def nothing(pair: Pair, world: World) -> Pair | None:
    """The search is down: nothing comes, and the model says what it believes."""
    if not pair.points:
        return None
    answer = extract(pair.case["question"], world.strangers(pair, 5))
    return pair.with_(contexts=[], answer=answer, citations=[])


def bury(pair: Pair, world: World) -> Pair | None:
    """The relevant passages come last, and the reader reads what is on top."""
    if not pair.points:
        return None
    top = [*pair.others, *world.strangers(pair, ABOVE)][:ABOVE]
    rest = [p for p in pair.others if p not in top]
    return _reread(pair, [*top, *pair.gold, *rest], top)


def drown(pair: Pair, world: World) -> Pair | None:
    """Passages of other questions flood the list, and one of them is answered from."""
    if not pair.points:
        return None
    noise = world.strangers(pair, FLOOD * len(pair.gold))
    flood = [*noise[:1], *pair.gold, *noise[1:]]
    return _reread(pair, flood, noise[: FLOOD // 2])


def wrong_number(pair: Pair, world: World) -> Pair | None:
    """Each number that is a key point becomes one that stands nowhere."""
    del world
    texts = [pair.case["question"], *(p["text"] for p in pair.reply["contexts"])]
    known = frozenset[str]().union(*map(readings, [*texts, pair.reply["answer"]]))
    fresh = (str(number) for number in count(37) if str(number) not in known)
    answer = pair.reply["answer"]
    for point in filter(_is_number, pair.points):
        answer = _replaced(answer, point, re.sub(r"[\d.,]+", next(fresh), point))
    return None if answer == pair.reply["answer"] else pair.with_(answer=answer)


def make_up(pair: Pair, world: World) -> Pair | None:
    """The model says what no passage says, though the right one is on top."""
    if not pair.on_top:
        return None
    elsewhere = world.strangers(pair, 30)[-1:]
    return pair.with_(answer=extract("", elsewhere))


def omit(pair: Pair, world: World) -> Pair | None:
    """What states a key point is left out; something else is still said."""
    del world
    for lost in (pair.points[-1:], pair.points[:1], pair.points):
        if lost and (answer := _without(pair.reply["answer"], lost)):
            return pair.with_(answer=answer)
    return None


def break_off(pair: Pair, world: World) -> Pair | None:
    """The answer stops in the middle: the limit of tokens was reached."""
    del world
    answer = pair.reply["answer"]
    half = answer[: len(answer) // 2]
    half = half if is_chinese(half) else half.rpartition(" ")[0]
    half = re.sub(r"[\d.,]+$", "", half)
    if all(contains(half, point) for point in pair.points):
        return None
    return pair.with_(answer=half)


def over_refuse(pair: Pair, world: World) -> Pair | None:
    """Declines whatever is asked, in the words of one of many systems.

    Only where a relevant passage is near the top: else the ranking is to blame.
    """
    del world
    return pair.with_(answer=refusal(pair), citations=[]) if pair.on_top else None


def never_refuse(pair: Pair, world: World) -> Pair | None:
    """Answers from the nearest passages what none of them answers."""
    del world
    if pair.points:
        return None
    nearest = pair.reply["contexts"][:3]
    answer = extract(pair.case["question"], nearest)
    return pair.with_(answer=answer, citations=[nearest[0]["id"]])


def bluff(pair: Pair, world: World) -> Pair | None:
    """Answers with what another question's passage says, or just says yes."""
    if pair.points:
        return None
    chinese = is_chinese(pair.case["question"])
    opening = "是的," if chinese else "Yes. "
    return pair.with_(answer=opening + extract("", world.strangers(pair, 1)))


def leak(pair: Pair, world: World) -> Pair | None:
    """A passage of another tenant is among the contexts, and may be answered from."""
    stranger = {**world.strangers(pair, 1)[0], "tenant": FOREIGN}
    mine = [{**p, "tenant": OWN} for p in pair.reply["contexts"]]
    at = dice(pair.id) % (len(mine) + 1)
    spoiled = pair.with_(contexts=[*mine[:at], stranger, *mine[at:]])
    if at % 2 and pair.points:
        spoiled = spoiled.with_(answer=extract("", [stranger]))
    return spoiled


def fake_citation(pair: Pair, world: World) -> Pair | None:
    """Cites what did not come: a neighbour's id, a stranger's, or an invention."""
    if not pair.points:
        return None
    first = pair.reply["citations"][0]
    fakes = (f"{first}9", world.strangers(pair, 1)[0]["id"], "source-1")
    fake = fakes[dice(pair.id) % len(fakes)]
    return pair.with_(citations=[*pair.reply["citations"], fake])


MISSED = ("retrieval.missed", "retrieval.sibling", "retrieval.partial")
INVENTED = (
    "grounding.unsupported",
    "grounding.number_conflict",
    "grounding.citation_mismatch",
)
FAULTS = {
    name: Fault(spoil, frozenset(causes))
    for name, spoil, *causes in (
        ("drop-gold", drop_gold, *MISSED),
        ("drop-some", drop_some, "retrieval.partial"),
        ("nothing", nothing, "retrieval.empty"),
        ("bury", bury, "context.buried"),
        ("drown", drown, "context.noisy"),
        ("wrong-number", wrong_number, "grounding.number_conflict"),
        ("make-up", make_up, *INVENTED),
        ("omit", omit, "answer.omission"),
        ("break-off", break_off, "answer.omission"),
        ("over-refuse", over_refuse, "refusal.over"),
        ("never-refuse", never_refuse, "refusal.missed"),
        ("bluff", bluff, "refusal.missed"),
        ("leak", leak, "isolation.leak_context"),
        ("fake-citation", fake_citation, "grounding.citation_fabricated"),
    )
}


def _reread(pair: Pair, contexts: list[Json], read: list[Json]) -> Pair:
    """Answer from the passages that were read; one in four declines instead."""
    nearest = by_words_shared(pair.case["question"], read)[:3]
    if dice(pair.id) % 4 == 0:
        return pair.with_(contexts=contexts, answer=refusal(pair), citations=[])
    answer = extract(pair.case["question"], nearest)
    return pair.with_(contexts=contexts, answer=answer, citations=[nearest[0]["id"]])


def _is_number(point: str) -> bool:
    return point[0].isdigit()


def _replaced(text: str, point: str, new: str) -> str:
    return re.sub(rf"(?<![\d.,]){re.escape(point)}(?![\d]|[.,]\d)", new, text)


def _without(answer: str, points: list[str]) -> str | None:
    """Leave out the sentences that state a point, or the clauses of the only one."""
    said = sentences(answer)
    lost = [s for s in said if any(contains(s, point) for point in points)]
    if len(lost) == len(said):
        answer = said[0]
        lost = [
            c for c in _CLAUSE.findall(answer) if any(contains(c, p) for p in points)
        ]
    for part in lost:
        answer = answer.replace(part, "", 1)
    if any(contains(answer, point) for point in points):
        return None
    return answer.strip() if len(tokens(answer)) >= SHORTEST else None


def refusal(pair: Pair) -> str:
    """Give a refusal in the question's language; some repeat the question."""
    words = REFUSALS[is_chinese(pair.case["question"])]
    text = words[dice(pair.id, "words") % len(words)]
    return text.format(question=pair.case["question"].strip().rstrip("?？"))
