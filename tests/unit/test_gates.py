from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.errors import InputError
from runner.gates import (
    Judged,
    Measured,
    Review,
    Selection,
    exit_code,
    hold,
    notices,
    verdict,
)
from runner.metrics import registry
from runner.model import (
    Case,
    Comparison,
    Delta,
    Failed,
    GateResult,
    SliceSummary,
    Summary,
    Unscored,
)
from runner.spec import (
    DEFAULT_MARKS,
    CaseSource,
    EndpointSpec,
    Limit,
    Removed,
    Selector,
    Spec,
    bind,
)
from runner.units import amount

SHOWS_NOTHING = Unscored("nothing to look at")
CROSS = Selector("tag", "cross", 12)
ACCURATE = Summary(layer=None, better="higher", mean=1.0, scored=1)


def spec(*limits, red_lines=(), leakage="fail", removed=None):
    return Spec(
        name="helpdesk",
        file="spec.yaml",
        endpoint=EndpointSpec(url="http://localhost"),
        cases=(CaseSource(path="cases.json"),),
        measures=(),
        marks={},
        limits=limits,
        red_lines=red_lines,
        leakage_level=leakage,
        removed=removed or Removed(),
    )


def limit(name, rule, value, **more):
    return Limit(name, rule, amount(value), **more)


def judged(name, outcome="passed", leakage=SHOWS_NOTHING, **case):
    return Judged(Case(name, "Why?", **case), outcome, leakage)


def measured(*cases, comparison=None, left_out=None, **summaries):
    """Give what gates are held against; ``left_out`` are the cases beside a filter."""
    named = {name.replace("_at_", "@"): value for name, value in summaries.items()}
    cases = cases or (judged("a"),)
    asked = [one.case for one in cases]
    selection = None if left_out is None else Selection(asked, left_out)
    return Measured(cases, named, comparison, selection)


def recall(mean=0.84, scored=10, **more):
    return Summary(layer="retrieval", better="higher", mean=mean, scored=scored, **more)


def latency(mean=1.0, **more):
    return Summary(
        layer="service", better="lower", mean=mean, scored=10, unit="s", **more
    )


def only(limit_, found):
    """Give the result of the one limit of a spec."""
    (gate,) = [g for g in hold(spec(limit_), found) if g.metric == limit_.name]
    return gate


def told(found_spec, found):
    return notices(found_spec, found, hold(found_spec, found))


def moved(name, now, baseline, pairs=78):
    delta = Delta(now=now, baseline=baseline, delta=now - baseline, pairs=pairs)
    return Comparison(pairs=pairs, deltas={name: delta})


# Limits on one number


@pytest.mark.parametrize(
    ("rule", "bound", "mean", "outcome"),
    [
        ("min", 0.85, 0.86, "passed"),
        ("min", 0.85, 0.85, "passed"),
        ("min", 0.85, 0.84, "failed"),
        ("min", 0.3, 0.1 + 0.2 - 1e-12, "passed"),
        ("min", 0.3, 0.3 - 2e-9, "failed"),
        ("min", "85%", 0.85, "passed"),
        ("max", 0.1, 0.1, "passed"),
        ("max", 0.3, 0.1 + 0.2, "passed"),
        ("max", 0.1, 0.11, "failed"),
        ("min", 0.9801, 0.98, "failed"),
    ],
)
def test_a_limit_is_held_after_rounding_to_a_billionth(rule, bound, mean, outcome):
    gate = only(limit("recall@5", rule, bound), measured(recall_at_5=recall(mean)))

    assert gate.outcome == outcome


@pytest.mark.parametrize(
    ("gate", "message"),
    [
        (
            limit("recall@5", "min", 0.9, line=41),
            "recall@5 0.84 is below 0.9 (spec.yaml:41)",
        ),
        (
            limit("recall@5", "min", 0.8401, line=41, owner="@search"),
            "recall@5 0.84 is below 0.8401 (spec.yaml:41, @search)",
        ),
        (limit("latency_p95", "max", "3s"), "latency_p95 4.20 s is above 3 s"),
        (
            limit("recall@5", "min", 0.75, slice="type=policy"),
            "recall@5 on type=policy 0.70 is below 0.75",
        ),
    ],
)
def test_a_failed_limit_says_by_how_much_and_where_it_stands(gate, message):
    found = measured(
        judged("a", type="policy"),
        recall_at_5=recall(slices={"type=policy": SliceSummary(mean=0.7, scored=20)}),
        latency=latency(percentiles={"p95": 4.2}),
    )

    assert only(gate, found).message == message


@pytest.mark.parametrize(
    "summaries",
    [
        {},
        {"recall_at_5": recall(None, 0, unscored=80)},
        {"recall_at_5": recall(None, 0, failed=3)},
        {"recall_at_5": recall(1.0, 94, failed=6)},
    ],
)
def test_what_was_not_measured_fails(summaries):
    gate = only(limit("recall@5", "min", 0.0), measured(**summaries))

    assert (gate.outcome, gate.blocks) == ("unmeasured", True)
    assert "was not measured" in gate.message


