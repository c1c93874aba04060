from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.baseline import read_record, read_results, stripped, stripped_record
from runner.comparison import compare
from runner.errors import InputError, Place
from runner.model import GateResult, Record, Summary
from runner.report import FailedCase, Report, Totals

PLACE = Place("cases.jsonl", 7)
LINE = {
    "id": "qa-007",
    "type": "fact",
    "tags": ["en"],
    "outcome": "failed",
    "layer": "answer",
    "cause": "answer.omission",
    "also": [],
    "lucky": False,
    "retrieved": ["d#1", None],
    "scores": {"recall@5": 1.0, "ndcg@10": None},
    "hash": "abc",
    "labels": "def",
}


def report(**more):
    kept = {"name": "helpdesk", "verdict": "failed", "totals": Totals(cases=1), **more}
    return Report(**kept)


def test_a_line_becomes_a_record():
    assert read_record(LINE, PLACE) == Record(
        "qa-007",
        "failed",
        "abc",
        "def",
        {"recall@5": 1.0, "ndcg@10": None},
        type="fact",
        tags=("en",),
        layer="answer",
        cause="answer.omission",
        retrieved=("d#1", None),
    )


def test_the_least_a_line_needs():
    line = {"id": "a", "outcome": "passed", "hash": "h", "labels": "l", "scores": {}}

    assert read_record(line, PLACE).tags == ()


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"outcome": "pased"}, "outcome: Input should be 'passed', 'failed'"),
        ({"outcome": None}, "outcome: Input should be"),
        ({"outcome": []}, "outcome: Input should be"),
        ({"id": 7}, "id: Input should be a valid string"),
        ({"scores": {"mrr": float("nan")}}, "scores.mrr: Input should be a finite"),
        ({"scores": {"mrr": float("inf")}}, "scores.mrr: Input should be a finite"),
        ({"scores": {"mrr": 10**400}}, "scores.mrr: Input should be a valid number"),
        ({"scores": {"mrr": 1e308}}, "scores.mrr: Input should be less than 1000"),
        ({"scores": {"mrr": "0.5"}}, "scores.mrr: Input should be a valid number"),
        ({"scores": {"mrr": True}}, "scores.mrr: Input should be a valid number"),
        ({"scores": [1.0]}, "scores: Input should be"),
        ({"layer": "retreival"}, "layer: Input should be 'service'"),
        ({"tags": "en"}, "tags: Input should be"),
        ({"lucky": 1}, "lucky: Input should be a valid boolean"),
        ({"retrieved": [{}]}, "retrieved[0]: Input should be a valid string"),
        ({"hits": [0]}, "hits[0]: Input should be greater than or equal to 1"),
        ({"hits": [1.5]}, "hits[0]: Input should be a valid integer"),
        ({"hits": [True]}, "hits[0]: Input should be a valid integer"),
        ({"hits": 1}, "hits: Input should be"),
        ({"outcom": "passed"}, "outcom: Extra inputs are not permitted"),
    ],
)
def test_a_wrong_value_is_an_input_error_with_its_place(change, what):
    with pytest.raises(InputError, match=re.escape(f"cases.jsonl:7 {what}")):
        read_record({**LINE, **change}, PLACE)


@pytest.mark.parametrize("key", ["id", "outcome", "scores", "hash", "labels"])
def test_a_missing_key_is_an_input_error(key):
    line = {name: value for name, value in LINE.items() if name != key}

    with pytest.raises(InputError, match=f"cases.jsonl:7 {key}: Field required"):
        read_record(line, PLACE)


@pytest.mark.parametrize("line", [None, [], "qa-007", 7])
def test_a_line_that_is_no_object_is_an_input_error(line):
    with pytest.raises(InputError, match="no object"):
        read_record(line, PLACE)


def test_results_are_read_back_in_order():
    lines = [(1, {**LINE, "id": "b"}), (2, {**LINE, "id": "a"})]

    found = read_results(
        report(totals=Totals(cases=2), commit="c0ffee", fingerprints={"spec": "x"}),
        lines,
        "cases.jsonl",
    )

    assert list(found.records) == ["b", "a"]
    assert (found.commit, found.fingerprints) == ("c0ffee", {"spec": "x"})


def test_an_id_that_comes_twice_is_an_input_error():
    with pytest.raises(InputError, match=r"cases.jsonl:2: the id qa-007 comes twice"):
        read_results(report(), [(1, LINE), (2, LINE)], "cases.jsonl")


@pytest.mark.parametrize("lines", [[], [(1, LINE), (2, {**LINE, "id": "b"})]])
def test_lost_or_added_lines_are_an_input_error(lines):
    with pytest.raises(InputError, match=r"results.json counts 1"):
        read_results(report(), lines, "cases.jsonl")


def test_a_baseline_keeps_no_text():
    text = "the answer to a question"
    full = report(
        reasons=(text,),
        notices=(text,),
        gates=(GateResult(metric="m", rule="min", outcome="failed", message=text),),
        failures=(FailedCase(id="a", question=text, answer=text, evidence=text),),
        summaries={
            "m": Summary(
                layer="answer", better="higher", mean=0.5, scored=1, reasons={text: 1}
            )
        },
    )

    kept = stripped(full)

    assert text not in kept.model_dump_json()
    assert kept.summaries["m"].mean == 0.5


def test_a_baseline_keeps_the_first_ids_that_were_retrieved_and_their_ranks():
    ids = [f"d#{rank}" for rank in range(1, 26)]
    line = {**LINE, "retrieved": ids, "hits": [2, 20, 21]}

    kept = stripped_record(read_record(line, PLACE))

    assert kept.retrieved == tuple(ids[:20])
    assert kept.hits == (2, 20)


@pytest.mark.parametrize("retrieved", [None, [], ["d#1", None]])
def test_a_baseline_knows_no_more_than_the_reply_showed(retrieved):
    kept = stripped_record(read_record({**LINE, "retrieved": retrieved}, PLACE))

    assert kept.retrieved == (None if retrieved is None else tuple(retrieved))
    assert kept.hits is None


@pytest.mark.parametrize(
    ("more", "what"),
    [
        ({"filters": ("--tag en",)}, "cover only --tag en"),
        ({"verdict": "error"}, "verdict error"),
        ({"verdict": "skipped"}, "verdict skipped"),
        (
            {"verdict": "failed", "totals": Totals(cases=3, failed=1, not_asked=2)},
            "lack 2 cases that a stopped run did not ask",
        ),
    ],
)
def test_a_run_that_is_partial_or_could_not_be_judged_is_no_baseline(more, what):
    with pytest.raises(InputError, match=what):
        stripped(report(**more))


OUTCOMES = st.sampled_from(["passed", "failed", "undetermined", "error"])
LINES = st.lists(
    st.fixed_dictionaries(
        {
            "id": st.text(min_size=1),
            "outcome": OUTCOMES,
            "hash": st.text(min_size=1),
            "labels": st.text(min_size=1),
            "scores": st.dictionaries(
                st.sampled_from(["a", "b"]),
                st.none() | st.floats(-1e17, 1e17),
            ),
        }
    ),
    unique_by=lambda line: line["id"],
)


@given(LINES)
def test_a_baseline_compares_as_the_run_it_was_made_of(lines):
    whole = report(totals=Totals(cases=len(lines)))
    now = read_results(whole, enumerate(lines, 1), "now")
    then = now._replace(
        records={name: stripped_record(record) for name, record in now.records.items()}
    )

    assert compare(now, then) == compare(now, now)
