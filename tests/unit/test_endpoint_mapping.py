"""A reply becomes a Response, and a wrong mapping gets help."""

import re
from time import perf_counter
from typing import Any

import pytest

from runner.endpoints import check
from runner.endpoints._mapping import ReplyMap
from runner.errors import InputError, Problems
from runner.model import Failure, Passage, Response
from runner.spec import CitationMap, ContextMap, EndpointSpec, ResponseMap
from runner.templating import by_path

REPLY = {
    "answer": "Within 30 days [1].",
    "contexts": [
        {"id": "returns#3", "text": "30 days.", "score": 0.9, "document": "returns"},
        {"id": 7, "text": None, "score": 1, "tenant": "a"},
    ],
    "citations": ["returns#3", 7, "returns#3", None],
    "refused": False,
    "usage": {"tokens": 12},
}


def read(reply: Any = REPLY, **spec: Any) -> Response | Failure:
    return ReplyMap(ResponseMap(**spec)).read(reply, 0.5)


def test_the_default_mapping_reads_the_default_shape():
    assert read() == Response(
        answer="Within 30 days [1].",
        passages=(
            Passage("returns#3", "30 days.", 0.9, "returns", None),
            Passage("7", None, 1.0, None, "a"),
        ),
        citations=("returns#3", "7"),
        refused=False,
        usage={"tokens": 12},
        latency=0.5,
    )


def test_what_a_reply_leaves_out_is_unknown():
    assert read({"answer": ""}) == Response(answer="", latency=0.5)


@pytest.mark.parametrize("contexts", [[], None])
def test_no_contexts_and_unknown_contexts_differ(contexts):
    found = read({"answer": "a", "contexts": contexts}).passages

    assert found == (None if contexts is None else ())


def test_what_the_mapping_leaves_out_is_not_read():
    spec = dict.fromkeys(["answer", "contexts", "citations", "refused", "usage"])

    assert read(**spec) == Response(latency=0.5)


@pytest.mark.parametrize(
    ("reply", "spec", "refused"),
    [
        ({}, {}, None),
        ({"refused": True}, {}, True),
        ({"refused": 0}, {}, True),
        ({"refused": ""}, {}, False),
        ({"refused": None}, {}, None),
        ({"refused": True}, {"refused": None}, None),
        ({}, {"refused": "why"}, False),
        ({"why": ["policy"]}, {"refused": "why"}, True),
        ({"why": []}, {"refused": "why"}, False),
        ({"end": "filter"}, {"refused": "end == 'filter'"}, True),
    ],
)
def test_a_refusal_flag_has_the_truth_of_jmespath(reply, spec, refused):
    assert read({"answer": "a", **reply}, **spec).refused is refused


@pytest.mark.parametrize(
    ("value", "score"),
    [(1, 1.0), (True, None), ("0.9", None), ([1], None), (10**400, None)],
)
def test_a_score_is_a_number_or_nothing(value, score):
    passages = read({"answer": "a", "contexts": [{"id": "x", "score": value}]}).passages

    assert passages[0].score == score


@pytest.mark.parametrize(
    ("reply", "shown"),
    [
        ({"contexts": [{"id": "x"}]}, Response(None, (Passage("x"),))),
        ({"answer": 3, "citations": ["x"]}, Response(citations=("x",))),
        ({"answer": "a", "contexts": {}}, Response("a")),
        (
            {"answer": "a", "contexts": [None, {"id": 1.5}, {"id": "x"}]},
            Response("a", (Passage("x"),)),
        ),
        ({"answer": "a", "contexts": [], "citations": "x"}, Response("a", ())),
        ({"answer": "a", "error": "quota"}, Response("a")),
        ({"error": "quota"}, None),
        ("text", None),
    ],
)
def test_what_a_reply_that_cannot_be_used_shows_all_the_same(reply, shown):
    assert read(reply, error="error").shown == shown


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (
            {"data": {"answer": "a"}, "code": 0},
            (
                "no answer: endpoint.response.answer (`answer`) is null; the reply has "
                "the keys data.answer, code (did you mean data.answer?)"
            ),
        ),
        ({"answr": "a"}, "the keys answr (did you mean answr?)"),
        (
            {"data": {"reply": "a", "docs": [{"id": 1}], "x": {}}, "my-key": 1},
            'has the keys data.reply, data.docs, data.docs[0].id, data.x, "my-key"',
        ),
        ({"答案": "a"}, 'the keys "答案"'),
        ({}, "the reply has the keys (none)"),
        ({"answer": 3}, "(`answer`) is a number; "),
        ({"answer": ["a"]}, "(`answer`) is a list; "),
        ([1], "is null; the reply is a list"),
        ("text", "is null; the reply is a string"),
        (None, "is null; the reply is null"),
        ({"answer": "a", "contexts": {}}, "contexts (`contexts`) is an object, not a"),
        ({"answer": "a", "contexts": "x"}, "contexts (`contexts`) is a string, not a"),
        ({"answer": "a", "contexts": [None]}, "contexts[] is null where a passage"),
        ({"answer": "a", "contexts": [{"id": True}]}, "contexts[].id is a boolean"),
        ({"answer": "a", "contexts": [{"id": 1.5}]}, "contexts[].id is a number (1.5)"),
        ({"answer": "a", "contexts": [{"text": 5}]}, "contexts[].text is a number"),
        ({"answer": "a", "contexts": [{"tenant": []}]}, "contexts[].tenant is a list"),
        ({"answer": "a", "citations": "x"}, "citations (`citations`) is a string"),
        ({"answer": "a", "citations": [{"id": 1}]}, "citations[] is an object"),
    ],
)
def test_a_reply_of_another_shape_is_malformed_and_says_what_was_there(reply, message):
    failure = read(reply)

    assert (failure.cause, failure.latency) == ("service.malformed", 0.5)
    assert message in failure.message