def test_an_unscored_metric_says_why_it_was_not_scored():
    summary = recall(None, 0, unscored=80, reasons={"the reply hides passages": 80})

    gate = only(limit("recall@5", "min", 0.5), measured(recall_at_5=summary))

    assert gate.message.endswith(
        "was not measured on any case: the reply hides passages"
    )


def test_limits_that_fail_for_one_reason_say_it_once():
    limits = (
        limit("recall@5", "min", 0.5, level="warn", line=3),
        limit("recall@5", "min", 0.4, line=4, owner="@search"),
        limit("mrr", "min", 0.4, line=6),
    )
    found = measured(recall_at_5=recall(None, 0, unscored=8, reasons={"hidden": 8}))

    _, *gates = hold(spec(*limits), found)

    sentence = "recall@5 was not measured on any case: hidden"
    places = "(spec.yaml:3, spec.yaml:4, @search)"
    assert [gate.message for gate in gates[:2]] == [f"{sentence} {places}"] * 2
    assert [gate.line for gate in gates] == [3, 4, 6]
    assert verdict(gates)[1] == (f"{sentence} {places}", gates[2].message)


def test_coverage_at_its_minimum_is_enough():
    found = measured(recall_at_5=recall(1.0, 95, failed=5))

    assert only(limit("recall@5", "min", 0.5), found).outcome == "passed"
    strict = limit("recall@5", "min", 0.5, min_coverage=0.96)
    assert only(strict, found).outcome == "unmeasured"


def test_unscored_cases_do_not_lower_coverage():
    found = measured(recall_at_5=recall(1.0, 1, unscored=99))

    assert only(limit("recall@5", "min", 0.5), found).outcome == "passed"


def test_replies_without_the_evidence_lower_coverage():
    hidden = "the reply does not show its passages"
    few = recall(1.0, 3, unscored=57, absent=47, reasons={hidden: 47})

    gate = only(limit("recall@5", "min", 0.5, line=4), measured(recall_at_5=few))

    assert (gate.outcome, gate.blocks) == ("unmeasured", True)
    assert gate.message == (
        "recall@5 was not measured: 47 of 50 replies lack the evidence, and coverage "
        f"0.06 is below 0.95: {hidden} (spec.yaml:4)"
    )
    lenient = limit("recall@5", "min", 0.5, min_coverage=0.05)
    assert only(lenient, measured(recall_at_5=few)).outcome == "passed"


def test_failed_scores_and_absent_evidence_lower_coverage_together():
    found = recall(1.0, 96, failed=2, unscored=2, absent=2, reasons={"broke": 2})
    strict = limit("recall@5", "min", 0.5, min_coverage=0.97)

    gate = only(strict, measured(recall_at_5=found))

    assert gate.message == (
        "recall@5 was not measured: 2 of 100 scores failed and 2 of 100 replies lack "
        "the evidence, and coverage 0.96 is below 0.97: broke"
    )


def test_a_slice_lacks_the_evidence_of_its_own_cases():
    parts = {"type=policy": SliceSummary(mean=1.0, scored=1, unscored=9, absent=9)}
    found = measured(
        judged("a", type="policy"),
        recall_at_5=recall(1.0, 991, unscored=9, absent=9, slices=parts),
    )

    whole, part = (
        only(limit("recall@5", "min", 0.5, slice=name), found)
        for name in (None, "type=policy")
    )

    assert (whole.outcome, part.outcome) == ("passed", "unmeasured")


def test_the_coverage_of_a_slice_is_its_own():
    part = SliceSummary(mean=1.0, scored=9, failed=1)
    found = measured(
        judged("a", type="policy"),
        recall_at_5=recall(1.0, 999, failed=1, slices={"type=policy": part}),
    )

    gate = only(limit("recall@5", "min", 0.5, slice="type=policy"), found)

    assert gate.outcome == "unmeasured"


def test_a_percentile_without_values_is_unmeasured():
    gate = only(limit("latency_p95", "max", 3), measured(latency=latency(None)))

    assert gate.outcome == "unmeasured"


def test_a_percentile_of_a_slice_is_unmeasured():
    part = SliceSummary(mean=1.0, scored=1)
    summary = latency(percentiles={"p95": 1.0}, slices={"tag=x": part})

    gate = only(
        limit("latency_p95", "max", 3, slice="tag=x"),
        measured(judged("a", tags=("x",)), latency=summary),
    )

    assert gate.outcome == "unmeasured"


def test_a_slice_that_the_filter_left_out_is_not_selected():
    gate = only(
        limit("recall@5", "min", 0.9, slice="type=policy"),
        measured(judged("a", type="fact"), recall_at_5=recall(), left_out=()),
    )

    assert (gate.outcome, gate.blocks) == ("not_selected", False)
    assert "not selected" in gate.message


def test_a_slice_without_cases_fails_where_nothing_was_filtered():
    gate = only(
        limit("recall@5", "min", 0.1, slice="type=policy"),
        measured(judged("a"), recall_at_5=recall()),
    )

    assert gate.outcome == "unmeasured"


# What a filter leaves out

