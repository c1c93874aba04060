"""The Report, the whole record of a run: its format, and what can be read off it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, get_args

from pydantic import Field

from runner.errors import Place
from runner.model import (
    LAYERS,
    BaselineKind,
    Better,
    Comparison,
    Frozen,
    GateOutcome,
    GateResult,
    JudgeAccount,
    Layer,
    Level,
    Moved,
    Outcome,
    Quarantined,
    Rule,
    Summary,
    Tighter,
    TrialSummary,
    Verdict,
    YardstickChange,
    split_statistic,
)
from runner.readback import read_back
from runner.search_regression import search_regression
from runner.text.shorten import cut_around, finds

FORMAT_VERSION = 1
EXCERPTS = 200  # failing cases that are kept with their texts


class Totals(Frozen):
    """Cases by outcome."""

    cases: int
    passed: int = 0
    failed: int = 0
    undetermined: int = 0
    errors: int = 0
    not_asked: int = 0
    """The run was stopped before them."""
    quarantined: int = 0
    """Whatever came of them, they are in no number that gates."""


class LayerCount(Frozen):
    """Where failing cases collapse; ``undetermined``: no evidence about this layer."""

    first: int = 0
    also: int = 0
    undetermined: bool = False
    """No case of the run had evidence about this layer."""
    causes: dict[str, int] = Field(default_factory=dict)
    """First causes in this layer, most frequent first."""


class FailedCase(Frozen):
    """A failing or erroneous case with its texts, redacted and cut."""

    id: str
    type: str | None = None
    outcome: str = "failed"
    layer: Layer | None = None
    cause: str | None = None
    evidence: str = ""
    also: tuple[str, ...] = ()
    question: str = ""
    answer: str | None = None
    expected: tuple[str, ...] = ()
    retrieved: tuple[str | None, ...] | None = None
    file: str | None = None
    line: int | None = None


class CasePlace(Frozen):
    """Where a case stands; the file is relative to the workspace."""

    file: str
    line: int | None = None


class Report(Frozen):
    """The whole record of a run; everything that is shown renders from it.

    First the keys that others may rely on, in the order of the specification.
    """

    format_version: int = Field(default=FORMAT_VERSION, ge=1, le=FORMAT_VERSION)
    name: str
    verdict: Verdict
    reasons: tuple[str, ...] = ()
    totals: Totals
    summaries: dict[str, Summary] = Field(default_factory=dict)
    """By label, in layer order; the run-level ones (accuracy, error_rate, coverage)
    stand among them with ``layer: null``."""
    gates: tuple[GateResult, ...] = ()
    layers: dict[Layer, LayerCount] = Field(default_factory=dict)
    comparison: Comparison | None = None
    failures: tuple[FailedCase, ...] = ()
    fingerprints: dict[str, str] = Field(default_factory=dict)
    commit: str | None = None
    started: str | None = None
    """UTC, ISO 8601."""
    duration_s: float | None = None
    notices: tuple[str, ...] = ()
    """What the reader should know and nothing gates on."""
    spec: str = ""
    """The spec file, relative to the workspace."""
    baseline: str | None = None
    """Where the spec says that the baseline is; None where it names none."""
    baseline_kind: BaselineKind = "path"
    """What that names."""
    baseline_unread: str = ""
    """Why the baseline could not be read, whether or not there is one."""
    base: str | None = None
    """The commit that the yardstick was read at, where that is known."""
    yardstick: tuple[YardstickChange, ...] = ()
    """What the run is held against and was otherwise at the base commit."""
    owners: tuple[str, ...] = ()
    """Owners of gates that turn the run red, as the base commit names them; whoever
    comments on results of others calls none of them."""
    quarantine: tuple[Quarantined, ...] = ()
    """The first cases that did not gate."""
    trials: TrialSummary | None = None
    """Set where each case was asked more than once."""
    judge: JudgeAccount | None = None
    """What judging took, and how far its word counts; None without judged metrics."""
    trend: dict[str, tuple[float, ...]] = Field(default_factory=dict)
    """The gated numbers of the last runs, oldest first, this one last."""
    tighter: tuple[Tighter, ...] = ()
    """Limits that the last runs beat by more than noise."""
    failures_left_out: int = 0
    places: dict[str, CasePlace] = Field(default_factory=dict)
    """By id, of cases that regressed, moved or were fixed; of each kind the first."""
    latency_histogram: tuple[tuple[float, int], ...] = ()
    """Upper edge in seconds and number of calls, edges ascending."""
    filters: tuple[str, ...] = ()
    """Set where only part of the cases was asked."""
    version: str = ""
    """Of rag-eval-action."""


def read(text: str | bytes, place: Place) -> Report:
    """Give back an earlier Report from the text of its ``results.json``.

    Raises:
        InputError: It is no JSON, of a format that this version does not know, or a
            value in it is not what the format says.
    """
    what = "results.json of rag-eval-action"
    return read_back(text, Report, place, what=what, hint=_AGAIN)


_AGAIN = (
    "it is damaged, or another version of rag-eval-action wrote it: use that version, "
    "or run the evaluation again"
)


def mapped(report: Report, change: Callable[[str], str]) -> Report:
    """Give a Report with every text passed through ``change``, keys included.

    Names of fields and the words of the format (layers, verdicts, outcomes) stay, so
    that what comes back is always a Report.
    """
    changed: Report = _mapped(report, change)
    return changed


def _mapped(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return value if value in _WORDS else change(value)
    if isinstance(value, Frozen):
        fields = {name: _mapped(item, change) for name, item in value}
        return value.model_copy(update=fields)
    if isinstance(value, dict):
        pairs = value.items()
        return {_mapped(key, change): _mapped(item, change) for key, item in pairs}
    if isinstance(value, tuple):
        return tuple(_mapped(item, change) for item in value)
    return value


_KINDS = (
    *(Layer, Better, Outcome, GateOutcome, Level, Rule, Verdict),
    *(BaselineKind, Moved),
)
_WORDS = frozenset(word for words in _KINDS for word in get_args(words))


def json_schema() -> dict[str, Any]:
    """Give the JSON Schema of ``results.json``."""
    schema = Report.model_json_schema()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **schema,
        "title": "results.json of rag-eval-action",
    }


def shortened(text: str, limit: int = 2_000, evidence: str = "") -> str:
    """Give a text; of one over ``limit`` characters a part, and how much is missing.

    It is the part around what the evidence names, else the beginning.

    >>> shortened("abcdef", 4), shortened("abcd", 4)
    ('abcd… (2 characters more)', 'abcd')
    """
    if len(text) <= limit:
        return text
    part = cut_around(text, finds(evidence), limit + 1)
    hidden = len(text) - len(part.strip("…"))
    return f"{part} ({hidden:,} characters more)"


INEXCUSABLE: Mapping[str, Layer] = {"error_rate": "service", "leakage": "isolation"}
"""Gates that no average excuses, and the layer that each speaks of."""


def broken_layer(report: Report) -> Layer | None:
    """Give the layer that a reader should look at first, or None where none failed.

    Failed calls come first, then leaks. Otherwise it is, of the layers that the failed
    gates speak of, the one that most failing cases are charged to; beside a baseline,
    to which most were added. Where no gate failed, those speak that were not measured;
    where none turns the run red, the cases alone. A tie goes to the earlier layer. If
    the search broke before that one, it is that of the search.
    """
    layer = charged_layer(report)
    found = search_regression(report.comparison, report.summaries, layer)
    return found.layer if found else layer


def charged_layer(report: Report) -> Layer | None:
    """Give the layer that failed gates and failing cases speak of, as above."""
    blocking = [gate for gate in report.gates if gate.blocks]
    failed = [gate for gate in blocking if gate.outcome == "failed"]
    for metric, layer in INEXCUSABLE.items():
        if metric in {gate.metric for gate in failed}:
            return layer
    charged = _charged(report)
    hit = [layer for layer in LAYERS if charged[layer] > 0]
    most = max(hit, key=charged.__getitem__, default=None)
    blamed = {gate_layer(gate, report) or most for gate in failed or blocking}
    named = [layer for layer in LAYERS if layer in blamed]
    return max(named, key=charged.__getitem__, default=most)


def gate_layer(gate: GateResult, report: Report) -> Layer | None:
    """Give the layer a gate speaks of; None for a number over the whole run."""
    if gate.layer:
        return gate.layer
    if gate.metric in INEXCUSABLE:
        return INEXCUSABLE[gate.metric]
    label = gate.metric
    if label not in report.summaries:
        label = split_statistic(label)[0]
    return report.summaries[label].layer if label in report.summaries else None


def _charged(report: Report) -> Counter[Layer]:
    """Give how many cases fail first in each layer; of those, if any, the added."""
    now = Counter({layer: count.first for layer, count in report.layers.items()})
    before = report.comparison.layers if report.comparison else {}
    added = Counter({layer: now[layer] - before.get(layer, 0) for layer in LAYERS})
    return +added or now
