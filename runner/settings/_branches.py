"""The default branch and the base branch of a run, as the event tells them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from runner.settings._change import Change

_BRANCH = "refs/heads/"
_OWN = {"push", "schedule", "workflow_dispatch", "repository_dispatch"}
"""Events that run what is on a branch, and by nobody from outside.

Others say the default branch too, and evaluate what a pull request brings.
"""


class Branches(NamedTuple):
    """The default and the base branch; None where the event does not tell."""

    default: str | None = None
    """The default branch of the repository."""
    base: str | None = None
    """The branch whose results are the baseline: where a pull request goes, or the
    default branch."""
    is_here: bool = False
    """Whether this is a run on the default branch."""


def branches(
    environ: Mapping[str, str], event: Mapping[str, Any], change: Change
) -> Branches:
    """Read the branches of a run from its event."""
    repository = event.get("repository")
    told = repository.get("default_branch") if isinstance(repository, Mapping) else None
    default = told if isinstance(told, str) and told else None
    reference = environ.get("GITHUB_REF", "")
    if default is None and change.event == "schedule":
        # A schedule runs on the default branch alone, and need not say which it is.
        default = reference.removeprefix(_BRANCH) or None
    own = change.event in _OWN and default is not None
    return Branches(
        default=default,
        base=change.base or default,
        is_here=own and reference == f"{_BRANCH}{default}",
    )
