from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.comparison import SHIFTS, Results, compare
from runner.model import Record, Summary, Table

SUMMARIES = {
    "recall@5": Summary(layer="retrieval", better="higher"),
    "latency": Summary(layer="service", better="lower", percentiles={"p95": 1.0}),
    "accuracy": Summary(layer=None, better="higher"),
    "error_rate": Summary(layer=None, better="lower"),
    "coverage": Summary(layer=None, better="higher"),
}
SAME = {"spec": "aaa", "cases": "1"}


def record(name, outcome="passed", recall=1.0, **more):
    scores = {"recall@5": recall, "latency": more.pop("latency", None)}
    kept = {"hash": f"q-{name}", "labels": f"l-{name}", "scores": scores, **more}
    return Record(name, outcome, **kept)


def results(*records, summaries=SUMMARIES, prints=SAME, **more):
    return Results({r.id: r for r in records}, summaries, prints, **more)


@pytest.mark.parametrize(
    ("before", "after", "listed"),
    [
        ("passed", "failed", "regressed"),
        ("passed", "error", "regressed"),
        ("failed", "passed", "fixed"),
        ("error", "passed", "fixed"),
        ("passed", "passed", None),
        ("failed", "error", None),
        ("undetermined", "failed", None),
        ("undetermined", "passed", None),
        ("error", "undetermined", None),
        ("passed", "undetermined", "not_comparable"),
        ("failed", "undetermined", "not_comparable"),
    ],
)
def test_a_case_that_changes_its_outcome_is_listed_once(before, after, listed):
    found = compare(results(record("a", after)), results(record("a", before)))

    words = ("regressed", "fixed", "new", "removed", "not_comparable")
    assert [word for word in words if getattr(found, word)] == ([listed] * bool(listed))


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        ("passed", "quarantined", "a: in quarantine now"),
        ("quarantined", "failed", "a: in quarantine in the baseline"),
        ("quarantined", "passed", "a: in quarantine in the baseline"),
        ("quarantined", "quarantined", "a: in quarantine now"),
    ],
)
def test_a_case_in_quarantine_is_no_flip_and_no_pair(before, after, why):
    then = results(record("a", before, layer="answer"), record("b"))
    now = results(record("a", after, recall=0.0, layer="answer"), record("b"))

    found = compare(now, then)

    assert (found.pairs, found.not_comparable) == (1, (why,))
    assert (found.regressed, found.fixed, found.moved) == ((), (), ())
    assert (found.new, found.removed) == ((), ())
    assert found.layers == found.layers_now == {}
    assert found.deltas["recall@5"].delta == 0


def test_a_new_case_in_quarantine_is_new():
    found = compare(
        results(record("a"), record("b", "quarantined")), results(record("a"))
    )

    assert (found.new, found.not_comparable) == (("b",), ())


def test_cases_are_listed_in_case_order():
    names = ["z", "a", "m"]
    now = results(*(record(name, "failed") for name in names))
    then = results(*(record(name) for name in reversed(names)))

    assert compare(now, then).regressed == ("z", "a", "m")


def test_new_and_removed_cases_are_in_no_mean():
    now = results(record("a", recall=0.5), record("b", recall=0.0))
    then = results(record("c", recall=0.0), record("a", recall=1.0))

    found = compare(now, then)

    assert (found.new, found.removed, found.pairs) == (("b",), ("c",), 1)
    delta = found.deltas["recall@5"]
    assert (delta.now, delta.baseline, delta.delta, delta.pairs) == (0.5, 1.0, -0.5, 1)


def test_a_filter_removes_no_case():
    some, every = results(record("a")), results(record("a"), record("b"))
    part = some._replace(filters=("--case a",))

    assert (compare(part, every).removed, compare(some, every).removed) == ((), ("b",))
    assert (compare(every, part).new, compare(every, some).new) == ((), ("b",))


