"""The cases in quarantine, which gate nothing, with their outcomes."""

from __future__ import annotations

from typing import NamedTuple

from runner.model import Outcome
from runner.render._sentence import Sentence, quote, say, told
from runner.report import Report


class QuarantineRow(NamedTuple):
    """A case in quarantine."""

    id: Sentence
    until: str
    outcome: Outcome
    cause: Sentence
    owner: Sentence
    why: Sentence


def quarantined(report: Report) -> list[QuarantineRow]:
    """Give the cases in quarantine that the report names."""
    return [
        QuarantineRow(
            say(quote(each.id)),
            str(each.until),
            each.outcome,
            say(quote(each.cause or "")),
            say(quote(each.owner or "")),
            say(told(each.why)),
        )
        for each in report.quarantine
    ]
