"""Why GitHub did not do what was asked, and what to do about it, in plain words."""

from __future__ import annotations

from typing import Literal

from runner.publish._calls import Reply

Stance = Literal["ours", "fork", "dependabot"]
"""Whose pull request it is: what the token may do hangs on it."""

_NEEDED = "permissions: {contents: read, pull-requests: write}"
_REMEDIES = {
    "ours": f"add to the job: {_NEEDED}",
    "fork": "a fork's token can only read; publish from a second workflow, on "
    "workflow_run",
    "dependabot": "for Dependabot a token can only read unless the job says: "
    f"{_NEEDED}",
}
_SHOWN = 200


class Refused(Exception):  # noqa: N818 - becomes a Told, never leaves the package
    """GitHub did not do what was asked.

    Args:
        why: In plain words.
        hint: What to do about it.
        gone: Whether what was asked for is not there.
        unsure: Whether it may have been done all the same.
    """

    def __init__(
        self, why: str, hint: str = "", *, gone: bool = False, unsure: bool = False
    ) -> None:
        super().__init__(why)
        self.hint = hint
        self.gone = gone
        self.unsure = unsure


def refusal(reply: Reply, stance: Stance) -> Refused:
    """Explain a reply that is no success."""
    said = reply.said[:_SHOWN]
    if reply.is_broken:
        what = f"GitHub answered {reply.status}" if reply.status else said
        return Refused(what, "run it again", unsure=True)
    if reply.is_limited:
        return Refused("GitHub's limit of requests is reached", "run it again later")
    why, hint = _explained(reply.status, said, stance)
    identity = reply.headers.get("x-github-request-id", "")
    if identity.replace(":", "").isalnum():
        why = f"{why}, request {identity}"
    return Refused(why, hint, gone=reply.status in (404, 410))


def _explained(status: int, said: str, stance: Stance) -> tuple[str, str]:
    lower = said.lower()
    if "locked" in lower:
        return "the conversation is locked", "unlock it to have a comment"
    if "2500 comments" in lower or "commenting is disabled" in lower:
        return "the pull request takes no more comments", "it has 2,500"
    if status == 401:  # noqa: PLR2004 - beside the words for it
        return "GitHub does not know the token", "check the input token"
    if status == 403:  # noqa: PLR2004
        return f"the token may not do it: {said}", _REMEDIES[stance]
    if status == 404:  # noqa: PLR2004
        return "it is not there, or the token may not see it", _REMEDIES[stance]
    return f"GitHub answered {status}: {said}", ""