@pytest.mark.parametrize(
    ("outcome", "cause"), [("not_asked", None), ("error", "service.not_recorded")]
)
def test_a_case_that_was_not_asked_is_no_flip_no_pair_and_in_no_mean(outcome, cause):
    unasked = record("b", outcome, recall=None, cause=cause)
    cut = results(record("a"), unasked, record("new"))
    whole = results(record("a"), record("b", layer="answer"))

    now, then = compare(cut, whole), compare(whole, cut)

    assert (now.pairs, now.regressed, now.new, now.removed) == (1, (), ("new",), ())
    assert (then.pairs, then.fixed, then.new, then.removed) == (1, (), (), ("new",))
    assert now.layers == then.layers == {}
    assert now.deltas["error_rate"].pairs == then.deltas["error_rate"].pairs == 1
    assert now.not_comparable == ("1 case: not asked now",)
    assert then.not_comparable == ("1 case: not asked in the baseline",)


def test_an_unasked_case_that_the_other_run_lacks_is_neither_new_nor_removed():
    cut = results(record("a"), record("b", "not_asked"))

    assert compare(cut, results(record("a"))).new == ()
    assert compare(results(record("a")), cut).removed == ()


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"hash": "other"}, "a: the question changed"),
        ({"labels": "other"}, "a: the labels changed"),
    ],
)
def test_a_changed_case_is_not_comparable_and_neither_new_nor_removed(changed, why):
    found = compare(
        results(record("a", "failed")._replace(**changed)), results(record("a"))
    )

    assert (found.not_comparable, found.changed) == ((why,), ("a",))
    assert (found.pairs, found.regressed, found.new, found.removed) == (0, (), (), ())
    assert found.deltas == {}


def test_the_same_question_under_two_ids_pairs_by_id():
    twin = {"hash": "same", "labels": "same"}
    now = results(record("a", "failed", **twin), record("b", **twin))
    then = results(record("b", **twin), record("a", **twin))

    found = compare(now, then)

    assert (found.pairs, found.regressed) == (2, ("a",))


def test_runs_that_read_or_judge_otherwise_are_not_compared_at_all():
    then = results(record("a"), prints={"spec": "bbb"}, commit="c0ffee", started="then")

    found = compare(results(record("a", "failed"), record("new")), then)

    assert (found.pairs, found.regressed, found.deltas) == (0, (), {})
    assert (found.new, found.removed) == (("new",), ())
    (why,) = found.not_comparable
    assert "bbb in the baseline, aaa now" in why
    assert (found.commit, found.started) == ("c0ffee", "then")


def test_other_pass_marks_leave_what_was_measured_comparable():
    then = results(record("a"), record("b"), prints={"spec": "bbb", "numbers": "n"})
    now = results(
        record("a", "failed", 0.5),
        record("b", "undetermined"),
        prints={"spec": "aaa", "numbers": "n"},
    )

    found = compare(now, then)

    assert (found.pairs, found.regressed) == (0, ())
    assert found.deltas["recall@5"].delta == -0.25
    assert "accuracy" not in found.deltas
    (why,) = found.not_comparable
    assert why.startswith("accuracy: the pass marks that decide changed (fingerprint")


def test_a_baseline_without_a_fingerprint_is_not_comparable():
    found = compare(results(record("a")), results(record("a"), prints={}))

    assert "absent in the baseline, aaa now" in found.not_comparable[0]


def test_other_cases_fingerprints_are_comparable():
    then = results(record("a"), prints={**SAME, "cases": "2"})

    assert compare(results(record("a")), then).pairs == 1


@pytest.mark.parametrize(
    ("then", "why"),
    [
        ({"version": 2}, "recall@5: version 2 in the baseline, 1 now"),
    ],
)
def test_a_metric_that_measures_otherwise_is_listed_and_has_no_delta(then, why):
    old = {"recall@5": Summary(layer="retrieval", better="higher", **then)}

    found = compare(
        results(record("a"), summaries={"recall@5": SUMMARIES["recall@5"]}),
        results(record("a"), summaries=old),
    )

    assert (found.not_comparable, found.deltas) == ((why,), {})


