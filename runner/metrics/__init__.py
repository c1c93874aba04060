"""What can be measured: a file in this folder is a metric in the registry."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from runner.metrics._declare import INPUTS, registry

__all__ = ["INPUTS", "registry"]

for _module in iter_modules(__path__):
    if not _module.name.startswith("_"):
        import_module(f"{__name__}.{_module.name}")
