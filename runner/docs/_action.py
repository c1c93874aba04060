"""The tables of the action's inputs and outputs, from action.yml."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from runner.docs._table import table


def inputs_table(declared: Mapping[str, Any]) -> str:
    """Give every input with its default and what it is for."""
    rows = [
        (f"`{name}`", _default(each), each["description"])
        for name, each in declared["inputs"].items()
    ]
    return table(("Input", "Default", "What"), rows)


def outputs_table(declared: Mapping[str, Any]) -> str:
    """Give every output with what it says."""
    rows = [
        (f"`{name}`", each["description"]) for name, each in declared["outputs"].items()
    ]
    return table(("Output", "What"), rows)


def _default(declared: Mapping[str, Any]) -> str:
    if declared.get("required"):
        return "needed"
    return f"`{declared['default']}`" if declared["default"] else "–"