def test_a_message_shows_little_of_a_large_reply():
    failure = read({f"key-{n}" * 50: "x" * 10**6 for n in range(1000)})

    assert len(failure.message) < 1000


@pytest.mark.parametrize(
    ("reply", "expression", "message"),
    [
        ({"code": 102, "message": "no such chat"}, "code && message", "no such chat"),
        ({"error": {"message": "down"}}, "error", '{"message": "down"}'),
        ({"timed_out": True}, "timed_out && 'timed out'", "timed out"),
        ({"code": 0}, "code", "0"),
    ],
)
def test_an_error_in_a_reply_comes_before_everything_else(reply, expression, message):
    failure = read({"answer": "a", **reply}, error=expression)

    assert failure.cause == "service.http_error"
    assert failure.message == f"the reply states an error: {message}"


@pytest.mark.parametrize("error", [{}, [], "", None, False])
def test_an_error_that_is_empty_is_none(error):
    assert read({**REPLY, "error": error}, error="error").answer == REPLY["answer"]


@pytest.mark.parametrize(
    ("answer", "form", "cleaned", "marks"),
    [
        ("A [1].", {"first": 1}, "A.", [(1, "a")]),
        ("A [0].", {"first": 0}, "A.", [(1, "a")]),
        ("A [1][2] B [1]", {"first": 1}, "A B", [(1, "a"), (1, "b"), (3, "a")]),
        ("A [1, 2] [9]", {"first": 1}, "A", [(1, "a"), (1, "b"), (1, "#9")]),
        ("A [0]", {"first": 1}, "A", [(1, "#0")]),
        ("A [99999999999999999999]", {"first": 1}, "A", [(1, f"#{'9' * 20}")]),
        ("A [3]", {"first": 1}, "A", []),
        ("[2]", {"first": 1}, "", [(0, "b")]),
        ("回答[2]。", {"first": 1}, "回答。", [(2, "b")]),
        ("none", {"first": 1}, "none", []),
        ("A [b]", {"pattern": r"\[([a-z])\]"}, "A", [(1, "b")]),
        ("A <x>", {"pattern": r"<([a-z])>|\[(\d)\]"}, "A", [(1, "x")]),
        ("A [y]", {"pattern": r"<([a-z])>|\[([a-z])\]"}, "A", [(1, "y")]),
        ("A \t[1]\nB", {"first": 1}, "A\nB", [(1, "a")]),
        ("A [1]", {"first": 1, "of": "files[].name"}, "A", [(1, "f.md")]),
        ("A [2]", {"first": 1, "of": "files[].name"}, "A", [(1, "#2")]),
    ],
)
def test_marks_leave_the_answer_and_keep_their_places(answer, form, cleaned, marks):
    reply = {
        "answer": answer,
        "contexts": [{"id": "a"}, {"id": "b"}, {"text": "without id"}],
        "files": [{"name": "f.md"}],
    }
    form = CitationMap(**{"pattern": r"\[([\d, ]+)\]", **form})

    response = read(reply, citations=form)

    assert (response.answer, list(response.marks)) == (cleaned, marks)
    assert response.citations == tuple(dict.fromkeys(name for _, name in marks))
    assert response.raw_answer == (None if answer == cleaned else answer)