ANSWERABLE = {"qrels": {"d#1": 1}, "key_points": (("30 days",),)}
LABELLED = Case("labelled", "How long?", **ANSWERABLE)
REFUSAL = Case("refusal", "Who wins?", expect_refusal=True)
BARE = Case("bare", "What?")


def filtered(limit_, asked, left_out, **summary):
    """Give the gate of a limit in a run that asked one case of two."""
    base = limit_.name.partition("_p95")[0]
    names = {*DEFAULT_MARKS, *({base} - {"accuracy"})}
    measures = tuple(bind(name, registry) for name in sorted(names))
    found = Summary(layer="retrieval", better="higher", **summary)
    (*_, gate) = hold(
        spec(limit_)._replace(measures=measures, marks=DEFAULT_MARKS),
        Measured(
            [Judged(asked, "undetermined", SHOWS_NOTHING)],
            {} if base == "accuracy" else {base: found},
            None,
            Selection((asked,), left_out),
        ),
    )
    return gate


@pytest.mark.parametrize(
    ("name", "asked", "left_out", "outcome"),
    [
        ("refusal", LABELLED, [REFUSAL], "not_selected"),
        ("refusal", REFUSAL, [LABELLED], "unmeasured"),
        ("over_refusal", REFUSAL, [LABELLED], "not_selected"),
        ("recall@5", REFUSAL, [LABELLED], "not_selected"),
        ("recall@5", BARE, [LABELLED], "not_selected"),
        ("recall@5", LABELLED, [LABELLED], "unmeasured"),
        ("recall@5", BARE, [BARE, REFUSAL], "unmeasured"),
        ("number_support", REFUSAL, [BARE], "not_selected"),
        ("number_support", BARE, [LABELLED], "unmeasured"),
        ("key_points", BARE, [LABELLED], "not_selected"),
        ("latency_p95", BARE, [LABELLED], "unmeasured"),
        ("accuracy", BARE, [LABELLED], "not_selected"),
        ("accuracy", BARE, [BARE], "unmeasured"),
        ("accuracy", LABELLED, [REFUSAL], "unmeasured"),
    ],
)
def test_a_gate_is_not_selected_where_the_filter_left_out_all_that_it_needs(
    name, asked, left_out, outcome
):
    gate = filtered(limit(name, "min", 0.5), asked, left_out, unscored=1)

    assert (gate.outcome, gate.blocks) == (outcome, outcome == "unmeasured")
    assert ("not selected by the filter" in gate.message) == (not gate.blocks)


def test_a_gate_is_selected_by_the_cases_of_its_own_slice():
    asked, left = LABELLED._replace(type="fact"), LABELLED._replace(type="policy")
    gate = limit("recall@5", "min", 0.5, slice="type=policy")

    assert filtered(gate, asked, [left], unscored=1).outcome == "not_selected"
    assert filtered(gate, left, [asked], unscored=1).outcome == "unmeasured"


def test_a_drop_that_the_filter_left_out_is_not_selected_with_or_without_baseline():
    gate = limit("recall@5", "max_drop", 0.1)

    assert filtered(gate, BARE, [LABELLED], unscored=1).outcome == "not_selected"


def test_a_score_that_failed_was_selected():
    gate = filtered(limit("recall@5", "min", 0.5), LABELLED, [LABELLED], failed=1)

    assert gate.outcome == "unmeasured"


def test_no_unfiltered_run_says_that_a_gate_was_not_selected():
    gates = hold(
        spec(limit("refusal", "min", 0.5), red_lines=(CROSS,)),
        measured(refusal=recall(None, 0, unscored=1)),
    )

    assert "not_selected" not in {gate.outcome for gate in gates}


def test_a_filter_that_no_threshold_applies_to_is_told_aloud():
    gate = limit("recall@5", "min", 0.5, line=3)
    bare = spec(gate)._replace(measures=(bind("recall@5", registry),))
    empty = {"recall_at_5": recall(None, 0, unscored=1)}

    (notice,) = told(bare, measured(judged("a"), left_out=[LABELLED], **empty))

    assert "NO THRESHOLD APPLIES" in notice


def test_a_limit_of_level_warn_never_blocks():
    gates = hold(
        spec(
            limit("recall@5", "min", 0.9, level="warn"),
            limit("mrr", "min", 0.9, level="warn"),
        ),
        measured(recall_at_5=recall()),
    )

    assert [gate.outcome for gate in gates[-2:]] == ["failed", "unmeasured"]
    assert verdict(gates) == ("passed", ())


# Accuracy and failed calls


def cases(passed=0, failed=0, undetermined=0, error=0, **case):
    counts = {
        "passed": passed,
        "failed": failed,
        "undetermined": undetermined,
        "error": error,
    }
    return [
        judged(f"{outcome}-{n}", outcome, **case)
        for outcome, count in counts.items()
        for n in range(count)
    ]


@pytest.mark.parametrize(
    ("found", "outcome", "value"),
    [
        (cases(passed=8, failed=2), "passed", 0.8),
        (cases(passed=7, failed=3), "failed", 0.7),
        (cases(passed=8, failed=0, undetermined=2), "passed", 1.0),
        (cases(passed=7, undetermined=2), "unmeasured", 1.0),
        (cases(passed=8, undetermined=2, error=90), "passed", 1.0),
        (cases(undetermined=2), "unmeasured", None),
        (cases(error=2), "unmeasured", None),
    ],
)
def test_accuracy_is_over_the_judged_if_few_are_undetermined(found, outcome, value):
    gate = only(limit("accuracy", "min", 0.8), measured(*found))

    assert (gate.outcome, gate.value) == (outcome, value)