def deep(depth, *records, **more):
    found = Summary(layer="retrieval", better="higher", depth=depth)
    return results(*records, summaries={"recall@5": found}, **more)


@pytest.mark.parametrize(
    ("now", "then", "compared"),
    [
        (deep(8, record("a")), deep(8, record("a")), True),
        (deep(9, record("a")), deep(8, record("a")), False),
        (deep(5, record("a")), deep(8, record("a")), True),
        (deep(0, record("a")), deep(8, record("a")), True),
        (deep(5, record("a"), filters=("--case a",)), deep(8, record("a")), True),
        (deep(9, record("a"), filters=("--case a",)), deep(8, record("a")), False),
        (deep(5, record("a"), record("b", "not_asked")), deep(8, record("a")), True),
        (deep(8, record("a")), deep(5, record("a"), filters=("--case a",)), True),
        (deep(8, record("a")), deep(9, record("a"), filters=("--case a",)), True),
    ],
)
def test_more_depth_is_another_measure_and_less_is_no_excuse(now, then, compared):
    assert bool(compare(now, then).deltas) is compared


def test_a_metric_that_is_gone_is_listed():
    found = compare(results(record("a"), summaries={}), results(record("a")))

    assert "recall@5: measured only in the baseline" in found.not_comparable


def test_a_case_unscored_on_one_side_is_in_neither_mean():
    now = results(record("a", recall=0.5), record("b", recall=None))
    then = results(record("a", recall=0.25), record("b", recall=1.0))

    assert compare(now, then).deltas["recall@5"].baseline == 0.25


@pytest.mark.parametrize(
    ("left", "lost", "told"),
    [
        (9, 1, {}),
        (8, 2, {"recall@5": (8, 10)}),
        (0, 3, {"recall@5": (0, 3)}),
        (0, 0, {}),
    ],
)
def test_a_metric_that_measures_less_of_the_same_cases_is_told(left, lost, told):
    kept = [record(f"k{n}") for n in range(left)]
    then = [record(f"l{n}") for n in range(lost)]
    now = [record(f"l{n}", recall=None) for n in range(lost)]
    new = [record(f"n{n}") for n in range(50)]  # makes up for nothing

    assert compare(results(*kept, *now, *new), results(*kept, *then)).thinner == told


def test_what_came_instead_and_calls_that_failed_are_no_lesser_measurement():
    then = [record("a"), record("b", recall=None), record("c")]
    now = [record("a", recall=None), record("b"), record("c", "error", recall=None)]

    assert compare(results(*now), results(*then)).thinner == {}


def test_a_case_that_fails_hides_nothing_by_a_score_that_it_lacks():
    then = [record("a"), record("b")]
    wrong = [record("a", "failed", recall=None), record("b", "failed", recall=None)]

    assert compare(results(*wrong), results(*then)).thinner == {}


def test_run_level_numbers_are_over_the_pairs():
    now = results(
        record("a", "failed"),
        record("b", "error"),
        record("c"),
        record("new", "failed"),
    )
    then = results(record("a"), record("b"), record("c", "undetermined"))

    deltas = compare(now, then).deltas

    assert (deltas["accuracy"].now, deltas["accuracy"].baseline) == (0.0, 1.0)
    assert deltas["accuracy"].pairs == 1
    assert deltas["error_rate"].now == pytest.approx(1 / 3)


@pytest.mark.parametrize("kind", ["failed", "absent"])
def test_coverage_is_the_least_of_the_metrics(kind):
    now = results(record("a"), record("b", recall=None, **{kind: ("recall@5",)}))
    then = results(record("a"), record("b"))

    delta = compare(now, then).deltas["coverage"]

    assert (delta.now, delta.baseline) == (0.5, 1.0)


