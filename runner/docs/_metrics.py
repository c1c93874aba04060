"""The reference pages of the metrics, from their declarations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from inspect import cleandoc
from typing import Any

from runner.docs._table import table
from runner.metrics import INPUTS, registry
from runner.model import (
    LAYERS,
    RUN_LEVEL,
    RUN_LEVEL_SUMMARIES,
    STATISTICS,
    Layer,
    Metric,
)

QUESTIONS: Mapping[Layer, str] = {
    "service": "did a usable reply come?",
    "isolation": "did anything cross a tenant's wall?",
    "retrieval": "were the right documents found?",
    "context": "near the top, and not drowned?",
    "refusal": "right to answer, or to decline?",
    "grounding": "is what it says in what it read?",
    "answer": "complete, right, on the question?",
}


def overview() -> str:
    parts = ["# Metrics", _INTRODUCTION]
    for layer in LAYERS:
        rows = [
            (
                f"[`{metric.name}`](metrics/{metric.name}.md)",
                metric.better,
                _rater(metric),
                metric.summary,
            )
            for metric in _in_order()
            if metric.layer == layer
        ]
        parts += [
            f"## {layer}: {QUESTIONS[layer]}",
            table(("Metric", "Better", "By", "Per case"), rows),
        ]
    across = [
        (f"`{name}`", RUN_LEVEL[name][0], said)
        for name, said in RUN_LEVEL_SUMMARIES.items()
    ]
    parts += ["## Over the run", table(("Name", "Better", "What"), across), _SUFFIXES]
    return "\n\n".join(parts) + "\n"


def metrics_table(folder: str) -> str:
    """Give every metric with its layer and what one case gets, in causal order."""
    rows = [
        (
            metric.layer,
            f"[`{metric.name}`]({folder}/{metric.name}.md)",
            metric.better,
            _rater(metric),
            metric.summary,
        )
        for metric in _in_order()
    ]
    return table(("Layer", "Metric", "Better", "By", "Per case"), rows)


def _rater(metric: Metric) -> str:
    """Give who finds a metric's number."""
    return "judge" if metric.judged else "rule"


def metric_page(metric: Metric) -> str:
    """Give a metric's reference page."""
    said, examples = _docstring(metric)
    summary, _, rest = said.partition("\n\n")
    sections = [
        f"# {metric.name}",
        summary,
        "\n".join(f"- {name}: {fact}" for name, fact in _facts(metric)),
        rest,
        "## Needs",
        table(("Input", "What it is"), _needs(metric)),
    ]
    if options := list(_options(metric)):
        sections += ["## Options", table(("Option", "Takes", "Meaning"), options)]
    sections += ["## Example", f"```python\n{examples}\n```"]
    sections += ["[All metrics](../metrics.md)"]
    return "\n\n".join(section for section in sections if section) + "\n"


_INTRODUCTION = """\
A metric gives one case a number, or leaves it *unscored* where it does not apply or the
evidence is absent, and says why; it is *failed* where it should have given a number and
could not. Layers stand in causal order: a failing case is charged to the first that
collapsed. A metric with a cutoff is written `recall@5`; without one, all that came back
counts, and the run records how much that was. Different cutoffs are not comparable.

Most are found by rule. Those by a judge are rated by a model, where the spec has a
`judge:`; how, and what their numbers mean, is in
[judged-metrics.md](judged-metrics.md)."""
_SUFFIXES = f"""\
{", ".join(f"`_{suffix}`" for suffix in STATISTICS)} after the name of a metric take a
percentile, or the greatest value, of its cases in place of the mean: `latency_p95`.
Of several trials a case has their mean, so that one slow trial shows less."""


def _in_order() -> list[Metric]:
    return sorted(registry.values(), key=lambda m: (LAYERS.index(m.layer), m.name))


def _facts(metric: Metric) -> Iterator[tuple[str, str]]:
    low, high = metric.bounds
    span = "any number" if low is None else f"from {low:g}"
    span += "" if high is None else f" to {high:g}"
    unit = f", in {_UNITS.get(metric.unit, metric.unit)}" if metric.unit else ""
    cutoff = f", or with a cutoff `{metric.name}@5`" if _has_cutoff(metric) else ""
    yield "layer", f"{metric.layer} ({QUESTIONS[metric.layer]})"
    yield "better", metric.better
    yield "range", span + unit
    yield "written", f"`{metric.name}`{cutoff}"
    yield "version", str(metric.version)
    if metric.judged:
        asked = [f"{t.name} (version {t.version})" for t in dict.fromkeys(metric.tasks)]
        yield "a judge is asked for", ", ".join(asked)


_UNITS = {"s": "seconds"}


def _has_cutoff(metric: Metric) -> bool:
    return "k" in metric.options.model_fields


def _needs(metric: Metric) -> Iterator[tuple[str, str]]:
    for name in metric.inputs:
        absent = "; may be absent" if name in metric.optional else ""
        yield f"`{name}`", INPUTS[name] + absent


def _options(metric: Metric) -> Iterator[tuple[str, str, str]]:
    schema = metric.options.model_json_schema()
    for name, option in schema.get("properties", {}).items():
        yield f"`{name}`", takes(option), option.get("description", "")


def takes(schema: Mapping[str, Any]) -> str:
    """Say in words what a part of a JSON Schema allows; null goes without saying.

    >>> takes({"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}]})
    'a whole number from 1'
    """
    if "enum" in schema or "const" in schema:
        allowed = schema.get("enum") or [schema["const"]]
        return " or ".join(f"`{value}`" for value in allowed)
    parts = [takes(part) for part in schema.get("anyOf", []) if part != _NULL]
    if parts:
        return " or ".join(dict.fromkeys(parts))
    low = schema.get("minimum")
    name = _TYPES.get(schema.get("type", ""), "anything")
    return name if low is None else f"{name} from {low:g}"


_NULL = {"type": "null"}
_TYPES = {
    "integer": "a whole number",
    "number": "a number",
    "string": "text",
    "boolean": "true or false",
    "array": "a list",
    "object": "a mapping",
}


def _docstring(metric: Metric) -> tuple[str, str]:
    """Give what a docstring says as Markdown, and its examples."""
    said, mark, examples = cleandoc(metric.function.__doc__ or "").partition(">>>")
    return said.strip().replace("``", "`"), mark + examples