@pytest.mark.parametrize(
    ("cited", "citations"),
    [
        ([0, 1, 0], ("a", "b")),
        (["1"], ("b",)),
        ([7, None, -1], ("#7", "#-1")),
        ([], ()),
        (None, None),
    ],
)
def test_positions_in_the_reply_count_from_first(cited, citations):
    reply = {"answer": "x [1]", "contexts": [{"id": "a"}, {"id": "b"}], "used": cited}

    response = read(reply, citations=CitationMap(path="used", first=0))

    assert (response.citations, response.answer) == (citations, "x [1]")


def test_marks_without_an_answer_cite_nothing():
    spec = {"answer": None, "citations": CitationMap(pattern=r"\[(\d)\]", first=1)}

    assert read(**spec).citations is None


def test_stripped_text_is_out_before_marks_are_looked_for():
    reply = {**REPLY, "answer": "<think>\nsee [2]\n</think>\n\nWithin 30 days [1]."}
    citations = CitationMap(pattern=r"\[(\d)\]", first=1)

    response = read(reply, strip=("<think>.*?</think>",), citations=citations)

    assert (response.answer, response.citations) == ("Within 30 days.", ("returns#3",))
    assert response.raw_answer == reply["answer"]


def test_patterns_meet_hostile_answers_in_linear_time():
    answer = "<think>" * 20_000 + "[" * 20_000
    spec = {"strip": ("(<think>)*(.*)*</think>",)}
    spec["citations"] = CitationMap(pattern=r"(\[+)+\]")
    started = perf_counter()

    read({"answer": answer}, **spec)

    assert perf_counter() - started < 5


@pytest.mark.parametrize(
    ("spec", "key", "message"),
    [
        ({"answer": "a["}, "answer", "no JMESPath expression: it breaks off"),
        ({"answer": "a[?b=1]"}, "answer", "it cannot go on with '=1]'"),
        ({"answer": "{{ a }}"}, "answer", "it is no template"),
        ({"error": "lenght(a)"}, "error", "did you mean length?"),
        ({"usage": "join('#')"}, "usage", "takes 2 arguments, not 1"),
        ({"contexts": "zip()"}, "contexts", "takes 1 argument, not 0"),
        ({"answer": "capture(a, '(?=b)')"}, "answer", "no look-around"),
        ({"context": {"id": "a b"}}, "context.id", "no JMESPath"),
        ({"citations": "@@"}, "citations", "no JMESPath"),
        ({"citations": {"pattern": "("}}, "citations.pattern", "no regular expression"),
        ({"citations": {"pattern": r"\d*"}}, "citations.pattern", "matches the empty"),
        (
            {"citations": {"pattern": "a", "first": 1, "of": "["}},
            "citations.of",
            "no JM",
        ),
        ({"strip": ["ok", r"(a)\1"]}, "strip[1]", "no back references"),
    ],
)
def test_a_wrong_expression_is_an_error_before_the_first_request(spec, key, message):
    with pytest.raises(Problems, match=re.escape(f"endpoint.response.{key}:")) as error:
        ReplyMap(ResponseMap.model_validate(spec))

    assert message in str(error.value)


@pytest.mark.parametrize(
    ("written", "hint"),
    [
        ("$.data.reply", "write data.reply"),
        ("$", "write @"),
        ("$['data'][\"x-y\"]", 'write data."x-y"'),
        ("$.choices[0].message.content", "write choices[0].message.content"),
        (".data", "write data"),
        ("data.0.text", "write data[0].text"),
        ("/data/0/text", "write data[0].text"),
        ("my-key", 'write "my-key"'),
        ("数据.答案", 'write "数据"."答案"'),
        ("$..answer", "there is no .. here: write the whole path"),
        ("a ||", ""),
        ("join('#', a", ""),
        ("@@", ""),
    ],
)
def test_a_path_in_another_notation_is_answered_with_jmespath(written, hint):
    with pytest.raises(Problems) as caught:
        ReplyMap(ResponseMap(answer=written))

    (problem,) = caught.value.problems
    assert problem.hint == hint


def test_every_wrong_expression_is_told_at_once():
    spec = ResponseMap(answer="[", contexts="(", context=ContextMap(text="["))

    with pytest.raises(Problems) as problems:
        ReplyMap(spec)

    assert len(problems.value.problems) == 3


