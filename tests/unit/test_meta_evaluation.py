"""Judge and people on the same items, and copies that must change nothing."""

import pytest

from runner.calibration import TaskFingerprint
from runner.errors import Place
from runner.labels import Label, annotator_pairs, consensus, item
from runner.meta_evaluation._compare import (
    Mark,
    RatedItem,
    by,
    compared,
    differing,
    flips,
)
from runner.meta_evaluation._lines import lines
from runner.meta_evaluation._measures import LabelledMeasure
from runner.meta_evaluation._perturbations import FILLER, PERTURBATIONS
from runner.meta_evaluation._rating import Rater
from runner.meta_evaluation._result import MeasureResult, rated_measure
from runner.metrics import registry
from runner.model import (
    Case,
    Failed,
    Measure,
    Passage,
    Response,
    Unrated,
    Unscored,
)
from runner.scores import Scope
from tests.judging import ByRule

FAITHFULNESS = Measure("faithfulness", registry["faithfulness"])
PASSAGES = tuple(
    Passage(f"d#{n}", text) for n, text in enumerate(("one", "two", "six"))
)


def one(name="qa-1", answer="one", metric="faithfulness", **more):
    case = Case(name, more.pop("question", "Which?"), **more)
    return item(metric, case, Response(answer, PASSAGES))


@pytest.mark.parametrize(
    ("mark", "score", "good"),
    [
        (Mark(0.8), 0.8, True),
        (Mark(0.8), 0.8 - 1e-12, True),
        (Mark(0.8), 0.79, False),
        (Mark(0.3), 0.1 + 0.2, True),
        (Mark(0.2, "lower"), 0.2, True),
        (Mark(0.2, "lower"), 0.1, True),
        (Mark(0.2, "lower"), 0.21, False),
    ],
)
def test_a_mark_parts_good_from_bad_in_its_direction(mark, score, good):
    assert mark.good(score) is good


@pytest.mark.parametrize(
    ("mark", "score", "distance"),
    [
        (Mark(0.8), 1.0, 1.0),
        (Mark(0.8), 0.9, 0.5),
        (Mark(0.8), 0.4, 0.5),
        (Mark(0.8), 0.8, 0.0),
        (Mark(1.0), 0.25, 0.75),
        (Mark(1.0), 1.0, 0.0),
        (Mark(2.0, "lower", (0.0, None)), 5.0, 3.0),
    ],
)
def test_how_sure_a_judge_is_is_a_share_of_the_room_on_its_side(mark, score, distance):
    assert mark.distance(score) == pytest.approx(distance)


ROWS = [
    RatedItem(one("a", type="fact"), True, 1.0),
    RatedItem(one("b", type="fact"), True, 0.5),
    RatedItem(one("c", question="退货期限是几天？"), False, 0.9),
    RatedItem(one("d"), False, 0.0),
    RatedItem(one("e"), True, Failed("HTTP 500")),
    RatedItem(one("f"), False, Unscored("the reply declined")),
]


def test_items_without_a_score_are_counted_apart():
    found = compared(ROWS, Mark(0.8))

    assert tuple(found.table) == (1, 1, 1, 1)
    assert (found.labels, found.failed, found.unscored) == (6, 1, 1)
    assert found.auroc == 0.75


def test_where_less_is_better_more_is_worse():
    rows = [RatedItem(one("a"), True, 0.1), RatedItem(one("b"), False, 0.9)]

    assert compared(rows, Mark(0.2, "lower")).auroc == 1


def test_parts_are_by_language_and_slice():
    languages = by(ROWS, Mark(0.8), lambda each: [each.language])
    slices = by(ROWS, Mark(0.8), lambda each: each.slices)

    assert {name: found.labels for name, found in languages.items()} == {
        "en": 5,
        "zh": 1,
    }
    assert {name: found.labels for name, found in slices.items()} == {"type=fact": 2}


def test_what_differs_is_told_surest_first():
    mark = Mark(0.8)

    rows = [*ROWS, RatedItem(one("g"), False, 1.0)]

    assert [row.item.case.id for row in differing(rows, mark)] == ["g", "c", "b"]


