"""What a spec file may hold, key by key; the descriptions reach schema and docs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, get_args

from pydantic import AfterValidator, BeforeValidator, Field

from runner.model import BaselineKind, Level
from runner.spec._amounts import Given, Points, Share, Whole, Word, Written
from runner.spec._endpoint import EndpointSpec, Rival
from runner.spec._judge import JudgeSpec
from runner.spec._part import OneOf, Part

Passes = Literal["all", "majority", "any"]

DEFAULT_METRICS = (
    "recall@5",
    "precision@5",
    "mrr",
    "ndcg@10",
    "context_relevance",
    "leakage",
    "refusal",
    "over_refusal",
    "lexical_grounding",
    "number_support",
    "citation_validity",
    "key_points",
    "latency",
)


def _short(key: str) -> BeforeValidator:
    """Let a value alone stand for the mapping that has it under a key."""
    return BeforeValidator(
        lambda value: value if isinstance(value, Mapping | Part) else {key: value}
    )


_Several = BeforeValidator(
    lambda value: value if isinstance(value, list | tuple) else [value]
)
"""Takes one where several may stand."""


class CaseFiles(Part):
    """One case file, or a glob over several."""

    path: str = Field(
        min_length=1,
        description="Relative to the spec; `/x` is the workspace; `*` and `**` match.",
    )
    fields: dict[str, str] = Field(
        {}, description="Field of a case to the column or key that holds it."
    )
    defaults: dict[str, Any] = Field(
        {}, description="Field to the value where a case has none."
    )


_NO_BRANCH = re.compile(
    r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|^[-/.]|[/.]$|/\.|\.lock(/|$)"
)
"""What git refuses in the name of a branch."""


def _branch(value: str | None) -> str | None:
    if value is not None and _NO_BRANCH.search(value):
        raise ValueError(f"no branch can be called {value!r}")
    return value


def _artifact(value: str | None) -> str | None:
    # What upload-artifact refuses, so that no run could ever have made it.
    odd = next((char for char in value or "" if char in '":<>|*?\r\n\\/'), "")
    if odd:
        raise ValueError(f"no artifact has {odd!r} in its name")
    return value


class DiagnosisMarks(Part):
    """Where a layer's test fails; a case is diagnosed only when it failed."""

    buried: Whole = Field(
        3, ge=1, description="The best relevant passage ranks below this."
    )
    noisy: Share = Field(0.2, description="context_relevance below this.")
    partial: Share = Field(
        0.5, description="recall below this, for a case without key points."
    )
    unsupported: Share = Field(0.2, description="lexical_grounding below this.")


class Baseline(OneOf):
    """What this run is held against, at one place."""

    choices: ClassVar[tuple[BaselineKind, ...]] = get_args(BaselineKind)

    path: Given = Field(
        None,
        description="A committed folder that `rag-eval baseline save` made; of a pull "
        "request it is read at the base commit.",
    )
    branch: Annotated[Given, AfterValidator(_branch)] = Field(
        None,
        description="A branch of this repository that holds data alone: the action "
        "writes it on the default branch, with the history, and reads it elsewhere.",
    )
    artifact: Annotated[Given, AfterValidator(_artifact)] = Field(
        None,
        description="What a workflow uploaded under this name: the newest of a "
        "successful run on the base branch.",
    )
    results: Given = Field(
        None, description="A folder of results that a step before has brought."
    )
    endpoint: Rival | None = Field(
        None,
        description="Another endpoint, such as production, asked in the same run.",
    )
    removed: Level = Field(
        "warn",
        description="What cases do that the baseline has and this run has not: `warn` "
        "or `fail`.",
    )

    @property
    def source(self) -> tuple[BaselineKind, str]:
        """Where it is: the kind, and a path, name or URL."""
        kind = next(kind for kind in self.choices if kind in self.chosen)
        value = getattr(self, kind)
        return kind, value.url if isinstance(value, Rival) else value


class RedLine(OneOf):
    """Cases of which none may fail, whatever the averages say; by one of these."""

    choices = ("tag", "type", "id")

    tag: Word | None = Field(None, description="Cases with this tag.")
    type: Word | None = Field(None, description="Cases of this type.")
    id: Word | None = Field(None, description="The case with this id.")


class Drop(Part):
    """How much worse than the baseline a number may be."""

    points: Points = Field(
        description="`0.02` is points, `5%` a share of the baseline's value."
    )
    confident: bool = Field(
        False,
        description="Fail only where chance cannot explain it; warn in between.",
    )


class Limits(Part):
    """What a number may be, at least or at most."""

    min: Written = Field(None, description="A floor.")
    max: Written = Field(None, description="A ceiling.")
    max_drop: Annotated[Drop | None, _short("points")] = Field(
        None,
        description="How much worse than the baseline: `0.02` is points, `5%` a share "
        "of the baseline's value; or a mapping.",
    )
    level: Level | None = Field(
        None, description="`fail` turns the run red, `warn` does not; fail if left out."
    )
    owner: str | None = Field(
        None,
        description="Who is asked when it does not hold; a comment "
        "calls @user and @org/team, once, where the base commit names them too.",
    )
    min_coverage: Share | None = Field(
        None,
        description="The least share of cases with a score; 0.95 when left out. Below "
        "it the gate is unmeasured, and fails.",
    )


class Threshold(Limits):
    """The limits of one metric, and of it over slices of the cases."""

    slices: dict[str, Limits] = Field(
        {}, description="`type=x`, `tag=x` or `id=x` to limits over these cases alone."
    )


class TrialsPart(Part):
    """How often each case is asked, and how many of its trials must pass."""

    times: Whole = Field(1, ge=1, le=100, description="Trials of each case.")
    passes: Passes = Field(
        "majority",
        description="A case passes by `all` of its trials, the `majority` (more than "
        "half), or `any`. A leak in one trial fails it by every rule.",
    )


class SpecFile(Part):
    """A spec as it is written."""

    later = frozenset({"stages", "report"})

    name: str | None = Field(
        None, min_length=1, description="What reports call it; else the file's name."
    )
    endpoint: EndpointSpec = Field(description="The RAG system under test.")
    cases: Annotated[tuple[Annotated[CaseFiles, _short("path")], ...], _Several] = (
        Field(
            min_length=1,
            description="Case files: a path, or a list of paths or mappings.",
        )
    )
    metrics: tuple[Any, ...] = Field(
        DEFAULT_METRICS,
        description="What to measure: name, name@k, or name with options. What "
        "thresholds and pass name is measured anyway.",
    )
    marks: dict[str, Any] = Field(
        {},
        alias="pass",
        description="What makes one case pass, added to the defaults: a floor, or a "
        "ceiling where lower is better; null removes one.",
    )
    thresholds: dict[
        str,
        Annotated[tuple[Threshold, ...], Field(min_length=1), _Several],
    ] = Field({}, description="What makes the run pass.")
    red_lines: tuple[RedLine, ...] = Field(
        (), description="Cases of which none may fail."
    )
    diagnosis: DiagnosisMarks = Field(
        DiagnosisMarks(), description="Where the test of a layer fails."
    )
    baseline: Baseline | None = Field(
        None, description="What this run is held against."
    )
    trials: Annotated[TrialsPart, _short("times")] = Field(
        TrialsPart(),
        description="How often each case is asked; a number or a mapping.",
    )
    judge: JudgeSpec | None = Field(
        None, description="The model that rates for the metrics that need one."
    )
