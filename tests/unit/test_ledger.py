from __future__ import annotations

import sys

import pytest

from runner.comparison import SHIFTS
from runner.ledger import Entry, Ledger, slices_of
from runner.metrics import registry
from runner.model import (
    Case,
    Exchange,
    Failed,
    Failure,
    Finding,
    Measure,
    Passage,
    Record,
    Response,
    Unscored,
)
from runner.report import EXCERPTS
from runner.scores import NO_REPLY

MEASURES = (
    Measure("key_points", registry["key_points"]),
    Measure("recall@1", registry["recall"], {"k": 1}),
)
PASSED = Finding("passed")
MISSED = Finding("failed", "retrieval", "retrieval.missed", also=("answer.omission",))


def cases(count):
    return [
        Case(f"c{n}", f"question {n}?", type="fact" if n % 2 else "policy")
        for n in range(count)
    ]


def entry(position, finding=PASSED, scores=(1.0, 0.5)):
    response = Response("An answer.", (Passage("d#1"), Passage("d#2")), latency=0.25)
    return Entry(Exchange(position, response), scores, finding)


def test_entries_may_come_in_any_order():
    ledger = Ledger(cases(3), MEASURES)
    for position, finding in ((2, MISSED), (0, PASSED), (1, MISSED)):
        ledger.enter(entry(position, finding))

    assert ledger.outcomes == ["passed", "failed", "failed"]
    assert [excerpt.id for excerpt in ledger.excerpts] == ["c1", "c2"]


def test_a_record_is_what_the_case_leaves_behind():
    ledger = Ledger(cases(1), MEASURES)

    record = ledger.enter(entry(0, MISSED, (Failed("broke"), 0.5)))

    assert (record.id, record.outcome, record.cause) == (
        "c0",
        "failed",
        "retrieval.missed",
    )
    assert record.scores == {"key_points": None, "recall@1": 0.5}
    assert record.failed == ("key_points",)
    assert record.retrieved == ("d#1", "d#2")


def came(ledger):
    return {
        name: kept.retrieved
        for name, kept in ledger.records().items()
        if kept.retrieved
    }


def before(*records):
    return {
        name: Record(name, outcome, "", "", {}, layer=layer)
        for name, outcome, layer in records
    }


def test_what_was_retrieved_is_kept_of_cases_that_are_worse_than_before():
    then = before(
        ("c0", "passed", None),
        ("c1", "passed", None),
        ("c2", "failed", "retrieval"),
        ("c3", "failed", "answer"),
        ("c4", "undetermined", None),
    )
    ledger = Ledger(cases(6), MEASURES, then)
    for position in range(6):
        ledger.enter(entry(position, PASSED if position == 1 else MISSED))

    assert came(ledger) == {"c0": ("d#1", "d#2"), "c3": ("d#1", "d#2")}


def test_what_was_retrieved_is_kept_of_the_first_cases_however_they_come():
    many = SHIFTS + 3
    then = before(*((f"c{n}", "passed", None) for n in range(many)))
    ledger = Ledger(cases(many), MEASURES, then)
    for position in reversed(range(many)):
        ledger.enter(entry(position, MISSED))

    assert list(came(ledger)) == [f"c{n}" for n in range(SHIFTS)]


def test_the_ranks_of_relevant_passages_are_in_a_cases_line():
    ledger = Ledger(cases(1), MEASURES)

    record = ledger.enter(entry(0)._replace(hits=(2,)))

    assert record.hits == (2,)


def test_a_case_that_was_not_asked_is_nothing_else_and_has_no_score():
    ledger = Ledger(cases(2), MEASURES)
    ledger.enter(entry(0))

    [(position, record)] = ledger.close()

    assert (position, record.outcome, record.layer) == (1, "not_asked", None)
    assert (ledger.totals.passed, ledger.totals.not_asked) == (1, 1)
    assert (ledger.totals.errors, ledger.failing, ledger.excerpts) == (0, 0, ())
    assert ledger.layers([])["service"].first == 0
    found = ledger.summaries(())
    summary, errors = found["key_points"], found["error_rate"]
    assert (summary.scored, summary.unscored, summary.failed) == (1, 1, 0)
    assert summary.reasons == {"the case was not asked": 1}
    assert (errors.mean, errors.scored, errors.unscored) == (0.0, 1, 1)


