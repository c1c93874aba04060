"""The whole spec, from a document with lines to a Spec."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from runner.errors import Document
from runner.model import Measure, Metric
from runner.spec._measures import bind
from runner.spec._nouns import (
    DEFAULT_MARKS,
    CaseSource,
    EndpointSpec,
    Limit,
    Selector,
    Spec,
)
from runner.units import amount, per_second, seconds, size

_DEFAULT = (
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


def parse(
    document: Document, *, registry: Mapping[str, Metric], environ: Mapping[str, str]
) -> Spec:
    """Give the spec that a document holds."""
    data = document.data
    endpoint = dict(data["endpoint"])
    for key, read in (
        ("timeout", seconds),
        ("max_response", size),
        ("rate_limit", per_second),
    ):
        if key in endpoint:
            endpoint[key] = read(endpoint[key])
    endpoint.setdefault("method", "GET" if endpoint.get("body") is None else "POST")
    names = set(re.findall(r"\$\{(\w+)", json.dumps(endpoint)))
    variables = {name: environ[name] for name in names if environ.get(name)}
    if "wait_for" in endpoint:
        wait = endpoint["wait_for"]
        url = re.sub(
            r"\$\{(\w+)(?::-([^}]*))?\}",
            lambda m: environ.get(m[1]) or m[2],
            wait["url"],
        )
        endpoint["wait_for"] = {"url": url, "timeout": seconds(wait.get("timeout", 60))}
    cases = data["cases"]
    sources = [cases] if isinstance(cases, str | dict) else cases
    measures: dict[str, Measure] = {}

    def measure(text: str, options: Mapping[str, Any] = {}) -> str:
        if text.partition("@")[0] not in registry:
            return text
        found = bind(text, registry, options)
        measures.setdefault(found.label, found)
        return found.label

    for entry in data.get("metrics", _DEFAULT):
        for text, options in (
            entry.items() if isinstance(entry, dict) else [(entry, {})]
        ):
            measure(text, options)
    limits = list(_limits(document))
    for limit in limits:
        measure(limit.name.rsplit("_p", 1)[0])
    marks = {**DEFAULT_MARKS, **data.get("pass", {})}
    marks = {
        measure(k): float(v)
        for k, v in marks.items()
        if v is not None and k.partition("@")[0] in registry
    }
    spec = EndpointSpec(**endpoint)
    kept = [spec.response.model_dump(), spec.match, sorted(marks.items())]
    return Spec(
        name=data.get("name", PurePosixPath(document.file).stem),
        file=document.file,
        endpoint=spec,
        cases=tuple(
            CaseSource(path=s) if isinstance(s, str) else CaseSource(**s)
            for s in sources
        ),
        measures=tuple(measures.values()),
        marks=marks,
        limits=tuple(limits),
        red_lines=tuple(
            Selector(k, str(v)) for s in data.get("red_lines", ()) for k, v in s.items()
        ),
        leakage_level=(
            "warn"
            if data.get("thresholds", {}).get("leakage") == {"level": "warn"}
            else "fail"
        ),
        baseline=data.get("baseline", {}).get("path"),
        variables=variables,
        secrets=tuple(v for k, v in variables.items() if "TOKEN" in k or "KEY" in k),
        fingerprint=hashlib.blake2b(
            json.dumps(kept).encode(), digest_size=6
        ).hexdigest(),
    )


def _limits(document: Document) -> Iterator[Limit]:
    for name, value in document.data.get("thresholds", {}).items():
        for entry in value if isinstance(value, list) else [value]:
            line = document.place("thresholds", name).line
            level, owner = entry.get("level", "fail"), entry.get("owner")
            for part, rules in [(None, entry), *entry.get("slices", {}).items()]:
                for rule in ("min", "max", "max_drop"):
                    if rule in rules:
                        yield Limit(
                            name,
                            rule,
                            amount(rules[rule]),
                            level,
                            part,
                            owner,
                            line=line,
                        )
