"""Links lead to the line, the commit and the run, or there are none."""

from __future__ import annotations

import pytest

from runner.render import NOWHERE, Links

HEAD = "4be1f0c2a9d84b3c5e6f708192a3b4c5d6e7f809"
HERE = Links("https://github.com", "acme/bot", HEAD, run="1184", attempt="2")
REPOSITORY = "https://github.com/acme/bot"


@pytest.mark.parametrize(
    ("file", "line", "url"),
    [
        ("evals/a.yaml", 8, f"{REPOSITORY}/blob/{HEAD}/evals/a.yaml#L8"),
        ("./a.json", None, f"{REPOSITORY}/blob/{HEAD}/a.json"),
        ("a (b)/款.csv", 1, f"{REPOSITORY}/blob/{HEAD}/a%20%28b%29/%E6%AC%BE.csv#L1"),
        ("a?x#y|z].csv", 1, f"{REPOSITORY}/blob/{HEAD}/a%3Fx%23y%7Cz%5D.csv#L1"),
        ("", 1, ""),
        ("/etc/passwd", 1, ""),
        ("a/../../b.csv", 1, ""),
    ],
)  # fmt: skip
def test_a_case_links_to_its_line_at_the_commit(file, line, url):
    assert HERE.line_url(file, line) == url


@pytest.mark.parametrize(
    ("links", "url"),
    [
        (HERE, f"{REPOSITORY}/actions/runs/1184/attempts/2"),
        (HERE._replace(attempt=""), f"{REPOSITORY}/actions/runs/1184"),
        (HERE._replace(run="1184)"), ""),
        (
            HERE._replace(server="http://ghes.acme.test:8443/git/"),
            "http://ghes.acme.test:8443/git/acme/bot/actions/runs/1184/attempts/2",
        ),
        (HERE._replace(server="javascript:alert(1)"), ""),
        (HERE._replace(repository="acme/bot)/x"), ""),
        (NOWHERE, ""),
    ],
)
def test_the_footer_links_to_the_attempt_of_the_run(links, url):
    assert links.run_url == url


@pytest.mark.parametrize(
    ("commit", "url"),
    [
        (HEAD, f"{REPOSITORY}/commit/{HEAD}"),
        ("8c02d77", f"{REPOSITORY}/commit/8c02d77"),
        ("main", ""),
        ("8c02d77 -->", ""),
    ],
)
def test_only_a_hash_is_a_commit(commit, url):
    assert HERE.commit_url(commit) == url
    assert NOWHERE.commit_url(commit) == ""


def test_without_a_commit_no_line_is_known():
    assert HERE._replace(commit="").line_url("a.csv", 1) == ""
    assert HERE._replace(commit="main").line_url("a.csv", 1) == ""
