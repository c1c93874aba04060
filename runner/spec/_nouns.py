"""A parsed YAML tree becomes a Spec, given the registry of metrics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from pydantic import Field

from runner.model import Frozen, Level, Match, Measure
from runner.units import Amount

DEFAULT_MARKS: Mapping[str, float] = {
    "leakage": 0,
    "forbidden_content": 0,
    "refusal": 1,
    "over_refusal": 0,
    "key_points": 1,
    "key_point_grounding": 1,
    "citation_validity": 1,
}


class ContextMap(Frozen):
    """JMESPath within one passage; None where the system does not show it."""

    id: str | None = "id"
    text: str | None = "text"
    score: str | None = "score"
    document: str | None = "document"
    tenant: str | None = "tenant"


class CitationMap(Frozen):
    """Citations as marks in the answer, or as positions in the reply."""

    path: str | None = None
    pattern: str | None = None
    first: int | None = None
    of: str | None = None


class ResponseMap(Frozen):
    """Where in the reply things stand: JMESPath expressions."""

    answer: str | None = "answer"
    contexts: str | None = "contexts"
    context: ContextMap = ContextMap()
    citations: str | CitationMap | None = "citations"
    refused: str | None = "refused"
    error: str | None = None
    usage: str | None = "usage"
    scope: str = "retrieved"
    strip: tuple[str, ...] = ()


class WaitFor(Frozen):
    """What must answer before the first case is asked."""

    url: str
    timeout: float = 60.0


class Start(Frozen):
    """A command that starts the system under test, on the command line only."""

    command: str
    cwd: str = "."


class EndpointSpec(Frozen):
    """The RAG system under test, as a black box.

    ``url``, ``headers``, ``query`` and ``body`` are templates as written; ``variables``
    holds the environment's values for the ``${NAME}`` in them.
    """

    url: str
    method: str | None = None
    headers: dict[str, str] = {}
    query: dict[str, Any] = {}
    body: Any = None
    response: ResponseMap = ResponseMap()
    match: Match = "chunk"
    shared_tenants: tuple[str, ...] = ()
    concurrency: int = Field(default=8, ge=1)
    rate_limit: float | None = None
    """Requests per second."""
    timeout: float = 30.0
    retries: int = Field(default=2, ge=0)
    stop_after: int = Field(default=20, ge=1)
    max_response: int = 10 * 2**20
    wait_for: WaitFor | None = None
    start: Start | None = None


class CaseSource(Frozen):
    """One case file, or a glob over several."""

    path: str
    fields: dict[str, str] = {}
    defaults: dict[str, Any] = {}
    line: int | None = None


class Limit(NamedTuple):
    """One line of a threshold: held against one number, it makes one gate."""

    name: str
    """As written: ``recall@5``, ``accuracy``, ``latency_p95``."""
    rule: str
    amount: Amount
    level: Level = "fail"
    slice: str | None = None
    owner: str | None = None
    min_coverage: float = 0.95
    line: int | None = None


class Selector(NamedTuple):
    """Which cases a red line or a slice speaks of: ``tag=x``, ``type=x`` or ``id=x``."""

    key: str
    value: str
    line: int | None = None

    def __str__(self) -> str:
        """Give it as the spec writes a slice."""
        return f"{self.key}={self.value}"


class DiagnosisMarks(Frozen):
    """Where a layer's test fails; a case is diagnosed only when it failed."""

    buried: int = 3
    """The best relevant passage ranks below this."""
    noisy: float = 0.2
    """context_relevance below this."""
    partial: float = 0.5
    """recall below this, for a case without key points."""
    unsupported: float = 0.5
    """lexical_grounding below this."""


class Spec(NamedTuple):
    """What the YAML says, checked and resolved."""

    name: str
    file: str
    endpoint: EndpointSpec
    cases: tuple[CaseSource, ...]
    measures: tuple[Measure, ...]
    """Everything to measure: listed, defaulted, named in thresholds or pass marks."""
    marks: Mapping[str, float]
    """What makes one case pass: label to floor (or ceiling where lower is better)."""
    limits: tuple[Limit, ...]
    red_lines: tuple[Selector, ...]
    leakage_level: Level = "fail"
    diagnosis: DiagnosisMarks = DiagnosisMarks()
    baseline: str | None = None
    variables: Mapping[str, str] = {}
    """Environment values by name, for the templates of the endpoint."""
    secrets: tuple[str, ...] = ()
    fingerprint: str = ""
    """Of what makes runs comparable: response mapping, match, pass marks."""
