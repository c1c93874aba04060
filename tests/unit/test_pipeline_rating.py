from __future__ import annotations

import threading
import time
from datetime import UTC, date, datetime

import pytest

from runner.calibration import Agreement, Calibration, Entry, Labels, TaskFingerprint
from runner.errors import Cancelled, Unavailable
from runner.metrics import registry
from runner.metrics._declare import metric
from runner.model import (
    Case,
    Exchange,
    Frozen,
    Judge,
    JudgeAccount,
    Measure,
    Passage,
    Response,
    Task,
    Unrated,
)
from runner.pipeline import Callbacks, Plan, Rating, evaluate, with_weights
from runner.spec import EndpointSpec, JudgeSpec, Limit, Spec, Trials, bind
from runner.units import Amount

COUNT = 40
CASES = tuple(Case(f"c{n}", f"Question {n}?", reference="x") for n in range(COUNT))
SLOW = 0.05


class Share(Frozen):
    share: float


SHARE = Task("share", 1, Share)


@metric(layer="answer", tasks=(SHARE,))
def rightness(answer: str, judge: Judge) -> float:
    """Give what the judge says."""
    return judge.rate(SHARE, answer=answer).share


@metric(layer="grounding", tasks=(SHARE,))
def soundness(answer: str, judge: Judge) -> float:
    """Give what the judge says."""
    return judge.rate(SHARE, answer=answer).share


RIGHTNESS, SOUNDNESS = (registry.pop(name) for name in ("rightness", "soundness"))
JUDGE = JudgeSpec.model_validate({"url": "http://x/v1", "model": "m"})
PRINTS = {"share": TaskFingerprint(version=1, prompts={"en": "a", "zh": "b"})}


class Model:
    """Says what a table holds for an answer, after a while; counts what it is asked."""

    def __init__(self, table=None, slow=0.0) -> None:
        self.table = table or {}
        self.slow = slow
        self.lock = threading.Lock()
        self.asked: list[tuple[str, int, bool]] = []
        self.busy = self.peak = 0
        self.closed = threading.Event()

    def judge(self, trial=1, *, fresh=False):
        return One(self, trial, fresh=fresh)

    def says(self, answer, trial, *, fresh):
        with self.lock:
            self.asked.append((answer, trial, fresh))
            self.busy += 1
            self.peak = max(self.peak, self.busy)
        self.closed.wait(self.slow)
        with self.lock:
            self.busy -= 1
        if self.closed.is_set():
            raise Unrated("it was closed")
        said = self.table.get(answer, 1.0)
        said = said(fresh) if callable(said) else said
        if isinstance(said, str):
            raise Unrated(said)
        return Share(share=said)

    def rating(self, **more):
        account = JudgeAccount(model="m")
        return Rating(self.judge, lambda: account, self.closed.set, **more)


class One:
    def __init__(self, model, trial, *, fresh) -> None:
        self.model, self.trial, self.fresh = model, trial, fresh

    def rate(self, task, /, **texts):
        assert task is SHARE
        return self.model.says(texts["answer"], self.trial, fresh=self.fresh)

    def embed(self, texts, /):
        raise Unrated(f"nothing embeds {texts}")


def plan(*metrics, cases=CASES, marks=None, limits=(), times=1, **judge):
    measures = [Measure(each.name, each) for each in metrics or (RIGHTNESS,)]
    spec = Spec(
        name="team",
        file="spec.yaml",
        endpoint=EndpointSpec(url="http://localhost"),
        cases=(),
        measures=(*measures, bind("key_points", registry), bind("leakage", registry)),
        marks=marks or {},
        limits=tuple(limits),
        red_lines=(),
        trials=Trials(times),
        judge=JUDGE.model_copy(update=judge),
    )
    return Plan(spec, cases)


def answered(position, answer=None, trial=1):
    passage = Passage("d", f"answer {position}")
    said = Response(answer or f"answer {position}", (passage,))
    return Exchange(position, said, trial=trial)