def test_flips_are_counted_by_direction_and_failed_copies_apart():
    before = [1.0, 1.0, 0.0, 0.0, 1.0, Failed("x"), 1.0]
    after = [0.0, 1.0, 1.0, 0.0, Failed("y"), 1.0, Unscored("nothing to change")]
    found = flips(before, after, Mark(0.5))

    assert (found.items, found.to_good, found.to_bad, found.failed) == (4, 1, 1, 1)
    assert found.rate == 0.5


def copy_of(name, found, seed=1):
    return PERTURBATIONS[name].response(found, seed)


def test_passages_are_always_in_another_order_and_the_same_for_a_seed():
    found = one()
    for seed in range(30):
        copy = copy_of("reordered", found, seed)
        assert copy == copy_of("reordered", found, seed)
        assert copy.passages != PASSAGES
        assert sorted(copy.passages) == sorted(PASSAGES)
        assert copy._replace(passages=PASSAGES) == found.response


@pytest.mark.parametrize("passages", [None, (), PASSAGES[:1], PASSAGES[:1] * 2])
def test_passages_without_another_order_give_no_copy(passages):
    found = item("faithfulness", Case("a", "?"), Response("one", passages))

    assert copy_of("reordered", found) is None


def test_an_answer_is_padded_in_its_language():
    for question, language in (("Which?", "en"), ("哪一个？", "zh")):
        copy = copy_of("padded", one(question=question))
        assert copy.answer == f"one\n\n{FILLER[language]}"
    assert copy_of("padded", item("m", Case("a", "?"), Response(None))) is None


class Watched(ByRule):
    """Remembers in what order it was asked about numbered things."""

    def __init__(self):
        self.asked = []

    def rate(self, task, /, **texts):
        if task.numbered:
            self.asked.append(list(texts[task.numbered]))
        return super().rate(task, **texts)


def test_a_turned_judge_is_asked_backwards_and_answers_forwards():
    watched = Watched()
    turned = PERTURBATIONS["swapped"].judge(watched)
    task = registry["faithfulness"].tasks[1]
    texts = {"question": "?", "claims": ["one", "ten", "two"], "passages": ["two one"]}

    reply = turned.rate(task, **texts)

    assert watched.asked == [["two", "ten", "one"]]
    assert [(v.number, v.supported) for v in reply.verdicts] == [
        (1, True),
        (2, False),
        (3, True),
    ]
    assert reply == ByRule().rate(task, **texts)


def test_every_task_that_gives_verdicts_says_what_it_numbers():
    tasks = {task for metric in registry.values() for task in metric.tasks}

    assert tasks
    for task in tasks:
        assert bool(task.numbered) == ("verdicts" in task.reply.model_fields)


def test_where_ranks_are_measured_passages_keep_their_order():
    names = {
        metric.name
        for metric in registry.values()
        if metric.judged and PERTURBATIONS["reordered"].applies(metric)
    }

    assert "faithfulness" in names
    assert "context_precision" not in names


def rater(judge, threads=2):
    return Rater(Scope(), judge, threads)


def labels(**said):
    """Labels of one person: answer to good or bad."""
    for n, (answer, good) in enumerate(said.items()):
        found = one(f"qa-{n}", answer.replace("_", " "), type="fact")
        yield Label(found, "ann", good, Place("labels.csv", n + 2))


PRINTS = {
    task.name: TaskFingerprint(version=1, prompts={"en": "x"})
    for task in registry["faithfulness"].tasks
}


def beside(judge=None, mark=0.8, **said):
    given = list(labels(**said))
    items = [each for each in consensus(given) if each.good is not None]
    of = LabelledMeasure(FAITHFULNESS, Mark(mark), "pass", items, 0)
    return rated_measure(of, rater(judge or ByRule()), PRINTS)


SAID = {"one": True, "two": True, "ten": False, "six": False, "nine": True}


