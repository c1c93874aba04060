"""What each cause of evaluation is charged for, one small reply at a time."""

from __future__ import annotations

import pytest

from runner.diagnosis import Examiner, attributed, empty_answer, failed_call
from runner.metrics import Scripted, registry
from runner.model import (
    Case,
    Failed,
    Failure,
    GateResult,
    Measure,
    Passage,
    Record,
    Response,
    Summary,
    Turn,
)
from runner.scores import Scope, Scorer
from runner.spec import DEFAULT_MARKS, DiagnosisMarks, bind

GOLD = Passage(id="refund#1", text="You may return it within 30 days at no cost.")
OTHER = Passage(id="coupon#1", text="Coupons are valid for one year.")
SIBLING = Passage(id="refund#2", text="Refunds go to the card that was used.")
RIGHT = "You may return it within 30 days at no cost."
FACT = Case(
    id="fact",
    question="How long may I return it?",
    qrels={"refund#1": 1},
    key_points=(("30 days",),),
)
REFUSAL = Case(id="refusal", question="Who will win?", expect_refusal=True)
WALLED = FACT._replace(tenant="a", canaries=("ZEBRA-7",))
DECLINES = "I could not find any information about this in the documents."


def diagnose(case, response, marks=None, scope=None, **pass_marks):
    wanted = {**DEFAULT_MARKS, **pass_marks}
    measures = [bind(label, registry) for label in wanted]
    scorer = Scorer(measures, scope or Scope())
    asked = scorer.asked(case, response)
    examiner = Examiner(measures, wanted, marks or DiagnosisMarks())
    return examiner.diagnose(asked, scorer.row(asked))


def reply(answer=RIGHT, passages=(GOLD, OTHER), **more):
    return Response(answer=answer, passages=tuple(passages), **more)


@pytest.mark.parametrize(
    ("cause", "case", "response"),
    [
        (
            "isolation.leak_context",
            WALLED,
            reply(passages=(GOLD, OTHER._replace(tenant="b"))),
        ),
        ("isolation.leak_answer", WALLED, reply(answer=RIGHT + " ZEBRA-7")),
        (
            "isolation.leak_answer",
            WALLED,
            reply(raw_answer=f"<think>ZEBRA-7</think>{RIGHT}"),
        ),
        (
            "isolation.leak_answer",
            WALLED,
            reply(turns=(Turn("user", "Hello"), Turn("assistant", "ZEBRA-7 it is."))),
        ),
        (
            "isolation.leak_citation",
            FACT._replace(forbidden_doc_ids=("secret*",)),
            reply(citations=("secret#1",)),
        ),
        ("retrieval.empty", FACT, reply("It takes a year.", ())),
        ("retrieval.missed", FACT, reply("It takes a year.", [OTHER])),
        ("retrieval.sibling", FACT, reply("It goes to the card.", [SIBLING])),
        (
            "retrieval.partial",
            FACT._replace(
                qrels={"refund#1": 1, "coupon#9": 1},
                key_points=(("30 days",), ("two years",)),
            ),
            reply(),
        ),
        (
            "retrieval.partial",
            FACT._replace(
                qrels={"refund#1": 1, "c": 1, "d": 1},
                key_points=(),
                must_not_include=("no cost",),
            ),
            reply(),
        ),
        (
            "context.buried",
            FACT,
            reply("Coupons are valid for one year.", [OTHER, OTHER, OTHER, GOLD]),
        ),
        (
            "context.noisy",
            FACT,
            reply("Coupons are valid for one year.", [GOLD, *[OTHER] * 5]),
        ),
        ("refusal.missed", REFUSAL, reply("Team B will win.", [OTHER])),
        ("refusal.over", FACT, reply(DECLINES)),
        (
            "grounding.citation_fabricated",
            FACT,
            reply(citations=("refund#1", "ghost#1")),
        ),
        (
            "grounding.citation_mismatch",
            FACT,
            reply(
                answer='It says "coupons are valid for one year" there.',
                citations=("refund#1",),
            ),
        ),
        (
            "grounding.number_conflict",
            FACT,
            reply("You may return it within 45 days at no cost."),
        ),
        (
            "grounding.unsupported",
            FACT._replace(key_points=(("30 days",), ("free pickup",))),
            reply("You may return it within 30 days, with free pickup at home."),
        ),
        (
            "answer.forbidden_content",
            FACT._replace(must_not_include=("at no cost",)),
            reply(),
        ),
        ("answer.omission", FACT, reply("You may return it at no cost.")),
        (
            "answer.omission",
            REFUSAL._replace(key_points=(("ask the referee",),)),
            reply(DECLINES),
        ),
    ],
)
def test_a_failing_case_is_charged_to_its_cause(cause, case, response):
    finding = diagnose(case, response)

    assert (finding.outcome, finding.cause) == ("failed", cause)
    assert finding.layer == cause.partition(".")[0]
    assert finding.evidence


