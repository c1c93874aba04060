"""The parts around the table: counts of cases, notices above it, the footer below."""

from __future__ import annotations

import re
from collections.abc import Iterator

from runner.model import Comparison
from runner.render._headline import evaluated, few
from runner.render._judge import judged
from runner.render._links import Links
from runner.render._no_baseline import no_baseline
from runner.render._noise import flips
from runner.render._numbers import number
from runner.render._sentence import Piece, Sentence, join, link, named, quote, say, told
from runner.report import Report
from runner.units import count

_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d)")
_NOTICES = 10


def totals(report: Report) -> Sentence:
    """Give the number of cases by outcome, and whether chance explains the flips."""
    counted = report.totals
    outcomes = {
        "passed": counted.passed,
        "failed": counted.failed,
        "undetermined": counted.undetermined,
        "error" if counted.errors == 1 else "errors": counted.errors,
        "not asked": counted.not_asked,
        "in quarantine": counted.quarantined,
    }
    parts = ", ".join(
        f"{number:,} {name}" for name, number in outcomes.items() if number
    )
    if not parts:
        return ()
    outcome = say(f"{count(counted.cases, 'case')}: {parts}")
    chance = flips(report) if report.verdict in ("passed", "failed") else ()
    return join(". ", [outcome, chance])


def banners(report: Report, links: Links, *, kept: bool = False) -> list[Sentence]:
    """Give the sentences above the table, each once: reasons, filters, notices.

    ``kept``: how a baseline is made of this run is said elsewhere.
    """
    said = list(dict.fromkeys(filter(None, _banners(report, links, kept=kept))))
    if len(said) <= _NOTICES:
        return said
    more = say(f"{len(said) - _NOTICES:,} more in results.json")
    return [*said[:_NOTICES], more]


def _banners(report: Report, links: Links, *, kept: bool) -> Iterator[Sentence]:
    if links.newer and links.newer != links.commit:
        yield say(
            "These results are of ",
            commit(links.commit, links),
            "; the pull request is now at ",
            commit(links.newer, links),
            ".",
        )
    yield from _reasons(report)
    if report.verdict == "error" and evaluated(report):
        yield say("The numbers below are over the rest, and not final.")
    if report.filters:
        yield say("Only a part of the cases was evaluated: ", few(report.filters))
    yield no_baseline(report, kept=kept)
    yield from _unlike(report)
    for notice in report.notices:
        yield say(told(notice))


def _reasons(report: Report) -> Iterator[Sentence]:
    """Give the reasons of the verdict that no gate in the table shows."""
    blocking = any(gate.blocks for gate in report.gates)
    if report.verdict in ("error", "skipped") or not blocking:
        for reason in report.reasons:
            yield say(told(reason))


def _unlike(report: Report) -> Iterator[Sentence]:
    """Give what was not compared with the baseline: changed cases, then all else."""
    compared = report.comparison
    if compared is None:
        return
    changed = set(compared.changed)
    edited: list[str] = []
    others: list[str] = []
    for entry in compared.not_comparable:
        is_case = entry.rpartition(": ")[0] in changed
        (edited if is_case else others).append(entry)
    if edited:
        are = "is" if len(edited) == 1 else "are"
        of = count(report.totals.cases, "case")
        yield say(
            f"{len(edited):,} of {of} changed since the baseline and {are} not "
            "compared: ",
            few(edited, "; ", told),
        )
    if others:
        yield say("Not comparable with the baseline: ", few(others, "; ", told))


def footer(report: Report, links: Links) -> Sentence:
    """Give commits, run, judge, time and version."""
    head = report.commit or links.commit
    merge = links.merge if links.merge != head else ""
    compared = report.comparison
    return join(
        " · ",
        [
            say("commit ", commit(head, links)) if head else (),
            say("evaluated as merge ", commit(merge, links)) if merge else (),
            say("base ", commit(report.base, links)) if report.base else (),
            _of_baseline(report, compared, links) if compared else (),
            say(link("workflow run", links.run_url)) if links.run_url else (),
            judged(report.judge) if report.judge else (),
            _moment(report.started) if report.started else (),
            say(f"took {number(report.duration_s, 's')}") if report.duration_s else (),
            say("rag-eval-action ", named(report.version)) if report.version else (),
        ],
    )


def commit(name: str, links: Links) -> Piece:
    """Give a shortened commit hash, as a link where possible."""
    return quote(name[:7], links.commit_url(name))


def _of_baseline(report: Report, compared: Comparison, links: Links) -> Sentence:
    # Results that are given by hand take the place of an endpoint, and are older.
    in_turn = compared.started == report.started
    if report.baseline_kind == "endpoint" and in_turn:
        return say("baseline ", quote(report.baseline or ""), " asked in turn")
    then = _moment(compared.started) if compared.started else ()
    at = say(commit(compared.commit, links)) if compared.commit else ()
    said = join(" of ", [at, then])
    return say("baseline ", said) if said else ()


def _moment(text: str) -> Sentence:
    found = _MOMENT.match(text)
    return say(f"{found[1]} {found[2]} UTC") if found else say(quote(text))
