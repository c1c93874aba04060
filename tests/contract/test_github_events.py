"""What an event tells, held to payloads that GitHub sent and to their schemas."""

from collections.abc import Callable
from typing import NamedTuple

import pytest

from runner import settings
from runner.settings import REMEDIES, Change, NoComment
from tests.contract._github.contract import event_faults, payload

SHA = "f" * 40  # what GITHUB_SHA says
HEAD, BASE = "a" * 40, "b" * 40


def pull(*, fork=False, private=False, number=7):
    event = payload("pull_request")
    event["number"] = number
    event["repository"]["private"] = private
    found = event["pull_request"]
    found["number"] = number
    found["head"] |= {"sha": HEAD, "ref": "topic"}
    found["base"] |= {"ref": "main", "sha": BASE}
    found["base"]["repo"] |= {"full_name": "org/bot", "private": private}
    found["head"]["repo"]["full_name"] = "someone/bot" if fork else "org/bot"
    return event


def of_a_deleted_fork():
    event = pull()
    event["pull_request"]["head"]["repo"] = None
    return event


def queue(ref=f"refs/heads/gh-readonly-queue/release/v1/pr-104-{SHA}"):
    event = payload("merge_group")
    event["merge_group"] |= {
        "head_sha": HEAD,
        "head_ref": ref,
        "base_ref": "refs/heads/release/v1",
        "base_sha": BASE,
    }
    return event


def triggered(*, fork=False, private=False, gone=False):
    event = payload("workflow_run")
    event["repository"] |= {"full_name": "org/bot", "private": private}
    run = event["workflow_run"]
    run |= {"head_sha": HEAD, "head_branch": "topic", "pull_requests": []}
    run |= {"id": 91, "run_attempt": 2}
    owner = "someone" if fork else "org"
    run["head_repository"]["full_name"] = f"{owner}/bot"
    run["head_repository"]["owner"]["login"] = owner
    if gone:
        run["head_repository"] = None
    return event


def pushed(after=HEAD, **changes):
    return payload("push") | {"after": after, **changes}


def commented(*, on_a_pull=True):
    event = payload("issue_comment")
    event["issue"]["number"] = 7
    url = "https://api.github.com/repos/org/bot/pulls/7"
    if on_a_pull:
        page = "https://github.com/org/bot/pull/7"
        event["issue"]["pull_request"] = {
            "url": url,
            "html_url": page,
            "diff_url": f"{page}.diff",
            "patch_url": f"{page}.patch",
        }
    else:
        event["issue"].pop("pull_request", None)
    return event


class Row(NamedTuple):
    """An event, what it tells, and why there would be no comment."""

    name: str
    kind: str
    make: Callable[[], dict]
    change: Change
    silent: NoComment | None = None
    valid: bool = True
    """Whether the schema allows it; where a null was seen all the same, it does not."""


OURS = Change("pull_request", HEAD, 7, "main", BASE, merge=SHA)
FOLLOWS = Change("workflow_run", HEAD, head="org:topic", run="91", attempt="2")
NO_PULL = NoComment("the event is of no pull request")
FORK = NoComment("the pull request is from a fork", REMEDIES["fork"])
PULL, RUN = "pull_request$synchronize", "workflow_run$completed"
ROWS = [
    Row("a pull request", PULL, pull, OURS),
    Row("a fork", PULL, lambda: pull(fork=True), OURS._replace(fork=True), FORK),
    Row("a deleted fork", PULL, of_a_deleted_fork, OURS._replace(fork=True), FORK),
    Row(
        "a fork of a private repository",
        PULL,
        lambda: pull(fork=True, private=True),
        OURS._replace(fork=True, private=True),
    ),
    Row(
        "a fork with the repository's rights",
        PULL,
        lambda: pull(fork=True),
        Change("pull_request_target", HEAD, 7, "main", BASE, fork=True),
    ),
    Row(
        "a run after a run",
        RUN,
        triggered,
        FOLLOWS,
    ),
    Row(
        "a run after a run for a fork",
        RUN,
        lambda: triggered(fork=True),
        FOLLOWS._replace(fork=True, head="someone:topic"),
    ),
    Row(
        "a run after a run for a deleted fork",
        RUN,
        lambda: triggered(gone=True),
        FOLLOWS._replace(fork=True, head=None),
        NO_PULL,
        valid=False,
    ),
    Row("a push", "push$event", pushed, Change("push", HEAD)),
    Row(
        "a branch that goes",
        "push$event",
        lambda: pushed("0" * 40, deleted=True),
        Change("push", SHA),
    ),
    Row(
        "a merge queue",
        "merge_group$checks_requested",
        queue,
        Change("merge_group", HEAD, 104, "release/v1", BASE),
        NoComment("a merge queue is no place for comments"),
    ),
    Row(
        "a merge queue of another form",
        "merge_group$checks_requested",
        lambda: queue("refs/heads/queue/main"),
        Change("merge_group", HEAD, None, "release/v1", BASE),
        NoComment("a merge queue is no place for comments"),
    ),
    Row(
        "a comment in a pull request",
        "issue_comment$created",
        commented,
        Change("issue_comment", None, 7),
    ),
    Row(
        "a comment in an issue",
        "issue_comment$created",
        lambda: commented(on_a_pull=False),
        Change("issue_comment", SHA),
        NO_PULL,
    ),
    Row(
        "a person who starts it",
        "workflow_dispatch$event",
        lambda: payload("workflow_dispatch"),
        Change("workflow_dispatch", SHA),
        NO_PULL,
    ),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_the_event_tells_what_is_evaluated_and_for_whom(row):
    event = row.make()
    environ = {"GITHUB_EVENT_NAME": row.change.event, "GITHUB_SHA": SHA}

    assert (not event_faults(row.kind, event)) == row.valid
    assert settings.change(environ, event) == row.change


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_the_event_tells_whether_a_comment_may_be_made(row):
    given = {
        "GITHUB_EVENT_NAME": row.change.event,
        "GITHUB_SHA": SHA,
        "INPUT_SPEC": "a.yaml",
        "INPUT_TOKEN": "t",
    }
    event = row.make()
    if row.change.event == "pull_request_target":
        # No spec of a fork is run there; who may write is another question.
        found = settings.read(given | {"GITHUB_EVENT_NAME": "push"}, pull())
        found = found._replace(change=settings.change(given, event))
    else:
        found = settings.read(given, event)

    assert settings.no_comment(found) == row.silent
    never = settings.no_comment(found._replace(comment="never"))
    assert never == NoComment("the input comment is never")


def test_a_schedule_is_of_no_pull_request():
    change = settings.change({"GITHUB_EVENT_NAME": "schedule", "GITHUB_SHA": SHA}, {})

    assert change == Change("schedule", SHA)


@pytest.mark.parametrize(
    ("fork", "actor", "origin"),
    [
        (False, "octocat", "ours"),
        (True, "octocat", "fork"),
        (False, "dependabot[bot]", "dependabot"),
    ],
)
def test_whose_a_pull_request_is_decides_what_helps(fork, actor, origin):
    assert settings.pull_origin(Change(fork=fork), actor) == origin
    assert REMEDIES[origin]


def test_what_follows_the_run_of_a_fork_is_our_own():
    change = Change("workflow_run", HEAD, fork=True, run="91")

    assert settings.pull_origin(change, "someone") == "ours"
