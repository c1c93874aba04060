"""The comment in the pull request: one a key, never an old one over a later one."""

from itertools import product

import pytest

from runner import render
from runner.github import comment
from runner.github.comment import Draft, Marker, Written, key_of
from runner.settings import Change
from runner.templating import report_environment
from tests.contract._github.clients import TOKEN
from tests.contract._github.server import (
    BASE,
    BOT,
    HEAD,
    Reply,
    Token,
    a_pull,
    refused,
)
from tests.golden import reports

CHANGE = Change("pull_request", HEAD, 7, "main")
BANNER = "> ⏹️ Run {} was cancelled; the results below are of run 4."
KEY, OTHER = key_of("evaluate", "a.yaml"), key_of("evaluate", "b.yaml")
PULL = "POST /graphql"  # and whose the token is
LIST = "GET /repos/org/bot/issues/7/comments"
POST = "POST /repos/org/bot/issues/7/comments"
PATCH = "PATCH /repos/org/bot/issues/comments/101"
ONE = "GET /repos/org/bot/issues/comments/101"


@pytest.fixture
def say(api):
    """Let a run say something; give what became of it."""

    def tell(text, *, owners=(), change=CHANGE, wanted=True, **of):
        drafts = [Draft(marked(owners=owners, **of), f"{text}\n", wanted)]
        return comment.tell(api(), change, lambda _: drafts)[0]

    return tell


@pytest.fixture
def cancel(api):
    def tell(run, key=KEY):
        return comment.cancel(api(), CHANGE, [Marker(key, run, 1, HEAD)])[0]

    return tell


def marked(run=1, attempt=1, key=KEY, head=HEAD, owners=()):
    return Marker(key, run, attempt, head, owners)


def body(text, **of):
    return f"{marked(**of)}\n{text}\n"


def test_the_first_run_makes_a_comment(github, say):
    told = say("first")

    assert github.bodies == [body("first")]
    assert told == Written(
        "created", 101, "https://github.com/org/bot/pull/7#issuecomment-101"
    )
    assert github.calls == [PULL, LIST, POST, LIST]


def test_the_second_run_renews_it(github, say):
    say("first")
    github.calls.clear()

    assert say("second", run=2).done == "updated"
    assert github.bodies == [body("second", run=2)]
    assert github.calls == [PULL, LIST, ONE, PATCH]


def test_it_is_found_on_whatever_page_it_is(github, say):
    for number in range(150):
        github.add(f"comment {number}", "octocat", "User")
    say("first")
    for number in range(150):
        github.add(f"comment {number}", "octocat", "User")
    github.calls.clear()

    assert say("second", run=2).done == "updated"
    assert [each for each in github.bodies if "rag-eval" in each] == [
        body("second", run=2)
    ]
    assert len(github.calls) == 4 + 3


@pytest.mark.parametrize(
    ("login", "kind"),
    [("mallory", "User"), ("other-app[bot]", "Bot"), ("github-actions", "User")],
)
def test_a_comment_of_others_with_our_marker_is_left_alone(github, say, login, kind):
    theirs = body("theirs", run=999)
    github.add(theirs, login, kind)

    assert say("ours").done == "created"
    assert github.bodies == [theirs, body("ours")]
    assert say("ours again", run=2).done == "updated"
    assert github.bodies == [theirs, body("ours again", run=2)]


@pytest.mark.parametrize(
    "theirs",
    [
        f"> {Marker(KEY, 999, 1, HEAD)}\n> quoted\n",
        f"hello\n{Marker(KEY, 999, 1, HEAD)}\n",
        f" {Marker(KEY, 999, 1, HEAD)}\n",
        f"<!-- rag-eval-action v1 key={KEY} -->\n",
        f"<!-- rag-eval-action v2 key={KEY} run=9 attempt=1 head=none -->\n",
        f"{Marker(KEY, 999, 1, HEAD)} and more\n",
    ],
)
def test_the_marker_is_one_only_as_the_whole_first_line(github, say, theirs):
    github.add(theirs)

    assert say("ours").done == "created"
    assert github.bodies == [theirs, body("ours")]


