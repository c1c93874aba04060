"""Copies what each spec of a pull request needs at the base commit into a folder."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from runner import files
from runner.action._checkout import COMMIT, commit_of, repository_of
from runner.action._git_objects import parents
from runner.action._step_changes import step_changes
from runner.base import BaseCommit, Checkout, Git, Objects, Snapshot
from runner.errors import InputError
from runner.github.client import Reason, Refused
from runner.github.contents import Contents, connect
from runner.model import YardstickChange
from runner.session import RunOptions
from runner.settings import Settings

_NO_TOKEN = Reason("there is no token", "leave the input token out")


@contextmanager
def with_base_commit(
    runs: Sequence[RunOptions], config: Settings, root: Path
) -> Iterator[list[RunOptions]]:
    """Give the runs with a copy of the workspace at the base commit, while it exists.

    Where it cannot be read, ``unknown`` says why; that does not decide the verdict. A
    run with ``--before`` stays as it is, and so do all where the event has no base
    commit.

    Args:
        runs: Of the step, one for each spec.
        config: The inputs of the action, and its event.
        root: The workspace.
    """
    if not COMMIT.fullmatch(config.change.base_commit or ""):
        yield list(runs)
        return
    with TemporaryDirectory(prefix="rag-eval-base-") as folder, ExitStack() as stack:
        github = None
        if config.token:
            github = stack.enter_context(closing(connect(config.run, config.token)))
        specs = [options.spec.relative_to(root).as_posix() for options in runs]
        base = _BaseCommit(config, root, Path(folder), github, specs)
        yield [
            options if options.base.folder else base.beside(options) for options in runs
        ]


class _BaseCommit:
    """Reads what specs need: from GitHub, else from the checkout itself."""

    def __init__(
        self,
        config: Settings,
        root: Path,
        to: Path,
        github: Contents | None,
        specs: Sequence[str],
    ) -> None:
        self._config = config
        self._root = Path(os.path.realpath(root))
        self._to = to
        self._github = github
        self._made: dict[Objects | Path, _Source] = {}
        self._specs = specs
        self._told = False

    def beside(self, options: RunOptions) -> RunOptions:
        """Give a run with the folder of the base commit, or with why there is none."""
        at = commit_of(options.spec, self._root)
        change = self._config.change
        if at not in (None, change.merge, change.commit):
            if at in self._config.own:
                return options  # the base itself is evaluated
            why = f"{(at or '')[:7]} is checked out, which is not of the event"
            return _without_base(options, Reason(why))
        try:
            spec = files.name_of(options.spec, self._root)
        except InputError:
            return options  # the run says so
        repository = repository_of(options.spec, self._root) or self._root
        inner = repository.relative_to(self._root).as_posix().removeprefix(".")
        checkout = Checkout(self._root, inner)
        refused = None if self._github else _NO_TOKEN
        for source in self._sources(repository, is_merge=at != change.commit):
            try:
                source.snapshot.add(spec, checkout)
                around = tuple(self._changes_outside(source.snapshot, checkout))
            except Refused as error:
                refused = refused or error.reason
            else:
                self._told = True
                found = BaseCommit(source.folder, source.commit, changes=around)
                return options._replace(base=found)
        return _without_base(options, refused or _NO_TOKEN)

    def _changes_outside(
        self, snapshot: Snapshot, checkout: Checkout
    ) -> Iterator[YardstickChange]:
        """Give the changes outside of the spec files, once for all specs."""
        if not self._told:
            yield from step_changes(self._config, self._specs, snapshot, checkout)

    def _sources(self, repository: Path, *, is_merge: bool) -> Iterator[_Source]:
        merged = repository if is_merge else None
        if self._github:
            yield self._source(self._github, self._github, merged)
        yield self._source(repository, Git(repository), merged)

    def _source(
        self, key: Objects | Path, objects: Objects, merged: Path | None
    ) -> _Source:
        if key not in self._made:
            folder = self._to / str(len(self._made))
            folder.mkdir()
            commit = self._commit(objects, merged) if merged else self._event_commit
            snapshot = Snapshot(folder, objects, commit)
            self._made[key] = _Source(folder, commit, snapshot)
        return self._made[key]

    @property
    def _event_commit(self) -> str:
        return self._config.change.base_commit or ""

    def _commit(self, objects: Objects, repository: Path) -> str:
        """Give the commit that the checked out merge commit has as its base.

        It may be later than what the event says, which would charge the change with
        what others have done since. The checkout knows it without a call.
        """
        merge = self._config.change.merge
        if not merge:
            return self._event_commit
        try:
            of_merge = parents(repository, merge) or objects.parents(merge)
        except Refused:
            return self._event_commit
        into = next(iter(of_merge[:-1]), "")
        return into if COMMIT.fullmatch(into) else self._event_commit


class _Source(NamedTuple):
    folder: Path
    commit: str
    snapshot: Snapshot


def _without_base(options: RunOptions, reason: Reason) -> RunOptions:
    unknown = (
        f"THE BASE COMMIT WAS NOT READ: {reason}. What this change loosens is not "
        "known, and a baseline is taken as the change has it"
    )
    return options._replace(base=BaseCommit(unknown=unknown))