def test_the_first_layer_is_charged_and_later_ones_are_also():
    finding = diagnose(
        WALLED,
        reply("It takes 9 years. ZEBRA-7", [OTHER._replace(tenant="b")]),
    )

    assert finding.cause == "isolation.leak_context"
    assert finding.also == (
        "retrieval.missed",
        "grounding.number_conflict",
        "answer.omission",
    )


def test_declining_is_no_fault_of_the_refusal_when_nothing_was_found():
    finding = diagnose(FACT, reply(DECLINES, [OTHER]))

    assert finding.cause == "retrieval.missed"
    assert "refusal.over" not in finding.also


@pytest.mark.parametrize(
    ("case", "passages", "said"),
    [
        (FACT, None, ", and does not show what was found"),
        (FACT, (GOLD,), ""),
        (FACT._replace(qrels={}), None, ""),
    ],
)
def test_declining_without_showing_what_was_found_says_so(case, passages, said):
    finding = diagnose(case, Response(answer=DECLINES, passages=passages))

    assert finding.cause == "refusal.over"
    assert finding.evidence.startswith(f"declined an answerable question{said}")
    assert ("does not show" in finding.evidence) == bool(said)


def test_a_layer_without_evidence_is_undetermined_and_never_healthy():
    finding = diagnose(FACT, Response(answer="It takes a while."))

    assert finding.cause == "answer.omission"
    assert finding.undetermined == ("isolation", "retrieval", "context", "grounding")


def test_a_reply_without_the_field_is_unknown_and_an_empty_list_is_empty():
    unknown = diagnose(FACT, Response(answer="A while."))
    empty = diagnose(FACT, Response(answer="A while.", passages=()))

    assert (unknown.layer, empty.cause) == ("answer", "retrieval.empty")


def test_a_good_reply_passes():
    finding = diagnose(FACT, reply(citations=("refund#1",)))

    assert finding.outcome == "passed"
    assert not finding.lucky


def test_a_case_whose_answer_nothing_examined_is_undetermined():
    bare = Case(id="bare", question="?", qrels={"refund#1": 1}, must_not_include=("x",))

    assert diagnose(bare, reply()).outcome == "undetermined"


def test_a_mark_on_retrieval_examines_a_system_that_gives_no_answers():
    bare = Case(id="bare", question="?", qrels={"refund#1": 1})
    found = Response(passages=(GOLD,))
    missed = Response(passages=(OTHER,))

    assert diagnose(bare, found, **{"recall@5": 1}).outcome == "passed"
    assert diagnose(bare, missed, **{"recall@5": 1}).cause == "retrieval.missed"


def test_a_correct_answer_without_a_relevant_passage_is_lucky():
    lucky = diagnose(
        FACT,
        reply(passages=[Passage(id="z", text="Return within 30 days at no cost.")]),
    )

    assert (lucky.outcome, lucky.lucky) == ("passed", True)


def test_a_teams_own_mark_is_charged_to_its_layer():
    late = reply(passages=[OTHER, GOLD])

    finding = diagnose(FACT, late, mrr=1)

    assert finding.cause == "retrieval.below_mark"
    assert finding.evidence == "mrr is 0.50, its mark is 1"


def test_a_mark_on_the_reference_makes_an_answer_incorrect():
    case = FACT._replace(key_points=(), reference="Thirty working days from delivery.")

    finding = diagnose(case, reply(), answer_similarity=0.99)

    assert finding.cause == "answer.incorrect"


RATED = FACT._replace(
    reference=RIGHT, anchors=("30 days", "free"), intents=("how long", "at what cost")
)
SCRIPT = Scripted(
    claims={RIGHT: ["30 days", "no cost"]},
    support={"30 days": [GOLD.text, RIGHT], "no cost": []},
    questions={RIGHT: ["How long?", "At what cost?", "Who wins?"]},
    vectors={
        RATED.question: (1, 0),
        "How long?": (1, 0),
        "At what cost?": (1, 1),
        "Who wins?": (0, 1),
    },
    usefulness={GOLD.text: True, OTHER.text: False},
    anchors={"30 days": "explicit", "free": "contradicted", "a label": "absent"},
    intents={"how long": "complete", "at what cost": "missing"},
    citations={RIGHT: []},
)


