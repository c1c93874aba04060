"""The requests of an endpoint: templates, headers, expressions and timing, compiled."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import NamedTuple, TypeVar
from urllib.parse import urlsplit

from runner.endpoints._expressions import Find, find_by
from runner.endpoints._headers import defaults
from runner.endpoints._mapping import ReplyMap
from runner.endpoints._roots import roots
from runner.errors import InputError, Place, Problems
from runner.hosts import plain, port_of
from runner.model import Case
from runner.spec import EndpointSpec, ResponseMap
from runner.templating import NAMES, Locate, RequestTemplate

Made = TypeVar("Made")

_ASKING = frozenset({"question", "history"})
_SHADOWED = "session"  # a step may be called so: its reply is what that is for


class RequestForm(NamedTuple):
    """One compiled request, from which that of each case is rendered."""

    name: str
    """Of the step; empty where the endpoint has no ``steps``."""
    block: str
    """The part of the spec that describes it: ``endpoint.steps[1]``."""
    place: Locate
    """Gives the place of one of its keys in the user's file."""
    template: RequestTemplate
    headers: Mapping[str, str]
    """Default headers; the spec's own win."""
    framing: str | None
    """How its reply streams: ``sse``, ``ndjson``, ``prefixed``; None where it does not.
    """
    timeout: float
    """Seconds, over all polls."""
    every: float
    """Seconds between two polls."""
    error: Find | None
    """Finds an error that the reply states."""
    until: Find | None
    """Whether a poll is done; None where it is not polled."""
    reads_earlier: bool
    """Whether its templates read the reply to an earlier request."""

    @property
    def prefix(self) -> str:
        """The prefix of messages about it."""
        return f"step {self.name}: " if self.name else ""


class Timing(NamedTuple):
    """Which requests of a case count to its latency, by their positions."""

    answering: int = 0
    """The one whose reply holds the answer."""
    timed: tuple[int, ...] = (0,)
    """Those from the question to the answer, ``answering`` among them."""


class RequestPlan(NamedTuple):
    """The requests of a case in their order, and the mapping of their replies."""

    forms: tuple[RequestForm, ...]
    replies: ReplyMap
    timing: Timing

    @property
    def opening(self) -> int:
        """How many requests open a session and are sent once for a conversation.

        They are those before the first that sends the question; 0 where none does.
        """
        asking = (not _ASKING.isdisjoint(form.template.reads) for form in self.forms)
        return next((index for index, asks in enumerate(asking) if asks), 0)

    def restarts(self, index: int) -> bool:
        """Whether a retry of the request at a position starts with the first request.

        It does where the request sends the question in a session that an earlier one
        opened: the session may hold the failed question, and would answer otherwise.
        """
        form = self.forms[index]
        asks = not _ASKING.isdisjoint(form.template.reads)
        return index == 0 or (asks and form.reads_earlier)


def plan(
    spec: EndpointSpec, variables: Mapping[str, str], place: Locate
) -> RequestPlan:
    """Compile every template and expression of an endpoint.

    Raises:
        Problems: Everything in them that is wrong.
    """
    problems: list[InputError] = []
    names = [step.name for step in spec.steps]
    compile_ = partial(_compile, spec, variables, place, problems)
    forms = [compile_(index) for index in range(len(spec.requests))]
    streamed = any(step.stream for step in spec.requests)
    make = partial(ReplyMap, spec.response, place=place, steps=names)
    replies = kept(partial(make, streamed=streamed), problems)
    if problems or replies is None:
        raise Problems(_once(problems))
    whole = tuple(form for form in forms if form)
    return RequestPlan(whole, replies, _timing(whole, spec.response))


def _once(problems: list[InputError]) -> list[InputError]:
    """Report a mistake in a shared header once, not for each step."""
    told: dict[tuple[Place | None, str], InputError] = {}
    for each in problems:
        told.setdefault((each.where, each.what), each)
    return [*told.values()]


def origins(plan: RequestPlan, cases: Sequence[Case]) -> tuple[tuple[str, ...], ...]:
    """Give the services that each request goes to: their URLs up to the path.

    Raises:
        InputError: The template of a URL fails for a case.
    """
    return tuple(
        tuple(dict.fromkeys(map(_origin, form.template.urls(cases))))
        for form in plan.forms
    )


