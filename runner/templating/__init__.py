"""Jinja2's only home: a case becomes a request, and the reports' environment."""

from __future__ import annotations

from runner.templating._leaf import Locate, by_path
from runner.templating._report import report_environment
from runner.templating._request import Request, RequestTemplate

__all__ = [
    "Locate",
    "Request",
    "RequestTemplate",
    "by_path",
    "report_environment",
]
