"""The environment in which reports are rendered: our own templates, foreign text."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any

import jinja2
from jinja2.bccache import Bucket, FileSystemBytecodeCache


def report_environment(
    folder: Path,
    filters: Mapping[str, Callable[..., Any]],
    *,
    keep: bool = not sys.dont_write_bytecode,
) -> jinja2.Environment:
    """Give an environment over the templates in a folder.

    HTML and XML are escaped by Jinja2; in Markdown every foreign text must pass one of
    the filters. A name that is not there is an error, never an empty string.

    Args:
        folder: Of the templates.
        filters: By the name that templates call them.
        keep: Whether compiled templates are kept, where Python keeps modules.
    """
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        undefined=jinja2.StrictUndefined,
        autoescape=_is_markup,  # noqa: S701 - Markdown has its own escapes
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        optimized=False,  # a page is rendered once, and folding constants costs more
        bytecode_cache=_Compiled(folder, keep=keep),
    )
    environment.filters.update(filters)
    return environment


class _Compiled(FileSystemBytecodeCache):
    """Compiled templates, which else take most of the time of a report.

    What was compiled from another text, or before this module changed, is not taken;
    what cannot be read is compiled again, and what cannot be written is not kept.
    """

    def __init__(self, folder: Path, *, keep: bool) -> None:
        super().__init__(str(Path(cache_from_source(folder / "page.py")).parent))
        self._keep = keep
        self._of = Path(__file__).stat().st_mtime_ns

    def get_source_checksum(self, source: str) -> str:
        return super().get_source_checksum(f"{self._of}\n{source}")

    def load_bytecode(self, bucket: Bucket) -> None:
        try:
            super().load_bytecode(bucket)
        except Exception:  # noqa: BLE001 - whatever a damaged file makes of it
            bucket.reset()

    def dump_bytecode(self, bucket: Bucket) -> None:
        if not self._keep:
            return
        with suppress(OSError):
            Path(self.directory).mkdir(parents=True, exist_ok=True)
            super().dump_bytecode(bucket)


def _is_markup(name: str | None) -> bool:
    return (name or "").removesuffix(".j2").endswith((".html", ".xml"))
