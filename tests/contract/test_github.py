"""The client of GitHub's API against the contract, and against how its calls fail."""

from email.utils import formatdate

import pytest

from runner.github import client
from runner.github.client import Refused
from runner.settings._rights import NEEDED
from tests.contract._github.clients import NOW, TOKEN
from tests.contract._github.server import (
    BASE,
    BOT,
    HEAD,
    Reply,
    Token,
    a_pull,
    refused,
)

POST = "POST /repos/org/bot/issues/7/comments"
LIST = "GET /repos/org/bot/issues/7/comments"


def why(act, *args):
    with pytest.raises(Refused) as error:
        act(*args)
    return error.value.reason


def test_all_pages_of_comments_are_read(github, api):
    for number in range(250):
        github.add(f"comment {number}", login=f"user-{number}", kind="User")

    found = api().comments(7)

    assert [each.body for each in found] == [f"comment {n}" for n in range(250)]
    assert github.calls == [LIST] * 3


def test_the_token_goes_to_no_other_host(github, api):
    elsewhere = {"Link": '<http://127.0.0.1:9/repos/org/bot>; rel="next"'}
    github.expect(LIST, instead=Reply(200, [], elsewhere))

    assert api().comments(7) == []


def test_an_enterprise_has_its_api_elsewhere(api):
    there = api(prefix="/api")

    assert there.pull(7).head == HEAD
    assert there.login() == BOT


@pytest.mark.parametrize(
    ("token", "login", "calls"),
    [
        (Token(), BOT, ["POST /graphql"]),
        (Token("rag-app[bot]"), "rag-app[bot]", ["POST /graphql"]),
        (Token("octocat", "User"), "octocat", ["POST /graphql"]),
        (
            Token("octocat", "User", tells_viewer=False),
            "octocat",
            ["POST /graphql", "GET /user"],
        ),
        (Token(tells_viewer=False), BOT, ["POST /graphql", "GET /user"]),
    ],
    ids=["job", "app", "person", "person without GraphQL", "job without GraphQL"],
)
def test_as_whom_a_token_writes_is_asked_once(github, api, token, login, calls):
    github.tokens[TOKEN] = token
    there = api()

    assert [there.login(), there.login()] == [login, login]
    assert github.calls == calls


@pytest.mark.parametrize(
    ("author", "kind", "login", "expected"),
    [
        (BOT, "Bot", BOT, True),
        (BOT, "Bot", "github-actions", True),
        ("github-actions", "Bot", BOT, True),
        ("github-actions", "User", BOT, False),
        ("Octocat", "User", "octocat", True),
        ("rag-app[bot]", "Bot", BOT, False),
    ],
)
def test_a_bot_is_known_with_and_without_its_mark(author, kind, login, expected):
    comment = client.Comment(1, "", "", author, kind == "Bot")

    assert comment.is_by(login) == expected


def test_the_pull_request_of_a_commit_is_open_and_at_it(github, api):
    github.pulls = {
        4: a_pull(4, HEAD, state="closed"),
        5: a_pull(5, BASE, commits=[HEAD]),
        6: a_pull(6, HEAD),
        8: a_pull(8, HEAD),
    }

    assert [each.number for each in api().pulls_of(HEAD)] == [6, 8]


def test_a_pull_request_is_found_by_owner_branch_and_commit(github, api):
    github.pulls = {
        4: a_pull(4, HEAD, "someone:topic"),
        5: a_pull(5, BASE, "other:topic"),
        6: a_pull(6, HEAD, "other:topic"),
        7: a_pull(7, HEAD, "other:a&b=c#d"),
    }

    assert [each.number for each in api().pulls_from("other:topic", HEAD)] == [6]
    assert [each.number for each in api().pulls_from("other:a&b=c#d", HEAD)] == [7]


@pytest.mark.parametrize("status", [500, 502, 503, 504, 0])
def test_what_may_be_repeated_is_tried_again_where_github_breaks(
    github, api, clock, status
):
    for _ in range(3):
        github.expect(LIST, instead=Reply(status))

    assert api().comments(7) == []
    assert clock.slept == [1, 2, 4]


def test_what_stays_broken_is_given_up(github, api):
    for _ in range(4):
        github.expect(LIST, instead=Reply(502))

    assert why(api().comments, 7).why == "GitHub is out of order (502)"
    assert github.calls == [LIST] * 4


def test_a_write_of_which_nobody_knows_is_not_repeated(github, api):
    github.expect(POST, after=Reply(502))

    assert why(api().create, 7, "hello").is_unsure
    assert github.bodies == ["hello"]


