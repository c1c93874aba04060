"""One question to the endpoint, and everything that came of it, for a person to read.

It is what somebody runs first who writes a spec: before any verdict it shows the reply
as it came, what each expression found in it, and which metrics it leaves unscored.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

from runner import pipeline
from runner.endpoint_setup import Live, open_endpoint
from runner.endpoints import guess, trace
from runner.endpoints.http import Attempt
from runner.errors import InputError, Place, Unavailable, did_you_mean, masking
from runner.model import Case, Failure, Response
from runner.pipeline import Plan
from runner.probe._discovery import unknown
from runner.probe._lines import (
    Hide,
    answer_lines,
    attempt_lines,
    block_lines,
    failure_lines,
    mapping_lines,
    mark_lines,
    metric_lines,
    problem_lines,
)

__all__ = ["Probed", "probe", "probe_url"]


class Probed(NamedTuple):
    """What to show, and the exit status."""

    lines: tuple[str, ...]
    status: int
    """0: the mapping found all. 2: it did not. 3: no usable reply came."""


def probe(
    path: Path, root: Path, environ: Mapping[str, str], case_id: str | None = None
) -> Probed:
    """Ask one case of a spec, once, and show what came of it.

    Args:
        path: The spec.
        root: The workspace.
        environ: What ``${NAME}`` in the endpoint may be.
        case_id: Which case; else the first that is to be answered.

    Raises:
        InputError: The spec or a case file is wrong, or there is no such case.
    """
    plan = pipeline.plan(path, root, environ, today=date.min)  # nothing is gated
    redactor = plan.redactor
    case = _case(plan, case_id)
    with masking(redactor.text):
        endpoint = open_endpoint(plan, [case], root)
        with closing(endpoint):
            attempt = endpoint.fetch(case)
            lines, status = _attempt_lines(plan, case, endpoint, attempt, redactor.text)
            lines += endpoint.notices()
    return Probed(tuple(redactor.text(line) for line in lines), status)


def probe_url(url: str, environ: Mapping[str, str], recipes: Path) -> Probed:
    """Ask a server that no spec describes; propose how its reply is mapped.

    The status is 0 where something is proposed, 2 where nothing in the reply looks like
    an answer, 3 where no usable reply came.

    Raises:
        InputError: It is no URL, or one that is never asked.
    """
    lines, status = unknown(url, environ, recipes)
    return Probed(tuple(lines), status)


def _case(plan: Plan, case_id: str | None) -> Case:
    cases = {case.id: case for case in plan.cases}
    if case_id is None:
        answerable = (case for case in plan.cases if not case.expect_refusal)
        return next(answerable, plan.cases[0])
    if case_id not in cases:
        raise InputError(
            f"there is no case {case_id!r}",
            where=Place(plan.spec.file),
            hint=did_you_mean(case_id, cases) or f"the first is {plan.cases[0].id}",
        )
    return cases[case_id]


def _attempt_lines(
    plan: Plan, case: Case, endpoint: Live, attempt: Attempt, hide: Hide
) -> tuple[list[str], int]:
    """Give what to show of one attempt, and the exit status."""
    names = [step.name for step in plan.spec.endpoint.steps]
    lines = [*attempt_lines(case, attempt, names, hide)]
    value = attempt.value()
    if isinstance(value, Failure):
        lines += failure_lines(value, plan.spec.endpoint)
        return lines, Unavailable.exit_code
    found = trace(plan.spec.endpoint.response, value, plan.place)
    lines += mapping_lines(found)
    problems = [each.problem for each in found if each.problem]
    result = _read(attempt, endpoint)
    if isinstance(result, InputError):
        problems = problems or [result]
    elif isinstance(result, Failure) and result.cause == "service.http_error":
        lines += failure_lines(result, plan.spec.endpoint)
        return lines, Unavailable.exit_code
    elif isinstance(result, Failure):
        problems = problems or [InputError(result.message)]
    else:
        lines += answer_lines(result)
        lines += [*metric_lines(plan.spec, case, result), *mark_lines(result)]
    lines += [*problem_lines(problems), *(_proposal(plan, value) if problems else ())]
    return lines, InputError.exit_code if problems else 0


def _proposal(plan: Plan, value: Any) -> list[str]:
    """Give a mapping by the shape of a reply that the spec's own does not fit."""
    found = guess(value, plan.spec.endpoint.response.stream)
    if found is None:
        return []
    return ["", "a mapping by the shape of this reply:", *block_lines(found)]


def _read(attempt: Attempt, endpoint: Live) -> Response | Failure | InputError:
    try:
        return endpoint.read(attempt)
    except InputError as error:
        return error