def test_a_comment_that_a_person_edited_in_the_browser_is_found(github, say):
    github.add(body("first").replace("\n", "\r\n"))

    assert say("second", run=2).done == "updated"


@pytest.mark.parametrize(
    "token",
    [
        Token("rag-app[bot]"),
        Token("octocat", "User"),
        Token("octocat", "User", tells_viewer=False),
        Token(tells_viewer=False),
    ],
    ids=["app", "person", "person without GraphQL", "job without GraphQL"],
)
def test_every_kind_of_token_finds_its_own(github, say, token):
    github.tokens[TOKEN] = token

    assert [say("first").done, say("second", run=2).done] == ["created", "updated"]
    assert github.bodies == [body("second", run=2)]


def test_a_later_run_is_not_written_over(github, say):
    say("later", run=5)

    for run, attempt in ((4, 1), (4, 9)):
        told = say("earlier", run=run, attempt=attempt)
        assert (told.done, told.id, told.why) == (
            "left",
            101,
            "a later run has written it",
        )
    assert github.bodies == [body("later", run=5)]


@pytest.mark.parametrize("moment", [PULL, LIST, ONE])
def test_a_later_run_in_between_is_not_written_over(github, say, moment):
    say("run 4", run=4)
    github.expect(moment, before=lambda: say("run 6", run=6))

    assert say("run 5", run=5).done == "left"
    assert github.bodies == [body("run 6", run=6)]


@pytest.mark.parametrize("moment", [PULL, LIST, ONE, PATCH])
def test_an_earlier_run_in_between_is_written_over(github, say, moment):
    say("run 4", run=4)
    github.expect(moment, before=lambda: say("run 5", run=5))

    assert say("run 6", run=6).done == "updated"
    assert github.bodies == [body("run 6", run=6)]


def test_of_one_run_the_later_attempt_counts(say):
    say("again", run=5, attempt=2)

    assert say("at first", run=5, attempt=1).done == "left"
    assert say("a third time", run=5, attempt=3).done == "updated"
    assert say("run 10", run=10).done == "updated"
    assert say("run 9", run=9).done == "left"


@pytest.mark.parametrize("first", [1, 2])
@pytest.mark.parametrize("moment", [PULL, LIST, POST])
def test_two_first_runs_at_once_leave_one_comment_of_the_later(
    github, say, first, moment
):
    second = 3 - first
    github.expect(moment, before=lambda: say(f"run {second}", run=second))

    say(f"run {first}", run=first)

    assert github.bodies == [body("run 2", run=2)]


@pytest.mark.parametrize("first", [1, 2])
def test_another_run_between_the_write_and_the_look_after_it(github, say, first):
    second = 3 - first
    github.expect(LIST, before=lambda: None)  # the list before the write
    github.expect(LIST, before=lambda: say(f"run {second}", run=second))

    say(f"run {first}", run=first)

    assert github.bodies == [body("run 2", run=2)]


def test_three_first_runs_at_once_leave_one_comment(github, say):
    github.expect(POST, before=lambda: say("run 2", run=2))
    github.expect(POST, before=lambda: say("run 3", run=3))

    say("run 1", run=1)

    assert github.bodies == [body("run 3", run=3)]


def test_two_comments_that_are_there_become_one(github, say):
    github.add(body("older", run=3))
    github.add("between", "octocat", "User")
    github.add(body("newer", run=4))

    assert say("run 5", run=5).id == 101
    assert github.bodies == [body("run 5", run=5), "between"]


@pytest.mark.parametrize("moment", [ONE, PATCH])
def test_a_comment_that_goes_in_between_is_made_again(github, say, moment):
    say("first")
    github.expect(moment, before=github.comments.clear)

    told = say("second", run=2)

    assert (told.done, github.bodies) == ("created", [body("second", run=2)])


def test_a_comment_that_goes_is_not_made_where_none_is_wanted(github, say):
    say("first")
    github.expect(PATCH, before=github.comments.clear)

    assert say("green", run=2, wanted=False).done == "left"
    assert github.bodies == []


@pytest.mark.parametrize("status", [502, 0])
def test_a_write_that_took_effect_and_was_not_confirmed_is_not_repeated(
    github, say, status
):
    github.expect(POST, after=Reply(status))

    assert say("first").done == "created"
    assert github.bodies == [body("first")]
    assert github.calls == [PULL, LIST, POST, LIST, LIST]


