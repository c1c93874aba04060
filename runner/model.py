"""The nouns of a run, frozen, in the order data reaches them, and the two ports.

What exists once for every case (``Case``, ``Passage``, ``Response``, ``Failure``,
``Exchange``, ``Finding``) is a named tuple: immutable, and cheap enough for a hundred
thousand of them. What is read from or written to files is a pydantic model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, Protocol

from pydantic import BaseModel, ConfigDict

from runner.errors import Place

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
Outcome = Literal["passed", "failed", "undetermined", "error"]
Match = Literal["chunk", "document"]

Qrels = Mapping[str, int]
"""Relevance judgments: document id to grade; 1 or more is relevant."""

NOTHING: Mapping[str, Any] = MappingProxyType({})


class Frozen(BaseModel):
    """A record that is read from or written to a file: no extra keys, no NaN."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Case(NamedTuple):
    """One question with its labels."""

    id: str
    question: str
    type: str | None = None
    tags: tuple[str, ...] = ()
    qrels: Qrels = NOTHING
    reference: str | None = None
    key_points: tuple[tuple[str, ...], ...] = ()
    """Each point is a tuple of spellings, any one of which states it."""
    must_not_include: tuple[str, ...] = ()
    expect_refusal: bool = False
    refusal_phrases: tuple[str, ...] = ()
    forbidden_doc_ids: tuple[str, ...] = ()
    tenant: str | None = None
    canaries: tuple[str, ...] = ()
    anchors: tuple[str, ...] = ()
    intents: tuple[str, ...] = ()
    owner: str | None = None
    meta: Mapping[str, Any] = NOTHING
    place: Place | None = None


class Passage(NamedTuple):
    """One retrieved passage; its rank is its position, ``score`` is only shown."""

    id: str | None = None
    text: str | None = None
    score: float | None = None
    document: str | None = None
    tenant: str | None = None


class Response(NamedTuple):
    """A usable reply; ``None`` everywhere means: the system does not show this."""

    answer: str | None = None
    """What the text metrics read: citation marks and stripped spans are out."""
    passages: tuple[Passage, ...] | None = None
    citations: tuple[str, ...] | None = None
    refused: bool | None = None
    usage: Mapping[str, Any] | None = None
    latency: float | None = None
    """Seconds of the last attempt, without waits."""
    time_to_first_token: float | None = None
    raw_answer: str | None = None
    """The answer as it was sent, where that differs from ``answer``."""
    marks: tuple[tuple[int, str], ...] = ()
    """Where citation marks stood: offset in ``answer``, cited id."""


ServiceCause = Literal[
    "service.unreachable", "service.timeout", "service.http_error", "service.malformed"
]


class Failure(NamedTuple):
    """No usable reply came: a value, and never a score."""

    cause: ServiceCause
    message: str
    retryable: bool = False
    retry_after: float | None = None
    """Seconds the server asked for."""
    latency: float | None = None


class Exchange(NamedTuple):
    """A case was asked, and this is what came of it after ``attempts`` tries."""

    position: int
    """Of the case in the case list, from 0."""
    result: Response | Failure
    attempts: int = 1
    trial: int = 1
    at: str | None = None
    """UTC time the last attempt ended, ISO 8601."""


class Ranking(NamedTuple):
    """The retrieved list held against the judgments: grades by rank, not ids."""

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

    @property
    def summary(self) -> str:
        """The first line of its docstring: its row in every table."""
        return (self.function.__doc__ or "").strip().split("\n", 1)[0]


class Measure(NamedTuple):
    """A metric with its options: what a spec names and a report shows."""

    label: str
    metric: Metric
    options: Mapping[str, Any] = NOTHING

    @property
    def layer(self) -> Layer:
        """The layer that this metric is evidence for."""
        return self.metric.layer

    @property
    def better(self) -> Better:
        """Which direction is an improvement."""
        return self.metric.better


class SliceSummary(Frozen):
    """One metric over the cases of one slice."""

    mean: float | None
    scored: int
    unscored: int = 0
    failed: int = 0


class Summary(Frozen):
    """One metric over many cases, with the counts that keep its mean honest."""

    layer: Layer | None
    better: Better
    mean: float | None = None
    sd: float | None = None
    interval: tuple[float, float] | None = None
    scored: int = 0
    unscored: int = 0
    failed: int = 0
    version: int = 1
    unit: str = ""
    ceiling: float | None = None
    """The best mean that is possible where k is below the number of relevant ids."""
    depth: int | None = None
    """The most passages that came, for a metric without a cutoff."""
    percentiles: dict[str, float] = {}
    reasons: dict[str, int] = {}
    """Why cases were unscored or failed, most frequent first."""
    slices: dict[str, SliceSummary] = {}

    @property
    def coverage(self) -> float | None:
        """Share of the cases that should have a score and have one."""
        due = self.scored + self.failed
        return self.scored / due if due else None


