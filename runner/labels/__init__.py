"""Labels that people gave to replies, against which a judge is evaluated."""

from __future__ import annotations

from runner.labels._annotators import AnnotatorPair, annotator_pairs
from runner.labels._item import Consensus, Item, Label, consensus, duplicates, item
from runner.labels._read import OWN, LookUp, is_labelled, no_replies, parse_label, read
from runner.labels._replies import Replies

__all__ = [
    "OWN",
    "AnnotatorPair",
    "Consensus",
    "Item",
    "Label",
    "LookUp",
    "Replies",
    "annotator_pairs",
    "consensus",
    "duplicates",
    "is_labelled",
    "item",
    "no_replies",
    "parse_label",
    "read",
]