@pytest.mark.parametrize("status", [500, 502, 503, 504, 0])
def test_a_write_that_took_no_effect_is_made_again(github, say, status):
    github.expect(POST, instead=Reply(status))

    assert say("first").done == "created"
    assert github.bodies == [body("first")]


def test_a_write_that_took_effect_late_leaves_one_comment(github, say):
    github.expect(POST, instead=Reply(502))
    github.expect(POST, before=lambda: github.add(body("first")))

    say("first")

    assert github.bodies == [body("first")]


@pytest.mark.parametrize("status", [502, 0])
def test_a_renewal_is_repeated(github, say, status):
    say("first")
    github.expect(PATCH, after=Reply(status))

    assert say("second", run=2).done == "updated"
    assert github.bodies == [body("second", run=2)]


def test_what_is_not_wanted_makes_no_comment_and_renews_one(github, say):
    assert say("green", wanted=False).done == "left"
    assert github.bodies == []
    say("red", run=2)
    assert say("green", run=3, wanted=False).done == "updated"
    assert github.bodies == [body("green", run=3)]


def test_each_key_has_its_own(github, say):
    say("a")
    say("b", key=OTHER)
    say("a again", run=2)

    assert github.bodies == [body("a again", run=2), body("b", key=OTHER)]


def test_several_comments_are_listed_for_once(github, api):
    drafts = [
        Draft(Marker(key, 2, 1, HEAD), text)
        for key, text in ((KEY, "a\n"), (OTHER, "b\n"))
    ]
    github.add(body("old"))
    github.add(body("old", key=OTHER))

    told = comment.tell(api(), CHANGE, lambda _: drafts)

    assert [each.done for each in told] == ["updated", "updated"]
    assert len(github.calls) == 6


def test_one_refusal_is_enough(github, api):
    github.tokens[TOKEN] = Token(may_write=False)
    drafts = [Draft(Marker(key, 1, 1, HEAD), "x") for key in (KEY, OTHER)]

    [told] = comment.tell(api(), CHANGE, lambda _: drafts)

    assert (told.done, told.hint) == (
        "failed",
        "add to the job `permissions: {contents: read, pull-requests: write}`",
    )
    assert github.calls == [PULL, LIST, POST]


@pytest.mark.parametrize(
    ("change", "done", "why"),
    [
        (Change("push", BASE), "left", "no open pull request is at the commit"),
        (Change("schedule"), "left", "no open pull request is at the commit"),
        (Change("issue_comment", None, 8), "left", "pull request #8 is closed"),
        (
            Change("pull_request", HEAD, 99),
            "failed",
            "the token sees no such thing (404: Not Found)",
        ),
    ],
)
def test_where_there_is_nothing_to_comment_on_it_says_so(
    github, say, change, done, why
):
    github.pulls[8] = a_pull(8, state="closed")

    told = say("hello", change=change)

    assert (told.done, told.why, github.bodies) == (done, why, [])


@pytest.mark.parametrize(
    "change",
    [
        CHANGE,
        Change("issue_comment", None, 7),
        Change("push", HEAD),
        Change("workflow_run", HEAD, head="org:topic"),
    ],
    ids=lambda change: change.event,
)
def test_every_event_of_a_pull_request_leads_to_it(github, say, change):
    assert say("hello", change=change).done == "created"
    assert len(github.calls) <= 6


def test_what_people_want_so_is_left(github, say):
    github.locked = True

    told = say("hello")

    assert (told.done, told.why) == ("left", "the conversation is locked")


def test_a_refusal_in_between_is_told(github, say):
    say("first")
    github.expect(PATCH, instead=refused(422, "Validation Failed"))

    told = say("second", run=2)

    assert (told.done, told.why) == (
        "failed",
        "GitHub refused (422: Validation Failed)",
    )


def test_a_duplicate_that_cannot_be_deleted_does_no_harm(github, say):
    github.add(body("older", run=3))
    github.add(body("newer", run=4))
    github.expect("DELETE", instead=refused(403, "No"))

    assert say("run 5", run=5).done == "updated"
    assert github.bodies == [body("run 5", run=5), body("newer", run=4)]


