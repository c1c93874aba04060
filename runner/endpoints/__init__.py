"""One file per way to reach the system under test; each makes one attempt at a case."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from urllib.parse import urlsplit

from runner.endpoints._as_recorded import as_recorded
from runner.endpoints._guess import collected, framing, guess, marks
from runner.endpoints._mapping import ReplyMap
from runner.endpoints._plan import RequestPlan, check_shared, kept, origins, plan
from runner.endpoints._service import Service, words
from runner.endpoints._trace import Match, trace
from runner.endpoints._values import number
from runner.errors import InputError, Place, Problems
from runner.hosts import forbidden
from runner.model import Case
from runner.spec import EndpointSpec
from runner.templating import InputTemplate, Locate

__all__ = [
    "Match",
    "ReplyMap",
    "Service",
    "as_recorded",
    "check",
    "collected",
    "framing",
    "guess",
    "marks",
    "number",
    "trace",
]

_NO_UUID = "0" * 32


def check(
    spec: EndpointSpec,
    variables: Mapping[str, str],
    cases: Iterable[Case],
    place: Locate,
) -> None:
    """Compile the templates and expressions, and render the request of every case.

    Raises:
        InputError: One of them is wrong, a template fails for a case, or its host is
            one that is never asked.
    """
    each = list(cases)
    if spec.wait_for:
        _check_host(spec.wait_for.url, place("endpoint", "wait_for", "url"))
    if spec.requests:
        _check_requests(plan(spec, variables, place), spec, each, place)
    else:
        _check_local(spec, variables, each, place)


def _check_requests(
    asked: RequestPlan, spec: EndpointSpec, cases: Sequence[Case], place: Locate
) -> None:
    check_shared(spec, origins(asked, cases), place)
    for form in asked.forms:
        if form.reads_earlier:  # there is nothing yet to render it with
            for url in form.template.urls(cases):
                _check_host(url, form.place("url"))
            continue
        for case in cases:
            request = form.template.render(case, _NO_UUID)
            _check_host(request.url, form.place("url"))


def _check_local(
    spec: EndpointSpec,
    variables: Mapping[str, str],
    cases: Sequence[Case],
    place: Locate,
) -> None:
    problems: list[InputError] = []
    make = partial(InputTemplate, spec.body, variables, place=place)
    template = kept(make, problems)
    kept(partial(ReplyMap, spec.response, place=place), problems)
    if problems or template is None:
        raise Problems(problems)
    if spec.command:
        words(spec.command, place("endpoint", "command"))
    for case in cases:
        template.render(case, _NO_UUID)


def _check_host(url: str, where: Place) -> None:
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:  # no URL at all, which asking it will tell better
        return
    if why := forbidden(host):
        raise InputError(why, where=where)
