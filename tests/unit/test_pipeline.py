from __future__ import annotations

import itertools
import re
from datetime import UTC, datetime, timedelta

import pytest

from runner.comparison import Results
from runner.errors import Cancelled, InputError, Place, Problems, Unavailable
from runner.metrics import registry
from runner.model import Case, Exchange, Failure, Passage, Response
from runner.pipeline import Callbacks, Filters, Plan, check_selectors, evaluate, select
from runner.spec import (
    DEFAULT_MARKS,
    EndpointSpec,
    Limit,
    Selector,
    Spec,
    bind,
)
from runner.units import Amount

CASES = (
    Case("a", "How long?", type="fact", tags=("en",), key_points=(("30 days",),)),
    Case("b", "多久?", type="policy", tags=("zh",), key_points=(("30天",),)),
    Case("c", "Who wins?", type="refusal", tags=("en",), expect_refusal=True),
)
REPLIES = (
    Response("It takes 30 days.", (Passage("d#1", "It takes 30 days."),)),
    Response("需要 30 天。", (Passage("d#2", "需要30天。"),)),
    Response("I could not find any information about this in the documents."),
)


def spec(*limits, red_lines=()):
    return Spec(
        name="team",
        file="spec.yaml",
        endpoint=EndpointSpec(url="http://localhost"),
        cases=(),
        measures=tuple(bind(label, registry) for label in DEFAULT_MARKS),
        marks=DEFAULT_MARKS,
        limits=limits,
        red_lines=tuple(red_lines),
    )


def callbacks(kept, **more):
    times = (datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=n) for n in range(9))
    return Callbacks(
        response=lambda case, _: kept.append(case.id),
        record=lambda *_: None,
        progress=lambda _: None,
        now=lambda: next(times),
        **more,
    )


def exchanges(*results):
    return (Exchange(position, result) for position, result in enumerate(results))


def test_a_run_that_answers_everything_passes():
    kept = []

    report, stopped = evaluate(
        Plan(spec(Limit("accuracy", "min", Amount(1.0))), CASES),
        exchanges(*REPLIES),
        callbacks(kept),
    )

    assert (report.verdict, stopped, kept) == ("passed", None, ["a", "b", "c"])
    assert report.totals.passed == 3
    assert report.duration_s == 1.0


def test_the_order_of_replies_changes_nothing():
    plan = Plan(spec(), CASES)
    reports = []
    for order in itertools.permutations(range(3)):
        came = [Exchange(position, REPLIES[position]) for position in order]
        reports.append(evaluate(plan, came, callbacks([]))[0])

    assert all(report == reports[0] for report in reports)


@pytest.mark.parametrize("stop", [Unavailable("down"), Cancelled("told to")])
def test_a_stopped_run_has_a_report_in_which_nothing_unasked_passes(stop):
    def broken():
        yield Exchange(0, REPLIES[0])
        raise stop

    report, stopped = evaluate(Plan(spec(), CASES), broken(), callbacks([]))

    assert stopped is stop
    assert report.verdict == "error"
    assert report.reasons[0] == str(stop)
    assert (report.totals.passed, report.totals.not_asked) == (1, 2)
    assert (report.totals.errors, report.failures) == (0, ())


def test_a_stopped_run_gives_no_reason_that_is_but_for_what_was_not_asked():
    def broken():
        yield Exchange(0, Response("It takes 9 days.", REPLIES[0].passages))
        raise Cancelled("told to")

    limits = (
        Limit("refusal", "min", Amount(1.0)),
        Limit("accuracy", "min", Amount(1.0)),
    )

    report, _ = evaluate(Plan(spec(*limits), CASES), broken(), callbacks([]))

    outcomes = {gate.metric: gate.outcome for gate in report.gates}
    assert (outcomes["refusal"], outcomes["accuracy"]) == ("unmeasured", "failed")
    assert report.reasons == ("told to", "accuracy 0.00 is below 1")


def test_one_failed_call_is_an_error_unless_a_limit_forgives_it():
    down = Failure("service.timeout", "no reply in 30 s")
    came = (REPLIES[0], REPLIES[1], down)

    strict, _ = evaluate(Plan(spec(), CASES), exchanges(*came), callbacks([]))
    lenient, _ = evaluate(
        Plan(spec(Limit("error_rate", "max", Amount(0.5))), CASES),
        exchanges(*came),
        callbacks([]),
    )

    assert (strict.verdict, lenient.verdict) == ("error", "passed")
    assert strict.summaries["accuracy"].mean == 1.0


