"""The few calls of GitHub's API that a comment needs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit

from runner.github._calls import PATIENCE, Call, Caller, Reply
from runner.github._refusals import Reason, Refused, Remedy, refusal
from runner.github._replies import found, odd, text
from runner.settings import REMEDIES, Change, PullOrigin, Settings, pull_origin

__all__ = [
    "PATIENCE",
    "Caller",
    "Comment",
    "GitHub",
    "Pull",
    "Reason",
    "Refused",
    "connect",
]

_PAGE = 100  # the most that GitHub gives at once
_PAGES = 30  # a pull request takes 2,500 comments
_NEXT = re.compile(r'<([^<>]+)>\s*;\s*rel="next"')
_VIEWER = "query{viewer{login}}"
_SEEN = (
    "query($owner:String!,$name:String!,$number:Int!){viewer{login}"
    "repository(owner:$owner,name:$name)"
    "{pullRequest(number:$number){headRefOid state}}}"
)
_BOT = "[bot]"
_DEFAULT = "github-actions[bot]"
"""The owner of a workflow's token, which GitHub does not tell everywhere."""


class Pull(NamedTuple):
    """A pull request."""

    number: int
    head: str
    """The commit that it is at now."""
    is_open: bool


class Comment(NamedTuple):
    """A comment in a pull request."""

    id: int
    url: str
    body: str
    login: str
    is_bot: bool

    def is_by(self, login: str) -> bool:
        """Whether an account wrote it; ``[bot]`` after its name is ignored."""
        if not self.is_bot:
            return self.login.casefold() == login.casefold()
        bare = {name.casefold().removesuffix(_BOT) for name in (self.login, login)}
        return len(bare) == 1