def run(given, came, rating, **more):
    kept, records = [], []
    callbacks = Callbacks(
        lambda case, _: kept.append(case.id),
        lambda position, record: records.append((position, record)),
        lambda _: None,
        lambda: datetime(2026, 1, 1, tzinfo=UTC),
        **more,
    )
    report, stopped = evaluate(given, came, callbacks, rating=rating)
    return report, stopped, records


def test_cases_are_handed_on_in_the_order_in_which_they_came():
    model = Model(slow=0.002)
    table = {f"answer {n}": n / COUNT for n in range(COUNT)}
    model.table = table
    order = [*range(1, COUNT), 0]

    _, _, records = run(plan(), map(answered, order), model.rating(concurrency=4))

    assert [position for position, _ in records] == order
    assert [record.scores["rightness"] for _, record in records] == [
        position / COUNT for position in order
    ]


@pytest.mark.parametrize("concurrency", [1, 3, 16])
def test_no_more_are_rated_at_once_than_the_spec_says(concurrency):
    model = Model(slow=SLOW)
    began = time.monotonic()
    run(plan(), map(answered, range(COUNT)), model.rating(concurrency=concurrency))

    ideal = COUNT * SLOW / concurrency
    assert model.peak == concurrency
    assert time.monotonic() - began < 2 * ideal + 0.5


