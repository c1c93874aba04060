"""An item to label, the label of one person, and the consensus of several."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import NamedTuple

from pydantic_core import to_json

from runner.errors import InputError, Place
from runner.model import Case, Response, memberships
from runner.text import Language, language


class Item(NamedTuple):
    """One reply to one case, looked at by one metric."""

    key: str
    """A hash of the judged texts."""
    metric: str
    case: Case
    response: Response

    @property
    def language(self) -> Language:
        """The language of its question and answer."""
        return language(self.case.question, self.response.answer)

    @property
    def slices(self) -> list[str]:
        """The slices that its case is in, ids apart."""
        names = memberships(self.case)
        return sorted(name for name in names if not name.startswith("id="))


class Label(NamedTuple):
    """What one person says of one item."""

    item: Item
    annotator: str
    good: bool | None
    """None where the person could not tell."""
    place: Place
    note: str = ""


class Consensus(NamedTuple):
    """The majority label of one item."""

    item: Item
    good: bool | None
    """None where as many call it good as bad, or nobody could tell."""
    labels: Sequence[Label]

    @property
    def is_disputed(self) -> bool:
        """Whether some call it good, and as many call it bad."""
        return self.good is None and any(one.good for one in self.labels)


def item(metric: str, case: Case, response: Response) -> Item:
    """Give the item that a reply is to a metric."""
    passages = response.passages
    texts = passages and [(passage.id, passage.text) for passage in passages]
    asked = (case.question, case.turns, case.reference, case.anchors, case.intents)
    replied = (response.answer, texts, response.citations)
    key = blake2b(to_json((metric, asked, replied)), digest_size=6).hexdigest()
    return Item(key, metric, case, response)


def consensus(labels: Iterable[Label]) -> Iterator[Consensus]:
    """Give each item once, with what most of its labels say."""
    by_item: dict[str, list[Label]] = {}
    for label in labels:
        by_item.setdefault(label.item.key, []).append(label)
    for given in by_item.values():
        good = sum(label.good is True for label in given)
        bad = sum(label.good is False for label in given)
        yield Consensus(given[0].item, None if good == bad else good > bad, given)


def duplicates(labels: Iterable[Label]) -> Iterator[InputError]:
    """Give a mistake for each label that repeats an item for the same annotator."""
    seen: dict[tuple[str, str], Place] = {}
    for label in labels:
        first = seen.setdefault((label.item.key, label.annotator), label.place)
        if first is not label.place:
            what = f"{label.annotator} labelled this already at {first}"
            hint = "keep one, or say under annotator who labelled"
            yield InputError(what, where=label.place, hint=hint)