def test_percentiles_are_over_the_pairs():
    def run(*seconds):
        return results(
            *(record(f"c{n}", latency=second) for n, second in enumerate(seconds))
        )

    delta = compare(run(1.0, 2.0, 3.0, 99.0), run(1.0, 1.0, 1.0)).deltas["latency_p95"]

    assert (delta.now, delta.baseline, delta.pairs) == (pytest.approx(2.9), 1.0, 3)


def test_a_delta_is_given_over_each_slice_that_has_pairs():
    now = results(record("a", recall=0.0, type="policy"), record("b", tags=("en",)))
    then = results(record("a", type="policy"), record("b", tags=("en",)))

    slices = (
        compare(now, then, slices=["type=policy", "tag=en", "tag=zh"])
        .deltas["recall@5"]
        .slices
    )

    assert {name: delta.delta for name, delta in slices.items()} == {
        "type=policy": -1.0,
        "tag=en": 0.0,
    }


def test_layers_are_those_of_the_baseline_over_the_pairs():
    then = results(
        record("a", "failed", layer="retrieval"),
        record("b", "failed", layer="retrieval"),
        record("gone", "failed", layer="answer"),
    )

    found = compare(results(record("a"), record("b")), then)

    assert found.layers == {"retrieval": 2}


def test_layers_are_counted_over_the_same_cases_in_both_runs():
    then = results(record("a", "failed", layer="retrieval"), record("b"))
    now = results(
        record("a", "failed", layer="answer"),
        record("b", "failed", layer="retrieval"),
        record("new", "failed", layer="answer"),
    )

    found = compare(now, then)

    assert found.layers == {"retrieval": 1}
    assert found.layers_now == {"answer": 1, "retrieval": 1}


@pytest.mark.parametrize(
    ("before", "after", "moved"),
    [
        (("failed", "answer"), ("failed", "retrieval"), True),
        (("failed", "answer"), ("error", "service"), True),
        (("failed", "answer"), ("failed", "answer"), False),
        (("passed", None), ("failed", "retrieval"), False),
        (("failed", "answer"), ("passed", None), False),
        (("undetermined", None), ("failed", "answer"), False),
    ],
)
def test_a_case_moved_that_fails_in_both_and_first_in_another_layer(
    before, after, moved
):
    then = results(record("a", before[0], layer=before[1]))
    now = results(record("a", after[0], layer=after[1]))

    assert compare(now, then).moved == (("a",) if moved else ())


def broken(retrieved, hits, outcome="failed", layer="retrieval", cause="x", **more):
    return record(
        "a", outcome, layer=layer, cause=cause, retrieved=retrieved, hits=hits, **more
    )


def held(retrieved, hits):
    return record("a", retrieved=retrieved, hits=hits)


