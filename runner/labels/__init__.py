"""What people say of replies, metric by metric: the yardstick of a judge."""

from __future__ import annotations

from runner.labels._agree import Between, between
from runner.labels._item import Item, Label, Settled, item, settled
from runner.labels._read import OWN, LookUp, nobody, read, said
from runner.labels._replies import Replies

__all__ = [
    "OWN",
    "Between",
    "Item",
    "Label",
    "LookUp",
    "Replies",
    "Settled",
    "between",
    "item",
    "nobody",
    "read",
    "said",
    "settled",
]
