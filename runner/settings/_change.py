"""Reads from the event which commit is evaluated, and of which pull request."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeVar

Value = TypeVar("Value")

_QUEUED = re.compile(r"refs/heads/gh-readonly-queue/.+/pr-([1-9][0-9]{0,9})-[0-9a-f]+")
_BRANCH = "refs/heads/"
_MERGED = "pull_request"
"""The event whose commit is a merge of the pull request; of all others it is none."""
_NOBODY = {"0" * 40, "0" * 64}
"""What stands for the commit of a branch that was deleted."""


class Change(NamedTuple):
    """The commit that is evaluated, and its pull request, as the event tells them."""

    event: str = ""
    commit: str | None = None
    """Of a pull request its head, which its author knows, not the merge of it; None
    where the workflow chooses by itself what to check out."""
    number: int | None = None
    """Of the pull request."""
    base: str | None = None
    """The branch that the pull request is to be merged into."""
    base_commit: str | None = None
    """Its commit by the event, which may be older than the one merged into."""
    fork: bool = False
    private: bool = False
    """Whether the repository is private: only there a token of a fork may write."""
    head: str | None = None
    """``owner:branch``, for events that do not name the pull request."""
    merge: str | None = None
    """The merge of the commit into its base, where that was checked out."""
    run: str = ""
    """The id of the run that triggered this one; empty for other events."""
    attempt: str = ""
    """Which attempt of that run."""

    def __str__(self) -> str:
        """Describe it for the log."""
        words = [self.event or "no event"]
        if self.number is not None:
            words.append(f"#{self.number}")
            words += [f"into {self.base}"] if self.base else []
        if self.fork:
            words.append("from a fork")
        if self.commit:
            words.append(f"at {self.commit[:7]}")
        return " ".join(words)


def change(environ: Mapping[str, str], event: Mapping[str, Any]) -> Change:
    """Read from an event which commit is evaluated, and of which pull request."""
    name = environ.get("GITHUB_EVENT_NAME", "")
    commit = environ.get("GITHUB_SHA") or None
    for key, read in _READ.items():
        told = mapping(event, key)
        found = read(told, event) if told else None
        if found:
            merge = commit if name == _MERGED else None
            return found._replace(event=name, merge=merge)
    if name == "push":
        return _pushed(event, commit)
    return Change(name, commit)


def _of_pull(pull: Mapping[str, Any], _: Mapping[str, Any]) -> Change:
    head, base = mapping(pull, "head"), mapping(pull, "base")
    ours = mapping(base, "repo")
    return Change(
        commit=of_kind(str, head, "sha"),
        number=of_kind(int, pull, "number"),
        base=of_kind(str, base, "ref"),
        base_commit=of_kind(str, base, "sha"),
        fork=_is_another(mapping(head, "repo"), ours),
        private=ours.get("private") is True,
    )


def _of_triggering(run: Mapping[str, Any], event: Mapping[str, Any]) -> Change:
    # Its list of pull requests is empty for forks, and need not be what triggered it.
    theirs, ours = mapping(run, "head_repository"), mapping(event, "repository")
    owner = of_kind(str, mapping(theirs, "owner"), "login")
    branch = of_kind(str, run, "head_branch")
    return Change(
        commit=of_kind(str, run, "head_sha"),
        fork=bool(ours) and _is_another(theirs, ours),
        private=ours.get("private") is True,
        head=f"{owner}:{branch}" if owner and branch else None,
        run=str(of_kind(int, run, "id") or ""),
        attempt=str(of_kind(int, run, "run_attempt") or ""),
    )


def _of_queue(group: Mapping[str, Any], _: Mapping[str, Any]) -> Change:
    number = _QUEUED.fullmatch(of_kind(str, group, "head_ref") or "")
    return Change(
        commit=of_kind(str, group, "head_sha"),
        number=int(number[1]) if number else None,
        base=(of_kind(str, group, "base_ref") or "").removeprefix(_BRANCH) or None,
        base_commit=of_kind(str, group, "base_sha"),
    )


def _of_issue(issue: Mapping[str, Any], _: Mapping[str, Any]) -> Change | None:
    if not isinstance(issue.get("pull_request"), Mapping):
        return None
    return Change(number=of_kind(int, issue, "number"))


_READ = {
    "pull_request": _of_pull,
    "workflow_run": _of_triggering,
    "merge_group": _of_queue,
    "issue": _of_issue,
}
"""Key of the payload to the function that reads the change from it."""


def _pushed(event: Mapping[str, Any], commit: str | None) -> Change:
    after = of_kind(str, event, "after")
    return Change("push", commit if after in (None, *_NOBODY) else after)


def _is_another(theirs: Mapping[str, Any], ours: Mapping[str, Any]) -> bool:
    # The repository is null where a fork was deleted.
    return theirs.get("full_name") != ours.get("full_name")


def of_kind(kind: type[Value], data: Mapping[str, Any], key: str) -> Value | None:
    """Give the value of a key, None where it is of another type."""
    value = data.get(key)
    return value if type(value) is kind else None


def mapping(data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """Give the mapping under a key, an empty one where there is none."""
    value = data.get(key)
    return value if isinstance(value, Mapping) else {}