def test_a_measure_is_held_against_people():
    found = beside(**SAID)

    assert tuple(found.entry.whole.table) == (2, 1, 1, 1)
    assert found.entry.languages == {"en": found.entry.whole}
    assert found.entry.slices == {"type=fact": found.entry.whole}
    assert [row.item.response.answer for row in found.differing] == ["six", "nine"]


def test_copies_are_rated_of_good_and_bad_alike():
    found = beside(**SAID).with_flips(rater(ByRule()), 4, 1)

    assert set(found.entry.flips) == {"reordered", "padded", "swapped"}
    assert found.entry.flips["reordered"].items == 4
    assert found.entry.flips["reordered"].rate == 0
    assert found.entry.flips["padded"].to_bad == 2


def test_copies_are_as_many_as_there_are_items_or_none():
    found = beside(**SAID)

    every = found.with_flips(rater(ByRule()), 40, 1).entry.flips
    assert every["swapped"].items == 5
    assert found.with_flips(rater(ByRule()), 0, 1).entry.flips == {}


@pytest.mark.parametrize(("copies", "good", "bad"), [(2, 1, 1), (4, 2, 2), (5, 3, 2)])
def test_few_copies_are_halved_between_good_and_bad(copies, good, bad):
    watched = Watched()
    beside(**SAID).with_flips(rater(watched, 1), copies, 1)
    seen = {tuple(asked) for asked in watched.asked}

    assert len(seen & {("one",), ("two",), ("nine",)}) == good
    assert len(seen & {("ten",), ("six",)}) == bad


class Down:
    def rate(self, task, /, **_):
        raise Unrated(f"HTTP 500 for {task.name}")


def test_a_judge_that_is_down_gives_failed_scores():
    found = beside(Down(), **SAID)

    assert (found.entry.whole.failed, found.entry.whole.kappa) == (5, None)
    assert found.with_flips(rater(Down()), 4, 1).entry.flips == {}


def text_of(found: MeasureResult, pairs=(), standing="it may block: yes"):
    return "\n".join(lines(found, pairs, standing))


def test_what_was_found_is_shown():
    found = beside(**SAID).with_flips(rater(ByRule()), 4, 1)
    text = text_of(found)

    assert "faithfulness: good is from 0.8, by the spec's pass mark" in text
    assert "all             5     60%  too few labels to say" in text
    assert "judge good            2     1" in text
    assert "judge bad             1     1" in text
    assert "reordered  0.0% (0.0% to 49.0%) of 4: 0 to good, 0 to bad" in text
    assert "they differ on 2 items, the judge's surest first:" in text
    assert "- qa-4: people good, judge 0.00: Which?\n    'nine' follows" in text
    assert text.endswith("it may block: yes")


def test_what_got_no_score_says_why():
    text = text_of(beside(Down(), **SAID))

    assert "no score on 5 items: HTTP 500 for claims" in text
    assert "all        0 of 5       -  too few labels to say" in text


def test_labels_without_a_score_are_no_ground_for_a_figure():
    found = beside(Down(), **SAID)
    whole = found.entry.whole.model_copy(update={"labels": 1_200})
    entry = found.entry.model_copy(update={"whole": whole, "languages": {}})
    text = text_of(found._replace(entry=entry))

    assert "  0 of 1,200       -  too few scores to say" in text


def test_two_annotators_are_shown_beside_the_judge():
    both = [
        label._replace(annotator=name, good=label.good if name == "a" else True)
        for name in ("a", "b")
        for label in labels(**{f"n{n}": bool(n % 2) for n in range(20)})
    ]
    (pair,) = annotator_pairs(both)
    text = text_of(beside(**SAID), [pair])

    assert "a and b among themselves: kappa 0.00 (-0.17 to 0.17)" in text


def test_names_from_outside_stay_on_their_line():
    rows = [RatedItem(one("a\nb", question="x\ny" * 99, tags=("t\n" * 99,)), True, 0.0)]
    found = beside(**SAID)._replace(rows=rows)

    assert "- a b: people good, judge 0.00: x yx" in text_of(found)
