"""The base classes of the mappings in a spec."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from pydantic import ConfigDict, model_validator

from runner.model import Frozen


class Part(Frozen):
    """A mapping of the spec."""

    later: ClassVar[frozenset[str]] = frozenset()
    """Keys that are planned and refused until they are built."""


def _require_one(schema: dict[str, Any], model: type[OneOf]) -> None:
    schema["oneOf"] = [{"required": [key]} for key in model.choices]


class OneOf(Part):
    """A mapping of the spec that has exactly one of some keys."""

    model_config = ConfigDict(json_schema_extra=_require_one)
    choices: ClassVar[tuple[str, ...]]

    @property
    def chosen(self) -> list[str]:
        """Those of the keys that have a value; once validated, a single one."""
        return [key for key in self.choices if getattr(self, key) not in (None, "", ())]

    @model_validator(mode="after")
    def _has_one(self) -> Self:
        given = self.chosen
        if len(given) > 1:
            raise ValueError(f"has {' and '.join(given)}, and needs one of them")
        if not given:
            raise ValueError(f"needs one of {', '.join(self.choices)}")
        return self
