"""Whether a spec may be a stranger's, and whether the event provides secrets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from runner.settings._change import Change, mapping, of_kind
from runner.settings._rights import BOT, PRIVILEGED

_OF_PULLS = frozenset(
    {"pull_request", "pull_request_review", "pull_request_review_comment"}
)
_OF_DEPENDABOT = _OF_PULLS | {
    *("push", "create", "deployment", "deployment_status", "pull_request_target")
}
"""What GitHub starts for Dependabot as it does for a fork."""


def own_commits(environ: Mapping[str, str], event: Mapping[str, Any]) -> frozenset[str]:
    """Give the commits that a privileged event says are the repository's own.

    These are what it checks out by itself, and the base of the pull request.
    """
    base = mapping(mapping(event, "pull_request"), "base")
    found = (environ.get("GITHUB_SHA"), of_kind(str, base, "sha"))
    return frozenset(filter(None, found))


def stranger(change: Change, checked_out: str | None, own: frozenset[str]) -> str:
    """Say why a spec may be a stranger's, who would be given the secrets through it.

    Gives nothing where it is the repository's own, and where the event hands out no
    secret. A pull request's own event, ``pull_request``, is no matter of the spec: its
    workflow is the stranger's as well, and GitHub decides what it gets.

    Args:
        change: What the event tells.
        checked_out: The commit that the spec was checked out at; None where there is
            none to be found.
        own: Commits of the repository.
    """
    asked_for = change.event == "issue_comment" and change.number is not None
    if not asked_for and not (change.event in PRIVILEGED and change.fork):
        return ""
    if checked_out in own:
        return ""
    whose = f"commit {checked_out[:7]}" if checked_out else "no known commit"
    return (
        f"{change.event} hands this repository's secrets to a spec that is of {whose}, "
        "and not of its own branches"
    )


def withheld(change: Change, actor: str) -> str:
    """Say why the event hands out no secret; nothing where it does.

    Args:
        change: What the event tells.
        actor: Who caused the run.
    """
    if change.fork and change.event in _OF_PULLS:
        return "a pull request from a fork gets no secrets and no variables"
    if actor == BOT and change.event in _OF_DEPENDABOT:
        return "a run of Dependabot gets no secrets but those of Dependabot"
    return ""
