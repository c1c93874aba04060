"""The workspace at the base commit, beside each spec of a pull request."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from runner import files
from runner.action._around import around
from runner.action._checkout import commit_of, repository_of
from runner.action._merge import parents
from runner.base import Checkout, Git, Objects, Snapshot
from runner.errors import InputError
from runner.model import YardstickChange
from runner.publish.contents import Contents, connect
from runner.publish.github import Reason, Refused
from runner.session import Order
from runner.settings import Settings

_COMMIT = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")
_NO_TOKEN = Reason("there is no token", "leave the input token out")


@contextmanager
def beside_base(
    orders: Sequence[Order], found: Settings, root: Path
) -> Iterator[list[Order]]:
    """Give the orders with the workspace at the base commit, while it is there.

    What keeps it from being read is said in the order, and is no matter for the
    verdict. An order that was given one by hand stays as it is, and so do all where
    the event has no base commit.

    Args:
        orders: Of a step.
        found: What the workflow asks for.
        root: The workspace.
    """
    if not _COMMIT.fullmatch(found.change.base_commit or ""):
        yield list(orders)
        return
    with TemporaryDirectory(prefix="rag-eval-base-") as folder, ExitStack() as stack:
        github = None
        if found.token:
            github = stack.enter_context(closing(connect(found.run, found.token)))
        specs = [order.spec.relative_to(root).as_posix() for order in orders]
        base = _Base(found, root, Path(folder), github, specs)
        yield [order if order.before else base.beside(order) for order in orders]


class _Base:
    """Reads what specs need: from GitHub, else from the checkout itself."""

    def __init__(
        self,
        found: Settings,
        root: Path,
        to: Path,
        github: Contents | None,
        specs: Sequence[str],
    ) -> None:
        self._found = found
        self._root = Path(os.path.realpath(root))
        self._to = to
        self._github = github
        self._made: dict[Objects | Path, _Source] = {}
        self._specs = specs
        self._told = False

    def beside(self, order: Order) -> Order:
        """Give an order with the workspace at the base commit, or with what kept it."""
        at = commit_of(order.spec, self._root)
        change = self._found.change
        if at not in (None, change.merge, change.commit):
            if at in self._found.own:
                return order  # the base itself is evaluated
            why = f"{(at or '')[:7]} is checked out, which is not of the event"
            return _unknown(order, Reason(why))
        try:
            spec = files.name_of(order.spec, self._root)
        except InputError:
            return order  # the run says so
        repository = repository_of(order.spec, self._root) or self._root
        inner = repository.relative_to(self._root).as_posix().removeprefix(".")
        checkout = Checkout(self._root, inner)
        refused = None if self._github else _NO_TOKEN
        for source in self._sources(repository, is_merge=at != change.commit):
            try:
                source.snapshot.add(spec, checkout)
                moved = tuple(self._around(source.snapshot, checkout))
            except Refused as error:
                refused = refused or error.reason
            else:
                self._told = True
                return order._replace(
                    before=source.folder, base=source.commit, moved=moved
                )
        return _unknown(order, refused or _NO_TOKEN)

    def _around(
        self, snapshot: Snapshot, checkout: Checkout
    ) -> Iterator[YardstickChange]:
        """Give what moved beside the specs, with the first of them."""
        if not self._told:
            yield from around(self._found, self._specs, snapshot, checkout)

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
            commit = self._commit(objects, merged) if merged else self._event
            snapshot = Snapshot(folder, objects, commit)
            self._made[key] = _Source(folder, commit, snapshot)
        return self._made[key]

    @property
    def _event(self) -> str:
        return self._found.change.base_commit or ""

    def _commit(self, objects: Objects, repository: Path) -> str:
        """Give what the checked out commit was merged into.

        It may be later than what the event says, which would charge the change with
        what others have done since. The checkout knows it without a call.
        """
        merge = self._found.change.merge
        if not merge:
            return self._event
        try:
            of_merge = parents(repository, merge) or objects.parents(merge)
        except Refused:
            return self._event
        into = next(iter(of_merge[:-1]), "")
        return into if _COMMIT.fullmatch(into) else self._event


class _Source(NamedTuple):
    folder: Path
    commit: str
    snapshot: Snapshot


def _unknown(order: Order, reason: Reason) -> Order:
    hint = f" ({reason.hint})" if reason.hint else ""
    return order._replace(
        unknown=f"THE BASE COMMIT WAS NOT READ: {reason.why}{hint}. What this change "
        "loosens is not known, and a baseline is taken as the change has it"
    )