def check_shared(
    spec: EndpointSpec, services: tuple[tuple[str, ...], ...], place: Locate
) -> None:
    """See that shared headers and ``auth`` go to one service.

    Raises:
        InputError: They would hand a key for one service to another.
    """
    shared = [key for key in ("headers", "auth") if getattr(spec, key)]
    hosts = [tuple(map(_host, found)) for found in services]
    if shared and len(set(map(frozenset, hosts))) > 1:
        told = " and ".join(dict.fromkeys(chain(*hosts)))
        raise InputError(
            f"would go with every step, and these lead to {told}",
            where=place("endpoint", shared[0]),
            hint="write in each step what its own service wants",
        )


def _origin(url: str) -> str:
    """Give a URL up to its path, so that what varies in that is looked at once."""
    return "/".join(url.split("/", 3)[:3])


def _host(url: str) -> str:
    """Give the service that a URL leads to, as messages name it."""
    try:
        parts = urlsplit(url)
        return f"{parts.scheme}://{plain(parts.hostname or '')}:{port_of(parts)}"
    except ValueError:  # no URL at all, which asking it will tell better
        return ""


def _compile(
    spec: EndpointSpec,
    variables: Mapping[str, str],
    place: Locate,
    problems: list[InputError],
    index: int,
) -> RequestForm | None:
    step = spec.requests[index]
    within = _locate_in_request(spec, place, index)
    earlier = tuple(step.name for step in spec.steps[:index])
    headers = _merge(spec.headers, step.headers)
    sent = step.model_copy(update={"headers": headers})
    if step.name in NAMES and step.name != _SHADOWED:
        what = f"{step.name!r} is what templates call a part of the case"
        problems.append(InputError(what, where=within("name")))
    make = partial(RequestTemplate, sent, variables, place=within, earlier=earlier)
    template = kept(make, problems)
    lines = kept(partial(defaults, sent, within), problems)
    finds = {
        key: kept(partial(find_by, getattr(step, key), within(key)), problems)
        for key in ("error", "until")
        if spec.steps and getattr(step, key) is not None
    }
    if template is None or lines is None:
        return None
    return RequestForm(
        step.name,
        f"endpoint.steps[{index}]" if spec.steps else "endpoint",
        within,
        template,
        lines,
        step.stream,
        step.timeout or spec.timeout,
        step.every,
        finds.get("error"),
        finds.get("until"),
        not template.reads.isdisjoint(earlier),
    )


def _locate_in_request(spec: EndpointSpec, place: Locate, index: int) -> Locate:
    """Locate the keys of a request; shared headers stand outside of ``steps``."""
    if not spec.steps:
        return partial(place, "endpoint")
    own = spec.steps[index].headers

    def within(*key: str | int) -> Place:
        shared = key[:1] == ("headers",) and len(key) > 1 and key[1] not in own
        if shared or key[0] == "wait_for":
            return place("endpoint", *key)
        return place("endpoint", "steps", index, *key)

    return within


def _merge(shared: Mapping[str, str], own: Mapping[str, str]) -> dict[str, str]:
    """Give the headers of a request: its own win, however they are capitalised."""
    written = {name.lower() for name in own}
    kept = {name: line for name, line in shared.items() if name.lower() not in written}
    return {**kept, **own}


def kept(make: Callable[[], Made], problems: list[InputError]) -> Made | None:
    """Give the result of ``make``, or None and add its mistakes to the problems."""
    try:
        return make()
    except InputError as error:
        problems += error
    return None


def _timing(forms: tuple[RequestForm, ...], response: ResponseMap) -> Timing:
    """Find which requests count to the latency: those a user would wait for.

    The answer is given by the last one that its expression reads. With it count those
    that it needs, from the first of them that sends the question.
    """
    names = [form.name for form in forms]
    read = roots(response.answer) or roots(response.contexts)
    answering = max((i for i, name in enumerate(names) if name in read), default=-1)
    answering %= len(forms)
    needed = _needed(forms, answering)
    asking = [i for i in needed if not _ASKING.isdisjoint(forms[i].template.reads)]
    first = min(asking, default=answering)
    return Timing(answering, tuple(i for i in needed if i >= first))


def _needed(forms: tuple[RequestForm, ...], index: int) -> list[int]:
    """Give a request and those before it whose replies it needs, directly or not."""
    found, left = {index}, [index]
    while left:
        reads = forms[left.pop()].template.reads
        new = {i for i in range(index) if forms[i].name in reads} - found
        found |= new
        left += new
    return sorted(found)
