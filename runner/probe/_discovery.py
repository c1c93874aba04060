"""Probes a server without a spec: tries usual request bodies, proposes a mapping."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from json import dumps
from pathlib import Path
from typing import Any, NamedTuple

from runner import files
from runner.endpoints import ReplyMap, collected, framing, guess, trace
from runner.endpoints.http import HttpEndpoint, RoundTrip
from runner.errors import InputError, Unavailable
from runner.model import Case, Failure
from runner.probe._lines import (
    Hide,
    attempt_lines,
    block_lines,
    failure_lines,
    mapping_lines,
)
from runner.probe._recipes import matching_recipes
from runner.redact import Redactor
from runner.spec import EndpointSpec, ResponseMap
from runner.templating import by_path

TOKEN = "RAG_TOKEN"  # noqa: S105 - the name of a variable
"""The variable whose value is sent as a bearer token."""

_QUESTION = "What can I ask you about?"
_ASKED = "{{ question }}"
_MESSAGES = [{"role": "user", "content": _ASKED}]
_BODIES: tuple[dict[str, Any], ...] = (
    *({name: _ASKED} for name in ("question", "query", "message")),
    {"messages": _MESSAGES},
    *({name: _ASKED} for name in ("input", "prompt", "input_value")),
)
_OTHERWISE = """
no better with the bodies that other servers take. For what this one wants (a header
other than a bearer token in RAG_TOKEN, a body of its own) write a spec, by
    rag-eval init; rag-eval probe evals/rag.yaml"""
_UNMAPPED = ResponseMap(
    answer=None, contexts=None, citations=None, refused=None, usage=None
)


class Proposed(NamedTuple):
    """A mapping, and whose it is."""

    response: Mapping[str, Any]
    recipe: str | None = None


def unknown(
    url: str, environ: Mapping[str, str], recipes: Path
) -> tuple[list[str], int]:
    """Ask with the bodies that servers usually take; propose a mapping.

    The first body whose reply can be mapped counts; a server that cannot be reached is
    asked once. Where none can be, the address may tell whose it is.

    Args:
        url: Where to ask.
        environ: May hold the token.
        recipes: The folder of specs that are written already.

    Returns:
        What to show, and the exit status: 0 where something is proposed, 2 where
        nothing in the reply looks like an answer, 3 where no usable reply came.

    Raises:
        InputError: It is no URL, or one that is never asked.
    """
    token = environ.get(TOKEN)
    hide = Redactor([token] if token else []).text
    tried: list[Tried] = []
    for sent in _BODIES:
        tried.append(_try(url, sent, token, hide, recipes))
        if tried[-1].is_last:
            break
    lines, status, _ = min(tried, key=lambda each: each.status)
    if len(tried) == len(_BODIES) and status:
        lines += _OTHERWISE.split("\n")
    if status:
        lines += matching_recipes(url, recipes)
    return [hide(line) for line in lines], status


class Tried(NamedTuple):
    """What came of one body."""

    lines: list[str]
    status: int
    is_last: bool
    """Whether no other needs to be tried."""


def _try(
    url: str, sent: dict[str, Any], token: str | None, hide: Hide, recipes: Path
) -> Tried:
    headers = {"Authorization": "Bearer ${RAG_TOKEN}"} if token else {}
    spec = EndpointSpec(
        url=url, method="POST", headers=headers, body=sent, response=_UNMAPPED
    )
    case = Case("probe", _QUESTION)
    endpoint = HttpEndpoint(
        spec, {TOKEN: token or ""}, secrets=[token] if token else []
    )
    endpoint.admit([case])
    with closing(endpoint):
        attempt = endpoint.fetch(case)
    lines = [*attempt_lines(case, attempt, (), hide)]
    name, value = _value(attempt.trips[-1])
    if isinstance(value, Failure):
        lines += failure_lines(value, spec)
        is_lost = value.cause == "service.unreachable"
        return Tried(lines, Unavailable.exit_code, is_last=is_lost)
    proposed = _propose(value, name, recipes)
    if proposed is None:
        lines += ["", "nothing in the reply looks like an answer or like passages"]
        return Tried(lines, InputError.exit_code, is_last=False)
    found = trace(ResponseMap.model_validate(proposed.response), value, by_path)
    lines += [*_proposal(proposed, sent), *mapping_lines(found)]
    return Tried(lines, 0, is_last=True)


def _value(trip: RoundTrip) -> tuple[str | None, Any]:
    """Give the framing of a stream, and the JSON of a reply; or why there is none."""
    value = trip.value()
    name = framing(trip.beginning) if isinstance(value, Failure) else None
    if name is None or isinstance(trip.reply, Failure):
        return None, value
    return name, collected(trip.beginning, name)


def _propose(value: Any, name: str | None, recipes: Path) -> Proposed | None:
    """Give the recipe that finds most in a reply, else a guess by its shape."""
    best, most = None, 0
    for path in sorted(recipes.glob("*.yaml")):
        endpoint = files.read_document(path, root=recipes).data["endpoint"]
        response = endpoint["response"]
        if "steps" in endpoint or response.get("stream") != name:
            continue
        found = _found_by(ResponseMap.model_validate(response), value)
        if found > most:
            best, most = Proposed(response, path.stem), found
    if best:
        return best
    guessed = guess(value, name)
    return Proposed(guessed) if guessed else None


def _found_by(response: ResponseMap, value: Any) -> int:
    """Give how many expressions find something, 0 where the mapping does not fit."""
    found = trace(response, value, by_path)
    if any(each.problem for each in found):
        return 0
    try:
        if isinstance(ReplyMap(response).read(value), Failure):
            return 0
    except InputError:
        return 0
    keys = {each.key for each in found if each.value not in (None, "", [])}
    return len(keys) if keys & {"answer", "context.id"} else 0


def _proposal(proposed: Proposed, sent: dict[str, Any]) -> Iterator[str]:
    yield ""
    if proposed.recipe:
        yield f"this looks like {proposed.recipe}; there is a spec for it:"
        yield f"    rag-eval init --for {proposed.recipe}"
    else:
        yield "a mapping to begin with, by the shape of this reply:"
        yield f"    body: {dumps(sent, ensure_ascii=False)}"
    yield from block_lines(proposed.response)