def test_accuracy_of_a_slice_is_over_its_cases():
    found = cases(passed=9, type="fact") + cases(failed=1, type="policy")

    gate = only(limit("accuracy", "min", 0.75, slice="type=policy"), measured(*found))

    assert (gate.outcome, gate.value) == ("failed", 0.0)


def test_one_failed_call_makes_the_verdict_error():
    gates = hold(spec(), measured(*cases(passed=79, error=1)))

    word, (reason,) = verdict(gates)

    assert word == "error"
    assert reason == (
        "1 of 80 cases got no usable reply (error_rate 0.01 is above 0, the limit "
        "where thresholds names none)"
    )


def test_a_limit_on_the_error_rate_replaces_the_implicit_one():
    gate = limit("error_rate", "max", "5%", line=7)
    few = hold(spec(gate), measured(*cases(passed=19, error=1)))
    many = hold(spec(gate), measured(*cases(passed=8, error=2)))

    assert verdict(few) == ("passed", ())
    assert verdict(many) == ("error", ("error_rate 0.20 is above 0.05 (spec.yaml:7)",))


@pytest.mark.parametrize(
    "gate",
    [
        limit("error_rate", "max", "5%", level="warn"),
        limit("error_rate", "max", "5%", slice="type=fact"),
        limit("error_rate", "max_drop", 1),
    ],
)
def test_any_other_limit_on_the_error_rate_allows_no_failed_call(gate):
    found = cases(passed=19, error=1, type="fact")

    assert verdict(hold(spec(gate), measured(*found)))[0] == "error"


@pytest.mark.parametrize(
    ("outcome", "why"),
    [
        ("not_asked", "no case was asked"),
        ("quarantined", "every case is in quarantine"),
    ],
)
def test_an_error_rate_over_no_asked_case_is_not_measured(outcome, why):
    least = limit("error_rate", "max", "5%", slice="type=policy")
    found = measured(judged("a"), judged("b", outcome, type="policy"))

    (gate,) = [gate for gate in hold(spec(least), found) if gate.slice]

    assert (gate.outcome, gate.value) == ("unmeasured", None)
    assert gate.message == f"error_rate on type=policy was not measured: {why}"


def test_a_run_without_any_reply_is_never_allowed():
    gates = hold(spec(limit("error_rate", "max", 1)), measured(*cases(error=3)))

    assert verdict(gates)[0] == "error"


def test_no_case_at_all_is_an_input_error():
    with pytest.raises(InputError, match="no case"):
        hold(spec(), Measured((), {}))


# Red lines and leaks


def red_line(*found, **more):
    gates = hold(spec(red_lines=(CROSS,)), measured(*found, **more))
    return next(gate for gate in gates if gate.metric == "tag=cross")


def test_one_failing_case_breaks_a_red_line_whatever_the_average():
    found = cases(passed=49, tags=("cross",))
    gate = red_line(*found, judged("leaky", "failed", tags=("cross",)))

    assert (gate.outcome, gate.cases, gate.value) == ("failed", ("leaky",), 1)
    assert (
        gate.message == "red line tag=cross: 1 of 50 cases failed: leaky (spec.yaml:12)"
    )


def test_a_red_line_looks_at_its_own_cases_only():
    gate = red_line(judged("a", tags=("cross",)), judged("b", "failed"))

    assert gate.outcome == "passed"


@pytest.mark.parametrize("selector", [("id", "a"), ("type", "policy"), ("tag", "x")])
def test_a_red_line_may_name_an_id_a_type_or_a_tag(selector):
    found = measured(judged("a", "failed", type="policy", tags=("x",)))

    gates = hold(spec(red_lines=(Selector(*selector),)), found)

    assert verdict(gates)[0] == "failed"


NO_MARK = "a mark that examines the answer, such as must_include"


@pytest.mark.parametrize(
    ("outcomes", "wanting"),
    [
        (("undetermined",), NO_MARK),
        (("error",), "a reply"),
        (("error", "undetermined"), f"a reply or of {NO_MARK}"),
    ],
)
def test_a_red_line_case_that_was_not_judged_does_not_hold(outcomes, wanting):
    names = tuple("ab"[: len(outcomes)])
    gate = red_line(
        *(judged(*each, tags=("cross",)) for each in zip(names, outcomes, strict=True))
    )

    assert (gate.outcome, gate.blocks, gate.cases) == ("unmeasured", True, names)
    assert f"for want of {wanting}: {', '.join(names)}" in gate.message


def test_a_red_line_knows_no_majority_of_trials():
    steady = judged("a", tags=("cross",))._replace(trials=("passed",) * 3)
    flaky = judged("b", tags=("cross",))._replace(trials=("passed", "failed", "passed"))

    gate = red_line(steady, flaky)

    assert (gate.outcome, gate.cases) == ("failed", ("b",))


