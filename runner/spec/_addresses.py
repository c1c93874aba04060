"""The URLs and the secrets of a spec, which stand in several of its blocks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from runner.errors import KeyPath
from runner.spec._explain import Mistake
from runner.spec._variables import is_template
from runner.spec._written import SpecFile
from runner.variables import names_in

_HOST = re.compile(r"[\w.-]+(?::\d+)?(?:/|$)")


def secrets(file: SpecFile) -> Iterator[str]:
    """Give what is secret wherever it was written, also in the spec itself."""
    if file.judge and file.judge.api_key:
        yield file.judge.api_key
    rival = file.baseline and file.baseline.endpoint
    for block in (file.endpoint, *file.endpoint.steps, rival):
        if block and block.auth:
            yield from block.auth.secrets


def no_addresses(file: SpecFile, filled: Callable[[str], str]) -> Iterator[Mistake]:
    """Give every URL that is not one once the environment's values are in it.

    Args:
        file: The spec.
        filled: Puts the values of variables into a text.
    """
    for path, url in _addresses(file):
        begins = ("http://", "https://", *(("{{",) if is_template(path) else ()))
        if not filled(url).startswith(begins):
            names = ", ".join(names_in(url))
            hint = f"look at what {names} holds" if names else ""
            if bare := re.match(r"\$(\w+)", url):
                hint = f"write ${{{bare[1]}}}"
            elif _HOST.match(url):
                hint = f"write http://{url}"
            yield Mistake(path, "must begin with http:// or https://", hint)


def _addresses(file: SpecFile) -> Iterator[tuple[KeyPath, str]]:
    """Give every URL of a spec with its key path."""
    for index, step in enumerate(file.endpoint.steps):
        yield ("endpoint", "steps", index, "url"), step.url
    if file.endpoint.url is not None:
        yield ("endpoint", "url"), file.endpoint.url
    if file.endpoint.wait_for:
        yield ("endpoint", "wait_for", "url"), file.endpoint.wait_for.url
    rival = file.baseline and file.baseline.endpoint
    if rival:
        yield ("baseline", "endpoint", "url"), rival.url
    judge = file.judge
    if judge and judge.url:
        yield ("judge", "url"), judge.url
    if judge and judge.embeddings and judge.embeddings.url:
        yield ("judge", "embeddings", "url"), judge.embeddings.url
