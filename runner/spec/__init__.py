"""A parsed YAML tree becomes a Spec, given the registry of metrics."""

from __future__ import annotations

from runner.spec._measures import bind
from runner.spec._nouns import (
    DEFAULT_MARKS,
    CaseSource,
    CitationMap,
    ContextMap,
    DiagnosisMarks,
    EndpointSpec,
    Limit,
    ResponseMap,
    Selector,
    Spec,
    Start,
    WaitFor,
)
from runner.spec._parse import parse

__all__ = [
    "DEFAULT_MARKS",
    "CaseSource",
    "CitationMap",
    "ContextMap",
    "DiagnosisMarks",
    "EndpointSpec",
    "Limit",
    "ResponseMap",
    "Selector",
    "Spec",
    "Start",
    "WaitFor",
    "bind",
    "parse",
]
