"""The environment in which reports are rendered: our own templates, foreign text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import jinja2


def report_environment(
    folder: Path, filters: Mapping[str, Callable[..., Any]]
) -> jinja2.Environment:
    """Give an environment over the templates in a folder.

    HTML and XML are escaped by Jinja2; in Markdown every foreign text must pass one of
    the filters. A name that is not there is an error, never an empty string.
    """
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        undefined=jinja2.StrictUndefined,
        autoescape=_is_markup,  # noqa: S701 - Markdown has its own escapes
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        optimized=False,  # a page is rendered once, and folding constants costs more
    )
    environment.filters.update(filters)
    return environment


def _is_markup(name: str | None) -> bool:
    return (name or "").removesuffix(".j2").endswith((".html", ".xml"))