def test_rating_goes_on_while_others_are_asked():
    model, rated = Model(), []

    def asking():
        for position in range(COUNT):
            yield answered(position)
            time.sleep(0.005)
            rated.append(len(model.asked))

    run(plan(), asking(), model.rating(concurrency=2))

    assert rated[COUNT // 2] >= COUNT // 4


def test_few_wait_behind_one_that_takes_long():
    gate = threading.Event()
    model = Model({"answer 0": lambda _: gate.wait(5) and 1.0})
    taken = []

    def asking():
        for position in range(COUNT):
            taken.append(position)
            yield answered(position)

    timer = threading.Timer(0.5, gate.set)
    timer.start()
    early = []
    threading.Timer(0.3, lambda: early.append(len(taken))).start()
    report, _, _ = run(plan(), asking(), model.rating(concurrency=2))

    assert early[0] <= 2 * 8 + 2
    assert report.summaries["rightness"].scored == COUNT


def test_three_trials_are_rated_one_by_one_and_make_one_case():
    model = Model()
    came = [answered(n, trial=trial) for n in range(5) for trial in (1, 2, 3)]
    report, _, _ = run(plan(cases=CASES[:5], times=3), came, model.rating())

    assert len(model.asked) == 15
    assert {trial for _, trial, _ in model.asked} == {1, 2, 3}
    assert report.summaries["rightness"].scored == 5


def test_what_fails_is_no_score_and_no_verdict():
    model = Model({"answer 3": "HTTP 429 after 3 attempts"})
    report, _, _ = run(
        plan(limits=[Limit("rightness", "min", Amount(0.5), "warn")]),
        map(answered, range(COUNT)),
        model.rating(),
    )

    found = report.summaries["rightness"]
    assert (found.scored, found.failed) == (COUNT - 1, 1)
    assert found.reasons == {"HTTP 429 after 3 attempts": 1}
    assert report.notices[-1] == (
        "THE JUDGE GAVE NO SCORE: rightness in 1 of 40 cases: HTTP 429 after 3 attempts"
    )


KEYED = tuple(Case(f"k{n}", f"Q {n}?", key_points=(("answer",),)) for n in range(4))


@pytest.mark.parametrize(
    ("always", "answer", "asked"),
    [
        (False, "unknown words here", ["grounding"]),  # none of them is in a passage
        (True, "unknown words here", ["grounding", "answer"]),
        (False, "answer 0", ["grounding", "answer"]),
    ],
)
def test_what_is_below_a_layer_that_collapsed_is_not_rated(always, answer, asked):
    model = Model()
    cases = [Case("k", "Q?", key_points=(("answer",),))]
    given = plan(SOUNDNESS, RIGHTNESS, cases=tuple(cases), marks={"key_points": 1.0})
    report, _, _ = run(given, [answered(0, answer)], model.rating(always=always))

    layers = {"soundness": "grounding", "rightness": "answer"}
    found = [layers[name] for name in layers if report.summaries[name].scored]
    assert found == asked
    left = report.summaries["rightness"].reasons
    assert left == ({} if "answer" in asked else {SKIPPED: 1})


SKIPPED = "not judged, as grounding failed before it"


@pytest.mark.parametrize("share", [0.0, 0.05, 0.5, 1.0])
def test_the_same_share_is_rated_again_in_each_run(share):
    again = []
    for _ in range(2):
        model = Model()
        report, _, _ = run(
            plan(), map(answered, range(COUNT)), model.rating(drift=share)
        )
        fresh = sorted(answer for answer, _, fresh in model.asked if fresh)
        assert report.judge.drift.items == len(fresh)
        again.append(fresh)

    assert again[0] == again[1]
    assert abs(len(again[0]) - share * COUNT) <= 0.2 * COUNT * (0 < share < 1)


@pytest.mark.parametrize(
    ("second", "flips"),
    [(0.95, (1, 0)), (0.9, (1, 1)), (0.2, (1, 1)), ("down", (0, 0))],
)
def test_a_score_that_comes_out_otherwise_is_a_flip(second, flips):
    model = Model({"answer 0": lambda fresh: second if fresh else 1.0})
    report, _, _ = run(plan(cases=CASES[:1]), [answered(0)], model.rating(drift=1.0))

    drift = report.judge.drift
    assert (drift.items, drift.flips) == flips
    assert report.summaries["rightness"].mean == 1.0


def test_a_judge_that_is_not_steady_is_told():
    model = Model({f"answer {n}": lambda fresh: float(not fresh) for n in range(6)})
    report, _, _ = run(plan(), map(answered, range(COUNT)), model.rating(drift=1.0))

    assert report.notices[-1] == (
        "THE JUDGE IS NOT STEADY: 6 of 40 scores came out otherwise by 0.1 or more "
        "when it was asked again"
    )


def test_what_is_under_way_is_rated_when_the_endpoint_gives_up():
    def asking():
        yield from map(answered, range(5))
        raise Unavailable("down")

    report, stopped, _ = run(plan(), asking(), Model(slow=SLOW).rating())

    assert str(stopped) == "down"
    assert report.summaries["rightness"].scored == 5
    assert report.totals.not_asked == COUNT - 5


def test_what_is_under_way_is_given_up_when_somebody_says_stop():
    def asking():
        yield from map(answered, range(5))
        raise Cancelled("stop")

    began = time.monotonic()
    report, stopped, _ = run(plan(), asking(), Model(slow=9).rating())

    found = report.summaries["rightness"]
    assert isinstance(stopped, Cancelled)
    assert time.monotonic() - began < 3
    assert (found.scored, found.failed) == (0, 5)


def test_a_wait_for_a_judge_can_be_given_up():
    waits = []

    def interruptible(items):
        if waits:  # the second wait, for the judge
            raise Cancelled("stop")
        waits.append(items)
        yield from items

    came = interruptible(map(answered, range(COUNT)))
    report, stopped, _ = run(
        plan(), came, Model(slow=9).rating(), interruptible=interruptible
    )

    assert isinstance(stopped, Cancelled)
    assert report.summaries["rightness"].scored == 0


def calibration(wrong=0, **other):
    rated = [(1.0, True, True)] * 40 + [(0.0, False, False)] * 40
    found = Agreement.of(rated + [(1.0, True, False)] * wrong)
    entry = {
        "version": 1,
        "tasks": PRINTS,
        "mark": 0.5,
        "mark_from": "pass",
        "whole": found,
        "languages": {"en": found},
    }
    return Calibration(
        made=date(2026, 11, 1),
        judge=JUDGE.identity,
        labels=Labels(file="labels.csv", sha256="0"),
        metrics={"rightness": Entry.model_validate(entry | other)},
    )


LIMITS = (
    Limit("rightness", "min", Amount(0.9)),
    Limit("accuracy", "min", Amount(0.9)),
)


@pytest.mark.parametrize(
    ("found", "uncalibrated", "decides", "why"),
    [
        (None, "warn", False, "the judge is not calibrated"),
        (None, "block", True, "the judge is not calibrated"),
        (calibration(), "warn", True, "kappa 1.00"),
        (calibration(40), "warn", False, "is below 0.6"),
        (calibration(version=2), "warn", False, "version 2 of the metric"),
        (
            calibration(tasks={"share": TaskFingerprint(version=2, prompts={})}),
            "warn",
            False,
            "version 2 of the task share",
        ),
        (
            calibration(
                tasks={"share": TaskFingerprint(version=1, prompts={"en": "z"})}
            ),
            "warn",
            False,
            "another prompt share.en",
        ),
        (calibration(mark=0.7), "warn", False, "0.7 as a good score"),
    ],
)
def test_a_judged_metric_decides_where_its_judge_was_held_against_people(
    found, uncalibrated, decides, why
):
    given = plan(marks={"rightness": 0.5}, limits=LIMITS, uncalibrated=uncalibrated)
    held = with_weights(given, found, PRINTS)

    weight = held.weights["rightness"]
    limit = held.spec.limits[0]
    assert (weight.decides, why in weight.why) == (decides, True)
    assert (limit.level == "fail") == decides
    assert ("rightness" in held.spec.marks) == decides
    assert held.spec.limits[1] == LIMITS[1]
    assert (held.spec.fingerprint != given.spec.fingerprint) or decides
    assert held.spec.measures[0].judge == "m, temperature 0, share 1"


@pytest.mark.parametrize("says", [0.0, 1.0])
def test_an_uncalibrated_judge_turns_no_run_red_and_none_green(says):
    given = with_weights(
        plan(marks={"rightness": 0.5}, limits=LIMITS[:1]), None, PRINTS
    )
    model = Model({f"answer {n}": says for n in range(COUNT)})

    report, _, _ = run(given, map(answered, range(COUNT)), model.rating())

    totals = report.totals
    assert report.verdict == "passed"
    assert (totals.passed, totals.failed, totals.undetermined) == (0, 0, COUNT)
    assert report.summaries["rightness"].mean == says


@pytest.mark.parametrize("says", [0.0, 1.0])
def test_nor_does_accuracy_stand_on_it(says):
    given = with_weights(
        plan(marks={"rightness": 0.5}, limits=LIMITS[1:]), None, PRINTS
    )
    model = Model({f"answer {n}": says for n in range(COUNT)})

    report, _, _ = run(given, map(answered, range(COUNT)), model.rating())

    (gate,) = [gate for gate in report.gates if gate.metric == "accuracy"]
    assert (report.verdict, gate.outcome) == ("failed", "unmeasured")


def test_a_calibrated_one_decides_by_its_pass_mark():
    given = with_weights(plan(marks={"rightness": 0.5}), calibration(), PRINTS)
    model = Model({"answer 0": 0.2, "answer 1": "down"})

    report, _, _ = run(given, map(answered, range(COUNT)), model.rating())

    totals = report.totals
    assert (totals.passed, totals.failed, totals.undetermined) == (COUNT - 2, 1, 1)
    assert report.failures[0].cause == "answer.incorrect"


def test_what_advises_does_not_lower_the_coverage_of_a_run():
    limit = Limit("coverage", "min", Amount(1.0))
    given = with_weights(plan(cases=KEYED, limits=[limit]), None, PRINTS)
    model = Model({f"answer {n}": "down" for n in range(4)})

    report, _, _ = run(given, map(answered, range(4)), model.rating())

    assert (report.verdict, report.summaries["coverage"].mean) == ("passed", 1.0)
    assert report.summaries["rightness"].coverage == 0.0
