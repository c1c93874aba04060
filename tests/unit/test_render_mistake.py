"""A spec that could not be run is told of as such, with its commit and its run."""

from runner import render

HEAD, NEXT = "4be1f0c2a9d84b3c5e6f708192a3b4c5d6e7f809", "c" * 40
HERE = render.Links("https://github.com", "acme/bot", HEAD, run="1184", attempt="1")


def test_the_mistakes_stand_in_a_block_that_nothing_ends():
    told = render.mistake("a.yaml", "a.yaml:3: ```` </details> @octocat\nb.yaml: no")

    assert told == (
        "## 🚫 RAG eval `a.yaml`: not evaluated\n\n"
        "`````text\na.yaml:3: ```` </details> @octocat\nb.yaml: no\n`````\n"
    )


def test_in_a_workflow_it_says_of_which_commit_and_run():
    told = render.mistake("a.yaml", "no", HERE)

    assert told.endswith(
        "<sub>commit [`4be1f0c`](https://github.com/acme/bot/commit/"
        f"{HEAD}) · [workflow run](https://github.com/acme/bot/actions/runs/1184/"
        "attempts/1)</sub>\n"
    )


def test_where_the_pull_request_moved_on_it_says_so():
    told = render.mistake("a.yaml", "no", HERE._replace(newer=NEXT))

    assert "\n\n> These results are of [`4be1f0c`](" in told
    assert "the pull request is now at [`ccccccc`](" in told
