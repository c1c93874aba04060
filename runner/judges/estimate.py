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
"""Tokens that the passages of a case and its answer are taken for."""

_TAKING = (
    f"taking the passages of a case for {PASSAGES:,} tokens, its answer for {ANSWER}; "
)


class Estimate(NamedTuple):
    """About what the judged metrics of a run will take at most."""

    calls: int
    tokens: Tokens
    usd: float | None = None
    """None where the spec has no price."""


def estimate(spec: Spec, cases: Iterable[Case], templates: Path) -> Estimate | None:
    """Give about what judging takes where every case is judged; None without a judge.

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
    return _summed(judge, asked, spec.trials.times + judge.drift)


def of_replies(
    judge: JudgeSpec,
    replies: Iterable[tuple[Measure, Sequence[str]]],
    templates: Path,
) -> Estimate:
    """Give about what it takes to rate replies that are known.

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
    return _summed(judge, asked)


def _ours(measures: Iterable[Measure], templates: Path) -> Mapping[str, int]:
    """Give about the tokens of our own words in the prompt of each task."""
    names = {task.name for measure in measures for task in measure.metric.tasks}
    return {name: tokens_about(_prompt(templates, name)) for name in names}


def _requests(measure: Measure, theirs: int, ours: Mapping[str, int]) -> Iterator[int]:
    """Give about the tokens of each request for one rating."""
    for task in measure.metric.tasks:
        yield ours[task.name] + theirs
    if measure.metric.embeds:
        yield theirs


def _summed(judge: JudgeSpec, asked: Sequence[int], times: float = 1) -> Estimate:
    """Give the sum over prompts of so many tokens each."""
    calls = round(len(asked) * times)
    tokens = Tokens(round(sum(asked) * times), calls * REPLY)
    price = judge.price
    usd = cost(tokens, price.input, price.output) if price else None
    return Estimate(calls, tokens, usd)


def _prompt(templates: Path, name: str) -> str:
    return (templates / PROMPTS / f"{name}.en.j2").read_text("utf-8")


def _theirs(case: Case, measure: Measure) -> int:
    """Give about the tokens of what others wrote in one prompt."""
    texts = [case.question, case.reference or "", *case.anchors, *case.intents]
    passages = PASSAGES if "passages" in measure.metric.inputs else 0
    return sum(map(tokens_about, texts)) + passages + ANSWER


def told(found: Estimate, judge: JudgeSpec, how: str = _TAKING) -> Iterator[str]:
    """Give the lines that say it, with a warning where the budget allows less.

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