@pytest.mark.parametrize(
    "expression", ["join('#', [name, part])", "sum(answer)", "sort_by(x, &y)"]
)
def test_a_type_that_an_expression_cannot_take_is_an_error_of_the_spec(expression):
    with pytest.raises(InputError, match=r"^endpoint\.response\.answer: .*cannot take"):
        read({"name": "a", "answer": "b"}, answer=expression)


@pytest.mark.parametrize(
    ("expression", "value", "found"),
    [
        ("from_json(a)[0].b", {"a": '[{"b": "x"}]'}, "x"),
        ("from_json(a) || 'none'", {"a": "no json"}, "none"),
        ("from_json(a) || 'none'", {"a": "[NaN]"}, "none"),
        ("from_json(a) || 'none'", {}, "none"),
        ("capture(a, '([^/]+)$')", {"a": "s3://kb/x.md"}, "x.md"),
        ("capture(a, 'x|y')", {"a": "zy"}, "y"),
        ("capture(a, '(x)|(y)')", {"a": "zy"}, "y"),
        ("capture(a, '(x)') || 'none'", {"a": None}, "none"),
        ("to_string(zip(a, b))", {"a": [1, 2], "b": ["x"]}, '[[1,"x"],[2,null]]'),
        ("to_string(zip(a, b))", {"a": [1], "b": None}, "[[1,null]]"),
        ("zip(a, b) || 'none'", {}, "none"),
    ],
)
def test_three_functions_more_than_jmespath(expression, value, found):
    assert read(value, answer=expression).answer == found


def test_a_mapping_that_finds_no_contexts_gets_help():
    replies = ReplyMap(ResponseMap())
    for _ in range(2):
        replies.read({"answer": "a", "data": {"contexts": [{"id": "x"}]}})

    assert str(replies.missing()) == (
        "endpoint.response.contexts: `contexts` found nothing in 2 replies; the reply "
        "has the keys answer, data.contexts, data.contexts[0].id (did you mean "
        "data.contexts?; write contexts: null where the system does not show it)"
    )


def test_help_is_taken_from_a_reply_that_shows_passages():
    replies = ReplyMap(ResponseMap(answer="text"))
    for contexts in ([], [{"id": "x", "text": "t"}], []):
        assert isinstance(replies.read({"answer": "a", "contexts": contexts}), Failure)

    assert "the keys answer, contexts, contexts[0].id" in str(replies.missing())


@pytest.mark.parametrize(
    ("entry", "spec", "key", "hint"),
    [
        ({"chunk": 1, "text": "t"}, {}, "id", "the passage has the keys chunk, text"),
        ({"id": "x", "page": "t"}, {}, "text", "write text: null"),
        ("plain", {}, "id", "write context: {id: null, text: '@'}"),
        (
            {"id": "x", "text": "t"},
            {"context": ContextMap(tenant="own.er")},
            "tenant",
            "own.er",
        ),
    ],
)
def test_a_path_that_no_passage_has_gets_help(entry, spec, key, hint):
    replies = ReplyMap(ResponseMap(**spec))
    replies.read({"answer": "a", "contexts": [entry]})

    found = str(replies.missing())

    assert found.startswith(f"endpoint.response.context.{key}: ")
    assert hint in found


@pytest.mark.parametrize(
    ("replies", "spec"),
    [
        ([], {}),
        ([{"answer": "a"}, REPLY], {}),
        ([{"answer": "a"}], {"contexts": None}),
        ([{"answer": "a", "contexts": []}], {}),
        ([{"answer": "a", "contexts": [{"id": 1, "text": "t"}]}], {}),
        (
            [{"answer": "a", "contexts": ["t"]}],
            {"context": ContextMap(id=None, text="@")},
        ),
        (
            [{"answer": "a", "contexts": [{"id": "x", "text": "t"}]}],
            {"context": ContextMap(score="relevance")},
        ),
    ],
)
def test_a_mapping_that_works_or_was_not_tried_gets_no_help(replies, spec):
    mapping = ReplyMap(ResponseMap(**spec))
    for reply in replies:
        mapping.read(reply)

    assert mapping.missing() is None


def test_a_wrong_template_and_a_wrong_mapping_are_told_at_once():
    spec = EndpointSpec(
        url="http://rag",
        body={"q": "{{ questoin }}"},
        response=ResponseMap(answer="$.data"),
    )

    with pytest.raises(Problems) as caught:
        check(spec, {}, (), by_path)

    assert [str(problem.where) for problem in caught.value] == [
        "endpoint.body.q",
        "endpoint.response.answer",
    ]