def test_a_red_line_whose_cases_were_not_asked_does_not_hold_and_says_so():
    cut = [judged(name, "not_asked", tags=("cross",)) for name in "ab"]

    gate = red_line(judged("c", tags=("cross",)), *cut)

    assert (gate.outcome, gate.cases) == ("unmeasured", ("a", "b"))
    assert "2 of 3 cases were not asked: a, b" in gate.message


def test_cases_that_were_not_asked_are_no_failed_calls():
    cut = [judged(name, "not_asked") for name in "ab"]
    gate = limit("error_rate", "max", "20%")

    (calls,) = hold(spec(), measured(judged("c"), *cut))
    (held,) = hold(spec(gate), measured(*cases(passed=4, error=1), *cut))
    (none, _) = hold(spec(gate), measured(*cut))

    assert (calls.outcome, calls.value) == ("passed", 0.0)
    assert (held.outcome, held.value) == ("passed", 0.2)
    assert (none.outcome, none.message) == ("unmeasured", "no case was asked")


def test_what_was_not_asked_cannot_leak_and_is_not_undetermined():
    cut = [judged(name, "not_asked", canaries=("x",)) for name in "abc"]
    found = measured(judged("d", leakage=0.0, canaries=("x",)), *cut)

    gates = {g.metric: g for g in hold(spec(limit("accuracy", "min", 1)), found)}

    assert (gates["leakage"].outcome, gates["accuracy"].outcome) == ("passed", "passed")


def test_a_broken_red_line_outweighs_failed_calls_and_these_any_gate():
    gate = limit("recall@5", "min", 0.9)
    found = [*cases(passed=1, error=1), judged("x", "failed", tags=("cross",))]
    summary = {"recall_at_5": recall()}

    broken = hold(spec(gate, red_lines=(CROSS,)), measured(*found, **summary))
    intact = hold(spec(gate), measured(*found, **summary))

    word, reasons = verdict(broken)
    assert word == "failed"
    assert [reason.split()[0] for reason in reasons] == ["red", "1", "recall@5"]
    assert verdict(intact)[0] == "error"


def test_a_red_line_that_the_filter_left_out_is_not_selected():
    gate = red_line(judged("a"), left_out=())

    assert (gate.outcome, gate.blocks) == ("not_selected", False)


def test_a_red_line_without_cases_fails_where_nothing_was_filtered():
    assert red_line(judged("a")).outcome == "unmeasured"


def test_a_red_line_names_ten_cases_and_keeps_all():
    gate = red_line(*cases(failed=12, tags=("cross",)))

    assert len(gate.cases) == 12
    assert "failed-9 and 2 more" in gate.message


def isolation(*found, leakage="fail"):
    gates = hold(spec(leakage=leakage), measured(*found))
    return next((gate for gate in gates if gate.metric == "leakage"), None)


@pytest.mark.parametrize(
    "walls", [{"tenant": "a"}, {"forbidden_doc_ids": ("b*",)}, {"canaries": ("x",)}]
)
def test_one_leak_behind_walls_fails_the_run_without_any_threshold(walls):
    gate = isolation(*cases(passed=49), judged("leaky", "failed", 1.0, **walls))

    assert (gate.outcome, gate.blocks, gate.cases) == ("failed", True, ("leaky",))


def test_no_walls_no_gate():
    assert isolation(judged("a", leakage=1.0)) is None


def test_leaks_only_warn_where_the_spec_says_so():
    leaky = judged("leaky", "failed", 1.0, tenant="a")
    gates = hold(spec(leakage="warn"), measured(leaky))

    assert isolation(leaky, leakage="warn").outcome == "failed"
    assert verdict(gates) == ("passed", ())


@pytest.mark.parametrize(
    ("case", "outcome"),
    [
        (judged("a", leakage=Failed("broke"), tenant="a"), "unmeasured"),
        (judged("a", canaries=("x",)), "unmeasured"),
        (judged("a", forbidden_doc_ids=("x",)), "unmeasured"),
        (judged("a", tenant="a"), "inconclusive"),
        (judged("a", leakage=0.0, tenant="a"), "passed"),
    ],
)
def test_walls_that_nobody_watched_do_not_hold(case, outcome):
    assert isolation(case).outcome == outcome


@pytest.mark.parametrize(("watched", "outcome"), [(18, "inconclusive"), (19, "passed")])
def test_walls_that_hardly_anybody_watched_do_not_hold(watched, outcome):
    seen = [judged(f"s{n}", leakage=0.0, canaries=("x",)) for n in range(watched)]

    gate = isolation(judged("dark", tenant="a"), *seen)

    assert gate.outcome == outcome
    assert ("1 of 19 cases with walls were not watched" in gate.message) == (
        outcome == "inconclusive"
    )
    assert gate.message.endswith(": dark") == (outcome == "inconclusive")


@pytest.mark.parametrize(
    ("found", "outcome"),
    [
        ([judged("b", leakage=0.0, tenant="a")], "passed"),
        ([judged("b", tenant="a")], "inconclusive"),
        ([judged("b")], "unmeasured"),
        ([judged("b", "error", 1.0, tenant="a")], "failed"),
    ],
)
def test_a_failed_call_leaks_nothing_unless_it_shows_it_and_proves_nothing(
    found, outcome
):
    lost = judged("a", "error", canaries=("x",))

    assert isolation(lost, *found).outcome == outcome


