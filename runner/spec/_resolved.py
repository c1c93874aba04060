"""A spec after checking, with every name resolved: what the other modules are given."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any, Literal, NamedTuple

from pydantic_core import to_json

from runner.errors import Place
from runner.model import NOTHING, BaselineKind, Level, Measure
from runner.spec._endpoint import EndpointSpec
from runner.spec._judge import JudgeSpec
from runner.spec._written import DiagnosisMarks, Passes
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


class CaseSource(NamedTuple):
    """One case file, or a glob over several."""

    path: str
    fields: Mapping[str, str] = NOTHING
    defaults: Mapping[str, Any] = NOTHING
    place: Place | None = None


LimitRule = Literal["min", "max", "max_drop"]


class Limit(NamedTuple):
    """One line of a threshold: held against one number, it makes one gate."""

    name: str
    """As written: ``recall@5``, ``accuracy``, ``latency_p95``."""
    rule: LimitRule
    amount: Amount
    level: Level = "fail"
    slice: str | None = None
    owner: str | None = None
    min_coverage: float = 0.95
    line: int | None = None
    confident: bool = False
    """A drop that chance may explain does not fail."""
    doubt: str = ""
    """Why it only warns, where it is written to fail."""

    @property
    def allows_failed_calls(self) -> bool:
        """Whether it replaces the implicit limit that no call may fail."""
        blocks = self.level == "fail" and self.slice is None
        return blocks and (self.name, self.rule) == ("error_rate", "max")


class Trials(NamedTuple):
    """How often each case is asked, and how many of its trials must pass."""

    times: int = 1
    passes: Passes = "majority"


class Selector(NamedTuple):
    """Selects the cases of a red line: ``tag=x``, ``type=x`` or ``id=x``."""

    key: str
    value: str
    line: int | None = None

    def __str__(self) -> str:
        """Give it as the spec writes a slice."""
        return f"{self.key}={self.value}"


class BaselineSource(NamedTuple):
    """Where the baseline is that a spec names."""

    kind: BaselineKind
    name: str
    """A path, the name of a branch or of an artifact, or an address."""

    def __str__(self) -> str:
        """Give it as people say it: ``branch rag-eval-data``."""
        return f"{self.kind} {self.name}"


class Removed(NamedTuple):
    """What happens where cases of the baseline are missing from the run."""

    level: Level = "warn"
    line: int | None = None


class Spec(NamedTuple):
    """What the YAML says, checked and resolved."""

    name: str
    file: str
    """Relative to the workspace."""
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
    baseline: BaselineSource | None = None
    removed: Removed = Removed()
    rival: EndpointSpec | None = None
    """What is asked beside the endpoint, where that is the baseline."""
    trials: Trials = Trials()
    judge: JudgeSpec | None = None
    variables: Mapping[str, str] = {}
    """Environment values by name, for the templates of the endpoint."""
    secrets: tuple[str, ...] = ()
    fingerprint: str = ""
    """Of what makes runs comparable: response mapping, match, pass marks."""
    numbers: str = ""
    """Of what makes their numbers comparable: the same without the pass marks."""

    @property
    def prints(self) -> Mapping[str, str]:
        """The fingerprints, by the names under which a report keeps them."""
        return {"spec": self.fingerprint, "numbers": self.numbers}


def fingerprint(
    endpoint: EndpointSpec, held: Mapping[str, float], trials: Trials
) -> str:
    """Give 12 hex digits of what makes two runs comparable.

    These are the response mapping, match, the pass marks, whether turns are played, and
    a rule for trials that is harder or softer than one trial. A key that a later
    version adds moves nothing while it has its default.
    """
    kept: list[Any] = [
        endpoint.response.model_dump(exclude_defaults=True),
        endpoint.match,
        sorted(held.items()),
    ]
    if trials.times > 1 and trials.passes != "majority":
        kept.append([trials.passes, trials.times])
    if endpoint.turns == "live":
        kept.append("live")
    return blake2b(to_json(kept), digest_size=6).hexdigest()
