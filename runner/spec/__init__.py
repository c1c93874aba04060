"""Parses a YAML tree into a Spec, given the registry of metrics."""

from __future__ import annotations

from runner.spec._advised import advised
from runner.spec._auth import AuthSpec, AwsSigV4
from runner.spec._endpoint import (
    EndpointSpec,
    Start,
    WaitFor,
)
from runner.spec._judge import JudgeSpec
from runner.spec._measures import bind
from runner.spec._owners import account, accounts, owners
from runner.spec._parse import parse
from runner.spec._resolved import (
    DEFAULT_MARKS,
    BaselineSource,
    CaseSource,
    Limit,
    Removed,
    Selector,
    Spec,
    Trials,
)
from runner.spec._response import CitationMap, ContextMap, ResponseMap
from runner.spec._schema import json_schema
from runner.spec._steps import StepSpec
from runner.spec._warnings import warnings
from runner.spec._written import DEFAULT_METRICS, DiagnosisMarks

__all__ = [
    "DEFAULT_MARKS",
    "DEFAULT_METRICS",
    "AuthSpec",
    "AwsSigV4",
    "BaselineSource",
    "CaseSource",
    "CitationMap",
    "ContextMap",
    "DiagnosisMarks",
    "EndpointSpec",
    "JudgeSpec",
    "Limit",
    "Removed",
    "ResponseMap",
    "Selector",
    "Spec",
    "Start",
    "StepSpec",
    "Trials",
    "WaitFor",
    "account",
    "accounts",
    "advised",
    "bind",
    "json_schema",
    "owners",
    "parse",
    "warnings",
]