SPENT = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(NOW + 30)}
SECOND = "You have exceeded a secondary rate limit and have been temporarily blocked"


@pytest.mark.parametrize(
    ("reply", "waits"),
    [
        (refused(429, "Too Many Requests", Retry_After="7"), [7]),
        (refused(429, "Too Many Requests"), [60]),
        (refused(403, SECOND, Retry_After="0"), []),
        (refused(403, SECOND), [60]),
        (refused(403, "API rate limit exceeded")._replace(headers=SPENT), [31]),
        (refused(429, "Slow down", Retry_After=formatdate(NOW)), [60]),
    ],
    ids=["told", "not told", "at once", "second", "spent", "a date"],
)
def test_a_limit_is_waited_for(github, api, clock, reply, waits):
    github.expect(POST, instead=reply)

    api().create(7, "hello")

    assert github.bodies == ["hello"]
    assert clock.slept == (waits or [1])


def test_a_limit_that_takes_long_is_not_waited_for(github, api, clock):
    github.expect(LIST, instead=refused(429, "Slow down", Retry_After="3600"))

    reason = why(api().comments, 7)

    assert reason.why == "GitHub takes no more requests for now"
    assert clock.slept == []


def test_all_waits_of_a_run_are_bounded_together(github, api, clock):
    there = api()
    for _ in range(6):
        github.expect(LIST, instead=refused(429, "Slow down", Retry_After="50"))

    reasons = [why(there.comments, 7).why for _ in range(3)]

    assert set(reasons) == {"GitHub takes no more requests for now"}
    assert sum(clock.slept) == 150


def test_a_github_that_hangs_is_given_up_as_well(github, api, clock):
    there = api()
    for _ in range(3):
        github.expect(LIST, instead=Reply(502), before=lambda: clock.sleep(100))

    assert why(there.comments, 7).why == "GitHub is out of order (502)"
    assert github.calls == [LIST] * 2


def test_two_writes_are_a_second_apart(api, clock):
    there = api()

    comment = there.create(7, "one")
    there.update(comment, "two")
    clock.now += 0.75
    there.delete(comment)

    assert clock.slept == [1, 0.25]


def test_what_is_gone_is_deleted(github, api):
    comment = api().create(7, "one")
    github.comments.clear()

    api().delete(comment)

    assert github.comments == []


@pytest.mark.parametrize(
    ("origin", "hint"),
    [
        ("ours", f"add to the job `{NEEDED}`"),
        ("fork", "a second workflow, on workflow_run, can publish the results"),
        ("dependabot", f"its token can only read, unless the job says `{NEEDED}`"),
    ],
)
def test_a_token_that_may_only_read_is_told_what_to_do(github, api, origin, hint):
    github.tokens[TOKEN] = Token(may_write=False)

    reason = why(api(origin=origin).create, 7, "hello")

    assert reason.why == (
        "the token may not write (403: Resource not accessible by integration)"
    )
    assert hint in reason.hint
    assert reason.is_meant == (origin != "ours")


def test_a_wrong_token_is_named_and_not_shown(api):
    secret = "ghs_0123456789abcdef"  # noqa: S105 - made up
    reason = why(api(token=secret).pull, 7)

    assert reason.why == "GitHub does not know the token (401: Bad credentials)"
    assert secret not in repr(reason)


def test_what_is_not_there_is_said_to_be_out_of_sight(api):
    reason = why(api().pull, 99)

    assert (reason.why, reason.is_gone) == (
        "the token sees no such thing (404: Not Found)",
        True,
    )


@pytest.mark.parametrize("meant", ["locked", "full"])
def test_what_people_want_so_is_no_failure(github, api, meant):
    if meant == "locked":
        github.locked = True
    else:
        for _ in range(2_500):
            github.add("hello", "octocat", "User")

    reason = why(api().create, 7, "hello")

    assert reason.is_meant
    assert reason.why in (
        "the conversation is locked",
        "the pull request takes no more comments",
    )


def test_a_text_that_is_too_long_is_refused(api):
    reason = why(api().create, 7, "x" * 65_537)

    assert reason.why == "GitHub refused (422: Validation Failed)"


def test_the_request_is_named_for_the_support_of_github(github, api):
    github.expect(
        LIST, instead=refused(422, "No", x_github_request_id="0A1B:2C3D:4E5F")
    )

    assert why(api().comments, 7).why.endswith("(422: No), request 0A1B:2C3D:4E5F")


