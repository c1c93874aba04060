"""Which event hands out secrets, and to whose spec."""

import pytest

from runner import settings
from runner.errors import InputError

OURS, BASE, THEIRS, MERGE = ("a" * 40, "b" * 40, "c" * 40, "d" * 40)
SPEC = {"INPUT_SPEC": "evals/rag.yaml"}
US, THEM = "org/bot", "someone/bot"


def pull(head=THEM):
    repo = None if head is None else {"full_name": head}
    return {
        "pull_request": {
            "number": 7,
            "head": {"sha": THEIRS, "ref": "topic", "repo": repo},
            "base": {"sha": BASE, "ref": "main", "repo": {"full_name": US}},
        }
    }


def triggered(head=THEM):
    repo = None if head is None else {"full_name": head, "owner": {"login": "x"}}
    run = {"head_sha": THEIRS, "head_branch": "topic", "head_repository": repo}
    return {"workflow_run": run, "repository": {"full_name": US}}


COMMENT = {"issue": {"number": 7, "pull_request": {}}}
ISSUE = {"issue": {"number": 7}}
QUEUE = {"merge_group": {"head_sha": THEIRS, "base_ref": "refs/heads/main"}}


def read(event, payload, actor="someone", **inputs):
    environ = {
        **SPEC,
        "GITHUB_EVENT_NAME": event,
        "GITHUB_SHA": OURS,
        "GITHUB_ACTOR": actor,
        **{f"INPUT_{name}": value for name, value in inputs.items()},
    }
    return settings.read(environ, payload)


@pytest.mark.parametrize(
    ("event", "payload", "checked_out", "refused"),
    [
        # With the secrets of the repository, and a spec of whoever opened it.
        ("pull_request_target", pull(), THEIRS, True),
        ("pull_request_target", pull(), MERGE, True),
        ("pull_request_target", pull(), None, True),
        ("pull_request_target", pull(None), THEIRS, True),
        ("workflow_run", triggered(), THEIRS, True),
        ("workflow_run", triggered(), None, True),
        ("workflow_run", triggered(None), THEIRS, True),
        ("issue_comment", COMMENT, THEIRS, True),
        ("issue_comment", COMMENT, None, True),
        # The same, with the repository's own spec.
        ("pull_request_target", pull(), OURS, False),
        ("pull_request_target", pull(), BASE, False),
        ("pull_request_target", pull(None), OURS, False),
        ("workflow_run", triggered(), OURS, False),
        ("issue_comment", COMMENT, OURS, False),
        # Of a branch of the repository, whoever may push to which has the secrets.
        ("pull_request_target", pull(US), THEIRS, False),
        ("workflow_run", triggered(US), THEIRS, False),
        # Without secrets, or with those that GitHub was told to hand out.
        ("pull_request", pull(), MERGE, False),
        ("pull_request", pull(), None, False),
        ("pull_request_review", pull(), THEIRS, False),
        # Nobody else's.
        ("push", {}, OURS, False),
        ("push", {}, None, False),
        ("schedule", {}, None, False),
        ("workflow_dispatch", {}, THEIRS, False),
        ("merge_group", QUEUE, THEIRS, False),
        ("issue_comment", ISSUE, THEIRS, False),
        ("", {}, None, False),
    ],
)
def test_a_stranger_s_spec_is_known_where_it_is_given_secrets(
    event, payload, checked_out, refused
):
    found = read(event, payload)

    why = settings.stranger(found.change, checked_out, found.own)

    assert bool(why) == refused


def test_who_is_not_trusted_is_told_for_which_commit():
    found = read("pull_request_target", pull())

    said = [settings.stranger(found.change, at, found.own) for at in (THEIRS, None)]

    head = "pull_request_target hands this repository's secrets to a spec that is of"
    assert said == [
        f"{head} commit ccccccc, and not of its own branches",
        f"{head} no known commit, and not of its own branches",
    ]


@pytest.mark.parametrize("odd", [None, 5, "x", [1], {"base": 5}, {"base": {"sha": 5}}])
def test_a_payload_of_another_shape_makes_no_commit_ours(odd):
    assert read("pull_request_target", {"pull_request": odd}).own == {OURS}


@pytest.mark.parametrize(
    ("value", "expected"), [("", False), ("false", False), ("true", True)]
)
def test_trust_is_given_by_the_workflow_alone(value, expected):
    inputs = {"ALLOW-UNTRUSTED-SPEC": value}

    assert read("pull_request_target", pull(), **inputs).trusting is expected


@pytest.mark.parametrize("value", ["yes", "True", "1"])
def test_trust_is_given_in_one_word(value):
    with pytest.raises(InputError, match=f"'{value}' is none of true, false"):
        read("push", {}, **{"ALLOW-UNTRUSTED-SPEC": value})


FORK = "a pull request from a fork gets no secrets and no variables"
DEPENDABOT = "a run of Dependabot gets no secrets but those of Dependabot"
BOT = "dependabot[bot]"


@pytest.mark.parametrize(
    ("event", "payload", "actor", "expected"),
    [
        ("pull_request", pull(), "someone", FORK),
        ("pull_request", pull(None), "someone", FORK),
        ("pull_request_review", pull(), "someone", FORK),
        ("pull_request_review_comment", pull(), "someone", FORK),
        ("pull_request", pull(), BOT, FORK),
        ("pull_request", pull(US), "someone", ""),
        ("pull_request_target", pull(), "someone", ""),
        ("workflow_run", triggered(), "someone", ""),
        ("issue_comment", COMMENT, "someone", ""),
        ("merge_group", QUEUE, "someone", ""),
        ("push", {}, "someone", ""),
        ("schedule", {}, "someone", ""),
        ("pull_request", pull(US), BOT, DEPENDABOT),
        ("pull_request_target", pull(US), BOT, DEPENDABOT),
        ("pull_request_review", pull(US), BOT, DEPENDABOT),
        ("push", {}, BOT, DEPENDABOT),
        ("create", {}, BOT, DEPENDABOT),
        ("deployment_status", {}, BOT, DEPENDABOT),
        ("workflow_run", triggered(US), BOT, ""),
        ("merge_group", QUEUE, BOT, ""),
        ("schedule", {}, BOT, ""),
        ("pull_request", pull(US), "dependabot", ""),
        ("", {}, "", ""),
    ],
)
def test_an_event_without_secrets_is_known(event, payload, actor, expected):
    found = read(event, payload, actor)

    assert settings.withheld(found.change, found.run.actor) == expected


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({}, "docs"),
        ({"GITHUB_ACTION_REPOSITORY": "", "GITHUB_ACTION_REF": ""}, "docs"),
        ({"GITHUB_ACTION_REPOSITORY": "org/rag-eval-action"}, "docs"),
        (
            {
                "GITHUB_ACTION_REPOSITORY": "org/rag-eval-action",
                "GITHUB_ACTION_REF": "v1",
                "GITHUB_SERVER_URL": "https://ghe.example",
            },
            "https://ghe.example/org/rag-eval-action/blob/v1/docs",
        ),
    ],
)
def test_the_pages_are_those_of_the_version_that_runs(environ, expected):
    assert settings.run(environ).docs == expected
