import pytest

from runner.cases import Row
from runner.errors import Place, Problems
from runner.files import read_rows
from runner.metrics import registry
from runner.model import Failed, Unscored
from runner.worked_examples import ExampleResult, check

LABELLED = {"expected_doc_ids": ["a", "b"]}
UNLABELLED = "the case has no relevant ids"
HALF = {"metric": "recall@2", "retrieved": ["a", "x", "b"], **LABELLED}

RATED = {"metric": "faithfulness", "answer": "A.", "contexts": ["B."], "value": 0.5}


def rows(*records):
    return [Row(each, Place("worked.yaml", n)) for n, each in enumerate(records, 1)]


def one(**record):
    (found,) = check(rows(record), registry)
    return found


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        pytest.param(HALF | {"value": 0.5}, True, id="the same"),
        pytest.param(HALF | {"value": 0.50000001}, True, id="within 1e-6"),
        pytest.param(HALF | {"value": 0.501}, False, id="not within 1e-6"),
        pytest.param(HALF | {"value": 1}, False, id="an integer"),
        pytest.param(HALF | {"unscored": True}, False, id="unscored by hand alone"),
        pytest.param(
            {"metric": "recall", "retrieved": ["a"], "value": 0},
            False,
            id="unscored here alone",
        ),
        pytest.param(
            {"metric": "recall", "retrieved": ["a"], "unscored": True},
            True,
            id="unscored by both",
        ),
        pytest.param(
            {"metric": {"recall": {"k": 2}}, "retrieved": [], "value": 0, **LABELLED},
            True,
            id="options as a spec writes them",
        ),
        pytest.param(
            {"metric": "recall", "retrieved": [7], "gold_doc_ids": [7], "value": 1},
            True,
            id="another name of a field, and ids that are numbers",
        ),
        pytest.param(
            {
                "metric": "recall",
                "match": "document",
                "retrieved": ["a#1"],
                "value": 0.5,
            }
            | LABELLED,
            True,
            id="documents",
        ),
        pytest.param(
            {
                "metric": "key_points",
                "answer": "x, y",
                "must_include": ["y"],
                "value": 1,
            },
            True,
            id="an answer",
        ),
        pytest.param(
            {"metric": "latency", "latency_s": 0.8, "value": 0.8}, True, id="seconds"
        ),
    ],
)
def test_an_example_agrees_or_differs(record, expected):
    assert one(**record).agrees == expected


@pytest.mark.parametrize(
    ("by_hand", "score", "expected"),
    [
        (0.67, 2 / 3, True),
        (0.66, 2 / 3, False),
        (0.667, 2 / 3, True),
        (0.7, 2 / 3, False),
        (0.6666667, 2 / 3, True),
        (0.85, 0.8534, True),
        (0.8, 0.8034, False),
        (1e-05, 1.6e-05, False),
        (None, Unscored("no labels"), True),
        (None, Failed("ZeroDivisionError"), False),
        (0.0, Failed("ZeroDivisionError"), False),
    ],
)
def test_a_value_is_read_with_the_digits_it_was_written_with(by_hand, score, expected):
    assert ExampleResult(Place("f"), "recall", by_hand, score).agrees == expected


def test_a_line_shows_place_metric_and_both_values():
    lines = [
        str(one(**HALF, value=0.5)),
        str(one(**HALF, value=0.67)),
        str(one(metric="mrr", retrieved=["a"], value=0)),
    ]

    assert lines == [
        "agrees   worked.yaml:1  recall@2 = 0.5",
        "DIFFERS  worked.yaml:1  recall@2 = 0.67 by hand, here 0.5",
        f"DIFFERS  worked.yaml:1  mrr = 0.0 by hand, here unscored ({UNLABELLED})",
    ]


