import subprocess
import sys
from datetime import date

import pytest

from runner.cases import (
    FIELDS,
    Row,
    case_hash,
    check_unique,
    health,
    labels_hash,
    load,
    lookalikes,
)
from runner.errors import Place, Problems
from runner.metrics import registry
from runner.model import Case, Quarantine
from runner.spec import bind

PLACE = Place("cases.json", 3)


def one(*, cells=False, defaults=None, fields=None, **data):
    """Give the case that one record becomes."""
    row = Row({"question": "Why?", **data}, PLACE, cells)
    return load([row], fields=fields or {}, defaults=defaults or {}).cases[0]


def wrong(*rows, cells=False, **options):
    """Give what is said about records that cannot be read."""
    with pytest.raises(Problems) as caught:
        load([Row(data, PLACE, cells) for data in rows], **options)
    return str(caught.value).split("\n")


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("id", "a", "a"),
        ("id", 7, "7"),
        ("type", "policy", "policy"),
        ("tags", ["x", "y"], ("x", "y")),
        ("tags", "x", ("x",)),
        ("expected_doc_ids", ["d#1", 2], {"d#1": 1, "2": 1}),
        ("expected_doc_ids", {"d#1": 3, "d#2": 0}, {"d#1": 3, "d#2": 0}),
        ("expected_doc_ids", "d#1", {"d#1": 1}),
        ("expected_doc_ids", [], {}),
        ("reference", "Because.", "Because."),
        ("must_include", ["500", ["a", "b"], 7], (("500",), ("a", "b"), ("7",))),
        ("must_include", "500, or so", (("500, or so",),)),
        ("must_not_include", ["x"], ("x",)),
        ("expect_refusal", True, True),
        ("expect_refusal", "yes", True),
        ("refusal_phrases", ["no idea"], ("no idea",)),
        ("forbidden_doc_ids", ["doc-b*"], ("doc-b*",)),
        ("tenant", 12, "12"),
        ("canaries", ["B-7"], ("B-7",)),
        ("anchors", ["x"], ("x",)),
        ("intents", ["x"], ("x",)),
        ("owner", "@team", "@team"),
        ("meta", {"a": 1}, {"a": 1}),
    ],
)
def test_a_field_is_read(field, value, expected):
    attribute = FIELDS[field].attribute or field

    assert getattr(one(**{field: value}), attribute) == expected


HELD = {"until": "2026-12-31", "why": "flaky"}


@pytest.mark.parametrize(
    ("value", "cells", "expected"),
    [
        (HELD, False, Quarantine(date(2026, 12, 31), "flaky")),
        (
            {**HELD, "owner": "@x"},
            False,
            Quarantine(date(2026, 12, 31), "flaky", "@x"),
        ),
        (
            '{"until": "2026-12-31", "why": "flaky"}',
            True,
            Quarantine(date(2026, 12, 31), "flaky"),
        ),
        (None, False, None),
    ],
)
def test_a_quarantine_has_a_last_day_and_a_reason(value, cells, expected):
    assert one(quarantine=value, cells=cells).quarantine == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (True, "must be written {until: 2026-12-31, why: ...}, and is true"),
        ("2026-12-31", "must be written {until: 2026-12-31, why: ...}"),
        ({"why": "flaky"}, "has no until; write {until: 2026-12-31, why: ...}"),
        ({"until": "2026-12-31"}, "has no why; write"),
        ({**HELD, "why": " "}, "has why, which is blank"),
        (
            {**HELD, "until": "31.12.2026"},
            "a day such as 2026-12-31, and is the text",
        ),
        ({**HELD, "until": "2026-02-30"}, "a day such as 2026-12-31, and is the text"),
        ({**HELD, "until": 20261231}, "a day such as 2026-12-31, and is the number"),
        ({**HELD, "untill": "x"}, "has the unknown key untill (did you mean until?)"),
        (
            {**HELD, "since": "x"},
            "the unknown key since (it has until, why, owner)",
        ),
    ],
)
def test_a_wrong_quarantine_says_how_one_is_written(value, expected):
    (said,) = wrong({"question": "Why?", "quarantine": value})

    assert said.startswith("cases.json:3 quarantine: ")
    assert expected in said


def test_a_quarantine_is_no_label():
    case = one()

    assert labels_hash(one(quarantine=HELD)) == labels_hash(case)
    assert case_hash(one(quarantine=HELD)) == case_hash(case)