class Finding(NamedTuple):
    """A diagnosis: outcome, and for a failing case its first collapsed layer."""

    outcome: Outcome
    layer: Layer | None = None
    cause: str | None = None
    evidence: str = ""
    also: tuple[str, ...] = ()
    """Causes in later layers."""
    undetermined: tuple[Layer, ...] = ()
    """Layers before the charged one that had no evidence."""
    lucky: bool = False
    """Passed although no relevant passage came."""


class Record(NamedTuple):
    """One case as the results folder keeps it: a line of ``cases.jsonl``."""

    id: str
    outcome: Outcome
    hash: str
    """Of question and tenant."""
    labels: str
    """Of everything the case is judged by."""
    scores: Mapping[str, float | None]
    type: str | None = None
    tags: tuple[str, ...] = ()
    layer: Layer | None = None
    cause: str | None = None
    also: tuple[str, ...] = ()
    lucky: bool = False
    retrieved: tuple[str | None, ...] | None = None
    failed: tuple[str, ...] = ()
    """Metrics that should have given a number and could not."""


def memberships(case: Case | Record) -> set[str]:
    """Give the names of every slice that a case is in: ``type=x``, ``tag=x``, ``id=x``.

    >>> sorted(memberships(Case("qa-1", "Why?", type="fact", tags=("en",))))
    ['id=qa-1', 'tag=en', 'type=fact']
    """
    names = {f"tag={tag}" for tag in case.tags}
    names.add(f"id={case.id}")
    if case.type is not None:
        names.add(f"type={case.type}")
    return names


STATISTICS = ("p50", "p90", "p95", "p99", "max")
"""Run-level suffixes of a metric's name: ``latency_p95``."""

RUN_LEVEL: Mapping[str, tuple[Better, tuple[float | None, float | None]]] = {
    "accuracy": ("higher", (0.0, 1.0)),
    "error_rate": ("lower", (0.0, 1.0)),
    "coverage": ("higher", (0.0, 1.0)),
}
"""What is measured over the run and not per case: direction and bounds."""


def split_statistic(name: str) -> tuple[str, str | None]:
    """Give the metric and the run-level suffix in a name.

    >>> split_statistic("latency_p95"), split_statistic("recall@5")
    (('latency', 'p95'), ('recall@5', None))
    """
    base, _, suffix = name.rpartition("_")
    return (base, suffix) if base and suffix in STATISTICS else (name, None)


GateOutcome = Literal["passed", "failed", "inconclusive", "unmeasured", "no_baseline"]
Level = Literal["fail", "warn"]
Rule = Literal["min", "max", "max_drop", "red_line", "error_rate", "baseline"]


class GateResult(Frozen):
    """One limit held against one number."""

    metric: str
    rule: Rule
    limit: float | None = None
    value: float | None = None
    level: Level = "fail"
    line: int | None = None
    outcome: GateOutcome
    slice: str | None = None
    relative: bool = False
    """The limit of ``max_drop`` is a share of the baseline's value."""
    baseline: float | None = None
    owner: str | None = None
    message: str = ""
    cases: tuple[str, ...] = ()
    """Ids that broke a red line."""

    @property
    def blocks(self) -> bool:
        """Whether this alone turns the run red."""
        return self.level == "fail" and self.outcome in ("failed", "unmeasured")


Verdict = Literal["passed", "failed", "error", "skipped"]


class Delta(Frozen):
    """One metric now and in the baseline, over the cases that both scored."""

    now: float
    baseline: float
    delta: float
    """``now - baseline``, in the metric's own unit, whatever its direction."""
    pairs: int
    slices: dict[str, Delta] = {}


class Comparison(Frozen):
    """This run beside a baseline, paired case by case."""

    pairs: int
    """Cases whose question and labels are the same in both."""
    regressed: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    not_comparable: tuple[str, ...] = ()
    """What could not be held against the baseline: a case id or a metric, with why."""
    deltas: dict[str, Delta] = {}
    layers: dict[str, int] = {}
    """How many cases first failed in each layer, in the baseline, over the pairs."""
    commit: str | None = None
    started: str | None = None


class Endpoint(Protocol):
    """The system under test: one attempt at one case."""

    def ask(self, case: Case) -> Response | Failure:
        """Give what came back; never raises for what the world did."""


class Judge(Protocol):
    """A model that rates a prompt."""

    def rate(self, prompt: str) -> Mapping[str, Any]:
        """Give the rating as parsed JSON."""