# Against a baseline


def held(name, would_be="failed", leakage=SHOWS_NOTHING, **case):
    """Give a case in quarantine."""
    return Judged(Case(name, "Why?", **case), "quarantined", leakage, would_be=would_be)


def test_a_case_in_quarantine_turns_nothing_red():
    least = limit("accuracy", "min", 1.0)
    found = measured(
        judged("a"), held("b"), held("c", "error"), held("d", "undetermined")
    )

    gates = hold(spec(least), found)

    assert verdict(gates) == ("passed", ())
    assert {gate.metric: gate.value for gate in gates} == {
        "error_rate": 0,
        "accuracy": 1,
    }


def test_where_every_case_is_in_quarantine_nothing_passes():
    gates = hold(spec(limit("accuracy", "min", 0.5)), measured(held("a", "passed")))

    assert [gate.outcome for gate in gates] == ["unmeasured", "unmeasured"]
    assert gates[0].message == "every case is in quarantine"
    assert verdict(gates)[0] == "failed"


def test_a_slice_of_which_every_case_is_in_quarantine_is_not_measured():
    part = limit("accuracy", "min", 0.5, slice="type=policy")
    gate = only(part, measured(judged("a"), held("b", type="policy")))

    assert gate.outcome == "unmeasured"


@pytest.mark.parametrize(
    ("leakage", "would_be", "outcome"),
    [
        (1.0, "failed", "failed"),
        (1.0, "passed", "failed"),
        (0.0, "failed", "passed"),
        (Failed("broke"), "passed", "unmeasured"),
        (SHOWS_NOTHING, "passed", "unmeasured"),
        (SHOWS_NOTHING, "error", "inconclusive"),
    ],
)
def test_walls_hold_in_quarantine_too(leakage, would_be, outcome):
    case = held("a", would_be, leakage, canaries=("B-7",))
    gates = hold(spec(), measured(judged("b"), case))

    assert {gate.metric: gate.outcome for gate in gates}["leakage"] == outcome


@pytest.mark.parametrize(
    ("name", "allowed", "now", "then", "outcome"),
    [
        ("recall@5", 0.02, 0.84, 0.86, "passed"),
        ("recall@5", 0.02, 0.84, 0.87, "failed"),
        ("recall@5", 0.02, 0.99, 0.50, "passed"),
        ("recall@5", "5%", 0.95, 1.00, "passed"),
        ("recall@5", "5%", 0.475, 0.50, "passed"),
        ("recall@5", "5%", 0.470, 0.50, "failed"),
        ("recall@5", 0, 0.84, 0.84, "passed"),
        ("recall@5", "5%", 0.0, 0.0, "unmeasured"),
        ("recall@5", 0.02, 0.0, 0.0, "passed"),
        ("latency", 0.5, 1.5, 1.0, "passed"),
        ("latency", 0.5, 1.6, 1.0, "failed"),
        ("latency", 0.5, 0.1, 1.0, "passed"),
        ("latency", "20%", 1.3, 1.0, "failed"),
    ],
)
def test_max_drop_is_a_worsening_in_the_direction_of_the_metric(
    name, allowed, now, then, outcome
):
    found = measured(
        comparison=moved(name, now, then), recall_at_5=recall(), latency=latency()
    )

    gate = only(limit(name, "max_drop", allowed), found)

    assert (gate.outcome, gate.value, gate.baseline) == (outcome, now, then)


@pytest.mark.parametrize(
    ("gate", "message"),
    [
        (
            limit("recall@5", "max_drop", 0.02),
            "fell by 0.03 from 0.87 to 0.84 over 78 cases, at most 0.02 is allowed",
        ),
        (
            limit("recall@5", "max_drop", "2%"),
            "fell by 3.45% from 0.87 to 0.84 over 78 cases, at most 2% is allowed",
        ),
    ],
)
def test_a_drop_is_told_with_both_values(gate, message):
    found = measured(comparison=moved("recall@5", 0.84, 0.87), recall_at_5=recall())

    assert only(gate, found).message == f"recall@5 {message}"


@pytest.mark.parametrize(
    ("interval", "p", "outcome"),
    [
        ((-0.05, -0.021), 0.01, "failed"),
        ((-0.05, -0.02), 0.01, "inconclusive"),
        ((-0.05, 0.01), 0.2, "inconclusive"),
        ((-0.05, -0.021), 0.06, "inconclusive"),
        (None, None, "inconclusive"),
    ],
)
def test_a_confident_limit_fails_where_chance_does_not_explain_the_drop(
    interval, p, outcome
):
    gate = limit("recall@5", "max_drop", 0.02, confident=True)
    delta = Delta(now=0.8, baseline=0.9, delta=-0.1, pairs=78, interval=interval, p=p)
    found = measured(
        comparison=Comparison(pairs=78, deltas={"recall@5": delta}),
        recall_at_5=recall(),
    )

    result = only(gate, found)

    assert result.outcome == outcome
    assert ("within noise" in result.message) == (outcome == "inconclusive")


