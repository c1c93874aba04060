"""Jinja2's only home: a case becomes a request, texts a prompt, a report a page."""

from __future__ import annotations

from runner.templating._input import InputTemplate, encoded
from runner.templating._leaf import NAMES, Locate, by_path
from runner.templating._prompt import Prompt, Prompts
from runner.templating._report import report_environment
from runner.templating._request import Request, RequestTemplate

__all__ = [
    "NAMES",
    "InputTemplate",
    "Locate",
    "Prompt",
    "Prompts",
    "Request",
    "RequestTemplate",
    "by_path",
    "encoded",
    "report_environment",
]
