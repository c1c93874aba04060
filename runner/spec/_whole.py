"""How the steps of an endpoint have to fit together, once each of them is right."""

from __future__ import annotations

from collections.abc import Iterator

from runner.errors import KeyPath
from runner.spec._endpoint import EndpointSpec
from runner.spec._explain import Mistake

_NO_ANSWER = (
    "needs answer: write in which step it stands, such as {name}.answer, or null "
    "where there is none"
)


def misfits(endpoint: EndpointSpec) -> Iterator[Mistake]:
    """Give what is wrong between the steps of an endpoint, and with its mapping."""
    if not endpoint.steps:
        return
    yield from _steps(endpoint)
    path: KeyPath = ("endpoint", "response")
    if endpoint.response.stream:
        hint = "write it in the step that streams"
        yield Mistake((*path, "stream"), "has no effect beside steps", hint)
    elif "answer" not in endpoint.response.model_fields_set:
        yield Mistake(path, _NO_ANSWER.format(name=endpoint.steps[-1].name))


def _steps(endpoint: EndpointSpec) -> Iterator[Mistake]:
    seen: dict[str, int] = {}
    for index, step in enumerate(endpoint.steps):
        path: KeyPath = ("endpoint", "steps", index)
        first = seen.setdefault(step.name, index)
        if first != index:
            what = f"steps[{first}] is called {step.name!r} too"
            yield Mistake((*path, "name"), what, "names differ")
        if step.until is None and "every" in step.model_fields_set:
            yield Mistake((*path, "every"), "has no effect without until")