class GitHub:
    """The pull requests and comments of one repository.

    Args:
        api: Root of the REST API, which an enterprise has elsewhere.
        graphql: The GraphQL API.
        repository: ``owner/name``.
        origin: Of the pull request, for the remedy where GitHub refuses.
        caller: Makes the calls.
    """

    def __init__(
        self,
        api: str,
        graphql: str,
        repository: str,
        origin: PullOrigin,
        caller: Caller,
    ) -> None:
        self._root = f"{api}/repos/{repository}"
        self._repository = repository
        self._api = api
        self._graphql = graphql
        self._remedy = Remedy(REMEDIES[origin], is_meant=origin != "ours")
        self._caller = caller
        self._login = ""
        self._is_asked = False

    def close(self) -> None:
        """Drop the connections."""
        self._caller.close()

    def pull_of(self, change: Change) -> Pull | None:
        """Find the pull request of a change; of several the last opened.

        Raises:
            Refused: GitHub does not tell.
        """
        if change.number is not None:
            return self.pull(change.number)
        if change.commit is None:
            return None
        if change.head is not None:
            pulls = self.pulls_from(change.head, change.commit)
        else:
            pulls = self.pulls_of(change.commit)
        return pulls[-1] if pulls else None

    def pull(self, number: int) -> Pull:
        """Give a pull request as it is now.

        As whom the token writes is told in the same call, which REST tells no app.

        Raises:
            Refused: GitHub does not give it.
        """
        owner, _, name = self._repository.partition("/")
        of_it = {"owner": owner, "name": name, "number": number}
        # Where GraphQL is not to be had, REST is asked instead, as often as it takes.
        seen = self._query(_SEEN, of_it, repeatable=False)
        with suppress(Refused):
            return Pull(
                number,
                head=found(str, seen, "repository", "pullRequest", "headRefOid"),
                is_open=text(seen, "repository", "pullRequest", "state") == "OPEN",
            )
        # Only REST says why it refuses.
        return _pull(self._done(Call("GET", f"{self._root}/pulls/{number}")).data)

    def pulls_of(self, commit: str) -> list[Pull]:
        """Give the open pull requests whose head is the commit, oldest first.

        Raises:
            Refused: GitHub does not tell.
        """
        query = urlencode({"per_page": _PAGE})
        return self._open_at(commit, f"{self._root}/commits/{commit}/pulls?{query}")

    def pulls_from(self, head: str, commit: str) -> list[Pull]:
        """Give the open pull requests from ``owner:branch`` that are at the commit.

        What a run says of its pull requests is empty for forks, and what an artifact
        says may be forged: these two together name the pull request of a run.

        Raises:
            Refused: GitHub does not tell.
        """
        query = urlencode({"head": head, "state": "open", "per_page": _PAGE})
        return self._open_at(commit, f"{self._root}/pulls?{query}")

    def comments(self, number: int) -> list[Comment]:
        """Give all comments of a pull request, oldest first.

        Raises:
            Refused: GitHub does not give them.
        """
        query = urlencode({"per_page": _PAGE})
        url = f"{self._root}/issues/{number}/comments?{query}"
        return sorted(map(_comment, self._pages(url)), key=lambda each: each.id)

    def again(self, comment: Comment) -> Comment:
        """Give a comment as it is now.

        Raises:
            Refused: GitHub does not give it; ``is_gone`` where it was deleted.
        """
        return _comment(self._done(Call("GET", self._at_id(comment))).data)

    def login(self) -> str:
        """Give the account of the token; asked once."""
        if not self._login:
            self._login = self._ask_login() or _DEFAULT
        return self._login

    def create(self, number: int, body: str) -> Comment:
        """Write a comment.

        Raises:
            Refused: It was not written, or nobody knows whether it was.
        """
        url = f"{self._root}/issues/{number}/comments"
        call = Call("POST", url, {"body": body}, repeatable=False)
        made = _comment(self._done(call).data)
        self._login = made.login
        return made

    def update(self, comment: Comment, body: str) -> Comment:
        """Replace the text of a comment.

        Raises:
            Refused: It has not got it; ``is_gone`` where there is no such comment.
        """
        call = Call("PATCH", self._at_id(comment), {"body": body})
        return _comment(self._done(call).data)

    def delete(self, comment: Comment) -> None:
        """Delete a comment; one that is gone already is no error.

        Raises:
            Refused: It is still there.
        """
        try:
            self._done(Call("DELETE", self._at_id(comment)))
        except Refused as refused:
            if not refused.reason.is_gone:
                raise

    def _at_id(self, comment: Comment) -> str:
        return f"{self._root}/issues/comments/{comment.id}"

    def _ask_login(self) -> str:
        if not self._is_asked and (viewer := self._viewer()):
            return viewer
        return text(self._caller.do(Call("GET", f"{self._api}/user")).data, "login")

    def _viewer(self) -> str:
        return text(self._query(_VIEWER, {}, repeatable=True), "viewer", "login")

    def _query(
        self, query: str, variables: Mapping[str, Any], *, repeatable: bool
    ) -> Any:
        """Run a GraphQL query, which also tells the account of the token."""
        data = {"query": query, "variables": variables}
        call = Call("POST", self._graphql, data, repeatable, is_read=True)
        reply = self._caller.do(call)
        self._is_asked = reply.is_good
        answer = reply.data.get("data") if isinstance(reply.data, dict) else None
        self._login = text(answer, "viewer", "login")
        return answer

    def _open_at(self, commit: str, url: str) -> list[Pull]:
        listed = [_pull(each) for each in self._pages(url)]
        here = [pull for pull in listed if pull.is_open and pull.head == commit]
        return sorted(here, key=lambda pull: pull.number)

    def _pages(self, url: str) -> Iterator[Any]:
        host = urlsplit(url)[:2]
        for _ in range(_PAGES):
            reply = self._done(Call("GET", url))
            if not isinstance(reply.data, list):
                raise odd()
            yield from reply.data
            following = _NEXT.search(reply.headers.get("Link", ""))
            # The token goes to no other host, whatever a header says.
            if not following or urlsplit(following[1])[:2] != host:
                return
            url = following[1]

    def _done(self, call: Call) -> Reply:
        reply = self._caller.do(call)
        if not reply.is_good:
            raise refusal(reply, self._remedy)
        return reply


def connect(asked: Settings, patience: float = PATIENCE) -> GitHub:
    """Make the client for the repository of a workflow; nothing is requested yet.

    Args:
        asked: Names it, and has the token.
        patience: Seconds after which no call is made again.
    """
    caller = Caller(asked.token, patience=patience)
    run = asked.run
    whose = pull_origin(asked.change, run.actor)
    return GitHub(run.api, run.graphql, run.repository, whose, caller)


def _pull(data: Any) -> Pull:
    return Pull(
        number=found(int, data, "number"),
        head=found(str, data, "head", "sha"),
        is_open=found(str, data, "state") == "open",
    )


def _comment(data: Any) -> Comment:
    return Comment(
        id=found(int, data, "id"),
        url=found(str, data, "html_url"),
        body=text(data, "body"),
        login=text(data, "user", "login"),  # nobody, where the author has gone
        is_bot=text(data, "user", "type") == "Bot",
    )