@pytest.mark.parametrize(
    ("name", "case", "passages", "cause", "evidence"),
    [
        ("faithfulness", RATED, (GOLD,), "grounding.unsupported", "'no cost' follows"),
        (
            "citation_authenticity",
            RATED,
            (GOLD,),
            "grounding.citation_mismatch",
            "refund#1 does not say",
        ),
        ("context_recall", RATED, (GOLD,), "retrieval.partial", "'no cost' of the ref"),
        (
            "context_precision",
            RATED,
            (OTHER, GOLD),
            "context.buried",
            "best passage of use ranks 2",
        ),
        ("answer_relevancy", RATED, (GOLD,), "answer.off_topic", "'Who wins?'"),
        ("answer_correctness", RATED, (GOLD,), "answer.incorrect", "'no cost' is not"),
        ("anchor_support", RATED, (GOLD,), "answer.incorrect", "contradicts 'free'"),
        (
            "anchor_support",
            RATED._replace(anchors=("30 days", "a label")),
            (GOLD,),
            "answer.omission",
            "'a label' is not stated",
        ),
        ("intent_completion", RATED, (GOLD,), "answer.omission", "'at what cost' is"),
    ],
)
def test_a_judged_mark_is_charged_to_what_its_metric_tells(
    name, case, passages, cause, evidence
):
    cited = ("refund#1",) if name == "citation_authenticity" else None
    response = reply(passages=passages, citations=cited)

    finding = diagnose(case, response, scope=Scope(judge=SCRIPT), **{name: 1.0})

    assert (finding.outcome, finding.cause) == ("failed", cause)
    assert evidence in finding.evidence
    assert f"{name} is" in finding.evidence


def test_one_contradicted_fact_of_many_fails_a_case_at_any_mark():
    facts = tuple(f"fact {n}" for n in range(9))
    judge = Scripted(
        anchors=dict.fromkeys(facts, "explicit") | {"fact 8": "contradicted"}
    )
    case = FACT._replace(anchors=facts)

    finding = diagnose(case, reply(), scope=Scope(judge=judge), anchor_support=0.01)

    assert (finding.outcome, finding.cause) == ("failed", "answer.incorrect")


def test_a_judge_that_cannot_rate_keeps_a_case_from_passing():
    finding = diagnose(RATED, reply(), scope=Scope(judge=Scripted()), faithfulness=0.5)

    assert finding.outcome == "undetermined"


def test_a_metric_that_breaks_keeps_a_case_from_passing():
    measures = [bind("key_points", registry)]
    examiner = Examiner(measures, {"key_points": 1.0}, DiagnosisMarks())
    asked = Scorer(measures).asked(FACT, reply())

    assert examiner.diagnose(asked, [Failed("broke")]).outcome == "undetermined"


def test_marks_compare_after_rounding():
    measures = [bind("key_points", registry)]
    examiner = Examiner(measures, {"key_points": 0.3}, DiagnosisMarks())
    asked = Scorer(measures).asked(FACT, reply())

    assert examiner.diagnose(asked, [0.1 + 0.2 - 1e-12]).outcome == "passed"


NEAR = [
    Passage(id=f"near#{n}", text=f"How long a parcel may travel: {n} weeks by ship.")
    for n in range(9)
]


@pytest.mark.parametrize(
    ("cause", "response"),
    [
        ("answer.omission", reply("You may return it at no cost.", [GOLD, *NEAR])),
        (
            "grounding.number_conflict",
            reply("You may return it within 45 days at no cost.", [GOLD, *NEAR]),
        ),
        (
            "grounding.citation_fabricated",
            reply(passages=[GOLD, *NEAR], citations=("ghost#1",)),
        ),
        ("refusal.over", reply(DECLINES, [GOLD, *NEAR])),
        ("grounding.unsupported", reply("Ask Ms Miller kindly.", [GOLD, *NEAR])),
        ("answer.omission", reply("You return it at no cost.", [*NEAR[:4], GOLD])),
        ("context.noisy", reply("A parcel may travel by ship.", [GOLD, *NEAR])),
        ("context.noisy", reply(DECLINES, [GOLD, *[OTHER] * 9])),
        ("context.noisy", reply("Ask Ms Miller kindly.", [GOLD, *[OTHER] * 9])),
        ("context.buried", reply("A parcel may travel by ship.", [*NEAR, GOLD])),
        ("context.buried", reply(DECLINES, [*NEAR, GOLD])),
        ("context.buried", reply("Ask Ms Miller kindly.", [*NEAR, GOLD])),
    ],
)
def test_a_long_list_is_to_blame_only_where_the_reader_went_astray(cause, response):
    assert diagnose(FACT, response).cause == cause


