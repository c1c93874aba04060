"""Whom a spec names for its limits, and who of them can be called."""

import pytest

from runner.errors import Document
from runner.metrics import registry
from runner.spec import account, owners, parse, warnings

HEAD = {"endpoint": {"url": "http://localhost/{{ question }}"}, "cases": "cases.jsonl"}


def parsed(thresholds):
    document = Document({**HEAD, "thresholds": thresholds}, {(): 1}, "spec.yaml")
    return parse(document, registry=registry, environ={})


@pytest.mark.parametrize(
    ("owner", "expected"),
    [
        ("@octocat", "octocat"),
        ("@octo-cat", "octo-cat"),
        ("@octocat_acme", "octocat_acme"),
        ("@acme/search-team", "acme/search-team"),
        ("@acme/search.team_2", "acme/search.team_2"),
        ("octocat", ""),
        ("@", ""),
        ("@-octocat", ""),
        ("@octocat-", ""),
        ("@octo--cat", ""),
        ("@a/b/c", ""),
        ("@acme/", ""),
        ("@acme/team -->", ""),
        ("@octocat @mallory", ""),
        ("@octocat\n@mallory", ""),
        ("@octocat\n", ""),
        ("@осtocat", ""),
        ("@" + "a" * 40, ""),
        ("@acme/" + "t" * 101, ""),
        ("", ""),
        (None, ""),
    ],
)
def test_an_owner_is_an_account_only_as_github_writes_one(owner, expected):
    assert account(owner) == expected


def test_the_accounts_that_a_spec_names_are_those_of_its_limits():
    found = parsed(
        {
            "recall@5": {"min": 0.5, "owner": "@acme/search"},
            "accuracy": [
                {"min": 0.5, "owner": "search team"},
                {"min": 0.4, "slices": {"type=x": {"min": 0.1, "owner": "@octocat"}}},
            ],
        }
    )

    assert owners(found) == {"acme/search", "octocat"}


@pytest.mark.parametrize(
    ("owner", "doubted"),
    [("@octocat", False), ("search team", False), ("@search team", True)],
)
def test_an_owner_whom_nobody_can_call_is_told(owner, doubted):
    found = parsed({"accuracy": {"min": 0.5, "owner": owner}})
    said = warnings(found, Document({}, {(): 1}, "spec.yaml").place)

    assert any("is no @user and no @org/team" in line for line in said) is doubted
