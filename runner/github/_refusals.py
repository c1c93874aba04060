"""Turns the error replies of GitHub into reasons, each with a remedy."""

from __future__ import annotations

from http import HTTPStatus
from typing import NamedTuple

from runner.github._calls import Reply

_SHOWN = 200  # characters of what GitHub says


class Reason(NamedTuple):
    """Why something was not done."""

    why: str
    hint: str = ""
    """What to do about it."""
    is_gone: bool = False
    """Whether what was asked for is not there."""
    is_unsure: bool = False
    """Whether it may have been done, since no reply came."""
    is_meant: bool = False
    """Whether people want it so, and nothing is amiss."""

    def __str__(self) -> str:
        """Give the reason, and in brackets what to do about it."""
        return f"{self.why} ({self.hint})" if self.hint else self.why


class Remedy(NamedTuple):
    """What to do where the token lacks a permission."""

    hint: str
    denied: str = "the token may not write"
    is_meant: bool = False
    """Whether people want it so, and nothing is amiss."""


class Refused(Exception):
    """GitHub did not do what was asked."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason.why)
        self.reason = reason


def refusal(reply: Reply, remedy: Remedy) -> Refused:
    """Explain a reply that is no success."""
    reason = _reason(reply, remedy)
    request = reply.headers.get("x-github-request-id", "")
    if request and request.replace(":", "").isalnum():
        reason = reason._replace(why=f"{reason.why}, request {request[:_SHOWN]}")
    return Refused(reason)


def _reason(reply: Reply, remedy: Remedy) -> Reason:
    said = reply.said[:_SHOWN]
    lower = said.lower()
    if reply.status == 0:
        return Reason(f"GitHub cannot be reached: {said}", is_unsure=True)
    if reply.is_broken:
        return Reason(f"GitHub is out of order ({reply.status})", is_unsure=True)
    if reply.is_limited:
        return Reason(
            "GitHub takes no more requests for now", "run the job again later"
        )
    if "is locked" in lower:
        return Reason("the conversation is locked", is_meant=True)
    if "commenting is disabled" in lower:
        return Reason("the pull request takes no more comments", is_meant=True)
    return _by_status(reply.status, said, remedy)


def _by_status(status: int, said: str, remedy: Remedy) -> Reason:
    told = f"{status}: {said}" if said else str(status)
    if status == HTTPStatus.UNAUTHORIZED:
        return Reason(f"GitHub does not know the token ({told})", "see input token")
    if status == HTTPStatus.FORBIDDEN:
        what = f"{remedy.denied} ({told})"
        return Reason(what, remedy.hint, is_meant=remedy.is_meant)
    if status in (HTTPStatus.NOT_FOUND, HTTPStatus.GONE):
        what = f"the token sees no such thing ({told})"
        return Reason(what, remedy.hint, is_gone=True)
    return Reason(f"GitHub refused ({told})")