def test_a_mapping_that_never_finds_anything_ends_the_run_with_help():
    helped = InputError("`a.b` found nothing")

    with pytest.raises(InputError, match="found nothing"):
        evaluate(
            Plan(spec(), CASES),
            exchanges(*REPLIES),
            callbacks([], misread=lambda: helped),
        )


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (Filters(), "abc"),
        (Filters(tags=("zh",)), "b"),
        (Filters(tags=("en", "zh")), "abc"),
        (Filters(types=("fact",), tags=("en",)), "a"),
        (Filters(ids=("c", "a")), "ac"),
        (Filters(limit=2), "ab"),
    ],
)
def test_a_case_must_meet_every_kind_of_filter(filters, expected):
    assert "".join(case.id for case in select(CASES, filters)) == expected


@pytest.mark.parametrize(
    ("filters", "words"),
    [
        (Filters(tags=("none",)), "--tag none: no case is left to ask"),
        (Filters(ids=("z",)), "--case z: no case has this id"),
        (Filters(tags=("ZH",)), "no case is left to ask (did you mean tag=zh?)"),
        (Filters(types=("polcy",)), "to ask (did you mean type=policy?)"),
    ],
)
def test_a_filter_that_leaves_nothing_is_refused(filters, words):
    with pytest.raises(InputError, match=re.escape(words)):
        select(CASES, filters)


def test_a_filtered_run_says_so():
    plan = Plan(spec(), CASES[:1], filters=Filters(ids=("a",), limit=1))

    report, _ = evaluate(plan, exchanges(REPLIES[0]), callbacks([]))

    assert report.filters == ("--case a", "--limit 1")


def test_a_red_line_or_slice_that_matches_nothing_could_never_turn_red():
    unmatched = spec(
        Limit("accuracy", "min", Amount(1.0), slice="type=polcy", line=7),
        red_lines=[Selector("tag", "zhh", 9), Selector("tag", "zh", 10)],
    )

    with pytest.raises(Problems) as caught:
        check_selectors(unmatched, CASES)

    assert [str(problem) for problem in caught.value] == [
        "spec.yaml:9 red_lines: tag=zhh matches no case (did you mean tag=zh?)",
        (
            "spec.yaml:7 thresholds.accuracy.slices: type=polcy matches no case "
            "(did you mean type=policy?)"
        ),
    ]


def test_an_empty_answer_is_an_error_and_never_a_score():
    empty = Response("", REPLIES[0].passages)
    kept = []

    report, _ = evaluate(
        Plan(spec(), CASES), exchanges(empty, *REPLIES[1:]), callbacks(kept)
    )

    (failure,) = report.failures
    assert (report.verdict, report.totals.errors) == ("error", 1)
    assert (failure.cause, failure.answer) == ("service.empty_answer", "")
    assert report.summaries["over_refusal"].scored == 1
    assert kept == ["a", "b", "c"]


def test_a_lucky_pass_is_told():
    case = CASES[0]._replace(qrels={"gold#1": 1})

    report, _ = evaluate(Plan(spec(), (case,)), exchanges(REPLIES[0]), callbacks([]))

    assert report.verdict == "passed"
    assert any("no relevant passage" in notice for notice in report.notices)


def test_a_case_that_changed_against_the_baseline_says_where_it_stands():
    placed = tuple(
        case._replace(place=Place("cases.csv", line))
        for line, case in enumerate(CASES, 2)
    )
    plan, records = Plan(spec(), placed), {}
    found, _ = evaluate(
        plan,
        exchanges(REPLIES[0], Response("?", ()), REPLIES[2]),
        callbacks([])._replace(
            record=lambda _, record: records.update({record.id: record})
        ),
    )
    base = Results(records, found.summaries, found.fingerprints)

    now, _ = evaluate(
        plan._replace(baseline=base),
        exchanges(Response("?", ()), REPLIES[1], REPLIES[2]),
        callbacks([]),
    )

    assert found.places == {}
    assert {name: (at.file, at.line) for name, at in now.places.items()} == {
        "a": ("cases.csv", 2),  # regressed
        "b": ("cases.csv", 3),  # fixed
    }


WRONG = Response("?", ())


def test_another_endpoint_is_judged_beside_and_is_the_baseline():
    report, _ = evaluate(
        Plan(spec(), CASES),
        exchanges(WRONG, *REPLIES[1:]),
        callbacks([]),
        exchanges(REPLIES[0], WRONG, REPLIES[2]),
    )

    held = report.comparison
    assert (held.pairs, held.regressed, held.fixed) == (3, ("a",), ("b",))
    assert report.totals.failed == 1


