"""Makes the endpoint client of a plan: for HTTP, a program, or a function."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path

from runner import files
from runner.endpoints.command import CommandEndpoint
from runner.endpoints.function import FunctionEndpoint
from runner.endpoints.http import HttpEndpoint
from runner.errors import InputError, Place
from runner.hosts import Access
from runner.model import Case
from runner.pipeline import Plan
from runner.spec import EndpointSpec
from runner.templating import Locate

Live = HttpEndpoint | CommandEndpoint | FunctionEndpoint

_ANY = Access()


def open_endpoint(
    plan: Plan, cases: Iterable[Case], root: Path, access: Access = _ANY
) -> Live:
    """Open the endpoint of a plan, ready to be asked some cases; nothing is sent yet.

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
    secrets, place = plan.redactor, plan.place
    if spec.command is not None:
        return CommandEndpoint(
            spec, variables, folder=_folder(plan, root), secrets=secrets, place=place
        )
    if spec.python is not None:
        folders = (_folder(plan, root), Path(root).resolve())
        return FunctionEndpoint(
            spec, variables, folders=folders, secrets=secrets, place=place
        )
    return _open_http(plan, spec, place, root, access, cases)


def open_baseline_endpoint(
    plan: Plan, root: Path, access: Access = _ANY
) -> HttpEndpoint | None:
    """Open the endpoint that serves as the baseline; None where the baseline is none.

    Raises:
        InputError: As for ``open_endpoint``.
    """
    if plan.rival is None:
        return None
    return _open_http(plan, plan.rival, plan.beside, root, access, plan.cases)


def _open_http(
    plan: Plan,
    spec: EndpointSpec,
    place: Locate,
    root: Path,
    access: Access,
    cases: Iterable[Case],
) -> HttpEndpoint:
    endpoint = HttpEndpoint(
        spec,
        plan.spec.variables,
        secrets=plan.redactor,
        place=place,
        find=partial(_resolve, plan, root),
        access=access,
    )
    endpoint.admit(cases)
    return endpoint


def _resolve(plan: Plan, root: Path, written: str, where: Place) -> Path:
    return files.named(written, spec=plan.spec.file, root=root, where=where)


def _folder(plan: Plan, root: Path) -> Path:
    written = plan.spec.endpoint.cwd or "."
    where = plan.place("endpoint", "cwd")
    folder = _resolve(plan, root, written, where)
    if not folder.is_dir():
        raise InputError(f"{written} is no folder", where=where)
    return folder