def test_a_limit_that_asks_for_no_confidence_is_the_plain_number():
    delta = Delta(now=0.8, baseline=0.9, delta=-0.1, pairs=5)
    found = measured(
        comparison=Comparison(pairs=5, deltas={"recall@5": delta}),
        recall_at_5=recall(),
    )

    assert only(limit("recall@5", "max_drop", 0.02), found).outcome == "failed"


def test_a_drop_within_its_limit_passes_however_noisy():
    found = measured(comparison=moved("latency", 1.0, 1.0), latency=latency())

    gate = limit("latency", "max_drop", "10%", confident=True)

    assert only(gate, found).outcome == "passed"


def test_no_baseline_yet_warns():
    gate = only(limit("recall@5", "max_drop", 0), measured(recall_at_5=recall()))

    assert (gate.outcome, gate.blocks) == ("no_baseline", False)


@pytest.mark.parametrize(
    ("listed", "why"),
    [
        ((), "no case was measured alike in both"),
        (("the whole run: the marks changed",), "the marks changed"),
        (("latency: version 1 in the baseline, 2 now",), "version 1 in the baseline"),
    ],
)
def test_what_is_not_comparable_warns_and_says_why(listed, why):
    found = measured(
        comparison=Comparison(pairs=0, not_comparable=listed),
        latency=latency(percentiles={"p95": 1.0}),
    )

    gate = only(limit("latency_p95", "max_drop", 0), found)

    assert (gate.outcome, gate.blocks) == ("inconclusive", False)
    assert why in gate.message


def test_a_metric_that_is_not_measured_any_more_fails_beside_a_baseline():
    found = measured(comparison=moved("recall@5", 1.0, 1.0))

    assert only(limit("recall@5", "max_drop", 0.5), found).outcome == "unmeasured"


def test_the_drop_of_a_slice_is_its_own():
    whole = moved("recall@5", 1.0, 1.0).deltas["recall@5"]
    part = Delta(now=0.5, baseline=1.0, delta=-0.5, pairs=2)
    delta = whole.model_copy(update={"slices": {"type=policy": part}})
    found = measured(
        judged("a", type="policy"),
        comparison=Comparison(pairs=78, deltas={"recall@5": delta}),
        recall_at_5=recall(slices={"type=policy": SliceSummary(mean=0.5, scored=2)}),
    )

    gate = only(limit("recall@5", "max_drop", 0.1, slice="type=policy"), found)

    assert (gate.outcome, gate.value) == ("failed", 0.5)


# The exit status


FAILED = (GateResult(metric="recall@5", rule="min", outcome="failed"),)
ERRORS = (GateResult(metric="error_rate", rule="error_rate", outcome="failed"),)


@pytest.mark.parametrize(
    ("word", "gates", "by_gate", "by_error"),
    [
        ("passed", (), 0, 0),
        ("skipped", (), 0, 0),
        ("failed", FAILED, 1, 0),
        ("error", ERRORS, 3, 3),
        ("error", (), 3, 3),
        ("failed", (*FAILED, *ERRORS), 1, 3),
    ],
)
def test_the_exit_status_follows_what_is_to_fail(word, gates, by_gate, by_error):
    assert exit_code(word, gates, "gate") == by_gate
    assert exit_code(word, gates, "error") == by_error
    assert exit_code(word, gates, "never") == 0


# What a green run does not say


def test_a_spec_without_thresholds_is_told_loudly():
    (notice,) = told(spec(), measured(accuracy=ACCURATE))

    assert notice.startswith("NO THRESHOLDS")


def test_thresholds_that_only_warn_are_as_good_as_none():
    gate = limit("recall@5", "min", 0.9, level="warn")

    (notice,) = told(spec(gate), measured(accuracy=ACCURATE))

    assert notice == (
        "EVERY THRESHOLD ONLY WARNS: no average can turn this run red, only failed "
        "calls, red lines and leaks"
    )


def test_a_run_that_judged_nothing_says_so():
    nothing = Summary(layer=None, better="higher", unscored=3)
    gate = limit("latency", "max", 3)

    assert [*told(spec(gate), measured(accuracy=nothing))] == [
        "NOTHING JUDGED: no case passed or failed"
    ]


def test_cases_of_the_baseline_that_are_gone_are_named():
    gone = Comparison(pairs=5, removed=("a", "b"))
    gate = limit("recall@5", "min", 0.9)

    assert [*told(spec(gate), measured(comparison=gone))] == [
        "2 cases of the baseline are gone: a, b"
    ]


GONE = Comparison(pairs=5, removed=("a", "b"))