@pytest.mark.parametrize(
    ("alias", "field"),
    [(alias, name) for name, field in FIELDS.items() for alias in field.aliases],
)
def test_another_tools_name_is_the_same_field(alias, field):
    value = [{"role": "assistant", "content": "x"}] if field == "turns" else "x"
    beside = {} if field == "question" else {"question": "Why?"}
    data, native = {**beside, alias: value}, {**beside, field: value}

    assert load([Row(data, PLACE)]).cases == load([Row(native, PLACE)]).cases


@pytest.mark.parametrize(
    ("field", "cell", "expected"),
    [
        ("expected_doc_ids", "a.md,b.md", {"a.md": 1, "b.md": 1}),
        ("expected_doc_ids", "a,1.md | b.md", {"a,1.md": 1, "b.md": 1}),
        ("expected_doc_ids", '["a,b"]', {"a,b": 1}),
        ("expected_doc_ids", '{"a": 2, "b": 1}', {"a": 2, "b": 1}),
        ("expected_doc_ids", " a , ,", {"a": 1}),
        (
            "must_include",
            '[["500", "five hundred"], "x"]',
            (("500", "five hundred"), ("x",)),
        ),
        ("must_include", "1,000 units, 5", (("1,000 units",), ("5",))),
        ("must_include", "Paris, France|Rome", (("Paris, France",), ("Rome",))),
        ("must_include", '["Paris, France"]', (("Paris, France",),)),
        ("must_include", "x; y", (("x; y",),)),
        ("expected_doc_ids", "1,000", {"1": 1, "000": 1}),
        ("tags", "x, y", ("x", "y")),
        ("expect_refusal", "TRUE", True),
        ("expect_refusal", "0", False),
        ("expect_refusal", "是", True),
        ("id", " 007 ", "007"),
        ("reference", " [1] is why ", "[1] is why"),
        ("meta", '{"a": 1}', {"a": 1}),
    ],
)
def test_the_text_of_a_cell_is_taken_apart(field, cell, expected):
    attribute = FIELDS[field].attribute or field

    assert getattr(one(cells=True, **{field: cell}), attribute) == expected


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"type": "refusal"}, True),
        ({"type": "refusal", "expect_refusal": True}, True),
        ({"type": "fact"}, False),
        ({"type": "fact", "expect_refusal": True}, True),
        ({}, False),
    ],
)
def test_a_refusal_case_expects_a_refusal(data, expected):
    assert one(**data).expect_refusal is expected


def test_a_contradiction_is_an_error_and_is_not_decided():
    said = wrong({"question": "Why?", "type": "refusal", "expect_refusal": False})

    assert "cases.json:3 expect_refusal: expect_refusal is false" in said[0]


@pytest.mark.parametrize("value", [None, True, 1.5, "", " ", [], {}], ids=repr)
def test_an_id_is_text_or_a_whole_number(value):
    assert wrong({"question": "Why?", "id": value})[0].startswith("cases.json:3 id: ")


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({}, "no record has a question; they have no keys"),
        ({"question": " "}, "question: is blank"),
        ({"question": None}, "has no question"),
        ({"question": ["a"]}, "question: must be text, and is a list"),
        ({"question": "q", "tags": "a,b"}, "tags: must be a list"),
        ({"question": "q", "must_include": [""]}, "must_include: is blank"),
        ({"question": "q", "must_include": ["\u200b"]}, "must_include: is blank"),
        ({"question": "q", "canaries": ["\ufeff\u3000\n"]}, "canaries: is blank"),
        ({"question": "q", "must_include": [[]]}, "has an empty list in it"),
        ({"question": "q", "canaries": ["x", ""]}, "canaries: is blank"),
        (
            {"question": "q", "expected_doc_ids": {"a": True}},
            "gives a true for a grade",
        ),
        ({"question": "q", "expected_doc_ids": {"a": 4}}, "one of 0, 1, 2, 3"),
        ({"question": "q", "expected_doc_ids": [None]}, "must be text, and is null"),
        ({"question": "q", "expect_refusal": 1}, "must be true or false"),
        (
            {"question": "q", "query": "r"},
            "query: means question, and so does question",
        ),
        ({"question": "q", "keyword": "r"}, "did you mean keywords?"),
    ],
)
def test_a_mistake_names_its_field(data, expected):
    assert expected in wrong(data)[0]


