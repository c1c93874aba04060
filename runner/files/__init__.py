"""Reads YAML, JSON, JSON Lines and CSV as people write them; keeps line numbers."""

from __future__ import annotations

from runner.files._cases import read_cases, read_rows
from runner.files._globs import matching
from runner.files._json import read_jsonl
from runner.files._text import name_of, named, read_bytes
from runner.files._yaml import read_document

__all__ = [
    "matching",
    "name_of",
    "named",
    "read_bytes",
    "read_cases",
    "read_document",
    "read_jsonl",
    "read_rows",
]
