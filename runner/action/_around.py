"""What a change does to its bar beside the specs: which are run, and by what workflow.

A wildcard no longer matches a spec that the change removes or renames, and nothing else
would tell of it. The workflow is the change's own, whatever it asks for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from glob import has_magic
from pathlib import Path
from tempfile import TemporaryDirectory

from runner.action._specs import matches
from runner.base import Checkout, Snapshot
from runner.model import YardstickChange
from runner.settings import Settings

_OWN = ("pull_request", "merge_group")
"""Events whose workflow is that of the change; of others it is the default branch's."""
_NONE = "none"


def around(
    found: Settings, specs: Iterable[str], snapshot: Snapshot, checkout: Checkout
) -> Iterator[YardstickChange]:
    """Give the specs that are run no more, and the workflow where it is another one.

    Args:
        found: What the workflow asks for.
        specs: What is run, from the top of the workspace.
        snapshot: Of the base commit.
        checkout: What is held against it.

    Raises:
        Refused: The commit's files cannot be listed.
    """
    now = {*specs}
    for pattern in filter(has_magic, found.specs):
        for spec in _matched(pattern, snapshot, checkout):
            if spec not in now:
                now.add(spec)
                yield YardstickChange(
                    what="spec", before=spec, after="not run", moved="loosened"
                )
    workflow = found.run.workflow
    if found.change.event in _OWN and workflow.startswith(".github/"):
        yield from _workflow(workflow, snapshot, checkout)


def _matched(pattern: str, snapshot: Snapshot, checkout: Checkout) -> list[str]:
    """Give the files of the base commit that a wildcard matches, as it would there."""
    names = snapshot.matching(pattern, checkout)
    with TemporaryDirectory(prefix="rag-eval-names-") as folder:
        root = Path(folder)
        for name in names:
            if ".." not in Path(name).parts:
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).touch()
        return matches(pattern, root)


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
