"""Whole runs against a second implementation of how they are judged."""

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.metrics import registry
from runner.model import Case, Exchange, Failure, Passage, Response
from runner.pipeline import Callbacks, Plan, evaluate
from runner.spec import DEFAULT_MARKS, EndpointSpec, Limit, Selector, Spec, Trials, bind
from runner.trials import numbered
from runner.units import Amount
from tests.contract import _second_run as second

FACTS = ["30 days", "green tea", "500", "退货", "免费配送"]
CANARY = "zebra"
NAMES = ["a#1", "a#2", "b#1", "手册#1"]
LIMITS = {
    "accuracy": (0.5, 1),
    "recall@5": (0.6, 1),
    "key_point_grounding": (0.75, 1),
    "citation_validity": (0.75, 1),
    "over_refusal": (0, 0.25),
}
NEEDED = {"all": lambda times: times, "any": lambda _: 1}
NEEDED["majority"] = lambda times: times // 2 + 1

facts = st.lists(st.sampled_from(FACTS), max_size=2, unique=True)
statements = facts.map(lambda said: "".join(f"it is {fact}. " for fact in said))
seldom = st.sampled_from([True, False, False, False, False])
cases = st.fixed_dictionaries(
    {
        "answerable": st.sampled_from([True, True, False]),
        "points": facts.map(lambda wanted: [[fact] for fact in wanted]),
        "relevant": st.sets(st.sampled_from(NAMES), max_size=2),
        "tenant": st.sampled_from([None, None, None, "a"]),
        "forbidden": st.sampled_from([(), (), (), ("b#1",)]),
        "canary": st.sampled_from([None, None, None, CANARY]),
        "red": st.booleans(),
    }
)
passages = st.lists(
    st.tuples(
        st.sampled_from(NAMES), statements, st.sampled_from([None, "a", "public", "b"])
    ),
    max_size=6,
)
answers = st.tuples(seldom, statements, seldom).map(
    lambda parts: (
        f"{second.NO} " * parts[0]
        + (parts[1] or "see the page. ")
        + f"{CANARY}. " * parts[2]
    )
)
replies = st.fixed_dictionaries(
    {
        "failed": seldom,
        "answer": answers,
        "passages": st.one_of(passages, passages, passages, st.none()),
        "cited": st.sampled_from([None, [], [], ["a#1"], ["a#1", "b#1"]]),
    }
)
runs = st.integers(1, 3).flatmap(
    lambda times: st.lists(
        st.tuples(cases, st.lists(replies, min_size=times, max_size=times)),
        min_size=1,
        max_size=6,
    )
)


def case(number, labels):
    return Case(
        f"c{number}",
        "What is it?",
        tags=("red",) * labels["red"],
        qrels=dict.fromkeys(labels["relevant"], 1),
        key_points=tuple(map(tuple, labels["points"])),
        expect_refusal=not labels["answerable"],
        forbidden_doc_ids=labels["forbidden"],
        tenant=labels["tenant"],
        canaries=(labels["canary"],) if labels["canary"] else (),
    )


def result(reply):
    found, cited = reply["passages"], reply["cited"]
    shown = Response(
        reply["answer"],
        found and tuple(Passage(n, text, tenant=whose) for n, text, whose in found),
        None if cited is None else tuple(cited),
    )
    if found == []:
        shown = shown._replace(passages=())
    return Failure("service.malformed", "?", shown=shown) if reply["failed"] else shown


def run(spec, labelled):
    """Give the Report, and the record of each case."""
    records = {}
    callbacks = Callbacks(
        response=lambda *_: None,
        record=lambda _, record: records.setdefault(record.id, record),
        progress=lambda _: None,
        now=lambda: datetime(2026, 1, 1, tzinfo=UTC),
    )
    tried = [result(reply) for _, trials in labelled for reply in trials]
    exchanges = (Exchange(position, one) for position, one in enumerate(tried))
    asked = tuple(case(n, labels) for n, (labels, _) in enumerate(labelled))
    times = spec.trials.times
    report, _ = evaluate(Plan(spec, asked), numbered(exchanges, times), callbacks)
    return report, list(records.values())


def spec_of(labelled, passes):
    limits = [
        Limit(name, *(("max", Amount(most)) if least == 0 else ("min", Amount(least))))
        for name, (least, most) in LIMITS.items()
    ]
    return Spec(
        name="run",
        file="spec.yaml",
        endpoint=EndpointSpec(url="http://localhost", shared_tenants=("public",)),
        cases=(),
        measures=tuple(bind(label, registry) for label in (*DEFAULT_MARKS, "recall@5")),
        marks=DEFAULT_MARKS,
        limits=tuple(limits),
        red_lines=(Selector("tag", "red"),)
        if any(labels["red"] for labels, _ in labelled)
        else (),
        trials=Trials(len(labelled[0][1]), passes),
    )


def judged(labelled, passes):
    """Give labels, outcome, scores and trials of each case, by the second."""
    for labels, trials in labelled:
        each = [second.judge(labels, reply) for reply in trials]
        needed = NEEDED[passes](len(trials))
        yield labels, *second.together(each, needed), [outcome for outcome, _ in each]


def has_walls(labels):
    return any(labels[name] for name in ("tenant", "forbidden", "canary"))


def held(found):
    """Give each gate with its outcome, by the second."""
    over = [(outcome, scores) for _, outcome, scores, _ in found]
    gates = {name: second.gate(name, each, over) for name, each in LIMITS.items()}
    red = [each[1:] for each in found if each[0]["red"]]
    if red:
        gates["tag=red"] = second.red_line(red)
    behind = [each[:3] for each in found if has_walls(each[0])]
    if behind:
        gates["leakage"] = second.walls(behind)
    return gates


@settings(deadline=None, max_examples=300)
@given(labelled=runs, passes=st.sampled_from(["all", "majority", "any"]))
def test_a_run_is_judged_alike(labelled, passes):
    spec, found = spec_of(labelled, passes), list(judged(labelled, passes))

    report, records = run(spec, labelled)

    assert [each.outcome for each in records] == [each[1] for each in found]
    for record, (_, _, scores, _) in zip(records, found, strict=True):
        for name, score in scores.items():
            told = score if second.is_number(score) else None
            assert record.scores[name] == pytest.approx(told, abs=1e-12), name
            assert (name in record.absent) == (score == second.LACKING), name
    gates = {gate.metric: gate.outcome for gate in report.gates}
    errors = gates.pop("error_rate") == "failed"
    expected = held(found)
    assert gates == expected
    lines = [(name in ("tag=red", "leakage"), each) for name, each in expected.items()]
    assert report.verdict == second.verdict(lines, errors)