LINKS = render.Links(
    "https://github.com", "org/bot", HEAD, merge=BASE, run="1184", attempt="1"
)


def rendered(templates, report=None, links=LINKS, **changes):
    report = (report or reports.failing()).model_copy(update=changes)
    environment = report_environment(templates, render.FILTERS)
    return render.comment(report, environment, links=links)


def test_nothing_is_written_where_only_the_time_is_another(github, say, root):
    templates = root / "templates"
    say(rendered(templates))
    github.calls.clear()

    told = say(
        rendered(
            templates,
            started="2026-12-01T10:00:00Z",
            duration_s=99.5,
            links=LINKS._replace(run="1185", attempt="2"),
        ),
        run=2,
    )

    assert (told.done, told.id) == ("unchanged", 101)
    assert github.calls == [PULL, LIST, ONE]


@pytest.mark.parametrize("changes", [{"commit": "c" * 40}, {"verdict": "passed"}])
def test_everything_else_that_is_another_is_written(say, root, changes):
    templates = root / "templates"
    say(rendered(templates))

    assert say(rendered(templates, **changes), run=2).done == "updated"


def test_the_same_words_of_another_commit_are_written(say):
    say("the same")

    assert say("the same", run=2, head=BASE).done == "updated"


def test_a_cancelled_run_is_said_above_what_was_there(github, say, cancel):
    say("results", run=4)

    assert cancel(5).done == "updated"
    assert github.bodies == [body(f"{BANNER.format(5)}\n\nresults", run=4)]


def test_of_several_cancelled_runs_the_last_is_told(github, say, cancel):
    say("results", run=4)
    once, twice = cancel(5), cancel(6)

    assert (once.done, twice.done) == ("updated", "updated")
    assert github.bodies == [body(f"{BANNER.format(6)}\n\nresults", run=4)]


@pytest.mark.parametrize("run", [5, 6])
def test_a_run_that_ends_takes_the_banner_away(github, say, cancel, run):
    say("results", run=4)
    cancel(5)

    say("results", run=run)

    assert github.bodies == [body("results", run=run)]


def test_a_run_that_is_cancelled_late_says_nothing(github, say, cancel):
    say("results", run=6)

    assert (cancel(5).done, cancel(6).done) == ("left", "left")
    assert github.bodies == [body("results", run=6)]


def test_a_run_that_is_cancelled_makes_no_comment(github, cancel):
    assert cancel(1).done == "left"
    assert github.bodies == []


def test_a_cancelled_run_does_not_bring_a_deleted_comment_back(github, say, cancel):
    say("results", run=4)
    github.expect(PATCH, before=github.comments.clear)

    assert cancel(5).done == "left"
    assert github.bodies == []


def test_no_two_things_share_a_key():
    parts = list(product(("a", "ab", ""), ("b", "bb", ""), ("c", "")))

    assert len({key_of(*each) for each in parts}) == len(parts)


@pytest.mark.parametrize("head", ["", "main", "a --> b", HEAD, "a" * 64])
def test_a_marker_reads_back(head):
    marker = Marker(KEY, 1184, 2, head)
    known = marker._replace(head=head if set(head) == {"a"} else "")

    assert Marker.read(f"{marker}\nhello\n") == known
    assert Marker.read(str(marker)) == known


def test_a_comment_of_others_costs_no_more_calls_than_are_allowed(github, say):
    github.add(body("theirs", run=9), "other[bot]")
    say("ours")
    assert len(github.calls) <= 6
    assert github.comments[-1]["user"]["login"] == BOT


SEARCH, DOCS = "acme/search-team", "octocat"


def called(github):
    """Give the last line of the only comment, which is no part of its text."""
    [found] = github.bodies
    return found.rstrip().rpartition("\n")[2]


def test_owners_are_called_once(github, say):
    say("red", owners=(SEARCH, DOCS))
    first = called(github)
    say("red still", run=2, owners=(SEARCH, DOCS))

    assert first == f"Owners of what failed: @{SEARCH}, @{DOCS}"
    assert called(github) == f"Owners of what failed: `@{SEARCH}`, `@{DOCS}`"
    say("red as ever", run=3, owners=(SEARCH, DOCS))
    assert called(github) == f"Owners of what failed: `@{SEARCH}`, `@{DOCS}`"


