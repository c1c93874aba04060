from __future__ import annotations

import pytest

from runner.cases import asks_for
from runner.metrics import registry
from runner.metrics._declare import metric
from runner.model import (
    Absent,
    Case,
    Failed,
    Frozen,
    Judge,
    Measure,
    Passage,
    Response,
    Task,
    Unrated,
    Unscored,
)
from runner.scores import Column, Scope, Scorer, declined
from tests.judging import ByRule

FOUND = (Passage(id="d#1", text="Refunds take 30 days."), Passage(id="d#2", text="x"))
LABELLED = Case(
    id="a", question="How long?", qrels={"d#2": 1}, key_points=(("30 days",),)
)
REFUSAL = Case(id="r", question="Who wins?", expect_refusal=True, qrels={"d#1": 1})


def measures(*names: str) -> list[Measure]:
    return [Measure(name, registry[name]) for name in names]


def score(name: str, case: Case, response: Response, scope: Scope | None = None):
    scorer = Scorer(measures(name), scope)
    return scorer.row(scorer.asked(case, response))[0]


def test_the_row_is_in_the_order_of_the_measures():
    scorer = Scorer(measures("key_points", "recall", "refusal", "mrr"))
    asked = scorer.asked(LABELLED, Response(answer="It takes 30 days.", passages=FOUND))

    assert scorer.row(asked)[:2] + scorer.row(asked)[3:] == (1.0, 1.0, 0.5)


@pytest.mark.parametrize(
    ("name", "case", "response", "reason"),
    [
        ("recall", LABELLED, Response(answer="x"), "does not show its passages"),
        ("recall", Case("b", "q"), Response(passages=FOUND), "no relevant ids"),
        ("recall", REFUSAL, Response(passages=FOUND), "is to decline"),
        ("key_points", Case("b", "q"), Response(answer="x"), "no key points"),
        ("key_points", LABELLED, Response(), "no answer"),
        ("leakage", LABELLED, Response(answer="x"), "no tenant"),
        ("latency", LABELLED, Response(answer="x"), "no latency"),
        (
            "number_support",
            LABELLED,
            Response(answer="The documents do not say.", passages=FOUND),
            "declined",
        ),
    ],
)
def test_absent_evidence_is_unscored_with_its_reason(name, case, response, reason):
    found = score(name, case, response)

    assert isinstance(found, Unscored)
    assert reason in found.reason


@pytest.mark.parametrize(
    ("name", "case", "response", "kind"),
    [
        ("recall", LABELLED, Response(answer="x"), Absent),
        ("number_support", LABELLED, Response(answer="30 days"), Absent),
        ("number_support", LABELLED, Response("30 days", (Passage("d"),)), Absent),
        ("context_efficiency", LABELLED, Response("x", (Passage("d#2"),)), Absent),
        ("citation_validity", LABELLED, Response("x", FOUND), Absent),
        ("latency", LABELLED, Response(answer="x"), Absent),
        ("tokens", LABELLED, Response(answer="x"), Absent),
        ("tokens", LABELLED, Response(answer="x", usage={}), Absent),
        ("cost", LABELLED, Response(answer="x", usage={}), Absent),
        ("leakage", Case("b", "q", tenant="a"), Response(answer="x"), Absent),
        ("recall", Case("b", "q"), Response(answer="x", passages=FOUND), Unscored),
        ("recall", REFUSAL, Response(answer="x"), Unscored),
        ("number_support", LABELLED, Response("Many.", FOUND), Unscored),
        ("number_support", LABELLED, Response("Many."), Unscored),
        ("key_point_grounding", LABELLED, Response("30 days"), Absent),
        ("key_point_grounding", LABELLED, Response("Many."), Unscored),
        ("key_point_grounding", LABELLED, Response("30 days", (Passage("d"),)), Absent),
        ("citation_validity", LABELLED, Response("x", None, ("d",)), Absent),
        ("citation_validity", LABELLED, Response("x", None, ()), Unscored),
        ("citation_support", LABELLED, Response('"a b"', None, ("d",)), Absent),
        ("citation_support", LABELLED, Response("x", None, ("d",)), Unscored),
        ("citation_validity", LABELLED, Response("x", FOUND, ()), Unscored),
        ("leakage", LABELLED, Response(answer="x"), Unscored),
        ("recall", Case("b", "q"), Response(answer="x"), Unscored),
        ("key_point_grounding", Case("b", "q"), Response(answer="x"), Unscored),
        ("answer_similarity", Case("b", "q"), Response(), Unscored),
    ],
)
def test_what_a_reply_does_not_show_is_told_from_what_no_case_asks_for(
    name, case, response, kind
):
    assert type(score(name, case, response)) is kind


