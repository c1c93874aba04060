"""Finds the recipes whose URLs have the same path as an address."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from runner import files

_SERVER = re.compile(r"\$\{RAG_URL(:-[^}]*)?\}")
_VARIES = re.compile(r"\$\{[^}]*\}|\{\{.*?\}\}")


def matching_recipes(url: str, recipes: Path) -> list[str]:
    """Give the recipes that ask a path such as that of a URL, to be shown."""
    path = urlsplit(url).path
    names = [name for name, known in _paths(recipes) if known.fullmatch(path)]
    if not names:
        return []
    lines = [f"    rag-eval init --for {name}" for name in dict.fromkeys(names)]
    return ["", "there is a spec for a server with such an address:", *lines]


def _paths(recipes: Path) -> Iterator[tuple[str, re.Pattern[str]]]:
    """Give the path of each request of each recipe, whatever varies in it."""
    for path in sorted(recipes.glob("*.yaml")):
        endpoint: Any = files.read_document(path, root=recipes).data["endpoint"]
        for request in (endpoint, *endpoint.get("steps", ())):
            written = request.get("url", "")
            if served := _SERVER.match(written):
                plain = written[served.end() :].partition("?")[0]
                parts = map(re.escape, _VARIES.split(plain))
                yield path.stem, re.compile(".+".join(parts))
