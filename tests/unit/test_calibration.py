"""A calibration lets a judge block where it covers what measured, and only there."""

import json
from contextlib import suppress
from copy import deepcopy
from datetime import date
from functools import reduce
from operator import getitem

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.calibration import (
    Agreement,
    Calibration,
    Demand,
    Entry,
    Flips,
    Labels,
    Ruler,
    TaskFingerprint,
    read,
    standing,
)
from runner.errors import InputError, Place

TASKS = {
    "claims": TaskFingerprint(version=1, prompts={"en": "aa", "zh": "bb"}),
    "verdicts": TaskFingerprint(version=2, prompts={"en": "cc", "zh": "dd"}),
}
RULER = Ruler("faithfulness", 1, {}, {"model": "m-1", "temperature": 0}, TASKS)


def labelled(both_good, judge, people, both_bad, **more):
    """A part of so many items, scored 1 and 0."""
    items = [(1.0, True, True)] * both_good + [(1.0, True, False)] * judge
    items += [(0.0, False, True)] * people + [(0.0, False, False)] * both_bad
    return Agreement.of(items, **more)


GOOD = labelled(40, 5, 5, 30)


def calibration(en=GOOD, zh=None, **more):
    whole = en if zh is None else labelled(*map(sum, zip(en.table, zh.table)))  # noqa: B905 - both have four
    entry = Entry(
        version=1,
        tasks=TASKS,
        mark=0.8,
        mark_from="pass",
        whole=whole,
        languages={"en": en} if zh is None else {"en": en, "zh": zh},
        **more,
    )
    return Calibration(
        made=date(2026, 11, 30),
        judge={"model": "m-1", "temperature": 0},
        labels=Labels(file="labels.csv", sha256="0" * 64),
        metrics={"faithfulness": entry},
    )


def test_it_holds_where_all_is_as_it_was():
    found = standing(calibration(), RULER, Demand(languages=["en"], mark=0.8))

    assert found.valid
    assert found.reason == "kappa 0.75 (0.58 to 0.88) on 80 en labels, of 2026-11-30"


@pytest.mark.parametrize(
    ("ruler", "why"),
    [
        (
            RULER._replace(metric="answer_relevancy"),
            "the judge is not calibrated on answer_relevancy",
        ),
        (
            RULER._replace(judge={"model": "m-2", "temperature": 0}),
            "calibrated with model m-1, and it is m-2 now",
        ),
        (
            RULER._replace(judge={"model": "m-1", "temperature": 0, "seed": 7}),
            "calibrated with seed none, and it is 7 now",
        ),
        (
            RULER._replace(version=2),
            "calibrated as version 1 of the metric, and it is 2 now",
        ),
        (
            RULER._replace(options={"claims": 5}),
            "calibrated with other options of the metric",
        ),
        (
            RULER._replace(
                tasks={
                    **TASKS,
                    "claims": TASKS["claims"].model_copy(update={"version": 3}),
                }
            ),
            "calibrated with version 1 of the task claims, and it is 3 now",
        ),
        (
            RULER._replace(
                tasks={
                    **TASKS,
                    "claims": TaskFingerprint(version=1, prompts={"en": "ab"}),
                }
            ),
            "calibrated with another prompt claims.en",
        ),
        (
            RULER._replace(tasks={"claims": TASKS["claims"]}),
            "calibrated with the task verdicts",
        ),
        (
            RULER._replace(tasks={**TASKS, "more": TASKS["claims"]}),
            "calibrated without the task more",
        ),
    ],
)
def test_another_ruler_is_not_calibrated(ruler, why):
    found = standing(calibration(), ruler, Demand(languages=["en"]))

    assert (found.valid, found.reason) == (False, why)


@pytest.mark.parametrize(
    "ruler",
    [
        RULER._replace(judge={"model": "m\n" * 9_999, "temperature": 0}),
        RULER._replace(judge={**RULER.judge, "k" * 9_999: 1}),
        RULER._replace(tasks={**TASKS, "t\n" * 9_999: TASKS["claims"]}),
    ],
)
def test_what_a_file_holds_fits_into_a_line(ruler):
    why = standing(calibration(), ruler, Demand()).reason

    assert len(why) < 200
    assert "\n" not in why


def test_options_are_those_that_json_holds():
    found = calibration()
    entry = found.metrics["faithfulness"].model_copy(update={"options": {"at": [1, 2]}})
    found = found.model_copy(update={"metrics": {"faithfulness": entry}})

    assert standing(found, RULER._replace(options={"at": (1, 2)}), Demand()).valid


def test_a_prompt_in_a_language_that_the_run_does_not_ask_in_may_change():
    tasks = {
        **TASKS,
        "claims": TaskFingerprint(version=1, prompts={"en": "aa", "zh": "xx"}),
    }

    assert standing(
        calibration(), RULER._replace(tasks=tasks), Demand(languages=["en"])
    ).valid


@pytest.mark.parametrize(
    ("found", "why"),
    [
        (labelled(30, 10, 10, 30), "kappa in en 0.50 is below 0.6"),
        (labelled(20, 2, 2, 20), "44 scored labels in en, and 50 are needed"),
        (
            labelled(80, 0, 0, 4),
            "people call only 4 of 84 items in en bad, and 10 are needed",
        ),
        (
            labelled(3, 0, 0, 80),
            "people call only 3 of 83 items in en good, and 10 are needed",
        ),
        (
            labelled(40, 5, 5, 30, failed=20),
            "the judge gave no score on 20 of 100 items in en",
        ),
        (
            labelled(80, 0, 0, 0),
            "people call only 0 of 80 items in en bad, and 10 are needed",
        ),
    ],
)
def test_weak_evidence_is_no_calibration(found, why):
    answer = standing(calibration(found), RULER, Demand(languages=["en"]))

    assert (answer.valid, answer.reason) == (False, why)


