"""What seeded faults are charged to, when a collection is carried down the line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from runner import pipeline
from runner.cases import Row, load
from runner.endpoints._mapping import ReplyMap
from runner.errors import Document, Place
from runner.metrics import registry
from runner.model import Exchange, Record
from runner.pipeline import Callbacks, Plan
from runner.spec import parse
from tests.contract._labelled import Pair
from tests.contract._seeded import FAULTS, OWN, world

SPEC = {
    "name": "labelled",
    "endpoint": {"url": "http://127.0.0.1:9/", "body": {"q": "{{ question }}"}},
    "cases": "cases.jsonl",
    "metrics": ["recall@5", "number_support", "lexical_grounding", "citation_support"],
    "thresholds": {"accuracy": {"min": 0.5}},
}
NOWHERE = "xyzzy"


class Tally(NamedTuple):
    """One fault in one collection."""

    seeded: int
    causes: Mapping[str, int]
    """Of the newly failing cases."""
    right: int
    """How many of these were charged to a cause of the fault."""
    wrong: tuple[str, ...] = ()
    """Which were not: case and cause."""

    @property
    def failing(self) -> int:
        """Number of newly failing cases."""
        return sum(self.causes.values())


def judge(pairs: list[Pair], **case: Any) -> dict[str, Record]:
    """Carry pairs down the line; give the record of each by its id."""
    spec = parse(Document(SPEC, {}, "spec.yaml"), registry=registry, environ={})
    rows = [
        Row({**pair.case, **case}, Place("cases.jsonl", line))
        for line, pair in enumerate(pairs, 1)
    ]
    plan = Plan(spec, load(rows).cases)
    replies = ReplyMap(spec.endpoint.response)
    exchanges = [
        Exchange(position, replies.read(pair.reply))
        for position, pair in enumerate(pairs)
    ]
    found: dict[str, Record] = {}
    callbacks = Callbacks(
        response=lambda *_: None,
        record=lambda _, record: found.__setitem__(record.id, record),
        progress=lambda _: None,
        now=lambda: datetime.now(UTC),
    )
    _, stopped = pipeline.evaluate(plan, exchanges, callbacks)
    if stopped:
        raise stopped
    return found


def attribute(pairs: list[Pair], healthy: Mapping[str, Record], name: str) -> Tally:
    """Seed one fault wherever it can be; count the causes of the new failures."""
    spoil, causes = FAULTS[name]
    around = world(pairs)
    spoiled = [new for pair in pairs if (new := spoil(pair, around))]
    if not spoiled:
        return Tally(0, {}, 0)
    extra = {"tenant": OWN} if name == "leak" else {}
    new = {
        case: record.cause or ""
        for case, record in judge(spoiled, **extra).items()
        if record.outcome == "failed" and healthy[case].outcome == "passed"
    }
    wrong = tuple(
        f"{case}: {cause}" for case, cause in new.items() if cause not in causes
    )
    return Tally(len(spoiled), Counter(new.values()), len(new) - len(wrong), wrong)


def alarms(pairs: list[Pair]) -> dict[str, int]:
    """Count what right answers are charged when they fail for an omission alone.

    Each is asked for one key point more, which stands nowhere, so that it fails, and
    whatever is charged but the omission is a false alarm.
    """
    asked = [
        Pair({**p.case, "must_include": [*p.points, NOWHERE]}, p.reply) for p in pairs
    ]
    causes = Counter(record.cause or "" for record in judge(asked).values())
    del causes["answer.omission"]
    return dict(causes)
