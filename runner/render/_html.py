"""One page to keep: self-contained, without scripts, readable on a phone."""

from __future__ import annotations

from runner.render._clean import inert_markup
from runner.render._links import NOWHERE, Links
from runner.render._markdown import Environment
from runner.render._view import Share, view
from runner.report import Report

_PAGE = Share("page", lines=1_000)  # beyond that a browser has its trouble


def html(report: Report, environment: Environment, *, links: Links = NOWHERE) -> str:
    """Give the whole report as a page that loads nothing and runs nothing."""
    template = environment.get_template("report.html.j2")
    page: str = template.render(view=view(report, _PAGE, links))
    return inert_markup(page.lstrip("\n"))