@pytest.mark.parametrize(
    "name",
    ["Question", "expectedDocIds", "expected_doc_idz", "tag", "must-include", "tpye"],
)
def test_a_name_that_nearly_is_a_fields_name_is_an_error(name):
    assert "did you mean" in wrong({"question": "Why?", name: "x"})[0]


@pytest.mark.parametrize(
    "name",
    ["notes", "difficulty", "answer", "uid", "question_en", "reference_contexts", "x"],
)
def test_any_other_name_goes_to_meta_with_one_notice(name):
    rows = [Row({"question": f"Why {n}?", name: "v"}, PLACE) for n in range(3)]

    loaded = load(rows)

    assert [dict(case.meta) for case in loaded.cases] == [{name: "v"}] * 3
    assert loaded.notices == (
        f"cases.json: kept in meta, as no field has the name: {name}",
    )


@pytest.mark.parametrize(
    ("keys", "fields", "expected"),
    [
        (
            ["prompt", "gold"],
            {},
            "cases.json: no record has a question; they have prompt, gold (say which",
        ),
        (["id", "Prompt"], {}, "beside the path: fields: {question: Prompt})"),
        (["id", "问题"], {}, "fields: {question: 问题})"),
        (["a", "b"], {}, "fields: {question: NAME})"),
        ([f"c{n}" for n in range(20)], {}, "c11 and 8 more (say"),
        (["questoin"], {}, "did you mean question? rename it, or map it with fields"),
        (["prompt"], {"question": "promt"}, "no record has promt (did you mean prompt"),
        (["a"], {"question": "promt"}, "no record has promt (they have a)"),
    ],
)
def test_a_file_without_a_question_is_told_once_with_what_to_write(
    keys, fields, expected
):
    said = wrong(*[dict.fromkeys(keys[n % 2 :], "x") for n in (0, 0, 2)], fields=fields)

    assert len(said) == 1
    assert expected in said[0]


def test_rows_without_a_question_are_told_one_by_one_where_others_have_one():
    assert wrong({"question": "Why?"}, {"id": "a"}, {"id": "b", "question": None}) == [
        "cases.json:3: has no question",
        "cases.json:3: has no question",
    ]


def test_each_file_of_a_source_is_told_of_its_own_keys():
    rows = [Row({"question": "Why?", "x": 1}, Place(f"{file}.json")) for file in "ab"]

    assert load(rows).notices == tuple(
        f"{file}.json: kept in meta, as no field has the name: x" for file in "ab"
    )
    with pytest.raises(Problems) as caught:
        load(
            [*rows, Row({"frage": "Warum?"}, Place("c.json"))],
            fields={"question": "question"},
        )
    assert str(caught.value).startswith("c.json: no record has a question; they have")


@pytest.mark.parametrize(
    ("field", "cell", "expected"),
    [
        (
            "must_include",
            "Paris, France",
            ' commas (write Paris|France for these, ["Paris, France"] for one)',
        ),
        ("must_include", "x; y", "'x; y' is read as 1 entry (write x|y for several)"),
        ("must_include", "三十天、未拆封", "read as 1 entry (write 三十天|未拆封 for"),
        (
            "expected_doc_ids",
            "a，b",
            "'a，b' is read as 1 entry (write a|b for several",
        ),
        ("expected_doc_ids", "a;b", "'a;b' is read as 1 entry (write a|b"),
        ("tags", "a\nb", "is read as 1 entry"),
        ("expected_doc_ids", "a,b", None),
        ("must_include", "1,000 units", None),
        ("must_include", "x|y; z", None),
        ("must_include", '["x, y"]', None),
        ("reference", "x, y; z", None),
    ],
)
def test_a_cell_that_may_be_meant_otherwise_is_told_once(field, cell, expected):
    rows = [
        Row({"question": f"Why {n}?", field: cell}, PLACE, cells=True) for n in (1, 2)
    ]
    notices = load(rows).notices

    assert len(notices) == (expected is not None)
    for notice in notices:
        assert notice.startswith(f"warning: cases.json {field}: ")
        assert expected in notice