def test_whom_a_comment_calls_stands_below_its_text_and_in_its_marker(github, say):
    say("red", owners=(SEARCH,))

    line = f"Owners of what failed: @{SEARCH}"
    assert github.bodies == [body("red", owners=(SEARCH,)) + f"\n{line}\n"]
    assert f" owners={SEARCH} -->\n" in github.bodies[0]


def test_only_who_was_not_called_yet_is_called(github, say):
    say("red", owners=(SEARCH,))
    say("redder", run=2, owners=(SEARCH, DOCS))

    assert called(github) == f"Owners of what failed: `@{SEARCH}`, @{DOCS}"


def test_what_fails_again_after_it_held_calls_its_owner_again(github, say):
    say("red", owners=(SEARCH,))
    say("green", run=2)
    green = github.bodies
    say("red again", run=3, owners=(SEARCH,))

    assert green == [body("green", run=2)]
    assert called(github) == f"Owners of what failed: @{SEARCH}"


def test_a_comment_that_says_the_same_stays_as_it_is(github, say):
    say("red", owners=(SEARCH,))
    before = github.bodies

    assert say("red", run=2, owners=(SEARCH,)).done == "unchanged"
    assert github.bodies == before


def test_a_comment_of_other_owners_does_not_say_the_same(github, say):
    say("red", owners=(SEARCH,))

    assert say("red", run=2, owners=(DOCS,)).done == "updated"
    assert called(github) == f"Owners of what failed: @{DOCS}"


def test_a_comment_that_was_deleted_calls_again(github, say):
    say("red", owners=(SEARCH,))
    github.comments.clear()
    say("red", run=2, owners=(SEARCH,))

    assert called(github) == f"Owners of what failed: @{SEARCH}"


def test_a_cancelled_run_calls_nobody_and_forgets_nobody(github, say, cancel):
    say("red", run=4, owners=(SEARCH,))
    cancel(5)

    assert github.bodies[0].startswith(f"{marked(run=4, owners=(SEARCH,))}\n")
    assert BANNER.format(5) in github.bodies[0]
    assert github.bodies[0].count("Owners of what failed") == 1
    assert called(github) == f"Owners of what failed: `@{SEARCH}`"
    say("red", run=6, owners=(SEARCH,))
    assert called(github) == f"Owners of what failed: `@{SEARCH}`"


def test_of_two_first_comments_that_become_one_only_the_one_that_goes_calls(
    github, say
):
    posted = []
    github.expect(POST, before=lambda: say("red", run=1))
    github.expect(PATCH, before=lambda: posted.extend(github.bodies))

    say("redder", run=2, owners=(SEARCH,))

    assert f"what failed: @{SEARCH}\n" in posted[-1]
    assert called(github) == f"Owners of what failed: `@{SEARCH}`"


@pytest.mark.parametrize(
    "theirs",
    [
        "Owners of what failed: @mallory",
        "a\n\nOwners of what failed: @mallory\n\nthe end",
        "<!-- rag-eval-action v1 owners=mallory -->",
    ],
)
def test_what_a_text_says_of_owners_is_no_memory(github, say, theirs):
    say(f"{theirs}\nend", owners=(SEARCH,))
    say("red", run=2, owners=(SEARCH, "mallory"))

    assert called(github) == f"Owners of what failed: `@{SEARCH}`, @mallory"


@pytest.mark.parametrize(
    "odd", ["owners=", "owners=a b", "owners=@a", "owners=a>", f"owners={'a' * 1000}"]
)
def test_a_marker_with_odd_owners_is_none(odd):
    line = str(marked()).replace(" -->", f" {odd} -->")

    assert Marker.read(f"{line}\ntext") is None


@pytest.mark.parametrize("owners", [(), (DOCS,), (SEARCH, DOCS, "a_b/c.d-e")])
def test_a_marker_is_read_as_it_was_written(owners):
    assert Marker.read(body("text", owners=owners)) == marked(owners=owners)
