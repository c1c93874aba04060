"""Labels of people are read as they are written, and whatever is no label is told."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner import examples
from runner.agreement import Contingency
from runner.cases import Row
from runner.errors import Place, Problems
from runner.files import read_rows
from runner.labels import OWN, annotator_pairs, consensus, item, read
from runner.model import Case, Passage, Response, Turn

TEXTS = {"question": "Days?", "answer": "15 days.", "contexts": ["It is 15 days."]}
WHOLE = {**TEXTS, "metric": "faithfulness", "label": "good"}
REPLY = Response("15 days.", (Passage(text="It is 15 days."),))


def rows(*records):
    return [Row(each, Place("l.jsonl", n)) for n, each in enumerate(records, 1)]


def test_a_row_holds_case_reply_and_label():
    record = {
        **WHOLE,
        "reference": "Fifteen.",
        "tags": ["nightly"],
        "type": "fact",
        "contexts": [{"id": "d#1", "text": "It is 15 days."}],
        "annotator": "ann",
        "note": "clear",
    }
    (label,) = read(rows(record))

    assert label.item.metric == "faithfulness"
    assert label.item.case.reference == "Fifteen."
    assert label.item.response.answer == "15 days."
    assert label.item.response.passages == (Passage("d#1", "It is 15 days."),)
    assert label.item.language == "en"
    assert label.item.slices == ["tag=nightly", "type=fact"]
    assert (label.annotator, label.good, label.note) == ("ann", True, "clear")
    assert label.place == Place("l.jsonl", 1)


@pytest.mark.parametrize(
    ("written", "good"),
    [
        *((word, True) for word in ("good", "GOOD ", "1", "yes", "TRUE", "对", "合格")),
        *((word, True) for word in (1, True, 1.0, "pass")),
        *((word, False) for word in ("bad", "0", "No", "FALSE", "错", "不合格")),
        *((word, False) for word in (0, False, 0.0, "fail")),
        *((word, None) for word in ("unsure", "?", "？", "不确定")),
    ],
)
def test_a_label_is_written_in_several_ways(written, good):
    (label,) = read(rows({**WHOLE, "label": written}))

    assert label.good is good


def test_parts_of_a_reply_may_have_the_names_of_other_tools():
    record = {
        "user_input": "Days?",
        "response": "15 days.",
        "retrieved_contexts": ["It is 15 days."],
        "metric": "faithfulness",
        "label": 1,
    }
    (theirs,), (ours,) = read(rows(record)), read(rows(WHOLE))

    assert theirs.item.key == ours.item.key


@pytest.mark.parametrize("blank", [None, "", "  "])
def test_a_row_without_a_label_is_not_labelled_yet(blank):
    found = read(rows(WHOLE, {**WHOLE, "answer": "16.", "label": blank}))

    assert len(found) == 1


@pytest.mark.parametrize(
    ("record", "what"),
    [
        ({**WHOLE, "label": "goood"}, "l.jsonl:1 label: is good or bad, not the text"),
        ({**WHOLE, "label": 0.5}, "label: is good or bad, not the number 0.5"),
        ({**WHOLE, "label": 2}, "label: is good or bad, not the number 2"),
        ({**WHOLE, "label": ["good"]}, "label: is good or bad, not a list"),
        ({**WHOLE, "metric": ""}, "l.jsonl:1 metric: is missing"),
        ({**WHOLE, "anotator": "x"}, "anotator: is not known here (did you mean"),
        ({**WHOLE, "zzz": "x"}, "zzz: is not known here (what else you keep"),
        ({**TEXTS, "label": "good"}, "metric: is missing"),
        ({"metric": "m", "label": "good"}, "has neither texts nor an id"),
        (
            {"metric": "m", "label": "good", "case_id": "qa-1"},
            "l.jsonl:1 case_id: no reply to 'qa-1' is known",
        ),
        ({**WHOLE, "response": "x"}, "response: and answer are two names of one"),
        ({**WHOLE, "question": None}, "question: is missing beside the answer"),
        ({**WHOLE, "contexts": "one"}, "contexts: is a list, not the text 'one'"),
        ({**WHOLE, "contexts": [{"text": 5}]}, "contexts[].text is"),
        ({**WHOLE, "label": None}, "there is no label: write good or bad"),
    ],
)
def test_what_is_no_label_is_told_with_its_place(record, what):
    with pytest.raises(Problems) as error:
        read(rows(record))

    assert what in str(error.value)


def test_everything_that_is_wrong_is_told_at_once_and_a_strange_key_once():
    wrong = {**WHOLE, "label": "x", "zzz": 1}
    with pytest.raises(Problems) as error:
        read(rows(wrong, wrong, {**WHOLE, "metric": None}))

    assert len(list(error.value)) == 4


def test_one_person_labels_an_item_once():
    with pytest.raises(Problems) as error:
        read(rows(WHOLE, {**WHOLE, "label": "bad"}))

    assert "people labelled this already at l.jsonl:1" in str(error.value)


def test_an_id_alone_names_a_reply_that_is_known():
    case = Case("qa-1", "Days?")
    known = {"qa-1": (case, REPLY)}
    (label,) = read(
        rows({"case_id": "qa-1", "metric": "faithfulness", "label": "bad"}), known.get
    )

    assert label.item == item("faithfulness", case, REPLY)


def test_a_sheet_of_cells_is_read(tmp_path):
    sheet = tmp_path / "labels.csv"
    sheet.write_text(
        "question,answer,contexts,metric,label,annotator\r\n"
        '退货期限？,"十五天, 一般。",'
        '"[""签收后十五天。"", {""id"": ""d#2"", ""text"": ""三天""}]",'
        "faithfulness,好,甲\r\n"
        "Days?,15 days.,It is 15 days.,faithfulness,0,乙\r\n"
        "Days?,16 days.,It is 15 days.,faithfulness,,乙\r\n",
        "utf-8",
    )
    one, other = read(read_rows(sheet, file="labels.csv"))

    assert one.item.response.passages == (
        Passage(text="签收后十五天。"),
        Passage("d#2", "三天"),
    )
    assert (one.item.language, one.good, one.annotator) == ("zh", True, "甲")
    assert other.item.response.passages == (Passage(text="It is 15 days."),)
    assert other.good is False


def test_a_broken_list_in_a_cell_says_where(tmp_path):
    sheet = tmp_path / "labels.csv"
    sheet.write_text('question,answer,contexts,metric,label\na,b,"[1",m,1\n', "utf-8")

    with pytest.raises(Problems) as error:
        read(read_rows(sheet, file="labels.csv"))

    assert "labels.csv:2 contexts: begins like a list in JSON" in str(error.value)


def test_another_answer_is_another_item():
    case = Case("qa-1", "Days?")
    keys = {
        item("m", case, REPLY).key,
        item("n", case, REPLY).key,
        item("m", case, REPLY._replace(answer="16 days.")).key,
        item("m", case, REPLY._replace(passages=None)).key,
        item("m", case._replace(question="Weeks?"), REPLY).key,
        item("m", case._replace(turns=(Turn("user", "Hello"),)), REPLY).key,
    }

    assert len(keys) == 6
    assert item("m", case._replace(id="qa-2"), REPLY).key in keys


def votes(*labels):
    """One item, labelled so by a, b, c, ..."""
    words = {True: "good", False: "bad", None: "unsure"}
    return read(
        rows(
            *(
                {**WHOLE, "annotator": name, "label": words[good]}
                for name, good in zip("abcd", labels, strict=False)
            )
        )
    )


@pytest.mark.parametrize(
    ("labels", "good", "disputed"),
    [
        ((True,), True, False),
        ((True, True, False), True, False),
        ((True, False, False), False, False),
        ((True, False), None, True),
        ((True, None), True, False),
        ((None,), None, False),
        ((None, None), None, False),
    ],
)
def test_most_labels_settle_an_item(labels, good, disputed):
    (found,) = consensus(votes(*labels))

    assert (found.good, found.is_disputed) == (good, disputed)


def test_two_annotators_are_held_against_each_other_on_what_both_labelled():
    said = {"a": "good bad good bad unsure good", "b": "good bad bad bad good"}
    records = [
        {**WHOLE, "answer": f"{n} days.", "annotator": name, "label": label}
        for name, labels in said.items()
        for n, label in enumerate(labels.split())
    ]
    (pair,) = annotator_pairs(read(rows(*records)))

    assert (pair.metric, pair.first, pair.second) == ("faithfulness", "a", "b")
    assert pair.table == Contingency(1, 1, 0, 2)
    assert [one.response.answer for one in pair.differing] == ["2 days."]


def test_annotators_who_share_no_item_are_no_pair():
    records = [
        {**WHOLE, "annotator": "a"},
        {**WHOLE, "annotator": "b", "metric": "answer_relevancy"},
    ]

    assert list(annotator_pairs(read(rows(*records)))) == []


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner),
    max_leaves=6,
)
KEYS = st.sampled_from([*examples.KEYS, *OWN]) | st.text(max_size=12)


RECORDS = st.lists(st.dictionaries(KEYS, JSON, max_size=6), max_size=4)
CELLS = st.lists(st.dictionaries(KEYS, st.text(max_size=30), max_size=6), max_size=4)


@given(RECORDS, RECORDS)
def test_whatever_stands_in_a_file_is_read_or_told(bare, others):
    records = rows(*bare, *({**WHOLE, **record} for record in others))

    with suppress(Problems):
        assert all(label.good in (True, False, None) for label in read(records))


@given(CELLS)
def test_whatever_stands_in_a_cell_is_read_or_told(records):
    whole = {**WHOLE, "contexts": "one"}
    cells = [
        Row({**whole, **record}, Place("l.csv", n), cells=True)
        for n, record in enumerate(records, 2)
    ]

    with suppress(Problems):
        assert all(label.good in (True, False, None) for label in read(cells))
