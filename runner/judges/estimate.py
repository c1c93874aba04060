"""Estimates requests, tokens and cost of judging, before the first request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from runner.cases import asks_for
from runner.judges._meter import REPLY, Tokens, cost
from runner.judges._replies import tokens_about
from runner.judges.fingerprints import PROMPTS
from runner.model import Case, Measure
from runner.spec import JudgeSpec, Spec
from runner.units import count, rough

PASSAGES, ANSWER = 1_500, 200
"""Assumed tokens of the passages and of the answer of a case."""

_TAKING = (
    f"taking the passages of a case for {PASSAGES:,} tokens, its answer for {ANSWER}; "
)


class Estimate(NamedTuple):
    """An upper estimate of the requests, tokens and cost of judging."""

    calls: int
    tokens: Tokens
    usd: float | None = None
    """None where the spec has no price."""


def estimate(spec: Spec, cases: Iterable[Case], templates: Path) -> Estimate | None:
    """Estimate the cost of judging every case; None without a judge.

    Args:
        spec: Whose judge and measures these are.
        cases: What will be asked.
        templates: The folder of all templates.
    """
    judge = spec.judge
    measures = [measure for measure in spec.measures if measure.metric.judged]
    if judge is None or judge.recorded or not measures:
        return None
    ours = _ours(measures, templates)
    asked = [
        tokens
        for case in cases
        for measure in measures
        if asks_for(case, measure)
        for tokens in _requests(measure, _theirs(case, measure), ours)
    ]
    return _sum(judge, asked, spec.trials.times + judge.drift)


def of_replies(
    judge: JudgeSpec,
    replies: Iterable[tuple[Measure, Sequence[str]]],
    templates: Path,
) -> Estimate:
    """Estimate the cost of rating known replies.

    Args:
        judge: Who rates.
        replies: For each rating the measure, and the texts that are shown.
        templates: The folder of all templates.
    """
    known = list(replies)
    ours = _ours([measure for measure, _ in known], templates)
    asked = [
        tokens
        for measure, texts in known
        for tokens in _requests(measure, sum(map(tokens_about, texts)), ours)
    ]
    return _sum(judge, asked)


def _ours(measures: Iterable[Measure], templates: Path) -> Mapping[str, int]:
    """Estimate the tokens of each prompt template."""
    names = {task.name for measure in measures for task in measure.metric.tasks}
    return {name: tokens_about(_prompt(templates, name)) for name in names}


def _requests(measure: Measure, theirs: int, ours: Mapping[str, int]) -> Iterator[int]:
    """Estimate the tokens of each request of one rating."""
    for task in measure.metric.tasks:
        yield ours[task.name] + theirs
    if measure.metric.embeds:
        yield theirs


def _sum(judge: JudgeSpec, asked: Sequence[int], times: float = 1) -> Estimate:
    """Sum up requests of so many tokens each."""
    calls = round(len(asked) * times)
    tokens = Tokens(round(sum(asked) * times), calls * REPLY)
    price = judge.price
    usd = cost(tokens, price.input, price.output) if price else None
    return Estimate(calls, tokens, usd)


def _prompt(templates: Path, name: str) -> str:
    return (templates / PROMPTS / f"{name}.en.j2").read_text("utf-8")


def _theirs(case: Case, measure: Measure) -> int:
    """Estimate the tokens of a case's own texts in one prompt."""
    texts = [case.question, case.reference or "", *case.anchors, *case.intents]
    passages = PASSAGES if "passages" in measure.metric.inputs else 0
    return sum(map(tokens_about, texts)) + passages + ANSWER


def describe(found: Estimate, judge: JudgeSpec, how: str = _TAKING) -> Iterator[str]:
    """Describe an estimate, with a warning where it exceeds the budget.

    ``how`` says what it was made of.
    """
    total = sum(found.tokens)
    tokens = count(int(rough(total)), "token")
    usd = "" if found.usd is None else f", {found.usd:.2f} USD"
    yield (
        f"judge {judge.model} at {judge.host}: at most about "
        f"{count(found.calls, 'request')}, {tokens}{usd} ({how}what is cached costs "
        "nothing)"
    )
    budget = judge.budget
    for name, most, needed in (
        ("max_calls", budget.max_calls, found.calls),
        ("max_tokens", budget.max_tokens, total),
        ("max_usd", budget.max_usd, found.usd),
    ):
        if most is not None and needed is not None and needed > most:
            yield (
                f"warning: judge.budget.{name} is {most:,}, which may not suffice; "
                "what is not rated then is a failed score"
            )
