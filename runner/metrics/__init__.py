"""What can be measured: a file in this folder is a metric in the registry."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from runner.metrics._declare import INPUTS, registry
from runner.metrics._evidence import NO_PASSAGES, evidence
from runner.metrics._ranking import document_of, rank
from runner.metrics._scripted import Scripted
from runner.metrics._walls import Walls, leaks, watched
from runner.metrics._words import content

__all__ = [
    "INPUTS",
    "NO_PASSAGES",
    "Scripted",
    "Walls",
    "content",
    "document_of",
    "evidence",
    "leaks",
    "rank",
    "registry",
    "watched",
]

for _module in iter_modules(__path__):
    if not _module.name.startswith("_"):
        import_module(f"{__name__}.{_module.name}")
