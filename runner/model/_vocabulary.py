"""Layers, outcomes and other fixed words, and the base of all file records."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

Layer = Literal[
    "service", "isolation", "retrieval", "context", "refusal", "grounding", "answer"
]
LAYERS: tuple[Layer, ...] = (
    "service",
    "isolation",
    "retrieval",
    "context",
    "refusal",
    "grounding",
    "answer",
)  # in causal order: a failing case is charged to the first that collapsed

Better = Literal["higher", "lower"]
Outcome = Literal[
    "passed", "failed", "undetermined", "error", "not_asked", "quarantined"
]
"""``not_asked``: the run was stopped before; nothing is known of the case.
``quarantined``: whatever came of it, it is in no number that gates.
"""

Match = Literal["chunk", "document"]

BaselineKind = Literal["path", "branch", "artifact", "results", "endpoint"]
"""Where a baseline is kept: a committed folder, a branch of data, what a run uploaded,
a folder that a step before has brought; or another endpoint, asked in the same run."""

Qrels = Mapping[str, int]
"""Relevance judgments: document id to grade; 1 or more is relevant."""

NOTHING: Mapping[str, Any] = MappingProxyType({})


class Frozen(BaseModel):
    """A record that is read from or written to a file: no extra keys, no NaN."""

    # Built when one is first made: no run makes all kinds of them.
    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, defer_build=True
    )
