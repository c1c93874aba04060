"""One file per way to reach the system under test; each makes one attempt at a case."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from urllib.parse import urlsplit

from runner.endpoints._guess import collected, framing, guess
from runner.endpoints._mapping import ReplyMap
from runner.endpoints._process import Service, words
from runner.endpoints._trace import Found, trace
from runner.endpoints._values import number
from runner.errors import InputError, Problems
from runner.hosts import forbidden
from runner.model import Case
from runner.spec import EndpointSpec
from runner.templating import InputTemplate, Locate, Request, RequestTemplate
from runner.text.lengths import excerpt

__all__ = [
    "Found",
    "ReplyMap",
    "Service",
    "check",
    "collected",
    "excerpt",
    "framing",
    "guess",
    "number",
    "trace",
]


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
    template = _compiled(spec, variables, place)
    if spec.wait_for:
        _check_host(spec.wait_for.url, place, "wait_for", "url")
    if spec.command:
        words(spec.command, place("endpoint", "command"))
    for case in cases:
        rendered = template.render(case, "0" * 32)
        if isinstance(rendered, Request):
            _check_host(rendered.url, place, "url")


def _compiled(
    spec: EndpointSpec, variables: Mapping[str, str], place: Locate
) -> RequestTemplate | InputTemplate:
    """Give the request's template, where the mapping of the reply is right too."""
    problems: list[InputError] = []
    template: RequestTemplate | InputTemplate | None = None
    try:
        if spec.url is None:
            template = InputTemplate(spec.body, variables, place=place)
        else:
            template = RequestTemplate(spec, variables, place=place)
    except Problems as found:
        problems += found
    try:
        ReplyMap(spec.response, place=place)
    except Problems as found:
        problems += found
    if problems or template is None:
        raise Problems(problems)
    return template


def _check_host(url: str, place: Locate, *key: str) -> None:
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:  # no URL at all, which asking it will tell better
        return
    if why := forbidden(host):
        raise InputError(why, where=place("endpoint", *key))
