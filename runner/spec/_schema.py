"""The JSON Schema of a spec, by which an editor completes and checks while typing."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from runner.model import RUN_LEVEL, STATISTICS, Metric
from runner.spec._written import SpecFile

_MARK = {
    "anyOf": [
        {"type": "number"},
        {"type": "string", "pattern": r"^[0-9]+(\.[0-9]+)?(%|ms|s|m|min|h)?$"},
        {"type": "null"},
    ]
}


def json_schema(registry: Mapping[str, Metric]) -> dict[str, Any]:
    """Give the schema (draft 2020-12), with the metrics of the registry by name.

    It accepts every spec that ``parse`` accepts. What it cannot know, such as limits
    outside a metric's range, ``parse`` refuses later.
    """
    schema = _untitled(SpecFile.model_json_schema(by_alias=True))
    names = _Names(registry)
    properties, parts = schema["properties"], schema["$defs"]
    properties["cases"] = _cases(properties["cases"]["description"])
    properties["metrics"]["items"] = names.entry()
    properties["pass"] |= names.keyed(_MARK, over_run=False)
    properties["thresholds"] |= names.keyed(_limits(), over_run=True)
    count = {"type": "integer", "minimum": 1, "maximum": 100}
    trials = properties["trials"]
    properties["trials"] = {
        "description": trials["description"],
        "anyOf": [count, _ref("TrialsPart")],
    }
    for part in ("Limits", "Threshold"):
        drop = parts[part]["properties"]["max_drop"]
        drop["anyOf"] = [*parts["Drop"]["properties"]["points"]["anyOf"], _ref("Drop")]
    for part in ("EndpointSpec", "JudgeSpec"):
        block = parts[part]["properties"]
        for key, value in block.items():
            if value.get("type") in ("integer", "number"):
                block[key] = _or_variable(value)
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return {**head, "title": "rag-eval spec", **schema}


def _untitled(schema: Any) -> Any:
    """Leave out the titles, which only repeat the keys."""
    if isinstance(schema, list):
        return [_untitled(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: _untitled(value)
        for key, value in schema.items()
        if key != "title" or not isinstance(value, str)
    }


def _or_variable(value: dict[str, Any]) -> dict[str, Any]:
    """Give the schema of a number that may come from the environment."""
    said = {key: value.pop(key) for key in ("description", "default")}
    return {**said, "anyOf": [value, {"type": "string", "pattern": r"^\$\{.+\}$"}]}


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/$defs/{name}"}


def _limits() -> dict[str, Any]:
    one = _ref("Threshold")
    return {"anyOf": [one, {"type": "array", "items": one, "minItems": 1}]}


def _cases(description: str) -> dict[str, Any]:
    one = [{"type": "string", "minLength": 1}, _ref("CaseFiles")]
    many = {"type": "array", "items": {"anyOf": one}, "minItems": 1}
    return {"description": description, "anyOf": [*one, many]}


class _Names:
    """What a metric can be called in a spec."""

    def __init__(self, registry: Mapping[str, Metric]) -> None:
        self.registry = registry
        self.cut = [
            name
            for name, metric in registry.items()
            if "k" in metric.options.model_fields
        ]
        self.counted = [name for name, metric in registry.items() if metric.unit]

    def with_cutoff(self) -> str:
        return rf"^({_any(self.cut)})@[1-9][0-9]*$"

    def entry(self) -> dict[str, Any]:
        """Give the schema of one item of ``metrics``."""
        options = {
            name: {"anyOf": [_options(metric), {"type": "null"}]}
            for name, metric in self.registry.items()
        }
        return {
            "anyOf": [
                {"enum": list(self.registry)},
                {"type": "string", "pattern": self.with_cutoff()},
                {
                    "type": "object",
                    "properties": options,
                    "additionalProperties": False,
                    "minProperties": 1,
                },
            ]
        }

    def keyed(self, value: Mapping[str, Any], *, over_run: bool) -> dict[str, Any]:
        """Give the schema of a mapping by names of metrics."""
        named = {
            name: {**value, "description": metric.summary}
            for name, metric in self.registry.items()
        }
        whole = dict.fromkeys(RUN_LEVEL, value) if over_run else {}
        patterns = [self.with_cutoff(), rf"^({_any(self.registry)})\(.+\)$"]
        if over_run:
            patterns.append(rf"^({_any(self.counted)})_({_any(STATISTICS)})$")
        return {
            "properties": {**named, **whole},
            "patternProperties": dict.fromkeys(patterns, value),
            "additionalProperties": False,
        }


def _any(names: Any) -> str:
    return "|".join(map(re.escape, names))


def _options(metric: Metric) -> dict[str, Any]:
    schema: dict[str, Any] = _untitled(metric.options.model_json_schema())
    return {**schema, "description": metric.summary}