@pytest.mark.parametrize(
    ("case", "response", "layers"),
    [
        (LABELLED, Response("30 days", FOUND), {"retrieval", "context", "grounding"}),
        (LABELLED, Response("30 days", ()), {"retrieval"}),
        (LABELLED, Response("30 days", (Passage("d#2"),)), {"retrieval", "context"}),
        (
            LABELLED,
            Response("The documents do not say.", FOUND),
            {"retrieval", "context"},
        ),
        (LABELLED, Response(None, FOUND), {"retrieval", "context"}),
        (LABELLED, Response("30 days"), set()),
        (Case("b", "q"), Response("30 days", FOUND), {"grounding"}),
        (REFUSAL, Response("30 days", FOUND), set()),
    ],
)
def test_a_reply_shows_layers_whether_or_not_they_are_measured(case, response, layers):
    scorer = Scorer(measures("key_points"))

    assert scorer.asked(case, response).layers_shown == layers


EVERYTHING = {
    "qrels": {"d#1": 1},
    "key_points": (("30 days",),),
    "reference": "Refunds take 30 days.",
    "must_not_include": ("60 days",),
    "tenant": "a",
    "anchors": ("30 days",),
    "intents": ("how long",),
}
CASES = [
    Case("q", "How long?", expect_refusal=declines, **{**EVERYTHING, **without})
    for declines in (False, True)
    for without in (
        {},
        {"qrels": {}},
        {"qrels": {"d#1": 0}},
        {"key_points": ()},
        {"reference": None},
        {"must_not_include": ()},
        {"tenant": None},
        {"anchors": ()},
        {"intents": ()},
    )
]
QUOTING = 'Refunds take 30 days, as in "Refunds take 30 days."'
REPLIES = [
    Response(
        answer=answer,
        passages=(Passage("d#1", "Refunds take 30 days.", tenant="a"),),
        citations=("d#1",),
        usage={"total_tokens": 3, "output_tokens": 2, "cost": 0.1},
        latency=1.0,
        time_to_first_token=0.5,
        marks=((len(QUOTING), "d#1"),),
    )
    for answer in (QUOTING, "The documents do not say.")
]


@pytest.mark.parametrize("name", registry)
def test_a_case_that_no_reply_could_be_scored_on_is_known_before_it_is_asked(name):
    (measure,) = measures(name)
    for case in CASES:
        scores = [score(name, case, reply, Scope(judge=ByRule())) for reply in REPLIES]
        scored = any(isinstance(one, float) for one in scores)

        assert asks_for(case, measure) == scored, case


def test_nothing_retrieved_is_zero_and_not_unscored():
    assert score("recall", LABELLED, Response(answer="x", passages=())) == 0.0


def test_a_system_that_shows_only_what_it_cited_has_no_ranking():
    response = Response(answer="x", passages=FOUND)

    found = score("recall", LABELLED, response, Scope(only_cited=True))

    assert isinstance(found, Unscored)


def test_documents_can_be_matched_instead_of_chunks():
    case = LABELLED._replace(qrels={"d": 1})
    response = Response(answer="x", passages=FOUND)

    assert score("recall", case, response) == 0.0
    assert score("recall", case, response, Scope(match="document")) == 1.0


@pytest.mark.parametrize(
    ("answer", "flag", "expected"),
    [
        ("The documents do not say.", None, True),
        ("资料中没有相关信息，建议咨询人工客服。", None, True),
        ("It takes 14 days.", None, False),
        ("It takes 14 days.", True, True),
        ("It takes 14 days.", False, False),
        ("I could not find it all, but it takes 30 days.", None, False),
        ("I am not sure. 30 days.", True, False),
        (None, True, True),
        (None, None, None),
    ],
)
def test_a_reply_declines_by_flag_or_text_unless_it_states_a_key_point(
    answer, flag, expected
):
    assert declined(LABELLED, Response(answer=answer, refused=flag)) is expected


def test_an_echo_of_the_question_answers_nothing():
    case = LABELLED._replace(
        question="How many seats has the Pro plan?",
        key_points=(("Pro plan",), ("500",)),
    )
    echo = "I could not find how many seats the Pro plan has in the documents."

    assert declined(case, Response(answer=echo)) is True
    assert declined(case, Response(answer=f"{echo} But 500 is usual.")) is False


