"""The lines that a probe prints; texts of the reply are shortened."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import groupby
from typing import Any

from runner.endpoints import Match, marks
from runner.endpoints.http import NO_STATUS, Attempt, Reply, RoundTrip
from runner.errors import InputError
from runner.model import Case, Failure, Response, Unscored
from runner.scores import Scope, Scorer
from runner.spec import EndpointSpec, Spec
from runner.text.shorten import excerpt
from runner.units import count

_BODY = 2000  # characters
_VALUE = 80

Hide = Callable[[str], str]
"""Masks secrets in a text, before it is shortened."""


def attempt_lines(
    case: Case, attempt: Attempt, names: Sequence[str], hide: Hide
) -> Iterator[str]:
    """Say what was sent for a case and what came of it, request by request.

    Args:
        case: The case.
        attempt: What its requests brought.
        names: Those of the steps; none where there is one request.
        hide: Takes the secrets out.
    """
    yield f"case      {excerpt(case.id, _VALUE)}: {excerpt(case.question, _VALUE)}"
    for index, trip in enumerate(attempt.trips):
        if names:
            yield from ([""] if index else [])
            yield f"step      {names[index]}"
        yield from request_lines(trip, hide)
        yield from body_lines(trip, hide)


def request_lines(trip: RoundTrip, hide: Hide) -> Iterator[str]:
    """Say what was sent, and what came back in how much time."""
    again = f", {count(trip.times, 'time')}" if trip.times > 1 else ""
    yield f"asked     {trip.asked}{again}"
    if trip.sent:
        yield f"          {excerpt(hide(_sent(trip.sent)), 2 * _VALUE)}"
    if not isinstance(trip.reply, Failure):
        yield f"came      {_state(trip.reply)}in {trip.latency:.2f} s"


def _state(reply: Reply) -> str:
    if reply.status == NO_STATUS:
        return ""
    kind = reply.headers.get("Content-Type", "no content type")
    return f"{reply.status} {excerpt(reply.reason, 40)}, {excerpt(kind, 60)}, "


def _sent(data: bytes | str) -> str:
    """Give the body of a request without escapes of non-ASCII letters."""
    text = data.decode(errors="replace") if isinstance(data, bytes) else data
    with suppress(ValueError):
        return json.dumps(json.loads(text), ensure_ascii=False)
    return text


def body_lines(trip: RoundTrip, hide: Hide) -> Iterator[str]:
    """Give the beginning of the reply."""
    text = hide(trip.beginning.decode(errors="replace"))
    if not text:
        return
    yield ""
    cut = len(text) > _BODY
    yield f"the reply{f', its first {_BODY:,} characters' if cut else ''}"
    for line in text[:_BODY].splitlines():
        yield f"  | {line}"


def mapping_lines(found: Iterable[Match]) -> Iterator[str]:
    """Say what each expression finds."""
    yield ""
    yield "what the mapping finds"
    for each in found:
        yield f"  {each.key:16} {excerpt(each.path, _VALUE)}"
        yield f"  {'':16}   {_value(each)}"


def _value(found: Match) -> str:
    if found.problem and found.value is None:
        return "nothing"
    if found.value is None:
        return "null"
    if found.value == "":
        return "an empty text"
    if found.key == "context.id":  # what to expect in a case
        ids = excerpt(", ".join(map(str, found.value)), 2 * _VALUE)
        return f"{count(len(found.value), 'entry', 'entries')}: {ids}"
    if isinstance(found.value, list):
        first = f", first {excerpt(found.value[0], _VALUE)}" if found.value else ""
        return f"{count(len(found.value), 'entry', 'entries')}{first}"
    return excerpt(found.value, _VALUE)


def answer_lines(response: Response) -> Iterator[str]:
    """Say what comes of the answer: citations, its text without marks, its start."""
    if response.citations is not None:
        yield f"  {'cited':16} {excerpt(list(response.citations), _VALUE)}"
    if response.raw_answer is not None:
        yield f"  {'without marks':16} {excerpt(response.answer, _VALUE)}"
    if response.time_to_first_token is not None:
        yield f"  {'first token':16} after {response.time_to_first_token:.2f} s"


def metric_lines(spec: Spec, case: Case, response: Response) -> Iterator[str]:
    """Say how metrics score this reply, and why others do not."""
    scorer = Scorer(spec.measures, Scope.of(spec.endpoint))
    row = scorer.row(scorer.asked(case, response))
    rows = [(m.label, score) for m, score in zip(spec.measures, row, strict=True)]
    scored = [
        f"{label} {score:.2f}" for label, score in rows if isinstance(score, float)
    ]
    yield ""
    if case.qrels:
        yield f"expected  {excerpt(', '.join(case.qrels), 2 * _VALUE)}"
    yield f"scored    {', '.join(scored) or 'no metric'}"
    why = sorted(
        (score.reason, label) for label, score in rows if isinstance(score, Unscored)
    )
    for reason, group in groupby(why, lambda pair: pair[0]):
        labels = ", ".join(label for _, label in group)
        yield f"unscored  {labels}: {excerpt(reason, 2 * _VALUE)}"


def mark_lines(response: Response) -> Iterator[str]:
    """Say how marks in an answer are read, where nothing reads them yet."""
    form = marks(response.answer or "")
    if form and response.passages and response.citations is None:
        yield ""
        yield "the answer has marks of citations, which nothing reads; to read them:"
        yield from block_lines({"citations": form})


def block_lines(response: Mapping[str, Any]) -> Iterator[str]:
    """Give a ``response`` block as it stands in a spec."""
    yield "    response:"
    for key, value in response.items():
        yield f"      {key}: {json.dumps(value, ensure_ascii=False)}"


def problem_lines(problems: Iterable[InputError]) -> Iterator[str]:
    """Say what has to stand somewhere and does not."""
    for number, problem in enumerate(problems):
        if not number:
            yield ""
            yield "missing"
        yield f"  {problem}"


def failure_lines(failure: Failure, endpoint: EndpointSpec) -> Iterator[str]:
    """Say why there is no usable reply, and how the service is started, if known."""
    yield ""
    yield f"no usable reply ({failure.cause}): {failure.message}"
    if endpoint.start and failure.cause == "service.unreachable":
        yield f"start it first: {excerpt(endpoint.start.command, 2 * _VALUE)}"