@pytest.mark.parametrize(
    "odd",
    [
        None,
        {"id": 1},
        "text",
        [1],
        [{"id": 5}],
        [{"id": "5", "html_url": "x"}],
        [{"id": 5, "html_url": None}],
    ],
)
def test_an_answer_that_is_none_of_github_is_refused(github, api, odd):
    github.expect(LIST, instead=Reply(200, odd))

    reason = why(api().comments, 7)

    assert reason.why == "what GitHub answered is not what it documents"


@pytest.mark.parametrize(
    "odd",
    [
        [],
        {"number": 7, "state": "open", "head": None},
        {"number": 7, "state": "open", "head": {"sha": 5}},
        {"number": "7", "state": "open", "head": {"sha": HEAD}},
    ],
)
def test_a_pull_request_that_is_none_of_github_is_refused(github, api, odd):
    github.expect("POST /graphql", instead=Reply(200, odd))
    github.expect("GET /repos/org/bot/pulls/7", instead=Reply(200, odd))

    assert "not what it documents" in why(api().pull, 7).why


REST = "GET /repos/org/bot/pulls/7"


def test_a_pull_request_and_whose_the_token_is_cost_one_call(github, api):
    there = api()

    assert there.pull(7) == client.Pull(7, HEAD, is_open=True)
    assert (there.login(), github.calls) == (BOT, ["POST /graphql"])
    for state in ("closed", "merged"):
        github.pulls = {7: a_pull(7, state=state)}
        assert not there.pull(7).is_open


@pytest.mark.parametrize(
    "instead",
    [
        Reply(200, {"data": {"viewer": {"login": BOT}, "repository": None}}),
        Reply(200, {"data": {"repository": {"pullRequest": {"state": "OPEN"}}}}),
        Reply(200, {"data": None, "errors": [{"type": "RATE_LIMITED"}]}),
        Reply(200, ["data"]),
        Reply(502),
        Reply(0),
        refused(404, "Not Found"),
    ],
)
def test_where_graphql_does_not_tell_of_a_pull_request_rest_does(github, api, instead):
    github.expect("POST /graphql", instead=instead)
    there = api()

    assert there.pull(7) == client.Pull(7, HEAD, is_open=True)
    assert github.calls == ["POST /graphql", REST]
    assert there.login() == BOT


def test_a_token_that_graphql_tells_nothing_costs_two_calls_more(github, api):
    github.tokens[TOKEN] = Token("octocat", "User", tells_viewer=False)
    there = api()

    assert (there.pull(7).head, there.login()) == (HEAD, "octocat")
    assert github.calls == ["POST /graphql", REST, "GET /user"]


def test_whose_a_token_is_is_asked_until_it_is_told(github, api):
    github.tokens[TOKEN] = Token("rag-app[bot]")
    for _ in range(2):
        github.expect("POST /graphql", instead=Reply(502))
    there = api()

    assert (there.pull(7).head, there.login()) == (HEAD, "rag-app[bot]")


def test_a_pull_request_that_is_not_there_is_refused(github, api):
    github.pulls.clear()

    assert why(api().pull, 7).is_gone


@pytest.mark.parametrize("body", [None, 5, ["x"]])
def test_a_comment_without_author_or_text_is_nobodys(github, api, body):
    odd = {"id": 5, "html_url": "https://github.com/x", "user": None, "body": body}
    github.expect(LIST, instead=Reply(200, [odd]))

    [found] = api().comments(7)

    assert (found.body, found.is_by(BOT)) == ("", False)


def test_an_answer_without_end_is_not_read(github, api):
    github.expect(LIST, instead=Reply(200, ["x" * 2**20] * 70))

    assert "not what it documents" in why(api().comments, 7).why


def test_a_github_that_is_not_there_is_said_to_be_out_of_reach(api, clock):
    secret = "ghs_0123456789abcdef"  # noqa: S105 - made up
    reason = why(api(token=secret, url="http://127.0.0.1:9").pull, 7)

    assert reason.why == "GitHub cannot be reached: the connection failed"
    assert clock.slept == [1, 2, 4]


def test_an_authority_that_is_not_known_is_named(api):
    reason = why(api(url=api.url.replace("http:", "https:")).pull, 7)

    assert reason.why == (
        "GitHub cannot be reached: TLS failed (for a private CA set REQUESTS_CA_BUNDLE)"
    )


def test_a_proxy_that_cannot_be_used_is_named(api, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "")
    monkeypatch.setenv("no_proxy", "")

    reason = why(api(url="http://github.example.org").pull, 7)

    assert reason.why == (
        "GitHub cannot be reached: the proxy on the way to it cannot be used"
    )
