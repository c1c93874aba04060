"""What is measured: rankings, scores, metrics and their summaries."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from pydantic import BaseModel, Field

from runner.model._judge import Task
from runner.model._vocabulary import NOTHING, Better, Frozen, Layer


class Ranking(NamedTuple):
    """The relevance of the retrieved list: grades by rank, without ids."""

    gains: tuple[int, ...]
    """Grade at each rank; 0 where unjudged, and where the id came before."""
    hits: tuple[int, ...]
    """1 at each rank that precision counts: as ``gains``, but under ``match:
    document`` each passage of a relevant document counts."""
    ideal: tuple[int, ...]
    """The relevant grades, best first: what a perfect ranking would gain."""


class Unscored(NamedTuple):
    """A metric does not apply to a case, or its evidence is absent."""

    reason: str


class Absent(Unscored):
    """The case asks for a score, and the reply does not show the evidence for it.

    This lowers the coverage of the metric, as a failed score does.
    """

    __slots__ = ()


class Failed(NamedTuple):
    """A metric should have given a number and could not."""

    reason: str


Score = float | Unscored | Failed


class Metric(NamedTuple):
    """Declaration of a per-case measure; made by ``@metric`` from a signature."""

    name: str
    layer: Layer
    better: Better
    bounds: tuple[float | None, float | None]
    version: int
    inputs: tuple[str, ...]
    optional: frozenset[str]
    """Inputs that the function takes as None; any other absent input is unscored."""
    options: type[BaseModel]
    function: Callable[..., float | Unscored]
    unit: str = ""
    tasks: tuple[Task[Any], ...] = ()
    """The tasks of its judge, once each; none where no model rates."""
    embeds: bool = False
    """Whether it has the judge embed texts."""

    @property
    def judged(self) -> bool:
        """Whether a model rates it."""
        return "judge" in self.inputs

    @property
    def examines(self) -> bool:
        """Whether its score says that the content of the answer was judged.

        A case without any such score is undetermined. That nothing forbidden was said
        does not show that an answer is right.
        """
        return self.name == "refusal" or (
            self.layer == "answer" and self.name != "forbidden_content"
        )

    @property
    def summary(self) -> str:
        """The first line of its docstring: its row in every table."""
        return (self.function.__doc__ or "").strip().split("\n", 1)[0]


class Measure(NamedTuple):
    """A metric with its options: what a spec names and a report shows."""

    label: str
    metric: Metric
    options: Mapping[str, Any] = NOTHING
    judge: str = ""
    """The model and the versions of the prompts of a judged metric."""
    advises: bool = False
    """Whether it decides nothing, as its judge is not calibrated against people."""

    @property
    def layer(self) -> Layer:
        """The layer that this metric is evidence for."""
        return self.metric.layer

    @property
    def better(self) -> Better:
        """Which direction is an improvement."""
        return self.metric.better


class Counts(Frozen):
    """How many cases have a score, and why the others have none."""

    scored: int = 0
    unscored: int = 0
    failed: int = 0
    absent: int = 0
    """Of the unscored, those whose reply does not show what the score is read from."""

    @property
    def due(self) -> int:
        """Cases that should have a score."""
        return self.scored + self.failed + self.absent

    @property
    def coverage(self) -> float | None:
        """Share of the cases that should have a score and have one.

        None where no reply showed what it takes: that a system never shows is not due.
        """
        return self.scored / self.due if self.scored + self.failed else None


class SliceSummary(Counts):
    """One metric over the cases of one slice."""

    mean: float | None


class Summary(Counts):
    """One metric over many cases, with the counts that keep its mean honest."""

    layer: Layer | None
    better: Better
    mean: float | None = None
    sd: float | None = None
    interval: tuple[float, float] | None = None
    version: int = 1
    judge: str = ""
    """The model and the versions of the prompts of a judged metric."""
    unit: str = ""
    ceiling: float | None = None
    """The best mean that is possible where k is below the number of relevant ids."""
    depth: int | None = None
    """The most passages that came, for a metric without a cutoff."""
    percentiles: dict[str, float] = Field(default_factory=dict)
    reasons: dict[str, int] = Field(default_factory=dict)
    """Why cases failed, lack the evidence or are unscored; of each the most frequent
    first."""
    slices: dict[str, SliceSummary] = Field(default_factory=dict)