@pytest.mark.parametrize(
    ("types", "expected"),
    [
        (["Refusal"], "type Refusal (1 case): did you mean refusal? (or write expect_"),
        (["refusals", "refusals"], "type refusals (2 cases): did you mean refusal?"),
        (["unanswerable"], "did you mean refusal?"),
        (["拒答"], "did you mean refusal?"),
        (["POLICY"], "type POLICY (1 case): did you mean policy?"),
        (["plicy"], "did you mean policy?"),
        (["Facts"], "did you mean fact?"),
        (
            ["multi-hop", "multi-hop", "Multi Hop"],
            "Multi Hop (1 case): did you mean mu",
        ),
        (["fast"], None),
        (["fact", "policy", "refusal", "multi-hop", "v1.2", "v12", None], None),
    ],
)
def test_a_type_that_nearly_is_another_is_told(types, expected):
    cases = [Case(str(n), "?", kind, place=PLACE) for n, kind in enumerate(types)]
    lines = list(lookalikes(cases))

    assert len(lines) == (expected is not None)
    assert all(expected in line for line in lines)
    assert all(line.startswith("warning: cases.json:3: type ") for line in lines)


def test_a_refusal_by_another_name_that_says_so_is_the_teams_own_word():
    case = Case("a", "?", "unanswerable", expect_refusal=True)

    assert list(lookalikes([case])) == []


def test_a_tag_that_nearly_is_another_is_told():
    tags = ("cross-tenant", "cross_tenant", "as", "a", "-", "_")
    cases = [Case("a", "?", tags=tags, place=PLACE), Case("b", "?", tags=tags[:1])]

    assert list(lookalikes(cases)) == [
        "warning: cases.json:3: tag cross_tenant (1 case): did you mean cross-tenant?"
    ]


def test_all_mistakes_are_told_at_once_and_a_flood_is_counted():
    said = wrong(*[{"question": ""} for _ in range(250)])

    assert len(said) == 101
    assert said[-1] == "and 150 more mistakes"


def test_a_flood_of_unknown_names_ends_the_reading():
    said = wrong({"question": "Why?", **{f"column {n}": 1 for n in range(1001)}})

    assert "more than 1,000 keys" in said[-1]


def test_the_spec_maps_columns_and_fills_in_defaults():
    case = one(
        fields={"question": "frage"},
        defaults={"type": "policy", "labels": ["nightly"], "owner": "@a"},
        frage="Warum?",
        owner="@b",
        tags=None,
    )

    assert (case.question, case.type, case.tags, case.owner) == (
        "Warum?",
        "policy",
        ("nightly",),
        "@b",
    )
    assert case.meta == {"question": "Why?"}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"fields": {"qestion": "q"}}, "did you mean question?"),
        (
            {"fields": {"question": "frage"}},
            "no record has frage (did you mean Frage?)",
        ),
        ({"fields": {"tags": "q", "labels": "r"}}, "tags is given twice"),
        ({"fields": {"tags": "q", "type": "q"}}, "q is mapped to two fields"),
        ({"defaults": {"tag": "x"}}, "did you mean tags?"),
        ({"defaults": {"type": 1.5}}, "defaults.type: must be text in quotes"),
    ],
)
def test_a_wrong_map_or_default_is_told_at_its_source(options, expected):
    said = wrong(
        {"question": "Why?", "Frage": "x"}, source=Place("s.yaml", 4), **options
    )

    assert [line for line in said if line.startswith("s.yaml:4") and expected in line]


def test_a_case_without_an_id_is_named_by_question_and_tenant():
    first, other, same = (one(), one(tenant="b"), one(tags=["x"]))

    assert first.id == same.id == case_hash(first)
    assert first.id != other.id


def test_an_id_that_stands_twice_shows_both_places():
    cases = [Case("a", "?", place=Place("a.json", 1)), Case("a", "!", place=PLACE)]

    with pytest.raises(Problems, match=r"first at a\.json:1") as caught:
        check_unique(cases)

    assert str(caught.value).startswith("cases.json:3: id a stands twice")


@pytest.mark.parametrize(
    "changed",
    [
        {"qrels": {"a": 1, "b": 1}},
        {"qrels": {"a": 1, "b": 2, "c": 0}},
        {"reference": "y"},
        {"key_points": (("a", "b"),)},
        {"key_points": (("a",), ("b",))},
        {"must_not_include": ("x",)},
        {"expect_refusal": True},
        {"refusal_phrases": ("x",)},
        {"forbidden_doc_ids": ("x",)},
        {"canaries": ("x",)},
        {"anchors": ("x",)},
        {"intents": ("x",)},
    ],
    ids=repr,
)
def test_every_label_moves_the_hash_of_the_labels(changed):
    case = Case("a", "Why?", qrels={"a": 1, "b": 2}, reference="x")

    assert labels_hash(case._replace(**changed)) != labels_hash(case)
    assert case_hash(case._replace(**changed)) == case_hash(case)