def test_what_a_refusal_must_say_does_not_make_it_an_answer():
    case = Case(
        id="r", question="?", expect_refusal=True, key_points=(("ask your manager",),)
    )
    refusal = "The documents do not say; please ask your manager."

    assert declined(case, Response(answer=refusal)) is True


def test_an_exception_in_a_metric_is_a_failed_score():
    @metric(layer="answer")
    def a_metric_that_breaks(answer: str) -> float:
        """Raise always."""
        raise KeyError(answer)

    broken = registry.pop("a_metric_that_breaks")
    scorer = Scorer([Measure("broken", broken), *measures("recall")])

    row = scorer.row(scorer.asked(LABELLED, Response(answer="x", passages=FOUND)))

    assert row == (Failed("KeyError: 'x'"), 1.0)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "0.5", None])
def test_what_is_no_finite_number_is_a_failed_score(value):
    @metric(layer="answer")
    def a_metric_that_errs(answer: str) -> float:
        """Give no number."""
        return value if answer else 0.0

    erring = registry.pop("a_metric_that_errs")
    scorer = Scorer([Measure("erring", erring)])

    assert isinstance(scorer.row(scorer.asked(LABELLED, Response("x")))[0], Failed)


class Verdict(Frozen):
    share: float


SHARE = Task("share", 1, Verdict)


class Fixed:
    """A judge that says one thing, or why it cannot."""

    def __init__(self, says: float | str) -> None:
        self.says = says

    def rate(self, task, /, **texts):
        if isinstance(self.says, str):
            raise Unrated(self.says)
        return task.reply(share=self.says if texts else 0.0)

    def embed(self, texts, /):
        raise Unrated(f"nobody embeds {texts}")


def judged() -> Measure:
    @metric(layer="answer", tasks=(SHARE,))
    def a_judged_metric(answer: str, judge: Judge) -> float:
        """Give what the judge says."""
        return judge.rate(SHARE, answer=answer).share

    return Measure("judged", registry.pop("a_judged_metric"))


@pytest.mark.parametrize(
    ("judge", "expected"),
    [
        (Fixed(0.25), 0.25),
        (Fixed("HTTP 429 after 3 attempts"), Failed("HTTP 429 after 3 attempts")),
        (None, Unscored("no judge was asked")),
    ],
)
def test_a_judged_metric_is_what_the_judge_says_or_why_it_said_nothing(judge, expected):
    scorer = Scorer([judged()], Scope(judge=judge))

    found = scorer.row(scorer.asked(LABELLED, Response("x")))[0]

    assert found == expected
    assert type(found) is type(expected)


def test_a_judge_needs_a_task_to_be_declared():
    with pytest.raises(TypeError, match="a judge needs tasks"):

        @metric(layer="answer")
        def a_judged_metric(answer: str, judge: Judge) -> float:
            """Ask for what nothing says."""
            return judge.rate(SHARE, answer=answer).share


def test_a_column_gives_back_what_it_was_given_and_misses_nothing():
    column = Column(measures("recall")[0], 4)
    column.put(0, 0.25)
    column.put(1, Unscored("no labels"))
    column.put(3, Failed("broke"))

    assert [column.get(n) for n in range(4)] == [
        0.25,
        Unscored("no labels"),
        Failed("was not scored"),
        Failed("broke"),
    ]


def test_more_reasons_than_a_byte_holds_keep_their_kind():
    column = Column(measures("recall")[0], 600)
    given = [Unscored, Absent, Failed] * 200
    for position, kind in enumerate(given):
        column.put(position, kind(f"reason {position}"))

    kinds = [type(column.get(position)) for position in range(600)]

    assert kinds == given


@pytest.mark.parametrize(
    ("case", "response", "scope", "hits"),
    [
        (LABELLED, Response(answer="x", passages=FOUND), Scope(), (2,)),
        (LABELLED, Response(answer="x", passages=()), Scope(), ()),
        (LABELLED, Response(answer="x"), Scope(), None),
        (Case("b", "q"), Response(answer="x", passages=FOUND), Scope(), None),
        (REFUSAL, Response(answer="x", passages=FOUND), Scope(), None),
        (
            Case("b", "q", qrels={"d": 1}),
            Response(answer="x", passages=FOUND),
            Scope("document"),
            (1, 2),
        ),
        (
            LABELLED,
            Response(answer="x", passages=FOUND),
            Scope(only_cited=True),
            None,
        ),
    ],
)
def test_the_ranks_of_relevant_passages_are_known_where_anything_is(
    case, response, scope, hits
):
    assert Scorer(measures("recall"), scope).asked(case, response).hits == hits