def test_passages_without_text_are_judged_by_their_ranks_alone():
    bare = [passage._replace(text=None) for passage in (GOLD, *NEAR)]

    assert diagnose(FACT, reply("At no cost.", bare)).cause == "context.noisy"
    assert diagnose(FACT, reply("At no cost.", bare[::-1])).cause == "context.buried"


def test_a_relevant_passage_that_came_twice_is_no_noise():
    twice = reply("You may return it at no cost.", [GOLD, *NEAR, GOLD])

    assert diagnose(FACT, twice).cause == "answer.omission"


def test_a_system_that_gives_no_answers_is_judged_by_its_list():
    bare = Case(id="bare", question="How long?", qrels={"refund#1": 1})
    drowned = Response(passages=(GOLD, *NEAR))

    assert diagnose(bare, drowned, **{"precision@5": 0.5}).layer == "retrieval"
    assert diagnose(bare, drowned, context_relevance=0.5).cause == "context.noisy"


def test_few_words_in_common_are_an_invention_and_a_paraphrase_is_none():
    invented = reply("Bring your passport and two photographs to our office.")
    paraphrased = reply("Returns are free: you may send it back at no cost.")

    assert diagnose(FACT, invented).cause == "grounding.unsupported"
    assert diagnose(FACT, paraphrased).cause == "answer.omission"


def test_marks_of_the_layers_are_settings():
    late = reply("Coupons last one year.", [OTHER, GOLD])

    assert diagnose(FACT, late).layer != "context"
    assert diagnose(FACT, late, DiagnosisMarks(buried=1)).cause == "context.buried"


def test_no_reply_is_an_error_and_never_a_failure():
    failure = Failure("service.timeout", "no reply in 30 s")

    finding = failed_call(WALLED, failure, Scope())

    assert finding[:4] == (
        "error",
        "service",
        "service.timeout",
        "no reply in 30 s",
    )


@pytest.mark.parametrize(
    ("case", "shown", "also"),
    [
        (WALLED, reply(None, (OTHER._replace(tenant="b"),)), "isolation.leak_context"),
        (WALLED, reply("ZEBRA-7", ()), "isolation.leak_answer"),
        (WALLED, Response(citations=("ZEBRA-7",)), "isolation.leak_citation"),
        (WALLED, reply("", (OTHER._replace(tenant="public"),)), None),
        (FACT, reply("ZEBRA-7", (OTHER._replace(tenant="b"),)), None),
    ],
)
def test_what_leaks_without_a_usable_reply_is_seen_beside_the_error(case, shown, also):
    failure = Failure("service.malformed", "no answer", shown=shown)

    finding = failed_call(case, failure, Scope(shared_tenants=("public",)))

    assert (finding.outcome, finding.cause) == ("error", "service.malformed")
    assert (finding.also, finding.leaks) == ((also,) if also else (), bool(also))
    assert finding.evidence.endswith("no answer")
    assert finding.evidence.startswith("it leaks, as ") == bool(also)


def test_every_measure_can_be_bound_that_has_a_default_mark():
    assert [bind(label, registry) for label in DEFAULT_MARKS] == [
        Measure(label, registry[label]) for label in DEFAULT_MARKS
    ]


def test_a_refusal_is_seen_also_where_no_measure_asks_for_it():
    marks = {"recall@1": 1.0}
    measures = [bind(label, registry) for label in marks]
    scorer = Scorer(measures)
    answers = (RIGHT, DECLINES)
    near = FACT._replace(qrels={"refund#1": 1, "refund#2": 1, "refund#3": 1})

    examiner = Examiner(measures, marks, DiagnosisMarks())
    found = []
    for answer in answers:
        asked = scorer.asked(near, reply(answer, (GOLD,)))
        found.append(examiner.diagnose(asked, scorer.row(asked)).also)

    assert found == [(), ("refusal.over",)]


