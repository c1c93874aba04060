"""Which specs a step runs, and where the results of each go."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from glob import has_magic
from os.path import normpath
from pathlib import Path, PurePath

from runner.errors import InputError
from runner.files import matching


def find(patterns: Iterable[str], root: Path) -> tuple[str, ...]:
    """Find the specs of paths and globs, each once, relative to the workspace.

    A path without wildcards is given whether or not it is there.

    Raises:
        InputError: A glob matches no file.
    """
    found: dict[str, None] = {}
    for pattern in patterns:
        names = matches(pattern, root) if has_magic(pattern) else [normpath(pattern)]
        if not names:
            raise InputError(f"input spec: {pattern} matches no file")
        found |= dict.fromkeys(names)
    return tuple(found)


def matches(pattern: str, root: Path) -> list[str]:
    """Give the files that a glob matches, in order, relative to the workspace.

    Raises:
        InputError: It is no glob.
    """
    try:
        found = matching(pattern, root)
    except ValueError as error:
        raise InputError(f"input spec: {pattern} {error}") from None
    return [path.relative_to(root).as_posix() for path in found]


def folders(specs: Sequence[str], out: str) -> tuple[PurePath, ...]:
    """Give the folder of each spec's results: ``out``, or one below it for each.

    Raises:
        InputError: Two specs would share one.
    """
    if len(specs) == 1:
        return (PurePath(out),)
    found: dict[PurePath, str] = {}
    for spec in specs:
        folder = PurePath(out, spec.lstrip("/")).with_suffix("")
        if folder in found:
            raise InputError(
                f"input spec: the results of {found[folder]} and {spec} would go to "
                f"one folder, {folder}",
                hint="rename one of them",
            )
        found[folder] = spec
    return tuple(found)