@pytest.mark.parametrize(
    ("found", "outcome", "said"),
    [
        (measured(comparison=Comparison(pairs=5)), "passed", ""),
        (
            measured(comparison=GONE),
            "failed",
            "cases: 2 cases of the baseline are gone: a, b (spec.yaml:9)",
        ),
        (measured(), "no_baseline", "cases: has no baseline to be held against"),
        (
            measured(comparison=Comparison(pairs=5), left_out=[Case("b", "Why?")]),
            "not_selected",
            "not selected by the filter",
        ),
        (
            measured()._replace(review=Review(baseline_unread="it is dark")),
            "unmeasured",
            "cases: was not measured: the baseline could not be read",
        ),
    ],
)
def test_cases_that_are_gone_can_fail_the_run_on_their_line(found, outcome, said):
    strict = spec(limit("recall@5", "min", 0.9), removed=Removed("fail", 9))

    [gate] = [each for each in hold(strict, found) if each.rule == "removed"]

    assert (gate.outcome, gate.line, gate.level) == (outcome, 9, "fail")
    assert said in gate.message
    assert not any("are gone" in line for line in told(strict, found))


def test_a_baseline_that_could_not_be_read_lets_no_drop_pass():
    found = measured(recall_at_5=recall())
    dark = found._replace(review=Review(baseline_unread="it is dark"))

    gate = only(limit("recall@5", "max_drop", 0.5), dark)

    assert (gate.outcome, gate.blocks) == ("unmeasured", True)
    assert "the baseline could not be read" in gate.message
    assert only(limit("recall@5", "min", 0.5), dark).outcome == "passed"


def test_less_that_is_measured_than_in_the_baseline_is_told():
    thinner = {"leakage": (0, 5), "number_support": (3, 1_000)}
    against = Comparison(pairs=9, thinner=thinner)

    floor = spec(limit("recall@5", "min", 0.9))
    (notice,) = told(floor, measured(comparison=against))

    assert notice == (
        "LESS IS MEASURED THAN IN THE BASELINE, of the same cases: leakage in 0 of 5, "
        "number_support in 3 of 1,000"
    )


def test_a_relaxed_leakage_is_told():
    gate = limit("recall@5", "min", 0.9)

    (notice,) = told(spec(gate, leakage="warn"), measured())

    assert "only warns" in notice


# Whatever the numbers are

MEANS = st.floats(0, 1)
COUNTS = st.integers(0, 30)
LIMITS = st.builds(
    lambda rule, value, level: limit("recall@5", rule, value, level=level),
    st.sampled_from(["min", "max", "max_drop"]),
    MEANS,
    st.sampled_from(["fail", "warn"]),
)


@given(LIMITS, COUNTS, COUNTS, st.none() | MEANS)
def test_no_gate_passes_on_what_was_not_measured(gate, scored, failed, mean):
    mean = mean if scored else None
    summary = recall(mean, scored, failed=failed)
    found = measured(comparison=moved("recall@5", 1.0, 1.0), recall_at_5=summary)

    outcome = only(gate, found).outcome

    enough = mean is not None and scored / (scored + failed) >= 0.95
    assert enough or outcome == "unmeasured"


@given(LIMITS, MEANS, MEANS, MEANS)
def test_a_better_value_never_breaks_a_gate_that_passed(gate, one, other, then):
    better, worse = (max(one, other), min(one, other))
    if gate.rule == "max":
        better, worse = worse, better

    def outcome(mean):
        comparison = moved("recall@5", mean, then)
        return only(
            gate, measured(comparison=comparison, recall_at_5=recall(mean))
        ).outcome

    assert (outcome(worse), outcome(better)) != ("passed", "failed")


OUTCOMES = ("passed", "failed", "undetermined", "error")
CASES = st.lists(
    st.builds(
        lambda n, outcome, tags, leak: judged(
            f"c{n}", outcome, leak, tags=tags, tenant="a" if leak is not None else None
        ),
        st.integers(),
        st.sampled_from(OUTCOMES),
        st.sampled_from([(), ("cross",)]),
        st.sampled_from([0.0, 1.0, SHOWS_NOTHING]),
    ),
    min_size=1,
)
GATED = spec(limit("accuracy", "min", 0.5), red_lines=(CROSS,))


@given(CASES, st.randoms())
def test_the_order_of_cases_changes_no_gate(found, random):
    def outcomes(order):
        gates = hold(GATED, measured(*order))
        return [(g.metric, g.outcome, g.value, set(g.cases)) for g in gates]

    before = outcomes(found)
    random.shuffle(found)

    assert outcomes(found) == before


@given(CASES)
def test_a_green_run_has_no_failed_call_no_leak_and_no_broken_red_line(found):
    word, reasons = verdict(hold(GATED, measured(*found)))

    bad = [
        case
        for case, outcome, leak, *_ in found
        if outcome == "error"
        or (outcome != "passed" and case.tags)
        or (leak == 1.0 and case.tenant)
    ]
    assert word != "passed" or not bad
    assert (word == "passed") == (not reasons)


def test_a_failing_case_turns_a_verdict_from_green_to_red_and_never_back():
    rank = {"passed": 0, "failed": 1, "error": 1}
    for outcomes in product(OUTCOMES, repeat=3):
        found = [judged(f"c{n}", o, tags=("cross",)) for n, o in enumerate(outcomes)]
        before = verdict(hold(GATED, measured(*found)))[0]
        after = verdict(
            hold(GATED, measured(*found, judged("bad", "failed", tags=("cross",))))
        )[0]

        assert rank[before] <= rank[after]