def test_a_quality_metric_never_sees_an_error():
    ledger = Ledger(cases(2), MEASURES)
    ledger.enter(entry(0))
    failure = Failure("service.timeout", "too slow", latency=3.0)
    finding = Finding("error", "service", "service.timeout", "too slow")
    ledger.enter(Entry(Exchange(1, failure), (NO_REPLY, NO_REPLY), finding))

    found = ledger.summaries(())
    assert found["key_points"].mean == 1.0
    assert found["error_rate"].mean == 0.5
    assert found["accuracy"].mean == 1.0


def test_layers_count_first_and_also_and_say_where_nothing_is_known():
    ledger = Ledger(cases(2), MEASURES)
    ledger.enter(entry(0, MISSED, (0.0, 0.0)))
    ledger.enter(entry(1, MISSED, (0.0, Unscored("no labels"))))

    layers = ledger.layers(ledger.summaries(()).values())
    assert (layers["retrieval"].first, layers["answer"].also) == (2, 2)
    assert layers["retrieval"].causes == {"retrieval.missed": 2}
    assert layers["isolation"].undetermined
    assert not layers["service"].undetermined
    assert not layers["answer"].undetermined


def test_a_layer_that_replies_show_is_not_undetermined_for_want_of_a_metric():
    ledger = Ledger(cases(2), MEASURES)
    ledger.enter(entry(0)._replace(layers_shown=frozenset({"context"})))
    ledger.enter(entry(1)._replace(layers_shown=frozenset({"grounding"})))

    layers = ledger.layers([])
    assert [name for name in layers if layers[name].undetermined] == [
        "isolation",
        "retrieval",
        "refusal",
        "answer",
    ]


def test_summaries_stand_in_layer_order_with_the_run_level_ones_last():
    ledger = Ledger(cases(1), MEASURES)
    ledger.enter(entry(0))

    found = ledger.summaries(slices_of(ledger.cases, ["tag=red"]))
    assert list(found) == [
        "recall@1",
        "key_points",
        "accuracy",
        "error_rate",
        "coverage",
    ]
    assert list(found["recall@1"].slices) == ["tag=red", "type=policy"]


def test_the_first_failing_cases_are_quoted_and_no_more():
    ledger = Ledger(cases(EXCERPTS + 50), MEASURES)
    for position in reversed(range(EXCERPTS + 50)):
        ledger.enter(entry(position, MISSED))

    quoted = [excerpt.id for excerpt in ledger.excerpts]
    assert quoted == [f"c{n}" for n in range(EXCERPTS)]


def test_replies_are_not_kept():
    ledger = Ledger(cases(1), MEASURES)
    response = Response("A long answer. " * 1000)
    before = sys.getrefcount(response)
    ledger.enter(Entry(Exchange(0, response), (1.0, 1.0), PASSED))

    assert sys.getrefcount(response) == before


def test_only_a_ranking_without_a_cutoff_has_a_depth():
    measures = (*MEASURES, Measure("recall", registry["recall"]))
    ledger = Ledger(cases(1), measures)
    ledger.enter(entry(0, scores=(1.0, 1.0, 1.0)))

    depths = {label: s.depth for label, s in ledger.summaries(()).items() if s.layer}
    assert depths == {"recall@1": None, "recall": 2, "key_points": None}


HELD = Finding("quarantined", "answer", "answer.omission", would_be="failed")


def test_a_case_in_quarantine_is_measured_and_in_no_number():
    leakage = Measure("leakage", registry["leakage"])
    ledger = Ledger(cases(2), (*MEASURES, leakage))
    ledger.enter(entry(0, scores=(1.0, 1.0, 0.0)))

    record = ledger.enter(entry(1, HELD, (0.0, 0.0, 0.0)))

    assert record.scores == {"key_points": 0.0, "recall@1": 0.0, "leakage": 0.0}
    assert (record.outcome, record.would_be) == ("quarantined", "failed")
    found = ledger.summaries(())
    means = {name: found[name].mean for name in ("key_points", "recall@1", "accuracy")}
    assert set(means.values()) == {1.0}
    assert found["key_points"].reasons == {"the case is in quarantine": 1}
    assert found["coverage"].mean == 1.0
    assert (ledger.totals.passed, ledger.totals.quarantined) == (1, 1)
    assert (ledger.failing, ledger.excerpts) == (0, ())
    assert ledger.layers(found.values())["answer"].first == 0


def test_a_call_that_failed_in_quarantine_is_no_error():
    ledger = Ledger(cases(2), MEASURES)
    ledger.enter(entry(0))
    held = HELD._replace(layer="service", would_be="error")
    failure = Failure("service.timeout", "too slow")
    ledger.enter(Entry(Exchange(1, failure), (NO_REPLY, NO_REPLY), held))

    errors = ledger.summaries(())["error_rate"]

    assert (errors.mean, errors.scored, errors.unscored) == (0.0, 1, 1)