def test_a_judge_answers_as_the_example_says():
    tables = {"claims": {"A.": ["one", "two"]}, "support": {"one": ["B."], "two": []}}

    assert one(**RATED, judge=tables).agrees
    assert one(**RATED | {"value": 1}, judge=tables).score == 0.5
    assert one(**RATED, judge={"claims": {}}).score == Failed(
        "the script has no claims of 'A.'"
    )


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        pytest.param(
            {"metric": "recal@5", "value": 1},
            "worked.yaml:1 metric: unknown metric recal@5 (did you mean recall?)",
            id="metric",
        ),
        pytest.param(
            {"metric": "recall@0", "value": 1},
            "worked.yaml:1 metric: recall.k: ",
            id="option",
        ),
        pytest.param(
            {"value": 1},
            "worked.yaml:1 metric: is null; write name, name@k or {name: {k: 5}}",
            id="no metric",
        ),
        pytest.param(
            {"metric": {}, "value": 1}, "worked.yaml:1 metric: is a map", id="empty"
        ),
        pytest.param(
            HALF,
            "worked.yaml:1 value: is a number, not null (or write unscored: true)",
            id="no value",
        ),
        pytest.param(HALF | {"value": True}, "worked.yaml:1 value: is a n", id="flag"),
        pytest.param(
            HALF | {"value": float("nan")}, "worked.yaml:1 value: is a n", id="NaN"
        ),
        pytest.param(HALF | {"value": 10**400}, "worked.yaml:1 value: is a", id="huge"),
        pytest.param(
            HALF | {"value": 1, "unscored": True},
            "worked.yaml:1 value: an unscored example has no value",
            id="both",
        ),
        pytest.param(
            HALF | {"value": 1, "unscored": "yes"},
            "worked.yaml:1 unscored: is true or false, not the text 'yes'",
            id="no flag",
        ),
        pytest.param(
            RATED | {"judge": ["claims"]},
            "worked.yaml:1 judge: is a mapping, not a list",
            id="a judge that is none",
        ),
        pytest.param(
            RATED | {"judge": {"suport": {}}},
            "worked.yaml:1 judge.suport: is not known here (did you mean support?)",
            id="a table that there is not",
        ),
        pytest.param(
            RATED | {"judge": {"claims": ["A"]}},
            "worked.yaml:1 judge.claims: is a mapping, not a list",
            id="a table that is none",
        ),
        pytest.param(
            HALF | {"value": 1, "retreived": []},
            "worked.yaml:1 retreived: is not known here (did you mean retrieved?)",
            id="a key",
        ),
        pytest.param(
            HALF | {"value": 1, "contexts": []},
            "worked.yaml:1 retrieved: and contexts are two names of one thing",
            id="two lists",
        ),
        pytest.param(
            HALF | {"value": 1, "retrieved": "a"},
            "worked.yaml:1 retrieved: is a list, not the text 'a'",
            id="no list",
        ),
        pytest.param(
            HALF | {"value": 1, "match": "passage"},
            "worked.yaml:1 match: is chunk or document",
            id="match",
        ),
        pytest.param(
            HALF | {"value": 1, "expected_doc_ids": {"a": 1.5}},
            "worked.yaml:1 expected_doc_ids: ",
            id="a field of a case",
        ),
        pytest.param(
            {"metric": "key_points", "answer": 5, "value": 1},
            "worked.yaml:1: no answer",
            id="a part of a reply",
        ),
        pytest.param(
            {"metric": "latency", "latency_s": "fast", "value": 1},
            "worked.yaml:1 latency_s: is a number, not the text 'fast'",
            id="seconds",
        ),
    ],
)
def test_a_malformed_example_is_an_error_that_says_where(record, expected):
    with pytest.raises(Problems) as raised:
        check(rows(record), registry)

    assert str(raised.value).startswith(expected)


def test_all_mistakes_are_told_at_once():
    with pytest.raises(Problems) as raised:
        check(rows({"metric": "x"}, HALF, HALF | {"value": 0.5}, {"a": 1}), registry)

    assert [error.where.line for error in raised.value] == [1, 2, 4]


def test_no_example_at_all_is_an_error():
    with pytest.raises(Problems, match="there is no worked example"):
        check([], registry)


def test_a_table_of_cells_is_refused():
    with pytest.raises(Problems, match="examples are YAML, JSON or JSON Lines"):
        check([Row({"metric": "mrr"}, Place("w.csv", 2), cells=True)], registry)


def test_the_examples_that_come_along_agree(pytestconfig):
    file = pytestconfig.rootpath / "specs/worked-examples.yaml"
    found = check(read_rows(file, file=file.name), registry)

    assert [str(each) for each in found if not each.agrees] == []
