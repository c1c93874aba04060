"""The cases whose outcome differs from the baseline, each with what explains it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from runner.model import NOTHING, Comparison, Outcome, RankMove, Shift
from runner.render._links import Links
from runner.render._sentence import Sentence, join, quote, say, told
from runner.report import FailedCase, Report
from runner.text.shorten import cut_middle, short_of_call

_WHY = 120  # characters
_TOLD = 2  # passages


class Change(NamedTuple):
    """A case that passes now and did not, or the reverse; or fails in another layer."""

    id: Sentence
    was: Outcome
    now: Outcome
    cause: Sentence = ()
    why: Sentence = ()


def flips(report: Report) -> str:
    """Give how many cases differ, of each kind; empty where none does."""
    compared = report.comparison
    if compared is None or not compared.pairs:
        return ""
    lost = len(compared.regressed) - compared.worse
    again = len(compared.fixed) - compared.better
    counts = {
        "regressed": compared.worse,
        "new error" if lost == 1 else "new errors": lost,
        "moved to another layer": len(compared.moved),
        "fixed": compared.better,
        "error gone" if again == 1 else "errors gone": again,
        "new": len(compared.new),
        "removed": len(compared.removed),
    }
    return " · ".join(f"{number:,} {name}" for name, number in counts.items() if number)


def changes(report: Report, links: Links) -> list[Change]:
    """Give the regressed cases, those that moved to another layer, and the fixed.

    Of the regressed, those whose call failed come last: they show no answer.
    """
    compared = report.comparison
    if compared is None:
        return []
    ids = _Ids(report, links)
    regressed = [ids.regressed(name) for name in compared.regressed]
    return [
        *sorted(regressed, key=lambda change: change.now == "error"),
        *(ids.moved(name) for name in compared.moved),
        *(Change(ids.said(name), "failed", "passed") for name in compared.fixed),
    ]


class _Ids:
    """Looks up cases by their ids."""

    def __init__(self, report: Report, links: Links) -> None:
        self._quoted = {case.id: case for case in report.failures}
        self._shifts = _shifts(report.comparison)
        self._urls = {name: links.line_url(*at) for name, at in _places(report)}

    def said(self, name: str) -> Sentence:
        return say(quote(name, self._urls.get(name, "")))

    def regressed(self, name: str) -> Change:
        case, shift = self._quoted.get(name), self._shifts.get(name)
        now: Outcome = shift.now if shift else "failed"
        now = "error" if case and case.outcome == "error" else now
        cause = say(quote((case and case.cause) or (shift and shift.cause) or ""))
        return Change(self.said(name), "passed", now, cause, _explanation(case, shift))

    def moved(self, name: str) -> Change:
        case, shift = self._quoted.get(name), self._shifts.get(name)
        causes = [shift.cause_before, shift.cause] if shift else []
        cause = join(" → ", [say(quote(cause or "?")) for cause in causes])
        was: Outcome = shift.was if shift else "failed"
        now: Outcome = shift.now if shift else "failed"
        return Change(self.said(name), was, now, cause, _explanation(case, shift))


def _shifts(compared: Comparison | None) -> Mapping[str, Shift]:
    return {shift.id: shift for shift in compared.shifts} if compared else NOTHING


def _places(report: Report) -> Iterator[tuple[str, tuple[str, int | None]]]:
    for name, place in report.places.items():
        yield name, (place.file, place.line)
    for case in report.failures:
        if case.file:
            yield case.id, (case.file, case.line)


def _explanation(case: FailedCase | None, shift: Shift | None) -> Sentence:
    """Give the explanation of a change: lost passages, else the evidence."""
    evidence = cut_middle(short_of_call(case.evidence), _WHY) if case else ""
    gone = _lost_passages(shift) if shift else ()
    is_ranking = shift is not None and shift.layer in ("retrieval", "context")
    if gone and is_ranking:
        return gone
    return join("; ", [say(told(evidence)), gone])


def _lost_passages(shift: Shift) -> Sentence:
    moves = [_move(move) for move in shift.ranks[:_TOLD]]
    hidden = len(shift.ranks) - len(moves)
    came = join(", ", [say(quote(name)) for name in shift.came[:_TOLD]])
    return join(
        "; ",
        [
            *moves,
            say(f"{hidden:,} more") if hidden else (),
            say("instead came ", came) if came and moves else (),
        ],
    )


def _move(move: RankMove) -> Sentence:
    if move.now is None:
        return say(quote(move.id), f" is gone from rank {move.before}")
    return say(quote(move.id), f" fell from rank {move.before} to {move.now}")
