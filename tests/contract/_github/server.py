"""GitHub's API on loopback, as far as a comment needs it: it keeps what it is told.

Every request and every reply is held to GitHub's own description. What the description
does not say is here: who may do what, how much fits, how pages follow, and how calls
fail. A test puts a fault or another client's call before or after any call.
"""

import json
import re
import sys
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit

from tests.contract._github import store
from tests.contract._github.contract import (
    Sent,
    example,
    reply_faults,
    request_faults,
)
from tests.contract._github.graph import answered
from tests.contract._github.replies import INTEGRATION, Reply, refused
from tests.contract._github.store import Store

HEAD, BASE = "a" * 40, "b" * 40
BOT = "github-actions[bot]"
LONGEST = 65_536  # characters of a comment
MOST = 2_500  # comments of a pull request
ASKED = ("User-Agent", "Accept", "X-GitHub-Api-Version")  # headers of every request
PREFIX = re.compile("/api/(?:v3(?=/)|(?=graphql))")  # where an enterprise has its API


class Token(NamedTuple):
    """Whose a token is, and what it may do."""

    login: str = BOT
    kind: str = "Bot"
    may_write: bool = True
    tells_viewer: bool = True
    may_read: bool = True
    """What the repository holds."""
    may_push: bool = False
    may_see: bool = True
    """The repository: else all of it is not found."""


class Fault(NamedTuple):
    """What happens at a call: ``instead`` of it, ``before`` it, or ``after`` it."""

    call: str
    instead: Reply | None = None
    before: Callable[[], object] | None = None
    after: Reply | None = None
    """Given in place of the reply to what took effect; a status of 0 is none at all."""


