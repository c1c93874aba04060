"""What a repository holds at a commit, against the contract."""

import pytest

from runner.github.client import Refused
from runner.github.contents import LARGEST, Entry, hash_of
from tests.contract._github.clients import TOKEN
from tests.contract._github.server import BASE, Reply, Token
from tests.contract._github.store import FOLDER, LINK

FILES = {
    "rag.yaml": "top",
    "evals/rag.yaml": "name: x\n",
    "evals/cases/政策.jsonl": "{}\n",
    "evals/link": (LINK, b"rag.yaml"),
}


@pytest.fixture
def there(github, api):
    github.commit(FILES, sha=BASE)
    return api.contents()


def why(act, *args):
    with pytest.raises(Refused) as error:
        act(*args)
    return error.value.reason


def test_all_files_of_a_commit_are_listed_in_one_call(github, there):
    found = there.listing(BASE, "evals")

    files = {path: entry for path, entry in found.items() if entry.is_file}
    assert files["evals/rag.yaml"] == Entry("100644", hash_of(b"name: x\n", BASE), 8)
    assert sorted(files) == ["evals/cases/政策.jsonl", "evals/rag.yaml", "rag.yaml"]
    assert (found["evals"].mode, found["evals/link"].mode) == (FOLDER, LINK)
    assert there.listing(BASE, "") == found
    assert len(github.calls) == 1


@pytest.mark.parametrize("content", [b"", b"x\r\n", bytes(range(256)) * 9])
def test_a_file_comes_as_it_is(github, there, content):
    sha = github.add_blob(content)

    assert there.blob(Entry("100644", sha, len(content))) == content


def test_a_file_that_is_too_large_is_not_asked_for(github, there):
    said = why(there.blob, Entry("100644", BASE, LARGEST + 1))

    assert (said.why, github.calls) == ("a file in it has more than 40 MiB", [])


def test_where_a_listing_is_cut_the_way_is_walked(github, there):
    github.cut = 3

    found = there.listing(BASE, "evals/cases")

    assert list(found) == ["evals/cases/政策.jsonl"]
    assert there.listing(BASE, "evals/none") == {}
    assert there.listing(BASE, "rag.yaml/x") == {}
    assert len(github.calls) == 4  # whole, top, evals, evals/cases


def test_a_folder_that_is_cut_itself_is_not_read_by_half(github, there):
    github.cut = 1

    assert "more files than GitHub lists" in why(there.listing, BASE, "evals").why
    assert "more files than GitHub lists" in why(there.listing, BASE, "").why


def test_the_parents_of_a_merge_are_told_in_their_order(github, there):
    first, second = github.commit({"a": "1"}), github.commit({"a": "2"})
    merge = github.commit({"a": "3"}, first, second)

    assert there.parents(merge) == [first, second]
    assert there.parents(first) == []


def test_a_token_that_may_not_read_is_told_with_the_remedy(github, there):
    github.tokens[TOKEN] = Token(may_read=False)

    said = why(there.listing, BASE, "")

    assert "the token may not read (403: Resource not accessible" in said.why
    assert said.hint == "add to the job `permissions: {contents: read}`"


def test_a_commit_that_is_not_there_is_gone(there):
    assert why(there.listing, "d" * 40, "").is_gone


SHA = hash_of(b"x", BASE)


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        {"encoding": "utf-8", "content": "x"},
        {"encoding": "base64", "content": "?"},
        {"encoding": "base64", "content": "eXk="},
        {"encoding": "base64"},
    ],
)
def test_a_reply_of_another_shape_is_no_file(github, there, data):
    github.expect("blobs", instead=Reply(200, data))

    said = why(there.blob, Entry("100644", SHA, 1))

    assert said.why == "what GitHub answered is not what it documents"


@pytest.mark.parametrize(
    "data",
    [
        [],
        {},
        {"tree": [], "truncated": "no"},
        {"tree": [1], "truncated": False},
        {"tree": [{"path": "a", "mode": "100644"}], "truncated": False},
        {"tree": [{"path": "a", "mode": "100644", "sha": SHA}], "truncated": False},
    ],
)
def test_a_reply_of_another_shape_is_no_listing(github, there, data):
    github.expect("trees", instead=Reply(200, data))

    assert "not what it documents" in why(there.listing, BASE, "").why


def test_several_files_are_fetched_in_one_call(github, there):
    found = there.listing(BASE, "")
    names = ("evals/rag.yaml", "evals/cases/政策.jsonl", "rag.yaml")
    github.calls.clear()

    there.fetch([found[name] for name in names])

    assert [there.blob(found[name]) for name in names] == [
        b"name: x\n",
        b"{}\n",
        b"top",
    ]
    assert github.calls == ["POST /graphql"]


@pytest.mark.parametrize(
    ("content", "calls"),
    [
        (b"\xff\xfe\0", ["POST /graphql", "GET"]),  # no text
        ("\N{BYTE ORDER MARK}a\r\n".encode(), ["POST /graphql"]),
        (b"", ["GET", "GET"]),
        (b"x" * 500_001, ["GET", "GET"]),  # more than GraphQL tells
    ],
)
def test_what_graphql_does_not_tell_whole_is_fetched_by_itself(
    github, api, content, calls
):
    github.commit({"a": "text", "b": content}, sha=BASE)
    there = api.contents()
    found = there.listing(BASE, "")
    github.calls.clear()

    there.fetch([found["a"], found["b"]])

    assert [there.blob(found[name]) for name in "ab"] == [b"text", content]
    told = [each if "graphql" in each else each.split()[0] for each in github.calls]
    assert told == calls


@pytest.mark.parametrize(
    "instead",
    [
        Reply(200, {"data": {"repository": {"b0": {"text": "another"}, "b1": None}}}),
        Reply(200, {"data": {"repository": {"b0": {"text": "\ud800"}}}}),
        Reply(200, {"errors": [{"message": "no"}]}),
        Reply(502),
        Reply(403, {"message": "Resource not accessible by integration"}),
    ],
)
def test_no_file_is_taken_for_another(github, there, instead):
    found = there.listing(BASE, "")
    github.expect("POST /graphql", instead=instead)

    there.fetch([found["evals/rag.yaml"], found["rag.yaml"]])

    assert there.blob(found["evals/rag.yaml"]) == b"name: x\n"
    assert there.blob(found["rag.yaml"]) == b"top"


def test_one_file_is_not_worth_a_call_of_its_own(github, there):
    found = there.listing(BASE, "")
    github.calls.clear()

    there.fetch([found["rag.yaml"]])

    assert github.calls == []
