"""The base class of every mapping in a spec."""

from __future__ import annotations

from typing import ClassVar

from runner.model import Frozen


class Part(Frozen):
    """A mapping of the spec."""

    later: ClassVar[frozenset[str]] = frozenset()
    """Keys that are planned and refused until they are built."""