@pytest.mark.parametrize(
    ("then", "now", "ranks", "came"),
    [
        pytest.param(
            held(("d1", "d2", "d3"), (2,)),
            broken(("d1", "d9", "d8"), ()),
            [("d2", 2, None)],
            ("d9", "d8"),
            id="gone",
        ),
        pytest.param(
            held(("d1", "d2", "d3", "d4"), (1,)),
            broken(("d2", "d3", "d4", "d1"), (4,)),
            [("d1", 1, 4)],
            (),
            id="further down",
        ),
        pytest.param(
            held(("d1", "d2"), (2,)), broken(("d2", "d1"), (1,)), [], (), id="up"
        ),
        pytest.param(held(("d1",), (1,)), broken(("d1",), (1,)), [], (), id="same"),
        pytest.param(
            held(("d1", "d2", "d3"), (1, 3)),
            broken((), ()),
            [("d1", 1, None), ("d3", 3, None)],
            (),
            id="nothing came",
        ),
        pytest.param(
            held(("d1", None), (1, 2)),
            broken((None, "d5"), ()),
            [("d1", 1, None)],
            ("d5",),
            id="without ids",
        ),
        pytest.param(
            held(("d1",), None),
            broken(("d2", "d2"), None),
            [],
            ("d2",),
            id="without labels",
        ),
        pytest.param(held(None, None), broken(("d2",), ()), [], (), id="unknown then"),
        pytest.param(held(("d1",), (1,)), broken(None, None), [], (), id="unknown now"),
        pytest.param(
            held(("d1",), (1, 7)), broken(("d2",), ()), [("d1", 1, None)], ("d2",),
            id="a rank without its id",
        ),
        pytest.param(
            held(("d0",), ()),
            broken(tuple(f"d{n}" for n in range(30)), ()),
            [],
            ("d1", "d2", "d3", "d4", "d5"),
            id="many came",
        ),
        pytest.param(
            held(tuple(f"d{n}" for n in range(20)), ()),
            broken((*(f"d{n}" for n in range(20)), "deep"), ()),
            [],
            (),
            id="beyond what a baseline keeps",
        ),
    ],
)  # fmt: skip
def test_what_changed_in_the_ids_of_a_regressed_case(then, now, ranks, came):
    [shift] = compare(results(now), results(then)).shifts

    assert [tuple(move.model_dump().values()) for move in shift.ranks] == ranks
    assert shift.came == came


def test_a_shift_says_where_a_case_failed_in_both_runs():
    then = broken(("d1",), (1,), layer="answer", cause="answer.omission")
    now = broken(("d2",), (), cause="retrieval.missed")

    [shift] = compare(results(now), results(then)).shifts

    assert (shift.was, shift.layer_before, shift.cause_before) == (
        "failed",
        "answer",
        "answer.omission",
    )
    assert (shift.now, shift.layer, shift.cause) == (
        "failed",
        "retrieval",
        "retrieval.missed",
    )


def test_shifts_tell_the_regressed_first_and_no_more_than_so_many():
    then = results(
        record("m", "failed", layer="answer"), *many(250), record("z", "failed")
    )
    now = results(
        record("m", "failed", layer="retrieval"),
        *many(250, "failed", layer="retrieval"),
        record("z", "failed"),
    )

    found = compare(now, then)

    assert [shift.id for shift in found.shifts] == [f"c{n}" for n in range(SHIFTS)]
    assert found.moved == ("m",)


OUTCOMES = st.sampled_from(["passed", "failed", "undetermined", "error", "quarantined"])
RECORDS = st.builds(
    lambda name, outcome, recall, labels: record(name, outcome, recall, labels=labels),
    st.sampled_from("abcdefgh"),
    OUTCOMES,
    st.none() | st.floats(0, 1),
    st.sampled_from(["one", "other"]),
)
RUNS = st.lists(RECORDS, unique_by=lambda r: r.id)


@given(RUNS, RUNS)
def test_swapping_the_runs_swaps_what_is_listed(one, other):
    there = compare(results(*one), results(*other))
    back = compare(results(*other), results(*one))

    assert set(there.regressed) == set(back.fixed)
    assert set(there.moved) == set(back.moved)
    assert (there.worse, there.better) == (back.better, back.worse)
    assert there.layers == back.layers_now
    assert set(there.new) == set(back.removed)
    assert there.pairs == back.pairs
    assert {k: -d.delta for k, d in there.deltas.items()} == {
        k: d.delta for k, d in back.deltas.items()
    }


@given(RUNS, RUNS, st.randoms())
def test_the_order_of_cases_moves_no_number(one, other, random):
    before = compare(results(*one), results(*other))
    random.shuffle(one)
    random.shuffle(other)

    after = compare(results(*one), results(*other))

    assert after.deltas == before.deltas
    assert set(after.regressed) == set(before.regressed)
    assert after.layers == before.layers


