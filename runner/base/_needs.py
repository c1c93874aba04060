"""Which files of a commit a spec needs: cases, baseline, and those of its judge.

What is read here may be a spec with mistakes in it, which are told elsewhere.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from fnmatch import translate
from glob import has_magic
from typing import Any

from runner.baseline import CASES, RESULTS


def cases(data: Any, spec: str) -> Iterator[str]:
    """Give the paths and globs of a spec's case files, from the top of the workspace.

    Args:
        data: What the spec's file holds.
        spec: Its path from the top of the workspace.
    """
    written = data.get("cases") if isinstance(data, dict) else None
    for each in written if isinstance(written, list) else [written]:
        path = each.get("path") if isinstance(each, dict) else each
        yield from _inside(path, spec)


def baseline(data: Any, spec: str) -> Iterator[str]:
    """Give the files of the baseline that a spec names by its path."""
    for folder in _inside(_value(data, "baseline", "path"), spec):
        yield from (f"{folder}/{name}" for name in (RESULTS, CASES))


def judge(data: Any, spec: str) -> Iterator[str]:
    """Give the files of a spec's judge: its calibration, recording and cache."""
    for key in ("calibration", "recorded", "cache"):
        yield from _inside(_value(data, "judge", key), spec)


def _value(data: Any, block: str, key: str) -> Any:
    written = data.get(block) if isinstance(data, dict) else None
    return written.get(key) if isinstance(written, dict) else None


def _inside(written: Any, spec: str) -> Iterator[str]:
    """Give a path of a spec from the top of the workspace; nothing if it leads out."""
    if not isinstance(written, str) or not written or "\0" in written:
        return
    start = "" if written.startswith("/") else posixpath.dirname(spec)
    path = posixpath.normpath(posixpath.join(start, written.lstrip("/")))
    if path.split("/")[0] not in ("", ".", ".."):
        yield path


def folder(pattern: str) -> str:
    """Give the deepest folder that holds every match of a path or glob.

    >>> folder("evals/cases/**/*.csv"), folder("evals/rag.yaml"), folder("*.csv")
    ('evals/cases', 'evals', '')
    """
    *above, _ = pattern.split("/")
    fixed = next((n for n, part in enumerate(above) if has_magic(part)), len(above))
    return "/".join(above[:fixed])


def matching(pattern: str, paths: Iterable[str]) -> Iterator[str]:
    """Give all paths that a path or a glob matches, and perhaps more."""
    # A wildcard of fnmatch matches a slash too, so that ** is no more than *.
    form = re.compile(translate(pattern.replace("**/", "*")))
    for path in paths:
        if path == pattern or form.match(path):
            yield path