@pytest.mark.parametrize(
    ("response", "message"),
    [
        (Response(answer=""), "the answer is empty"),
        (Response(answer=" \n\u200b\u3000"), "the answer is empty"),
        (Response(answer="", refused=False), "the answer is empty"),
        (
            Response(answer="", raw_answer="<think>Well.</think>"),
            "nothing is left of the answer without citation marks and what is cut",
        ),
        (Response(answer="", refused=True), None),
        (Response(answer=None, passages=(GOLD,)), None),
        (Response(answer="9"), None),
        (Response(answer="无"), None),
    ],
)
def test_an_empty_answer_is_no_usable_reply(response, message):
    failure = empty_answer(response)

    assert (failure and failure.cause) == (message and "service.empty_answer")
    assert (failure and failure.message) == message


# Which layer a failed gate speaks of

SUMMARIES = {
    label: Summary(layer=layer, better=better)
    for label, layer, better in (
        ("mrr", "retrieval", "higher"),
        ("recall@5", "retrieval", "higher"),
        ("context_relevance", "context", "higher"),
        ("over_refusal", "refusal", "lower"),
        ("number_support", "grounding", "higher"),
        ("key_points", "answer", "higher"),
        ("latency", "service", "lower"),
        ("accuracy", None, "higher"),
    )
}


def failing(name, layer, *, type_=None, **scores):
    named = {label.replace("_at_", "@"): value for label, value in scores.items()}
    return Record(name, "failed", "h", "l", named, type=type_, layer=layer)


def speaks_of(cases, /, metric="key_points", rule="min", limit=0.8, **more):
    given = {"metric": metric, "rule": rule, "limit": limit, "outcome": "failed"}
    (gate,) = attributed([GateResult(**{**given, **more})], SUMMARIES, cases)
    return gate.layer


MISSED = failing("a", "retrieval", mrr=0.0, key_points=0.0)
BURIED = [failing(f"b{n}", "context", mrr=0.25, key_points=0.0) for n in range(9)]
OMITTED = [failing(f"c{n}", "answer", mrr=0.5, key_points=0.5) for n in range(20)]


@pytest.mark.parametrize(
    ("cases", "gate", "layer"),
    [
        pytest.param([MISSED, *BURIED], {}, "context", id="an answer buried"),
        pytest.param([MISSED, *OMITTED], {}, "answer", id="most decide"),
        pytest.param([MISSED, OMITTED[0]], {}, "retrieval", id="the earlier of two"),
        pytest.param(
            [MISSED, *BURIED], {"metric": "mrr"}, "context", id="order is the context's"
        ),
        pytest.param(
            OMITTED, {"metric": "mrr"}, "retrieval", id="no later layer lowers a rank"
        ),
        pytest.param([], {"metric": "mrr"}, "retrieval", id="no failing case"),
        pytest.param(
            [MISSED, *OMITTED],
            {"limit": 0.4},
            "retrieval",
            id="only what is beyond the limit counts",
        ),
        pytest.param(
            [failing("a", "refusal", over_refusal=1.0), *OMITTED],
            {"metric": "over_refusal", "rule": "max", "limit": 0.1},
            "refusal",
            id="above a ceiling",
        ),
        pytest.param(
            [MISSED, *OMITTED],
            {"rule": "max_drop", "limit": 0.02, "baseline": 0.45},
            "retrieval",
            id="below the baseline",
        ),
        pytest.param(
            [MISSED, failing("d", "answer", type_="policy", key_points=0.0), *BURIED],
            {"slice": "type=policy"},
            "answer",
            id="within its slice",
        ),
        pytest.param(
            [failing("a", "answer", latency=9.0)],
            {"metric": "latency_p95", "rule": "max", "limit": 1.0},
            "service",
            id="a slow case is slow for no other layer",
        ),
        pytest.param(OMITTED, {"metric": "accuracy"}, None, id="over the whole run"),
        pytest.param(
            [MISSED, *OMITTED],
            {"rule": "red_line", "metric": "id=a", "cases": ("a",)},
            "retrieval",
            id="a red line's own cases",
        ),
        pytest.param(BURIED, {"outcome": "unmeasured"}, None, id="not measured"),
    ],
)
def test_a_failed_gate_speaks_of_the_layer_that_pulls_it_down(cases, gate, layer):
    assert speaks_of(cases, **gate) == layer
