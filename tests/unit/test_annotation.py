"""A sheet shows some of every kind, sways nobody, and no cell is carried out."""

import csv
import io
import json
import re
from collections import Counter
from itertools import islice

import pytest

from runner.annotation import (
    COLUMNS,
    QUESTIONS,
    Candidate,
    labels_in,
    lines,
    sample,
    table,
)
from runner.cases import Row
from runner.errors import Place, Problems
from runner.labels import duplicates, item
from runner.metrics import registry
from runner.model import Case, Passage, Response, Turn
from tests.hostile import strings

PASSAGES = (Passage("d#1", "It is 15 days."),)
ASKED = {"faithfulness": QUESTIONS["faithfulness"]}


def one(name, answer="It is 15 days.", metric="faithfulness", **case):
    found = Case(name, case.pop("question", "How many days?"), **case)
    return item(metric, found, Response(answer, PASSAGES))


def candidates(**kinds):
    """So many of each kind: ``passed_en=40``."""
    for kind, size in kinds.items():
        outcome, language = kind.split("_")
        question = "退货期限是几天？" if language == "zh" else "How many days?"
        for n in range(size):
            yield Candidate(one(f"{kind}-{n}", question=question), outcome)


def kinds_of(items):
    return Counter(found.case.id.rsplit("-", 1)[0] for found in items)


def test_a_sample_has_as_much_of_each_language_then_kind_as_can_be():
    every = candidates(passed_en=200, failed_en=5, passed_zh=30, failed_zh=1)

    assert kinds_of(sample(every, 40, 1)) == {
        "passed_en": 15,
        "failed_en": 5,
        "passed_zh": 19,
        "failed_zh": 1,
    }


def test_the_judges_scores_are_kinds_too():
    scores = [0.0, 0.1, 0.5, *[1.0] * 97]
    every = [Candidate(one(f"{s}-{n}"), "passed", s) for n, s in enumerate(scores)]

    assert kinds_of(sample(every, 8, 1)) == {"0.0": 1, "0.1": 1, "0.5": 1, "1.0": 5}


def test_the_same_seed_draws_the_same_and_another_does_not():
    every = list(candidates(passed_en=100, failed_en=100))

    assert sample(every, 20, 1) == sample(reversed(every), 20, 1)
    assert sample(every, 20, 1) != sample(every, 20, 2)


def test_a_case_that_is_added_moves_no_other_but_one():
    before = sample(candidates(passed_en=100), 20, 1)
    after = sample(candidates(passed_en=101), 20, 1)

    assert len({found.key for found in before} - {found.key for found in after}) <= 1


def test_the_items_of_a_case_follow_each_other_in_the_order_of_the_metrics():
    metrics = ("faithfulness", "answer_relevancy")
    every = [
        Candidate(one(f"qa-{n}", metric=metric), "passed")
        for metric in metrics
        for n in range(9)
    ]
    drawn = sample(every, 5, 1)

    assert len(drawn) == 10
    for first, second in zip(drawn[::2], drawn[1::2], strict=True):
        assert first.case == second.case
        assert (first.metric, second.metric) == metrics


def test_outcomes_and_scores_do_not_show():
    every = [Candidate(one(f"qa-{n}"), "failed", 0.25) for n in range(3)]
    shown = table(sample(every, 3, 1), ASKED) + lines(sample(every, 3, 1), ASKED)

    assert "failed" not in shown
    assert "0.25" not in shown


def cells(text):
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_a_row_shows_what_is_judged():
    found = one("qa-1", reference="15.", question="退货期限是几天？")
    (row,) = cells(table([found], ASKED))

    assert tuple(row) == COLUMNS
    assert row["asks"].splitlines() == [ASKED["faithfulness"][k] for k in ("zh", "en")]
    assert row["passages"] == "[1] d#1\nIt is 15 days."
    assert (row["case_id"], row["reference"], row["label"]) == ("qa-1", "15.", "")


def test_marks_of_citations_stay_where_it_is_asked_what_they_cite():
    reply = Response("15 days.", PASSAGES, ("d#1", "d#9"), raw_answer="15 days [1].")
    names = ("citation_authenticity", "faithfulness")
    items = [item(name, Case("qa-1", "?"), reply) for name in names]
    cited, plain = cells(table(items, QUESTIONS))

    assert (cited["answer"], cited["points"]) == ("15 days [1].", "d#1\nd#9")
    assert (plain["answer"], plain["points"]) == ("15 days.", "")