def test_items_to_which_a_metric_does_not_apply_lower_nothing():
    found = calibration(labelled(40, 5, 5, 30, unscored=200))

    assert standing(found, RULER, Demand(languages=["en"])).valid


def test_one_class_alone_is_never_calibrated_however_little_is_demanded():
    found = calibration(labelled(80, 0, 0, 0))
    answer = standing(found, RULER, Demand(min_kappa=-1, labels=0, of_each=0))

    assert not answer.valid
    assert "kappa is not defined" in answer.reason


def test_agreement_that_may_be_chance_is_no_calibration():
    found = calibration(labelled(18, 12, 12, 18))
    answer = standing(found, RULER, Demand(min_kappa=0.1, languages=["en"]))

    assert not answer.valid
    assert "may be chance: kappa 0.20 (-0.05 to 0.44) on 60 labels" in answer.reason


def test_each_language_of_the_run_needs_labels_of_its_own():
    both = Demand(languages=["en", "zh"])

    assert standing(calibration(), RULER, both).reason == "no labels in zh"
    few = standing(calibration(zh=labelled(10, 0, 0, 10)), RULER, both)
    assert few.reason == "20 scored labels in zh, and 50 are needed"
    assert standing(calibration(zh=GOOD), RULER, both).valid
    lacking = standing(calibration(labelled(20, 2, 2, 20)), RULER, both)
    assert (
        lacking.reason == "44 scored labels in en, and 50 are needed; no labels in zh"
    )


def test_without_a_language_all_labels_count_together():
    found = calibration(labelled(20, 2, 2, 10), zh=labelled(20, 2, 2, 10))

    assert standing(found, RULER, Demand()).valid


def test_a_mark_elsewhere_is_another_decision():
    found = standing(calibration(), RULER, Demand(languages=["en"], mark=0.5))

    assert found.reason == "calibrated with 0.8 as a good score, and that is 0.5 now"


def test_no_file_is_no_calibration():
    assert not standing(None, RULER, Demand()).valid


PLACE = Place("calibration.json")


def test_it_comes_back_as_it_was_written():
    found = calibration(
        zh=GOOD, flips={"padded": Flips(items=40, to_good=1, to_bad=2, failed=1)}
    )

    assert read(found.model_dump_json(indent=2), PLACE) == found


def edited(*path, value):
    data = json.loads(calibration().model_dump_json())
    *above, last = path
    spot = data
    for key in above:
        spot = spot[key]
    spot[last] = deepcopy(value)
    return json.dumps(data)


WHOLE = ("metrics", "faithfulness", "whole")


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("{", "calibration.json: is no JSON"),
        ("[]", "is no calibration of a judge: format_version is missing"),
        ("{}", "is no calibration of a judge: format_version is missing"),
        (
            edited("format_version", value=2),
            "has format_version 2; this version reads 1",
        ),
        (edited("format_version", value=True), "has format_version True"),
        (edited("extra", value=2), "calibration.json extra: Extra inputs"),
        (
            edited(*WHOLE, "kappa", value=0.99),
            "metrics.faithfulness.whole: kappa is not what the counts give",
        ),
        (
            edited(*WHOLE, "interval", value=[0.9, 1]),
            "metrics.faithfulness.whole: interval is not what the counts give",
        ),
        (
            edited(*WHOLE, "labels", value=500),
            "metrics.faithfulness.whole: labels is 500, and its parts are 80",
        ),
        (edited(*WHOLE, "both_bad", value=-1), "whole.both_bad: Input should be"),
        (
            edited(*WHOLE, "both_bad", value=10**999),
            "labels is 80, and its parts are 1",
        ),
        (
            edited("made", value="soon"),
            "calibration.json made: Input should be a valid",
        ),
        ('{"format_version": 1, "made": NaN}', "is no JSON"),
    ],
)
def test_a_damaged_file_says_where(text, what):
    with pytest.raises(InputError) as error:
        read(text, PLACE)

    assert what in str(error.value)
    assert "write it again with rag-eval calibrate" in str(error.value)
    assert len(str(error.value)) < 400


def test_flips_have_a_rate_with_an_interval():
    flips = Flips(items=10, to_good=1, to_bad=4)

    assert flips.rate == 0.5
    assert flips.interval == pytest.approx((0.237, 0.763), abs=1e-3)
    assert Flips(items=0).rate is None


ODD = st.sampled_from(
    [None, True, 0, -1, 10**30, 1e308, 0.5, "", "x", "\ud83d", [], {}, [[]], {"": 1}]
)


def spots(value, path=()):
    """Give the path of everything that a parsed file holds."""
    yield path
    inner = value.items() if isinstance(value, dict) else ()
    if isinstance(value, list):
        inner = enumerate(value)
    for key, each in inner:
        yield from spots(each, (*path, key))


WRITTEN = json.loads(calibration(flips={"padded": Flips(items=2)}).model_dump_json())
SPOTS = st.sampled_from([path for path in spots(WRITTEN) if path])


@given(st.lists(st.tuples(SPOTS, ODD), max_size=3))
def test_whatever_stands_in_a_file_is_read_or_told(edits):
    data = json.loads(json.dumps(WRITTEN))
    for (*above, last), value in edits:
        with suppress(KeyError, IndexError, TypeError):
            reduce(getitem, above, data)[last] = deepcopy(value)

    with suppress(InputError):
        found = read(json.dumps(data), PLACE)
        assert standing(found, RULER, Demand(languages=["en"])).reason