def test_what_leaked_in_quarantine_is_seen_by_the_gates():
    ledger = Ledger(cases(1), (Measure("leakage", registry["leakage"]),))
    ledger.enter(entry(0, HELD, (1.0,)))

    [judged] = ledger.judged()

    assert (judged.outcome, judged.would_be) == ("quarantined", "failed")
    assert judged.leakage == 1.0


def notices_of(*retrieved, has_hit=False):
    """Give the notices where each case expects ``doc_N`` and these ids come."""
    labelled = [
        case._replace(qrels={f"doc_{case.id}": 1}) for case in cases(len(retrieved))
    ]
    ledger = Ledger(labelled, ())
    for position, names in reversed([*enumerate(retrieved)]):
        response = Response("a", tuple(map(Passage, names)))
        found = has_hit if position == 1 else (False if names else None)
        ledger.enter(Entry(Exchange(position, response), (), PASSED, found))
    return [*ledger.notices()]


def test_expected_ids_that_never_come_are_told_with_one_example_side_by_side():
    (notice,) = notices_of(["c0#3", None], ["c1#1"])

    assert notice == (
        "NO EXPECTED ID EVER CAME, in 2 cases: c0 expects doc_c0, and c0#3, (no id) "
        "came. If these name the same, mend the labels, endpoint.response.context.id "
        "or endpoint.match"
    )


def test_one_meeting_is_enough_and_one_case_is_not():
    assert notices_of(["a"], ["b"], ["c"], has_hit=True) == []
    assert notices_of(["a"]) == []
    assert notices_of(["a"], [], []) == []


@pytest.mark.parametrize(
    ("asker", "tenants", "said"),
    [
        ("a", ("a", None), True),
        ("a", ("a", "public"), False),
        ("a", (None, None), False),  # a system without tenants, or the gate says so
        (None, ("a", None), False),
        ("a", (), False),
    ],
)
def test_a_passage_that_lost_its_tenant_among_others_is_told(asker, tenants, said):
    ledger = Ledger([case._replace(tenant=asker) for case in cases(2)], ())
    for position in (1, 0):
        passages = tuple(Passage("d", tenant=tenant) for tenant in tenants)
        exchange = Exchange(position, Response("a", passages))
        ledger.enter(Entry(exchange, (), PASSED))

    told = [*ledger.notices()]

    assert bool(told) == said
    if said:
        assert told[0].startswith(
            "SOME PASSAGES NAME NO TENANT, and count as everybody's: in 2 cases whose "
            "other passages name theirs, first in c0 "
        )


@pytest.mark.parametrize(
    ("refused", "over", "said"),
    [(True, 0.0, True), (False, 0.0, False), (None, 0.0, False), (True, 1.0, False)],
)
def test_a_flag_that_calls_answers_declined_is_told(refused, over, said):
    ledger = Ledger(cases(2), (Measure("over_refusal", registry["over_refusal"]),))
    for position in (1, 0):
        response = Response("An answer.", refused=refused)
        ledger.enter(Entry(Exchange(position, response), (over,), PASSED))

    told = [*ledger.notices()]

    assert bool(told) == said
    if said:
        assert "THE FLAG SAYS DECLINED OF ANSWERS: in 2 cases" in told[0]
        assert "first in c0" in told[0]


@pytest.mark.parametrize(("retried", "said"), [(1, False), (2, True)])
def test_calls_that_failed_first_are_told_where_they_are_many(retried, said):
    ledger = Ledger(cases(20), ())
    for position in range(20):
        attempts = 2 if position < retried else 1
        ledger.enter(Entry(Exchange(position, Response("a"), attempts), (), PASSED))

    what = (
        "MANY CALLS WERE RETRIED: 2 of 20 cases got a reply only at a further attempt"
    )
    assert [*ledger.notices()] == [f"{what}, first c0"] * said


def test_a_call_that_failed_to_the_end_is_told_as_that_alone():
    ledger = Ledger(cases(1), ())
    failure = Failure("service.timeout", "too slow")
    ledger.enter(Entry(Exchange(0, failure, 3), (), Finding("error", "service")))

    assert [*ledger.notices()] == []


def test_only_a_few_ids_are_shown_of_many():
    (notice,) = notices_of([f"x{n}" for n in range(9)], ["y"])

    assert "and x0, x1, x2 and 6 more came." in notice