class GitHub(Store):
    """One repository, ``org/bot``."""

    def __init__(self):
        super().__init__()
        self.tokens = {"token-of-the-job": Token()}
        self.pulls = {7: a_pull(7)}
        self.comments = []
        self.calls = []
        self.faults = []
        self.wrong = []
        self.latest = 100
        self.locked = False
        self.lock = Lock()

    @property
    def bodies(self):
        return [each["body"] for each in self.comments]

    def add(self, body, login=BOT, kind="Bot", number=7):
        """Write a comment as someone."""
        self.latest += 1
        made = a_comment(self.latest, number, body, login, kind)
        self.comments.append(made)
        return made

    def expect(self, call, **how):
        """Let something happen once, at the next call that a pattern matches."""
        self.faults.append(Fault(call, **how))

    def answer(self, sent):
        name = f"{sent.method} {sent.path}"
        with self.lock:
            self.calls.append(name)
            fault = next(
                (each for each in self.faults if re.search(each.call, name)), None
            )
            if fault:
                self.faults.remove(fault)
        if fault and fault.before:
            fault.before()
        if fault and fault.instead:
            return fault.instead
        with self.lock:
            reply = self.judged(sent)
        return fault.after if fault and fault.after else reply

    def judged(self, sent):
        if sent.path == "/graphql":
            return self.viewer(sent)
        faults = request_faults(sent)
        faults += [f"no {name}" for name in ASKED if name not in sent.headers]
        reply = self.routed(sent) if not faults else Reply(500)
        faults += reply_faults(
            sent, reply.status, bare(reply.data), reply.headers or {}
        )
        self.wrong += [f"{sent.method} {sent.path}: {each}" for each in faults]
        return reply

    def who(self, sent):
        scheme, _, token = sent.headers.get("Authorization", "").partition(" ")
        return self.tokens.get(token) if scheme in ("Bearer", "token") else None

    def viewer(self, sent):
        who = self.who(sent)
        if who is None:
            return refused(401, "Bad credentials")
        asked = json.loads(sent.body)
        told, faults = answered(asked, self, who.login)
        self.wrong += faults
        if "viewer" not in asked["query"] and not who.may_read:
            return Reply(200, {"data": {"repository": None}, "errors": []})
        if (
            "viewer" in told.get("data", {}) and not who.tells_viewer
        ):  # who it is cannot be null, so that all else is
            return Reply(200, {"data": None, "errors": [{"message": INTEGRATION}]})
        return Reply(200, told)

    def routed(self, sent):
        who = self.who(sent)
        if who is None:
            return refused(401, "Bad credentials")
        for pattern, answer in ROUTES.items():
            if found := re.fullmatch(pattern, f"{sent.method} {sent.path}"):
                return answer(self, sent, who, *found.groups())
        return refused(404, "Not Found")

    def user(self, _sent, who):
        if who.kind == "Bot":
            return refused(403, INTEGRATION)
        return Reply(200, a_user(who.login, who.kind) | PRIVATE)

    def pull(self, _sent, _who, number):
        found = self.pulls.get(int(number))
        return Reply(200, found) if found else refused(404, "Not Found")

    def list_pulls(self, sent, _who):
        found = [
            each
            for each in self.pulls.values()
            if each["state"] == sent.query.get("state", "open")
            and each["head"]["label"] == sent.query.get("head", each["head"]["label"])
        ]
        return self.page(sent, list(map(simple, found)))

    def pulls_of(self, sent, _who, commit):
        found = [each for each in self.pulls.values() if commit in each["~commits"]]
        return self.page(sent, list(map(simple, found)))

    def list_comments(self, sent, _who, number):
        if int(number) not in self.pulls:
            return refused(404, "Not Found")
        of_it = [each for each in self.comments if each["~number"] == int(number)]
        return self.page(sent, of_it)

    def page(self, sent, items):
        size = min(int(sent.query.get("per_page", 30)), 100)
        page = int(sent.query.get("page", 1))
        last = max(-(-len(items) // size), 1)
        there = {"prev": page - 1, "next": page + 1, "last": last, "first": 1}
        if page >= last:
            del there["next"], there["last"]
        if page == 1:
            del there["prev"], there["first"]
        links = [
            f"<{sent.headers['origin']}?{urlencode({**sent.query, 'page': to})}>; "
            f'rel="{name}"'
            for name, to in there.items()
        ]
        headers = {"Link": ", ".join(links)} if links else {}
        return Reply(200, items[(page - 1) * size : page * size], headers)

    def create(self, sent, who, number):
        if int(number) not in self.pulls:
            return refused(404, "Not Found")
        if not who.may_write:
            return refused(403, INTEGRATION)
        if self.locked:
            return refused(403, "Unable to create comment because issue is locked.")
        if sum(each["~number"] == int(number) for each in self.comments) >= MOST:
            return refused(
                403, "Commenting is disabled on issues with more than 2500 comments"
            )
        body = json.loads(sent.body)["body"]
        return too_long(body) or Reply(
            201, self.add(body, who.login, who.kind, int(number))
        )

    def comment(self, _sent, _who, identity):
        found = self.found(identity)
        return Reply(200, found) if found else refused(404, "Not Found")

    def update(self, sent, who, identity):
        found = self.found(identity)
        if found is None:
            return refused(404, "Not Found")
        if not who.may_write or found["user"]["login"] != who.login:
            return refused(403, INTEGRATION)
        body = json.loads(sent.body)["body"]
        if problem := too_long(body):
            return problem
        found["body"] = body
        return Reply(200, found)

    def delete(self, _sent, who, identity):
        found = self.found(identity)
        if found is None:
            return refused(404, "Not Found")
        if not who.may_write or found["user"]["login"] != who.login:
            return refused(403, INTEGRATION)
        self.comments.remove(found)
        return Reply(204)

    def found(self, identity):
        there = (each for each in self.comments if each["id"] == int(identity))
        return next(there, None)


ROUTES = {
    **store.ROUTES,
    "GET /user": GitHub.user,
    "GET /repos/org/bot/pulls": GitHub.list_pulls,
    "GET /repos/org/bot/pulls/([0-9]+)": GitHub.pull,
    "GET /repos/org/bot/commits/([0-9a-f]+)/pulls": GitHub.pulls_of,
    "GET /repos/org/bot/issues/([0-9]+)/comments": GitHub.list_comments,
    "POST /repos/org/bot/issues/([0-9]+)/comments": GitHub.create,
    "GET /repos/org/bot/issues/comments/([0-9]+)": GitHub.comment,
    "PATCH /repos/org/bot/issues/comments/([0-9]+)": GitHub.update,
    "DELETE /repos/org/bot/issues/comments/([0-9]+)": GitHub.delete,
}
PRIVATE = {
    "user_view_type": "public",
    "name": None, "company": None, "blog": None, "location": None, "email": None,
    "hireable": None, "bio": None, "public_repos": 0, "public_gists": 0,
    "followers": 0, "following": 0, "created_at": "2026-11-30T09:00:00Z",
    "updated_at": "2026-11-30T09:00:00Z",
}  # fmt: skip
"""What GitHub tells of a user beside what it tells of an author."""


def a_user(login, kind):
    made = example("issue-comment")["user"]
    return {**made, "login": login, "type": kind}


def a_comment(identity, number, body, login, kind):
    made = example("issue-comment")
    return {
        **made,
        "id": identity,
        "body": body,
        "html_url": f"https://github.com/org/bot/pull/{number}#issuecomment-{identity}",
        "user": a_user(login, kind),
        "~number": number,
    }


def a_pull(number, head=HEAD, label="org:topic", state="open", commits=()):
    made = example("pull-request")
    owner, _, branch = label.partition(":")
    made["head"] |= {"sha": head, "label": label, "ref": branch}
    made["head"]["user"]["login"] = owner
    return {
        **made,
        "number": number,
        "state": state,
        "requested_teams": [],
        "~commits": {head, *commits},
    }


def simple(pull):
    """Give a pull request as lists of them have it: with fewer keys."""
    known = example("pull-request-simple-items")[0]
    return {key: pull.get(key, known[key]) for key in known}


def too_long(body):
    if len(body) <= LONGEST:
        return None
    problem = {
        "resource": "IssueComment",
        "code": "unprocessable",
        "field": "data",
        "message": f"Body is too long (maximum is {LONGEST} characters)",
    }
    refusal = refused(422, "Validation Failed")
    return refusal._replace(data={**refusal.data, "errors": [problem]})


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def handle_one(self):
        parts = urlsplit(self.path)
        path = PREFIX.sub("/", parts.path).replace("//", "/")
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        origin = f"http://{self.headers['Host']}{parts.path}"
        headers = {**dict(self.headers.items()), "origin": origin}
        sent = Sent(self.command, path, dict(parse_qsl(parts.query)), headers, body)
        if given := self.server.github.give(path, headers):
            status, archive = given
            self.send_response(status)
            self.send_header("Content-Length", str(len(archive)))
            self.end_headers()
            self.wfile.write(archive)
            return
        reply = self.server.github.answer(sent)
        if reply.status == 0:  # the connection breaks
            self.close_connection = True
            return
        text = b"" if reply.data is None else json.dumps(bare(reply.data)).encode()
        self.send_response(reply.status)
        for name, value in {
            **(reply.headers or {}),
            "Content-Length": len(text),
        }.items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = do_PATCH = do_DELETE = handle_one  # noqa: N815 - names of the library

    def log_message(self, *_):
        pass


def bare(data):
    """Give data without what only the fake knows."""
    if isinstance(data, list):
        return [bare(each) for each in data]
    if not isinstance(data, dict):
        return data
    return {key: each for key, each in data.items() if not key.startswith("~")}


class Server(ThreadingHTTPServer):
    """The API of a repository; its URL is what ``GITHUB_API_URL`` holds."""

    def __init__(self, github):
        super().__init__(("127.0.0.1", 0), Handler)
        self.github = github
        self.url = f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request, client_address):
        if not isinstance(sys.exception(), ConnectionError):  # a client that went
            super().handle_error(request, client_address)

    def __enter__(self):
        Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()
