"""The workflow run of this step, and the URLs of its GitHub."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Run(NamedTuple):
    """One run of a job, from the variables of the step."""

    id: str = ""
    """The id in the URL of the run's page."""
    number: int = 0
    """The number among runs of the workflow, from 1; 0 where unknown."""
    attempt: int = 1
    """The number of the attempt at the run, from 1."""
    workflow: str = ""
    """The file of the workflow, else its name."""
    job: str = ""
    repository: str = ""
    """``owner/name``."""
    actor: str = ""
    """Who caused it."""
    server: str = "https://github.com"
    api: str = "https://api.github.com"
    graphql: str = "https://api.github.com/graphql"
    docs: str = "docs"
    """The URL of the documentation for the running version, if it is known."""


def run(environ: Mapping[str, str]) -> Run:
    """Read the run from the variables of a step."""
    told = {name: value for name, value in environ.items() if value}
    repository = told.get("GITHUB_REPOSITORY", "")
    # owner/name/.github/workflows/x.yml@refs/heads/main
    file = told.get("GITHUB_WORKFLOW_REF", "").partition("@")[0]
    file = file.removeprefix(f"{repository}/")
    return Run(
        id=told.get("GITHUB_RUN_ID", ""),
        number=_number(told.get("GITHUB_RUN_NUMBER"), 0),
        attempt=_number(told.get("GITHUB_RUN_ATTEMPT"), 1),
        workflow=file or told.get("GITHUB_WORKFLOW", ""),
        job=told.get("GITHUB_JOB", ""),
        repository=repository,
        actor=told.get("GITHUB_ACTOR", ""),
        server=told.get("GITHUB_SERVER_URL", Run().server),
        api=told.get("GITHUB_API_URL", Run().api).rstrip("/"),
        graphql=told.get("GITHUB_GRAPHQL_URL", Run().graphql),
        docs=_docs(told),
    )


def _docs(told: Mapping[str, str]) -> str:
    action, version = (told.get(f"GITHUB_ACTION_{n}") for n in ("REPOSITORY", "REF"))
    server = told.get("GITHUB_SERVER_URL", Run().server)
    return f"{server}/{action}/blob/{version}/docs" if action and version else "docs"


def _number(text: str | None, default: int) -> int:
    digits = text or ""
    return int(digits) if digits.isascii() and digits.isdecimal() else default
