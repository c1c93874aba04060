"""Whether a comment can be written, and what to do where it cannot.

Told by the event alone, before anything is asked of GitHub.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from runner.settings._change import Change

PullOrigin = Literal["ours", "fork", "dependabot"]
"""Where a pull request comes from, which decides what its token may do."""

NEEDED = "permissions: {contents: read, pull-requests: write}"
"""The permissions of a job that comments."""

REMEDIES: Mapping[PullOrigin, str] = {
    "ours": f"add to the job `{NEEDED}`",
    "fork": "its token can only read; a second workflow, on workflow_run, can publish "
    "the results",
    "dependabot": f"its token can only read, unless the job says `{NEEDED}`",
}
"""What helps where a token may not write."""

BOT = "dependabot[bot]"
"""Who causes the runs of Dependabot."""

PRIVILEGED = {"pull_request_target", "workflow_run", "issue_comment"}
"""Events that run with the rights of the repository, whoever caused them."""


class NoComment(NamedTuple):
    """Why no comment is written; nothing went wrong."""

    why: str
    hint: str = ""
    """What to do to get one."""


def pull_origin(change: Change, actor: str) -> PullOrigin:
    """Give where a pull request comes from; ``actor`` is who caused the event."""
    if actor == BOT:
        return "dependabot"
    # What follows a fork's run is this repository's own, and may be let do more.
    return "fork" if change.fork and not change.run else "ours"


def why_no_comment(change: Change, token: str) -> NoComment | None:
    """Give why no comment can be written on a change; None where one can."""
    if change.event == "merge_group":
        return NoComment("a merge queue is no place for comments")
    if change.number is None and change.head is None and change.event != "push":
        return NoComment("the event is of no pull request")
    if not token:
        return NoComment("there is no token", "leave the input token out")
    is_let = change.event in PRIVILEGED or change.private
    if change.fork and not is_let:
        # Only of a private repository can an administrator let forks write.
        return NoComment("the pull request is from a fork", REMEDIES["fork"])
    return None
