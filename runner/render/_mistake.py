"""The comment on a spec with a mistake, which has no report."""

from __future__ import annotations

from runner.render._banners import banners, footer
from runner.render._escape import block, inline
from runner.render._links import NOWHERE, Links
from runner.render._markdown import FILTERS
from runner.report import Report, Totals


def mistake(spec: str, error: str, links: Links = NOWHERE) -> str:
    """Give the comment, and the part of the summary, on a spec with a mistake.

    Args:
        spec: Its file.
        error: What is wrong with it, one mistake a line.
        links: Of which run and commit it is.
    """
    md = FILTERS["md"]
    empty = Report(name=spec, verdict="error", totals=Totals(cases=0))
    foot = md(footer(empty, links))
    parts = [
        f"## 🚫 RAG eval {inline(spec)}: not evaluated",
        *(f"> {md(banner)}" for banner in banners(empty, links)),
        block(error),
        f"<sub>{foot}</sub>" if foot else "",
    ]
    return "\n\n".join(filter(None, parts)) + "\n"