@given(RUNS)
def test_a_run_beside_itself_has_nothing_to_tell(run):
    found = compare(results(*run), results(*run))

    assert (found.regressed, found.fixed, found.new, found.removed) == ((), (), (), ())
    assert all(delta.delta == 0 for delta in found.deltas.values())


@given(RUNS, RUNS)
def test_every_case_is_a_pair_or_is_listed(one, other):
    found = compare(results(*one), results(*other))

    apart = ("labels changed", "in quarantine now", "in quarantine in the baseline")
    changed = [why for why in found.not_comparable if why.endswith(apart)]
    both = {r.id for r in one} | {r.id for r in other}
    assert found.pairs + len(found.new) + len(found.removed) + len(changed) == len(both)


def many(count, outcome="passed", recall=1.0, start=0, **more):
    names = (f"c{number}" for number in range(start, start + count))
    return [record(name, outcome, recall, **more) for name in names]


def test_one_flip_among_many_cases_is_what_chance_does():
    then = results(*many(80))
    now = results(record("c0", "failed", 0.0), *many(79, start=1))

    found = compare(now, then)

    assert (found.regressed, found.p) == (("c0",), 1.0)
    assert found.detectable == pytest.approx(6 / 80)
    assert found.deltas["accuracy"].p == 0.5
    low, high = found.deltas["accuracy"].interval
    assert low < -1 / 80 < 0 < high


def test_many_flips_one_way_are_not_chance():
    then = results(*many(80))
    now = results(*many(9, "failed", 0.5), *many(71, start=9))

    found = compare(now, then)

    assert found.p == pytest.approx(2 / 2**9)
    assert found.deltas["accuracy"].interval[1] < 0
    assert found.deltas["recall@5"].interval[1] < 0


def test_a_metric_that_is_better_lower_is_worse_where_it_rose():
    then = results(*many(40, latency=1.0))
    now = results(*many(40, latency=1.5))

    delta = compare(now, then).deltas["latency"]

    assert delta.interval == pytest.approx((0.5, 0.5))
    assert delta.p < 0.001


def test_a_percentile_has_no_value_for_each_case_and_so_no_interval():
    then = results(*many(40, latency=1.0))

    assert compare(then, then).deltas["latency_p95"].interval is None


def test_fewer_than_ten_pairs_say_nothing_of_chance():
    then, now = results(*many(9)), results(*many(9, "failed", 0.0))

    found = compare(now, then)

    assert (found.p, found.detectable) == (None, None)
    assert found.deltas["accuracy"].interval is None


def test_calls_that_failed_are_no_flips_of_chance():
    then, now = results(*many(20)), results(*many(6, "error"), *many(14, start=6))

    found = compare(now, then)

    assert len(found.regressed) == 6
    assert (found.worse, found.better, found.p) == (0, 0, 1.0)


def tabled(run):
    """Give a run as it is read from a file: its scores are rows of tables."""
    tables = {}
    records = {}
    for name, each in run.records.items():
        labels = tuple(each.scores)
        table = tables.setdefault(labels, Table(labels))
        records[name] = each._replace(scores=table.add(each.scores.values()))
    return run._replace(records=records)


SCORES = st.one_of(st.none(), st.floats(0, 1))
CASES = st.lists(
    st.tuples(
        st.sampled_from("abcdefghijklmnopqrstuvwxyz"), SCORES, SCORES, st.booleans()
    ),
    unique_by=lambda case: case[0],
    max_size=26,
)


def drawn(cases):
    return results(
        *(
            record(name, recall=recall, latency=latency)._replace(
                **({"scores": {"latency": latency}} if bare else {})
            )
            for name, recall, latency, bare in cases
        )
    )


@given(CASES, CASES)
def test_scores_compare_alike_whichever_way_they_are_kept(now, then):
    new, old = drawn(now), drawn(then)

    assert compare(tabled(new), tabled(old)) == compare(new, old)
    assert compare(new, tabled(old)) == compare(new, old)
