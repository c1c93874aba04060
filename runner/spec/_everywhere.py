"""What a spec holds in several places: its addresses and its secrets."""

from __future__ import annotations

from collections.abc import Iterator

from runner.errors import KeyPath
from runner.spec._written import SpecFile


def secrets(file: SpecFile) -> Iterator[str]:
    """Give what is secret wherever it was written, also in the spec itself."""
    if file.judge and file.judge.api_key:
        yield file.judge.api_key
    rival = file.baseline and file.baseline.endpoint
    for block in (file.endpoint, *file.endpoint.steps, rival):
        if block and block.auth:
            yield from block.auth.secrets


def addresses(file: SpecFile) -> Iterator[tuple[KeyPath, str]]:
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
