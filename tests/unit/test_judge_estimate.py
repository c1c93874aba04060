"""What judging will take is told before it is asked, for what will be asked."""

from __future__ import annotations

import pytest

from runner.judges.estimate import ANSWER, PASSAGES, REPLY, describe, estimate
from runner.metrics import registry
from runner.model import Case
from runner.spec import EndpointSpec, JudgeSpec, Spec, Trials, bind
from tests.program import ROOT

TEMPLATES = ROOT / "templates"
CASES = [Case(f"c{n}", "How long?", reference="30 days") for n in range(10)]
DECLINED = Case("d", "Who wins?", expect_refusal=True)


def spec(*names, times=1, **block):
    judge = {"url": "http://x/v1", "model": "m", "drift": 0, **block}
    return Spec(
        name="team",
        file="spec.yaml",
        endpoint=EndpointSpec(url="http://localhost"),
        cases=(),
        measures=tuple(bind(name, registry) for name in names),
        marks={},
        limits=(),
        red_lines=(),
        trials=Trials(times),
        judge=JudgeSpec.model_validate(judge),
    )


@pytest.mark.parametrize(
    ("names", "more", "calls"),
    [
        (["faithfulness"], {}, 20),
        (["faithfulness", "key_points"], {}, 20),
        (["faithfulness"], {"times": 3}, 60),
        (["faithfulness"], {"drift": 0.5}, 30),
        (["answer_relevancy"], {"embeddings": {"model": "e"}}, 20),
        (["intent_completion"], {}, 0),  # no case has intents
    ],
)
def test_requests_are_those_of_the_cases_that_a_metric_asks_for(names, more, calls):
    found = estimate(spec(*names, **more), [*CASES, DECLINED], TEMPLATES)

    assert found.calls == calls
    assert found.tokens.output_tokens == calls * REPLY


def test_tokens_are_those_of_our_words_and_about_as_many_of_others():
    found = estimate(spec("faithfulness"), CASES, TEMPLATES)
    each = found.tokens.input_tokens / found.calls

    assert PASSAGES + ANSWER < each < PASSAGES + ANSWER + 1_000


def test_money_is_told_where_there_is_a_price():
    price = {"input": 1, "output": 2}
    found = estimate(spec("faithfulness", price=price), CASES, TEMPLATES)

    sent, said = found.tokens
    assert found.usd == pytest.approx((sent + 2 * said) / 1_000_000)
    assert estimate(spec("faithfulness"), CASES, TEMPLATES).usd is None


@pytest.mark.parametrize(
    ("names", "block"),
    [(["key_points"], {}), (["faithfulness"], {"recorded": "judge.jsonl"})],
)
def test_where_nobody_is_asked_nothing_is_told(names, block):
    assert estimate(spec(*names, **block), CASES, TEMPLATES) is None


@pytest.mark.parametrize(
    ("budget", "warned"),
    [
        ({}, []),
        ({"max_calls": 20, "max_tokens": 10**7, "max_usd": 9}, []),
        ({"max_calls": 19}, ["max_calls"]),
        ({"max_tokens": 100, "max_usd": 0.001}, ["max_tokens", "max_usd"]),
    ],
)
def test_a_budget_that_may_not_suffice_is_told(budget, warned):
    price = {"input": 1, "output": 2}
    wanted = spec("faithfulness", budget=budget, price=price)
    first, *lines = describe(estimate(wanted, CASES, TEMPLATES), wanted.judge)

    assert first.startswith("judge m at x: at most about 20 requests, ")
    assert [line.split()[1].rpartition(".")[2] for line in lines] == warned
