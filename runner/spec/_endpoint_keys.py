"""Whether the keys of an endpoint, each right by itself, fit together."""

from __future__ import annotations

from collections.abc import Iterator

from runner.errors import KeyPath
from runner.spec._endpoint import EndpointSpec, Rival
from runner.spec._explain import Mistake
from runner.spec._steps import StepSpec
from runner.units import listed
from runner.variables import names_in

_NO_ANSWER = (
    "needs answer: write in which step it stands, such as {name}.answer, or null "
    "where there is none"
)


def misfits(endpoint: EndpointSpec) -> Iterator[Mistake]:
    """Give what is wrong between the keys of an endpoint, and with its mapping."""
    yield from _twice(endpoint)
    if not endpoint.steps:
        return
    yield from _steps(endpoint)
    path: KeyPath = ("endpoint", "response")
    if endpoint.response.stream:
        hint = "write it in the step that streams"
        yield Mistake((*path, "stream"), "has no effect beside steps", hint)
    elif "answer" not in endpoint.response.model_fields_set:
        yield Mistake(path, _NO_ANSWER.format(name=endpoint.steps[-1].name))


def misfits_beside(endpoint: EndpointSpec, rival: Rival) -> Iterator[Mistake]:
    """Give why an endpoint cannot be asked at another address as well.

    Among the reasons: a secret of its own would be sent there without being asked for.
    """
    path: KeyPath = ("baseline", "endpoint")
    if endpoint.url is None:
        what = "is as endpoint says but for its url, and that has none"
        yield Mistake(path, what, "leave it out")
        return
    if endpoint.auth and "auth" not in rival.model_fields_set:
        what = "is missing, and that of endpoint shows its own keys"
        hint = "say here what this address is to be shown; null is nothing"
        yield Mistake((*path, "auth"), what, hint)
    names = names_in(" ".join(endpoint.headers.values()))
    if names and rival.headers is None:
        what = f"is missing, and those of endpoint send {listed(names, 3)}"
        hint = "say here what this address is to be sent; {} is nothing"
        yield Mistake((*path, "headers"), what, hint)


def _twice(endpoint: EndpointSpec) -> Iterator[Mistake]:
    """Give the ``Authorization`` headers that stand beside ``auth``."""
    blocks: list[tuple[KeyPath, EndpointSpec | StepSpec]] = [(("endpoint",), endpoint)]
    each = enumerate(endpoint.steps)
    blocks += [(("endpoint", "steps", index), step) for index, step in each]
    for path, block in blocks:
        for name in block.headers if block.auth or endpoint.auth else ():
            if name.lower() == "authorization":
                what = "auth writes this header"
                yield Mistake((*path, "headers", name), what, "leave one of them out")


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
