"""The comment of a run in its pull request: one for each key, kept up to date.

Two runs may be at it at once, someone else may have written our marker, and a comment
may go at any time. Nothing that happens here changes the verdict.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from typing import Literal, NamedTuple, TypeVar

from runner.github._marker import Marker, after, key_of
from runner.github._mentions import mention_line, without_mentions
from runner.github._refusals import Reason
from runner.github.client import Comment, GitHub, Pull, Refused
from runner.settings import Change

__all__ = ["Draft", "Marker", "Written", "cancel", "key_of", "overtaken", "tell"]

Item = TypeVar("Item")

_PASSING = re.compile(
    r"\d{4}-\d\d-\d\d \d\d:\d\d UTC|took [0-9.,]+ [a-z]+"
    r"|/actions/runs/\d+(?:/attempts/\d+)?"
)
"""What differs in every run: the time, the duration, and the link to the run."""

_CANCELLED = "> ⏹️ Run "
_TWICE = (
    "another step or job of this run had written it",
    "tell them apart by the input comment-key",
)
"""Reason and hint where jobs of a matrix share one key."""


class Draft(NamedTuple):
    """The text of a comment, and whether it is worth a new one."""

    marker: Marker
    text: str
    """All of it below the marker."""
    is_wanted: bool = True
    """Whether it is worth a new comment; one that is there is renewed anyhow."""

    @property
    def body(self) -> str:
        """The whole comment, for a new one."""
        return self.following(())

    def following(self, called: Collection[str]) -> str:
        """Give the whole comment; owners mentioned before are not notified."""
        return f"{self.marker}\n{self.text}{mention_line(self.marker.owners, called)}"


class Written(NamedTuple):
    """What was done with a draft."""

    done: Literal["created", "updated", "unchanged", "left", "failed"]
    id: int | None = None
    url: str = ""
    why: str = ""
    hint: str = ""


def tell(
    github: GitHub, change: Change, drafts: Callable[[Pull], Sequence[Draft]]
) -> list[Written]:
    """Create or update the comments of a run; give what was done with each.

    Comments are listed once for all of them. Where there is no pull request to comment
    on, the one entry says why.

    Args:
        github: The repository.
        change: Leads to the pull request.
        drafts: Gives what to say in the pull request as it is now.
    """
    return _on_pull_request(github, change, drafts, Thread.tell)


def cancel(github: GitHub, change: Change, markers: Sequence[Marker]) -> list[Written]:
    """Put a banner on existing comments that a run was cancelled.

    Args:
        github: The repository.
        change: Leads to the pull request.
        markers: Of the cancelled run, one for each of its comments.
    """
    return _on_pull_request(github, change, lambda _: markers, Thread.cancel)


def _on_pull_request(
    github: GitHub,
    change: Change,
    items: Callable[[Pull], Sequence[Item]],
    act: Callable[[Thread, Item], Written],
) -> list[Written]:
    try:
        pull = github.pull_of(change)
    except Refused as refused:
        return [_refused(refused.reason)]
    if pull is None:
        return [Written("left", why="no open pull request is at the commit")]
    if not pull.is_open:
        return [Written("left", why=f"pull request #{pull.number} is closed")]
    thread = Thread(github, pull.number)
    told: list[Written] = []
    for item in items(pull):
        try:
            told.append(act(thread, item))
        except Refused as refused:
            # The next would most likely be refused as well, and each try takes time.
            return [*told, _refused(refused.reason)]
    return told


class Thread:
    """The comments of one pull request."""

    def __init__(self, github: GitHub, number: int) -> None:
        self._github = github
        self._number = number
        self._listed: list[Comment] | None = None

    def tell(self, draft: Draft) -> Written:
        """Create or update the comment of a draft.

        Raises:
            Refused: GitHub does not let it be done.
        """
        own = self._own_comments(draft.marker.key)
        if own:
            return self._renew(own, draft)
        if not draft.is_wanted:
            return Written("left", why="nothing asks for a comment")
        return self._create(draft)

    def cancel(self, marker: Marker) -> Written:
        """Put a banner on an existing comment.

        Raises:
            Refused: GitHub does not let it be done.
        """
        own = self._own_comments(marker.key)
        if not own:
            return Written("left", why="the run was cancelled before its first comment")
        latest = max(own, key=_age)
        if _age(latest) >= marker.age:
            return _left_alone(own[0])
        return self._renew(own, overtaken(latest.body, marker.run))

    def _renew(self, own: Sequence[Comment], draft: Draft) -> Written:
        try:
            # It may be another by now: others were written since all were listed.
            oldest = self._github.again(own[0])
            return self._update([oldest, *own[1:]], draft)
        except Refused as refused:
            if not refused.reason.is_gone:
                raise
        self._listed = None
        if not draft.is_wanted:
            return Written("left", why="the comment was deleted")
        return self._create(draft)

    def _update(self, own: Sequence[Comment], draft: Draft) -> Written:
        oldest, latest = own[0], max(own, key=_age)
        if _age(latest) > draft.marker.age:
            return _left_alone(oldest)
        if len(own) == 1 and _is_same(latest, draft):
            return Written("unchanged", latest.id, latest.url)
        kept = self._github.update(oldest, draft.following(_marker(latest).owners))
        self._remove(own[1:])
        if draft.is_wanted and _age(latest) == draft.marker.age:
            return Written("updated", kept.id, kept.url, *_TWICE)
        return Written("updated", kept.id, kept.url)

    def _create(self, draft: Draft) -> Written:
        """Create a comment; keep one where another run created one meanwhile.

        Each run that writes looks afterwards, so that the later of two sees both.
        """
        made = self._post(draft)
        listed = {each.id: each for each in (made, *self._again(draft.marker.key))}
        own = [listed[identity] for identity in sorted(listed)]
        oldest, latest = own[0], max(own, key=_age)
        if latest != oldest:
            then = _marker(latest)  # which has called its owners itself
            copy = Draft(then, without_mentions(after(latest.body)))
            oldest = self._github.update(oldest, copy.following(then.owners))
        self._remove(own[1:])
        done: Literal["created", "updated"] = (
            "created" if oldest.id == made.id else "updated"
        )
        return Written(done, oldest.id, oldest.url)

    def _post(self, draft: Draft) -> Comment:
        try:
            return self._github.create(self._number, draft.body)
        except Refused as refused:
            if not refused.reason.is_unsure:
                raise
        # It may have been written all the same, and must not be written twice.
        mine = [
            each
            for each in self._again(draft.marker.key)
            if _marker(each) == draft.marker
        ]
        return mine[0] if mine else self._github.create(self._number, draft.body)

    def _again(self, key: str) -> list[Comment]:
        self._listed = None
        return self._own_comments(key)

    def _own_comments(self, key: str) -> list[Comment]:
        """Give our comments with a key, oldest first."""
        if self._listed is None:
            self._listed = self._github.comments(self._number)
        marked = [each for each in self._listed if _is_of(each, key)]
        # Anyone can write our marker; the author is asked for only where it is there.
        return [each for each in marked if each.is_by(self._github.login())]

    def _remove(self, comments: Iterable[Comment]) -> None:
        for comment in comments:
            with suppress(Refused):  # what is said stands; the next run tries again
                self._github.delete(comment)


def _refused(reason: Reason) -> Written:
    done: Literal["left", "failed"] = "left" if reason.is_meant else "failed"
    return Written(done, why=reason.why, hint=reason.hint)


def _marker(comment: Comment) -> Marker:
    return Marker.read(comment.body) or Marker("", 0, 0)


def _age(comment: Comment) -> tuple[int, int]:
    return _marker(comment).age


def _is_of(comment: Comment, key: str) -> bool:
    return _marker(comment).key == key


def _left_alone(comment: Comment) -> Written:
    return Written("left", comment.id, comment.url, "a later run has written it")


def _is_same(comment: Comment, draft: Draft) -> bool:
    """Whether the texts differ only in what differs in every run."""
    then = _marker(comment)
    texts = (without_mentions(after(comment.body)), draft.text)
    told = [_PASSING.sub("", text.strip()) for text in texts]
    alike = (then.head, then.owners) == (draft.marker.head, draft.marker.owners)
    return told[0] == told[1] and alike


def overtaken(body: str, run: int) -> Draft:
    """Give a comment with a banner that a later run was cancelled."""
    then = Marker.read(body) or Marker("", 0, 0)
    banner = (
        f"{_CANCELLED}{run} was cancelled; the results below are of run {then.run}."
    )
    text = f"{banner}\n\n{_without_banner(without_mentions(after(body)))}"
    return Draft(then, text, is_wanted=False)


def _without_banner(text: str) -> str:
    is_there = text.startswith(_CANCELLED)
    return text.partition("\n")[2].lstrip("\n") if is_there else text
