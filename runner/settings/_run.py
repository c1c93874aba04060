"""The workflow run of this step, and the URLs of its GitHub."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Run(NamedTuple):
    """One run of a job, from the variables of the step."""

    id: str = ""
    """Of the run among all of GitHub; its page has it in its address."""
    number: int = 0
    """Counts the runs of the workflow, from 1; 0 where it is not known."""
    attempt: int = 1
    """Counts the times that the run was started again, from 1."""
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
    """Where the pages of the action are: of the version that runs, if it is known."""


def run(environ: Mapping[str, str]) -> Run:
    """Give the run that the variables of a step tell of."""
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
