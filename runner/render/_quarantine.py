"""Cases that did not gate, and what came of them all the same."""

from __future__ import annotations

from typing import NamedTuple

from runner.model import Outcome
from runner.render._said import Said, quote, say, told
from runner.report import Report


class Apart(NamedTuple):
    """A case in quarantine."""

    id: Said
    until: str
    outcome: Outcome
    cause: Said
    owner: Said
    why: Said


def apart(report: Report) -> list[Apart]:
    """Give the cases in quarantine that the report names."""
    return [
        Apart(
            say(quote(each.id)),
            str(each.until),
            each.outcome,
            say(quote(each.cause or "")),
            say(quote(each.owner or "")),
            say(told(each.why)),
        )
        for each in report.quarantine
    ]