def test_a_question_stands_behind_what_was_said_before():
    turns = (Turn("user", "A drill."), Turn("assistant", "Which?"))
    (row,) = cells(table([one("qa-1", turns=turns, question="The red.")], ASKED))

    assert row["question"].splitlines() == [
        "user: A drill.",
        "assistant: Which?",
        "user: The red.",
    ]


def test_points_show_where_a_metric_counts_them():
    case = Case("qa-1", "?", anchors=("15 days", "in the box"), intents=("when",))
    reply = Response("15 days.")
    items = [
        item(name, case, reply) for name in ("anchor_support", "intent_completion")
    ]
    rows = cells(table(items, QUESTIONS))

    assert [row["points"] for row in rows] == ["15 days\nin the box", "when"]


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        "+1",
        "-1",
        "@SUM(A1)",
        "\t=1",
        "\n=1",
        " =1",
        "＝1",
        "＋1",
        "－1",
        "＠1",
        '=HYPERLINK("http://x","y")',
        "=cmd|'/c calc'!A1",
        "\ufeff=1",
        "\u200b=1",
        "\r=1",
    ],
)
def test_no_cell_is_a_formula(text):
    found = one(text, text, question=text, reference=text)
    for row in cells(table([found], ASKED)):
        for value in row.values():
            assert not re.match(r"[\s\ufeff\u200b]*[=+\-@＝＋－＠|]", value)


def test_a_sheet_holds_together_whatever_others_wrote():
    items = [
        one(f"{n}{text}", text) for n, text in enumerate(islice(strings(7), 2_000))
    ]
    rows = cells(table(items, ASKED))

    assert len(rows) == len(items)
    assert all(None not in row and len(row) == len(COLUMNS) for row in rows)
    assert [row["item"] for row in rows] == [f"i-{found.key}" for found in items]


def test_a_text_too_long_for_a_cell_is_cut_and_says_so():
    (row,) = cells(table([one("qa-1", "word " * 10_000)], ASKED))

    assert len(row["answer"]) < 32_767
    assert row["answer"].endswith("characters more)")


def test_a_line_of_json_holds_the_texts_as_they_came():
    (line,) = lines([one("qa-1", "=1\u202e")], ASKED).splitlines()
    record = json.loads(line)

    assert record["answer"] == "=1\u202e"
    assert record["contexts"] == [{"id": "d#1", "text": "It is 15 days."}]
    assert record["label"] is None


ITEMS = {found.key: found for found in (one("qa-1"), one("qa-2", "16 days."))}
KEYS = [f"i-{key}" for key in ITEMS]


def rows(*records):
    return [
        Row(each, Place("ann.csv", n), cells=True) for n, each in enumerate(records, 2)
    ]


def test_a_filled_sheet_gives_labels_whatever_became_of_its_texts():
    found = labels_in(
        rows(
            {"item": KEYS[0], "label": "bad", "answer": "'=broken", "note": "wrong"},
            {"item": KEYS[1], "answer": "not labelled"},
        ),
        ITEMS,
        "ann",
    )

    (label,) = found
    assert label.item is ITEMS[KEYS[0][2:]]
    assert (label.annotator, label.good, label.note) == ("ann", False, "wrong")


@pytest.mark.parametrize(
    ("records", "what"),
    [
        (
            [{"item": "i-000000000000", "label": "good"}],
            "ann.csv:2 item: is of no reply in these results (give the results",
        ),
        ([{"label": "good"}], "ann.csv:2 item: the column item is empty"),
        ([{"item": KEYS[0], "label": "maybe"}], "ann.csv:2 label: is good or bad"),
        ([{"item": KEYS[0]}], "no row of ann's sheet has a label yet"),
    ],
)
def test_what_is_wrong_with_a_sheet_is_told(records, what):
    with pytest.raises(Problems) as error:
        labels_in(rows(*records), ITEMS, "ann")

    assert what in str(error.value)


def test_an_item_that_stands_twice_is_told_with_both_places():
    twice = [{"item": KEYS[0], "label": "good"}, {"item": KEYS[0], "label": "bad"}]

    (problem,) = duplicates(labels_in(rows(*twice), ITEMS, "ann"))
    assert str(problem) == (
        "ann.csv:3: ann labelled this already at ann.csv:2 (keep one, or say under "
        "annotator who labelled)"
    )


def test_people_are_asked_something_for_every_judged_metric():
    judged = {metric.name for metric in registry.values() if metric.judged}

    assert judged <= QUESTIONS.keys()