def test_two_endpoints_are_asked_in_turn():
    asked = []

    def told(name, results):
        for exchange in exchanges(*results):
            asked.append(name)
            yield exchange

    evaluate(
        Plan(spec(), CASES),
        told("here", REPLIES),
        callbacks([]),
        told("there", REPLIES),
    )

    assert asked == ["here", "there"] * 3


def test_what_is_left_of_the_other_is_asked_when_one_is_through():
    report, _ = evaluate(
        Plan(spec(), CASES), exchanges(REPLIES[0]), callbacks([]), exchanges(*REPLIES)
    )

    assert report.comparison.pairs == 1
    assert report.totals.not_asked == 2


def gives_up(*results):
    yield from exchanges(*results)
    raise Unavailable("3 cases in a row got no usable reply")


def test_another_endpoint_that_gives_up_is_no_baseline_and_stops_nothing():
    drop = Limit("accuracy", "max_drop", Amount(0.1))

    report, stopped = evaluate(
        Plan(spec(drop), CASES),
        exchanges(*REPLIES),
        callbacks([]),
        gives_up(REPLIES[0]),
    )

    assert (stopped, report.comparison, report.totals.passed) == (None, None, 3)
    assert report.baseline_unread == "3 cases in a row got no usable reply"
    [gate] = [gate for gate in report.gates if gate.rule == "max_drop"]
    assert (gate.outcome, report.verdict) == ("unmeasured", "failed")


def test_of_a_run_that_is_stopped_nobody_knows_the_baseline():
    report, stopped = evaluate(
        Plan(spec(), CASES), gives_up(REPLIES[0]), callbacks([]), exchanges(*REPLIES)
    )

    assert isinstance(stopped, Unavailable)
    assert (report.comparison, report.baseline_unread) == (None, "the run was stopped")


def test_what_leaks_from_another_endpoint_is_none_of_this_change():
    case = Case("a", "How long?", key_points=(("30 days",),), canaries=("C-1",))
    leaking = Response("It takes 30 days. C-1", REPLIES[0].passages)

    report, _ = evaluate(
        Plan(spec(), (case,)), exchanges(REPLIES[0]), callbacks([]), exchanges(leaking)
    )

    assert (report.verdict, report.comparison.fixed) == ("passed", ("a",))


MANY = tuple(
    Case(str(n), f"How long is {n}?", key_points=(("30 days",),)) for n in range(40)
)
DOWN = Failure("service.http_error", "HTTP 503")


@pytest.mark.parametrize("lost", [1, 2])
def test_what_another_endpoint_failed_to_answer_is_not_compared(lost):
    report, _ = evaluate(
        Plan(spec(), MANY),
        exchanges(*[REPLIES[0]] * 40),
        callbacks([]),
        exchanges(*[DOWN] * lost, *[REPLIES[0]] * (40 - lost)),
    )

    held = report.comparison
    assert (held.pairs, held.fixed, held.new) == (40 - lost, (), ())
    assert (
        f"{lost} of 40 cases got no usable reply from the baseline and are not compared"
        in report.notices
    )
    assert (report.verdict, report.baseline_unread) == ("passed", "")


def test_another_endpoint_that_fails_too_often_is_no_baseline():
    report, _ = evaluate(
        Plan(spec(), MANY),
        exchanges(*[REPLIES[0]] * 40),
        callbacks([]),
        exchanges(*[DOWN] * 3, *[REPLIES[0]] * 37),
    )

    assert (report.comparison, report.verdict) == (None, "passed")
    assert report.baseline_unread == (
        "3 of 40 cases got no usable reply from the baseline"
    )


def test_a_reply_that_an_expression_cannot_take_ends_another_endpoint_alone():
    def unlike():
        yield Exchange(0, REPLIES[0])
        raise InputError("response.contexts: cannot take what came")

    report, stopped = evaluate(
        Plan(spec(), CASES), exchanges(*REPLIES), callbacks([]), unlike()
    )

    assert (stopped, report.totals.passed) == (None, 3)
    assert report.baseline_unread == "response.contexts: cannot take what came"


def test_what_both_endpoints_retrieved_is_known_where_one_is_worse():
    case = Case("a", "How long?", key_points=(("30 days",),), qrels={"d#1": 1})
    other = Response("It takes 9 days.", (Passage("e#1", "It takes 9 days."),))

    report, _ = evaluate(
        Plan(spec(), (case,)), exchanges(other), callbacks([]), exchanges(REPLIES[0])
    )

    [found] = report.comparison.shifts
    assert [(move.id, move.before, move.now) for move in found.ranks] == [
        ("d#1", 1, None)
    ]
    assert (found.was, found.layer, found.came) == ("passed", "retrieval", ("e#1",))