def test_the_order_of_the_judgments_moves_no_hash():
    case = Case("a", "Why?", qrels={"a": 1, "b": 2})

    assert labels_hash(case) == labels_hash(case._replace(qrels={"b": 2, "a": 1}))


def test_hashes_are_the_same_in_every_process():
    code = (
        "from runner.model import Case; from runner.cases import *;"
        "case = Case('a', '为什么?', qrels={'b': 2, 'a': 1}, key_points=(('x',),));"
        "print(case_hash(case), labels_hash(case))"
    )

    told = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }

    assert told == {"ce58e4a46583 d0335fc6fdf6\n"}


FACT = Case("f", "Why?", "fact", qrels={"a": 1}, key_points=(("x",),))
REFUSAL = Case("r", "为什么裁员?", "refusal", expect_refusal=True)


def measures(*names):
    return [bind(name, registry) for name in names]


@pytest.mark.parametrize(
    ("cases", "expected"),
    [
        ([FACT, REFUSAL], "2 cases, by type: fact 1, refusal 1"),
        ([FACT, REFUSAL], "languages: Latin script 1, Chinese 1"),
        ([FACT, REFUSAL], "one case that flips moves accuracy by 50 points"),
        ([FACT, REFUSAL], "refusal cases: 1 of 2 (50 %)"),
        ([FACT._replace(tags=("x",))], "tags: x 1"),
        ([], "warning: there is no case"),
        ([FACT], "warning: no case expects a refusal"),
        ([REFUSAL], "warning: every case expects a refusal"),
        ([FACT._replace(qrels={})], "warning: 1 case without expected_doc_ids"),
        ([FACT._replace(qrels={"a": 0})], "warning: 1 case without expected_doc_ids"),
        ([FACT._replace(key_points=())], "warning: 1 case without must_include"),
        ([FACT._replace(key_points=())], "warning: over 20 % undetermined"),
        ([REFUSAL._replace(qrels={"a": 1})], "expecting a refusal and documents"),
        ([FACT._replace(reference="42")], "with a reference under 4 characters"),
        ([FACT, FACT._replace(id="g", question="why ?")], "repeating a question"),
        (
            [FACT._replace(question="Who has ＺＸ-9?", canaries=("zx-9",))],
            "whose question says each of its canaries",
        ),
        ([FACT], "the threshold on forbidden_content will be unmeasured"),
        ([FACT], "refusal will be unmeasured, and fail: no case has expect_refusal"),
    ],
)
def test_the_health_of_a_case_set_is_told(cases, expected):
    gated = measures("forbidden_content", "refusal")
    lines = health(cases, gated, measures("key_points"))

    assert [line for line in lines if expected in line]


@pytest.mark.parametrize(("match", "told"), [("document", True), ("chunk", False)])
def test_a_chunk_that_no_document_can_be_is_told(match, told):
    lines = health([FACT._replace(qrels={"a": 1, "b#2": 1})], match=match)

    assert any("expecting an id with #" in line for line in lines) == told


def test_a_healthy_set_has_no_warning():
    walled = FACT._replace(canaries=("zx-9", "why"))
    lines = health([walled, REFUSAL], measures("recall"), measures("key_points"))

    assert [line for line in lines if line.startswith("warning")] == []


@pytest.mark.parametrize(
    ("marked", "answers", "case"),
    [
        ("answer_similarity", True, FACT._replace(key_points=(), reference="Because.")),
        ("recall", False, FACT._replace(key_points=())),
        ("anchor_support", True, FACT._replace(key_points=(), anchors=("10 days",))),
        ("intent_completion", True, FACT._replace(key_points=(), intents=("how",))),
        ("answer_relevancy", True, FACT._replace(key_points=())),
    ],
)
def test_other_marks_and_systems_without_answers_are_judged_too(marked, answers, case):
    lines = health([case, REFUSAL], (), measures(marked), answers=answers)

    assert [line for line in lines if "undetermined" in line] == []
