"""What a pull request changes outside of its specs: which specs run, and the workflow.

A spec that is removed or renamed is no longer matched by the input ``spec``, so that no
run would tell of it. The workflow that runs is the pull request's own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from glob import has_magic
from itertools import chain, islice
from pathlib import Path
from tempfile import TemporaryDirectory

from runner.action._specs import matches
from runner.base import Checkout, Snapshot
from runner.github.client import Refused
from runner.model import YardstickChange
from runner.settings import Settings

_OWN = ("pull_request", "merge_group")
"""Events that run the workflow of the change, not that of the default branch."""
_NONE = "none"
_MOST_GONE = 10
"""The most files that are fetched to find a renamed spec."""


def step_changes(
    config: Settings, specs: Iterable[str], snapshot: Snapshot, checkout: Checkout
) -> Iterator[YardstickChange]:
    """Give specs that are no longer run, and the workflow if it changed.

    Args:
        config: The inputs of the action, and its event.
        specs: What is run, from the top of the workspace.
        snapshot: Of the base commit.
        checkout: What is held against it.

    Raises:
        Refused: The commit's files cannot be listed.
    """
    now = {*specs}
    matched = (
        _matching(pattern, snapshot, checkout)
        for pattern in filter(has_magic, config.specs)
    )
    gone = {*chain.from_iterable(matched)} - now
    if any(snapshot.same(spec, checkout) is None for spec in now):
        with suppress(Refused):  # of a repository too large to be listed, or of links
            gone |= {*_specs_gone(snapshot, checkout)}
    for spec in sorted(gone):
        yield YardstickChange(
            what="spec", before=spec, after="not run", moved="loosened"
        )
    workflow = config.run.workflow
    if config.change.event in _OWN and workflow.startswith(".github/"):
        yield from _workflow(workflow, snapshot, checkout)


def _matching(pattern: str, snapshot: Snapshot, checkout: Checkout) -> list[str]:
    """Give the files of the base commit that a glob matches."""
    names = snapshot.matching(pattern, checkout)
    with TemporaryDirectory(prefix="rag-eval-names-") as folder:
        root = Path(folder)
        for name in names:
            if ".." not in Path(name).parts:
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).touch()
        return matches(pattern, root)


def _specs_gone(snapshot: Snapshot, checkout: Checkout) -> Iterator[str]:
    """Give the specs of the base commit that no longer exist.

    Of very many files that are gone the first are looked at.
    """
    top = f"{checkout.folder}/" * bool(checkout.folder)
    ends = ("yaml", "yml")
    names = (snapshot.matching(f"{top}**/*.{end}", checkout) for end in ends)
    gone = (
        name
        for name in chain.from_iterable(names)
        if not name.startswith(f"{top}.github/") and not (checkout.root / name).exists()
    )
    for name in islice(gone, _MOST_GONE):
        if snapshot.has_spec(name, checkout):
            yield name


def _workflow(
    path: str, snapshot: Snapshot, checkout: Checkout
) -> Iterator[YardstickChange]:
    name = f"{checkout.folder}/{path}".lstrip("/")
    same = snapshot.same(name, checkout)
    if same is not True and (checkout.root / name).is_file():
        yield YardstickChange(
            what="workflow",
            before=_NONE if same is None else path,
            after=path if same is None else "other",
            moved="changed",
        )
