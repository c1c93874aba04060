"""Opens the system that a plan asks: over HTTP, as a program, or as a function."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from runner import files
from runner.endpoints.command import CommandEndpoint
from runner.endpoints.function import FunctionEndpoint
from runner.endpoints.http import HttpEndpoint
from runner.errors import InputError
from runner.hosts import Access
from runner.model import Case
from runner.pipeline import Plan

Live = HttpEndpoint | CommandEndpoint | FunctionEndpoint

_ANY = Access()


def opened(
    plan: Plan, cases: Iterable[Case], root: Path, access: Access = _ANY
) -> Live:
    """Give what answers, ready to be asked these cases; nothing was sent yet.

    Args:
        plan: Whose endpoint it is.
        cases: What will be asked.
        root: The workspace.
        access: Which hosts may be asked.

    Raises:
        InputError: Templates, expressions or addresses are wrong, a host may not be
            asked, or a folder or function is not there.
    """
    spec, variables = plan.spec.endpoint, plan.spec.variables
    secrets, place = plan.spec.secrets, plan.place
    if spec.command is not None:
        return CommandEndpoint(
            spec, variables, folder=_folder(plan, root), secrets=secrets, place=place
        )
    if spec.python is not None:
        folders = (_folder(plan, root), Path(root).resolve())
        return FunctionEndpoint(
            spec, variables, folders=folders, secrets=secrets, place=place
        )
    endpoint = HttpEndpoint(
        spec, variables, secrets=secrets, place=place, access=access
    )
    endpoint.admit(cases)
    return endpoint


def _folder(plan: Plan, root: Path) -> Path:
    written = plan.spec.endpoint.cwd or "."
    where = plan.place("endpoint", "cwd")
    folder = files.named(written, spec=plan.spec.file, root=root, where=where)
    if not folder.is_dir():
        raise InputError(f"{written} is no folder", where=where)
    return folder
